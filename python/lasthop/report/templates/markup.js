// Elements of the page: markup without HTML in strings.
window.lasthopMarkup = (root) => {
  "use strict";
  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== ""));
    return element;
  };
  const marks = [...root.parentElement.querySelectorAll("template[data-stack]")];
  const mark = (stack, place) => {
    const name = make("span", { class: "stack-name" });
    if (marks[place]) name.append(marks[place].content.cloneNode(true));
    if (stack) name.append(make("span", {}, stack));
    return name;
  };
  const named = (stack) => make("strong", { class: "stack" }, stack);
  return { make, mark, named };
};
