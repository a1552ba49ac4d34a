// The reader's requirements: their form, their faults, and how a study writes them.
window.lasthopRequirements = (() => {
  "use strict";
  const OPERATORS = ["<", "<=", ">", ">="];
  const SIGNS = { "<=": "\u2264", ">=": "\u2265" };

  // Divide by a whole number where the unit is smaller than the column's: 99.9 % is 0.999.
  const toColumn = (number, size) => (size < 1 ? number / Math.round(1 / size) : number * size);
  const fromColumn = (value, size) => Number((size < 1 ? value * Math.round(1 / size) : value / size).toPrecision(12));
  const unitOf = (column, value) => {
    const fitting = column.units.filter(([, size]) => Math.abs(value) >= size);
    return fitting.at(-1) ?? column.units[0];
  };
  const inWords = (data, one, sign) => {
    const column = data.columns[one.column];
    const [unit, size] = one.unit ?? unitOf(column, one.value);
    return `${column.name} ${sign} ${fromColumn(one.value, size)}${unit ? ` ${unit}` : ""}`;
  };
  const written = (data, one) => inWords(data, one, SIGNS[one.operator] ?? one.operator);

  const faultOf = (column, text, size) => {
    const number = Number(text);
    if (text.trim() === "" || !Number.isFinite(number)) return "Write a number, for example 99.";
    const value = toColumn(number, size);
    const unit = column.units.find((one) => one[1] === size)[0];
    if (column.whole && !Number.isInteger(value)) return `Write a whole number of ${column.units[0][0]}.`;
    const end = (bound) => `${fromColumn(bound, size)}${unit ? ` ${unit}` : ""}`;
    if (column.most !== null && value > column.most) return `Write ${end(column.most)} or less.`;
    if (column.least !== null && value < column.least) return `Write ${end(column.least)} or more.`;
    return "";
  };

  const draw = (fieldset, data, state, { make, redraw, reset }) => {
    const again = () => draw(fieldset, data, state, { make, redraw, reset });
    const options = (texts, chosen) => texts.map((text, place) =>
      make("option", { selected: place === chosen ? "" : null }, text));
    const rows = state.requirements.map((one, number) => {
      const called = `Requirement ${number + 1}`;
      const applies = make("input", { type: "checkbox", "aria-label": `${called} applies`,
        checked: one.applies ? "" : null, onchange: (event) => { one.applies = event.target.checked; redraw(); } });
      if (one.column === undefined) {
        const why = "Its bound cannot be changed here, because it holds for some stacks, groups or points only.";
        return make("div", { class: "requirement" }, applies, make("code", {}, one.text), make("small", {}, why));
      }
      const column = data.columns[one.column];
      one.unit ??= unitOf(column, one.value);
      const fault = make("small", { class: "warning", role: "alert", id: `${fieldset.parentElement.id}-fault-${number}` }, one.fault ?? "");
      const number_ = make("input", { type: "text", inputmode: "decimal", size: "7", "aria-label": `${called}: bound`,
        "aria-describedby": fault.id, value: one.fault ? one.entered : String(fromColumn(one.value, one.unit[1])) });
      const read = () => {
        one.fault = faultOf(column, number_.value, one.unit[1]);
        one.entered = number_.value;
        fault.textContent = one.fault && `${one.fault} The requirement is left out until then.`;
        number_.setAttribute("aria-invalid", one.fault ? "true" : "false");
        if (!one.fault) one.value = toColumn(Number(number_.value), one.unit[1]);
        redraw();
      };
      number_.addEventListener("input", read);
      const units = column.units.map(([unit]) => unit);
      const unit = units.length > 1
        ? make("select", { "aria-label": `${called}: unit`, onchange: (event) => { one.unit = column.units[event.target.selectedIndex]; read(); } },
          ...options(units, units.indexOf(one.unit[0])))
        : make("span", {}, units[0]);
      const known = [...new Set([...OPERATORS, one.operator])];
      return make("div", { class: "requirement" }, applies,
        make("select", { "aria-label": `${called}: measure`, class: "measure", onchange: (event) => {
          const place = event.target.selectedIndex;
          const units_ = data.columns[place].units;
          Object.assign(one, { column: place, value: toColumn(1, units_[0][1]), unit: units_[0], fault: "" });
          again();
          redraw();
        } }, ...options(data.columns.map((candidate) => candidate.called), one.column)),
        make("select", { "aria-label": `${called}: comparison`, onchange: (event) => { one.operator = known[event.target.selectedIndex]; redraw(); } },
          ...options(known.map((sign) => SIGNS[sign] ?? sign), known.indexOf(one.operator))),
        number_, unit,
        make("button", { type: "button", "aria-label": `Remove requirement ${number + 1}`, onclick: () => {
          state.requirements.splice(number, 1);
          again();
          redraw();
        } }, "Remove"), fault);
    });
    const add = make("button", { type: "button", onclick: () => {
      const [unit, size] = data.columns[0].units[0];
      state.requirements.push({ column: 0, operator: "<=", value: toColumn(1, size), unit: [unit, size], applies: true });
      again();
      redraw();
    } }, "Add a requirement");
    const back = make("button", { type: "button", class: "reset", onclick: reset }, "Back to the study\u2019s requirements");
    fieldset.replaceChildren(make("legend", {}, "Requirements"), ...rows,
      make("div", { class: "actions" }, add, back), make("div", { class: "changed", "aria-live": "polite" }));
  };

  const note = (fieldset, data, requirements, changed) => {
    fieldset.querySelector(".reset").disabled = !changed;
    const kept = requirements.filter((one) => one.applies && !one.fault)
      .map((one) => JSON.stringify(one.column === undefined ? one.text : inWords(data, one, one.operator)));
    const place = fieldset.querySelector(".changed");
    if (!changed) { place.replaceChildren(); return; }
    const told = document.createElement("p");
    told.textContent = "Changed on this page only; the rest of the report answers the study\u2019s own question. To keep it, write in the study:";
    const yaml = document.createElement("pre");
    yaml.textContent = `decide: {require: [${kept.join(", ")}], \u2026}`;
    place.replaceChildren(told, yaml);
  };

  return { draw, note, toColumn, written };
})();
