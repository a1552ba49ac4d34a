// Shows the answer at the point and under the requirements that the reader chooses.
window.lasthopExplorer = (root, given) => {
  "use strict";
  const { make, mark, named } = window.lasthopMarkup(root);
  const decide = window.lasthopDecide;
  let data = given;
  const state = { part: 0, at: [], requirements: [] };

  const part = () => data.parts[state.part];
  const places = (dimension) => part().dimensions[dimension].values;

  // A place counts in half steps: an even one is a point, an odd one lies between two.
  const neighbours = (half) => (half % 2 ? [(half - 1) / 2, (half + 1) / 2] : [half / 2]);
  const pointAt = (at) => part().points.findIndex((point) => point.at.every((place, on) => place === at[on]));

  const corners = () => state.at.reduce(
    (found, half) => found.flatMap((at) => neighbours(half).map((place) => [...at, place])), [[]]);

  const study = () => data.requirements.map((one, fixed) => (one.column === undefined
    ? { fixed, text: one.text, applies: true }
    : { column: one.column, operator: one.operator, value: one.value, text: one.text, was: fixed, applies: true }));

  // A requirement that the reader did not touch keeps the verdict that Python gave.
  const untouched = (one) => {
    const was = one.was === undefined ? null : data.requirements[one.was];
    return was && was.column === one.column && was.operator === one.operator && was.value === one.value;
  };
  const applied = () => state.requirements
    .filter((one) => one.applies && !one.fault)
    .map((one) => (untouched(one) ? { ...one, fixed: one.was } : one));
  const isChanged = () => state.requirements.length !== data.requirements.length ||
    state.requirements.some((one) => !one.applies || one.fault || (one.fixed === undefined && !untouched(one)));

  const list = (stacks) => stacks.flatMap((stack, place) => [
    place ? (place === stacks.length - 1 ? " and " : ", ") : "", named(data.stacks[stack], stack)]);

  const sentence = (found, point) => {
    const label = data.objective?.label;
    const figure = (stack) => point.arms.find((arm) => arm.stack === stack).value[0];
    switch (found.outcome) {
      case "leads": {
        const next = found.ranked[1];
        return [...list(found.leaders), ` is best: ${label} ${figure(found.leaders[0])}, next `,
          named(data.stacks[next.stack], next.stack), ` with ${figure(next.stack)}.`];
      }
      case "close":
        return [...list(found.leaders), " are too close to call."];
      case "only one":
        return [...list(found.ranked.map((one) => one.stack)), " alone is not excluded."];
      case "nothing qualifies":
        return ["Every stack is excluded."];
      case "nothing reached":
        return [`No stack has a ${label}: ${data.objective.missing}.`];
      case "nothing ran":
        return ["No stack can be judged here."];
      default:
        return ["The study does not say what to minimise or maximise."];
    }
  };

  const verdict = (found, stack, one) => {
    const pills = [];
    const words = found.judged.get(stack) ?? [];
    if (words.includes("not met")) pills.push(make("span", { class: "tag" }, "excluded"));
    else if (one?.p > (data.objective?.alpha ?? 1)) {
      pills.push(make("span", { class: "tag" }, "too close to call"),
        make("small", {}, one.within ? `within ${data.objective.effect}` : "not told apart"));
    } else if (found.leaders[0] === stack && found.leaders.length === 1) {
      pills.push(make("span", { class: "tag" }, "best"));
    }
    return pills;
  };

  const figureOf = (arm, requirement, word) => {
    if (word === undefined) return ["does not apply"];
    const fixed = requirement.fixed !== undefined;
    const cell = fixed ? null : arm.cells[requirement.column];
    const figure = fixed ? arm.fixed[requirement.fixed][1] : cell[0];
    const range = !fixed && word === "too few to say" ? `, ${cell[4]}` : "";
    return [`${figure}${range}`, make("small", { class: word === "met" ? "" : "warning" }, word)];
  };

  const table = (point, found) => {
    const asked = applied();
    const objective = data.objective;
    const head = ["Stack", ...(objective ? [sentenceCase(objective.label), "Interval", "To the leader"] : []),
      ...asked.map((one) => written(one)), "Verdict"];
    const order = [...found.ranked.map((one) => one.stack), ...found.excluded];
    const rows = order.map((stack) => {
      const arm = point.arms.find((candidate) => candidate.stack === stack);
      const one = found.ranked.find((candidate) => candidate.stack === stack);
      const change = one?.change ? [one.change, make("small", {}, one.range)] : ["\u2014"];
      const warnings = arm.warnings.map((text) => make("small", { class: "warning" }, text));
      return [[mark(data.stacks[stack], stack)],
        ...(objective ? [[make("b", {}, arm.value[0])], [arm.value[1]], change] : []),
        ...asked.map((requirement, at) => figureOf(arm, requirement, found.judged.get(stack)[at])),
        [...verdict(found, stack, one), ...warnings]];
    });
    for (const arm of point.arms.filter((candidate) => candidate.aside !== undefined)) {
      rows.push([[mark(data.stacks[arm.stack], arm.stack)],
        ...head.slice(2).map(() => ["\u2014"]), [make("small", { class: "warning" }, arm.aside)]]);
    }
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Stacks at this point" },
      make("table", {},
        make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
        make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, ...cell)))))));
  };

  const sentenceCase = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);
  const written = (one) => (one.column === undefined ? one.text : window.lasthopRequirements.written(data, one));

  // What leads along one dimension while the others stay.
  const line = (found, dimension) => places(dimension).map((_, place) => {
    const at = state.at.map((half, on) => (on === dimension ? place : neighbours(half)[0]));
    const number = pointAt(at);
    return number < 0 ? null : { ...found[number], place };
  });

  const strip = (found, dimension) => {
    const buttons = line(found, dimension).map((one, place) => {
      const words = one === null ? "not run" : one.leaders.length === 1 ? "best" : one.leaders.length ? "too close to call" : one.outcome;
      const told = one === null ? "was not run"
        : one.leaders.length ? `${one.leaders.map((stack) => data.stacks[stack]).join(", ")} ${one.leaders.length > 1 ? "too close to call" : "best"}`
        : one.outcome;
      const marks = (one?.leaders ?? []).slice(0, 4).map((stack) => mark("", stack));
      const current = state.at[dimension] === 2 * place;
      return make("button", { type: "button", "aria-current": current ? "true" : null,
        "aria-label": `${places(dimension)[place]}: ${told}`, disabled: one === null ? "" : null,
        onclick: () => { state.at[dimension] = 2 * place; redraw(); } },
      make("span", {}, places(dimension)[place]), make("span", { class: "marks" }, ...marks), make("small", {}, words));
    });
    return make("div", { class: "strip", role: "group",
      "aria-label": `Best stack by ${part().dimensions[dimension].label}` }, ...buttons);
  };

  const flips = (found, dimension) => {
    const label = part().dimensions[dimension].label;
    if (state.at.some((half, on) => on !== dimension && half % 2)) return [];
    const along = line(found, dimension).filter((one) => one !== null);
    const text = (one) => places(dimension)[one.place];
    return decide.changes(along).map(([last, first]) => {
      const unclear = along.slice(last + 1, first).map(text);
      const between = unclear.length ? `; ${unclear.join(", ")}: no stack is best alone` : "";
      return make("p", { class: "flip" }, `Along ${label} the best stack changes: `,
        named(data.stacks[along[last].ranked[0].stack], along[last].ranked[0].stack), ` at ${text(along[last])}, `,
        named(data.stacks[along[first].ranked[0].stack], along[first].ranked[0].stack),
        ` at ${text(along[first])}${between}. Points between were not run.`);
    });
  };

  const controls = make("div", { class: "controls" });
  const requirements = make("fieldset", { class: "requirements" });
  const answer = make("div", { class: "found" });
  const said = make("div", { "aria-live": "polite", class: "said" });
  const rest = make("div", {});
  answer.append(said, rest);
  root.replaceChildren(controls, requirements, answer);

  const textOf = (dimension) => neighbours(state.at[dimension]).map((place) => places(dimension)[place]);
  const position = (dimension) => {
    const texts = textOf(dimension);
    return texts.length > 1 ? `between ${texts[0]} and ${texts[1]}: not run` : texts[0];
  };

  const drawControls = () => {
    const chosen = data.parts.length < 2 ? [] : [make("label", {}, make("span", {}, "Part of the study"),
      make("select", { onchange: (event) => { state.part = event.target.selectedIndex; start(); } },
        ...data.parts.map((one, place) => make("option", { selected: place === state.part ? "" : null }, one.name))))];
    const sliders = part().dimensions.map((dimension, on) => {
      const id = `${root.id}-${on}`;
      const control = dimension.numeric
        ? make("input", { type: "range", id, min: "0", max: String(2 * dimension.values.length - 2), step: "1",
          value: String(state.at[on]), "aria-valuetext": position(on),
          oninput: (event) => { state.at[on] = Number(event.target.value); redraw(); } })
        : make("select", { id, onchange: (event) => { state.at[on] = 2 * event.target.selectedIndex; redraw(); } },
          ...dimension.values.map((text, place) => make("option", { selected: 2 * place === state.at[on] ? "" : null }, text)));
      return make("div", { class: "dimension" },
        make("div", { class: "slider" }, make("label", { for: id }, sentenceCase(dimension.label)), control,
          make("output", { for: id })), make("div", { class: "along" }));
    });
    controls.replaceChildren(...chosen, ...sliders);
  };

  const drawPoint = (found) => {
    const at = corners();
    const numbers = at.map(pointAt);
    if (numbers.length === 1 && numbers[0] >= 0) {
      const [number] = numbers;
      const point = part().points[number];
      said.replaceChildren(make("h3", {}, ...sentence(found[number], point)));
      rest.replaceChildren(table(point, found[number]));
      return;
    }
    const where = part().dimensions.map((dimension, on) => [dimension.label, on])
      .filter(([, on]) => state.at[on] % 2).map(([label, on]) => `${label} between ${textOf(on).join(" and ")}`);
    said.replaceChildren(make("h3", {}, where.length
      ? `Not run: ${where.join(", ")}. Nothing is interpolated.` : "This point was not run."));
    rest.replaceChildren(make("ul", { class: "corners" }, ...numbers.map((number, place) => {
      const label = part().dimensions.map((dimension, on) => `${dimension.label} ${dimension.values[at[place][on]]}`).join(", ");
      return number < 0 ? make("li", {}, `${label}: not run`)
        : make("li", {}, `${label}: `, ...sentence(found[number], part().points[number]));
    })));
  };

  const redraw = () => {
    const found = decide.decide(data, part(), applied());
    controls.querySelectorAll(".dimension").forEach((element, on) => {
      const control = element.querySelector("input, select");
      if (control.type === "range") {
        control.value = String(state.at[on]);
        control.setAttribute("aria-valuetext", position(on));
      } else control.selectedIndex = state.at[on] / 2;
      element.querySelector("output").textContent = position(on);
      const held = element.querySelector(".strip :focus") ? [...element.querySelectorAll("button")].indexOf(document.activeElement) : -1;
      element.querySelector(".along").replaceChildren(strip(found, on), ...flips(found, on));
      if (held >= 0) element.querySelectorAll("button")[held].focus();
    });
    drawPoint(found);
    window.lasthopRequirements.note(requirements, data, state.requirements, isChanged());
  };

  const drawRequirements = () => window.lasthopRequirements.draw(requirements, data, state, {
    make, redraw, reset: () => { state.requirements = study(); drawRequirements(); redraw(); } });

  const start = () => {
    state.at = part().dimensions.map(() => 0);
    drawControls();
    redraw();
  };

  state.part = Math.max(0, data.parts.findIndex((one) => one.name === data.question));
  state.requirements = study();
  drawRequirements();
  start();

  // New figures of the same study keep what the reader has chosen, where it is still there.
  const update = (next) => {
    const kept = part().name;
    const same = JSON.stringify(next.columns) === JSON.stringify(data.columns);
    data = next;
    state.part = Math.max(0, data.parts.findIndex((one) => one.name === kept));
    if (!same) { state.requirements = study(); drawRequirements(); }
    const at = part().dimensions.map((dimension, on) => Math.min(state.at[on] ?? 0, 2 * dimension.values.length - 2));
    state.at = at;
    drawControls();
    redraw();
  };
  return { update };
};
