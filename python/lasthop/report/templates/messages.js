// Shows the time line and the sequence of a message whose dot is clicked, or the command for it.
window.lasthopMessages = (figure, lines) => {
  "use strict";
  const { make } = window.lasthopMarkup(figure);
  const place = make("div", { class: "message", "aria-live": "polite" });
  const chosen = make("select", { onchange: () => show(chosen.value) },
    make("option", { value: "" }, "none"),
    ...lines.names.map((name) => make("option", { value: name }, name)));
  figure.querySelector("figcaption").before(
    make("p", { class: "choose" }, make("label", {}, "Time line of message ", chosen),
      " Or click a dot or a cross."), place);

  const ROW = 34;
  const svg = (tag, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  const since = (ms) => `+${ms.toFixed(3)} ms`;

  // Packets of the device's side and of the server's: left and right, the path between them.
  const sequence = (name, events) => {
    const ends = [...new Set(events.map(([, where]) => where))].filter((where) => !where.startsWith("path"));
    if (ends.length < 2) return null;
    const x = (where) => {
      const at = ends.indexOf(where);
      return at < 0 ? null : 150 + (at * 420) / (ends.length - 1);
    };
    const y = (row) => 44 + row * ROW;
    const height = y(events.length);
    const drawn = ends.flatMap((where) => [
      svg("text", { x: x(where), y: 18, "text-anchor": "middle", class: "end" }, where),
      svg("line", { x1: x(where), x2: x(where), y1: 26, y2: height - 10, class: "life" })]);
    events.forEach(([ms, where, what], row) => {
      drawn.push(svg("text", { x: 96, y: y(row) + 4, "text-anchor": "end", class: "time" }, since(ms)));
      const packet = what.match(/^packet (\d+) .*leaves/)?.[1];
      if (packet === undefined) {
        if (x(where) !== null && !/^packet /.test(what)) {
          drawn.push(svg("circle", { cx: x(where), cy: y(row), r: 4, class: "event" }));
          const right = ends.indexOf(where) === ends.length - 1;
          drawn.push(svg("text", { x: x(where) + (right ? -10 : 10), y: y(row) - 7,
            "text-anchor": right ? "end" : "start" }, what.length > 44 ? `${what.slice(0, 43)}\u2026` : what));
        }
        return;
      }
      const after = events.slice(row + 1);
      const met = after.findIndex(([, , told]) => told.startsWith(`packet ${packet} `) && /arrives|dropped/.test(told));
      if (met < 0) return;
      const [, to, told] = after[met];
      const lost = told.includes("dropped");
      const other = ends.indexOf(where) === 0 ? ends.length - 1 : 0;
      const x1 = x(where), x2 = lost || x(to) === null ? (x1 + x(ends[other])) / 2 : x(to);
      const y1 = y(row), y2 = y(row + 1 + met);
      drawn.push(svg("line", { x1, x2, y1, y2, class: lost ? "packet lost" : "packet",
        ...(lost ? {} : { "marker-end": "url(#arrow)" }) }));
      if (lost) drawn.push(svg("text", { x: x2, y: y2 + 5, "text-anchor": "middle", class: "cross" }, "\u00d7"));
      drawn.push(svg("text", { x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 6, "text-anchor": "middle" },
        `packet ${packet}${lost ? ": dropped" : ""}`));
    });
    const arrow = svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4,
      markerWidth: 8, markerHeight: 8, orient: "auto" }, svg("path", { d: "M0 0 8 4 0 8z" })));
    return svg("svg", { viewBox: `0 0 640 ${height}`, role: "img", class: "sequence",
      "aria-label": `Sequence of message ${name}; the table below has the same events` }, arrow, ...drawn);
  };

  const show = (name) => {
    if (!name) { place.replaceChildren(); return; }
    chosen.value = lines.names.includes(name) ? name : "";
    const events = lines.told[name];
    const command = make("pre", {}, lines.command.replace("\0", name));
    const head = make("h4", {}, `Message ${name}`);
    if (!events) {
      place.replaceChildren(head, make("p", {}, "Its time line is not in this page. Print it with"), command);
      return;
    }
    const rows = events.map(([ms, where, what]) => make("tr", {},
      make("td", { class: "number" }, since(ms)), make("td", {}, where), make("td", {}, what)));
    const table = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Time line" },
      make("table", {}, make("thead", {}, make("tr", {},
        ...["After it was due", "Where", "What"].map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...rows)));
    const picture = sequence(name, events);
    place.replaceChildren(head, ...(picture ? [make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Sequence" }, picture)] : []), table, command);
  };

  return show;
};
