// The form and the YAML beside it: each edit of one is sent, and the other follows.
window.lasthopAsk = (send, tell) => {
  "use strict";
  const form = document.getElementById("form");
  const text = document.getElementById("text");
  const { make } = window.lasthopMarkup(form);
  let turn = 0;
  let timer = 0;

  const show = (study, { keep } = {}) => {
    if (!keep && text.value !== study.text) text.value = study.text;
    const held = document.activeElement?.dataset?.field;
    const caret = held && [document.activeElement.selectionStart, document.activeElement.selectionEnd];
    const typed = held && document.activeElement.value;
    const sections = new Map();
    for (const field of study.form.fields) {
      if (!sections.has(field.section)) sections.set(field.section, []);
      sections.get(field.section).push(input(field, study.fault));
    }
    form.replaceChildren(...[...sections].map(([name, fields]) =>
      make("fieldset", {}, make("legend", {}, name), ...fields)));
    if (held) {
      const again = form.querySelector(`[data-field="${held}"]`);
      if (again && !again.disabled) {
        again.focus();
        if (again.tagName !== "SELECT") { again.value = typed; again.setSelectionRange(...caret); }
      }
    }
    const { fault } = study;
    const line = fault?.line ? `Line ${fault.line}: ` : "";
    document.getElementById("fault").textContent = fault ? `${line}${fault.key ? `${fault.key}: ` : ""}${fault.text}` : "";
    text.setAttribute("aria-invalid", fault ? "true" : "false");
    document.getElementById("run").dataset.fault = fault ? "yes" : "";
    const only = study.form.only_yaml;
    document.getElementById("only").textContent = study.form.fields.length === 0
      ? "The text is not a study in YAML, so the form is empty."
      : only.length ? `Only in the YAML: ${only.join(", ")}.` : "";
  };

  const isAt = (fault, field) => fault && fault.key && field.key && field.value !== null &&
    (fault.key === field.key || fault.key.startsWith(`${field.key}.`));

  const input = (field, fault) => {
    const id = `field-${field.name}`;
    const wrong = isAt(fault, field);
    const common = { id, "data-field": field.name, "aria-invalid": wrong ? "true" : "false",
      "aria-describedby": `${id}-fault`, disabled: field.value === null ? "" : null };
    const change = (event) => edited(field.name, event.target.value);
    let control;
    if (field.choices.length) {
      control = make("select", { ...common, onchange: change }, ...field.choices.map((choice) =>
        make("option", { value: choice, selected: choice === field.value ? "" : null }, choice.replace("_", " "))));
    } else if (field.lines) {
      control = make("textarea", { ...common, rows: String(Math.max(2, (field.value ?? "").split("\n").length)), oninput: change });
      control.value = field.value ?? "";
    } else {
      control = make("input", { ...common, type: "text", placeholder: field.example, value: field.value ?? "", oninput: change });
    }
    if (field.value === null) control.title = "This study has no single place for it; write it in the YAML.";
    return make("div", { class: "field" }, make("label", { for: id }, field.label), control,
      make("small", { class: "warning", id: `${id}-fault` }, wrong ? fault.text : field.value === null ? "in the YAML only" : ""));
  };

  const later = (ask, { keep }) => {
    const mine = ++turn;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const study = await ask();
      if (study && mine === turn) show(study, { keep });
    }, 150);
  };
  const edited = (name, value) => later(() => send("/api/field", { name, value, text: text.value }), { keep: false });
  text.addEventListener("input", () => later(() => send("/api/edit", { text: text.value }), { keep: true }));
  form.addEventListener("submit", (event) => event.preventDefault());

  const flush = async () => {
    turn += 1;
    clearTimeout(timer);
    const study = await send("/api/edit", { text: text.value });
    if (study) show(study, { keep: true });
    return study;
  };
  return { flush, show, tell };
};
