// Decides at each point of a part under the requirements of the reader, as `lasthop.answer` does.
// Figures, intervals and p-values come from Python; here are comparisons and two corrections.
window.lasthopDecide = (() => {
  "use strict";
  const MET = "met", NOT_MET = "not met", TOO_FEW = "too few to say";
  const compare = {
    "<": (a, b) => a < b,
    "<=": (a, b) => a <= b,
    ">": (a, b) => a > b,
    ">=": (a, b) => a >= b,
    "==": (a, b) => a === b,
    "!=": (a, b) => a !== b,
  };

  // Nothing else than what was observed counts: by ==, or at the end of what can be.
  const asksForNone = (column, { operator, value }) =>
    operator === "==" || operator === "!=" ||
    (operator === ">=" && value === column.most) || (operator === "<=" && value === column.least);

  // Whether a stack meets a requirement; undefined where the requirement does not apply to it.
  const met = (data, arm, requirement) => {
    if (requirement.fixed !== undefined) return arm.fixed[requirement.fixed]?.[0];
    const column = data.columns[requirement.column];
    const [, mean, low, high] = arm.cells[requirement.column];
    const holds = (value) => compare[requirement.operator](value, requirement.value);
    const observed = mean === null ? column.infinite && holds(Infinity) : holds(mean);
    const exact = arm.cells[requirement.column].length === 2;
    if (exact || asksForNone(column, requirement)) return observed ? MET : NOT_MET;
    const ends = [holds(low ?? -Infinity), holds(high ?? Infinity)];
    if (ends[0] !== ends[1]) return TOO_FEW;
    return ends[0] ? MET : NOT_MET;
  };

  const stepwise = (values, keep, fromSmallest) => {
    const order = values.map((_, place) => place).sort((a, b) => values[a] - values[b]);
    const steps = order.map((place, step) => [place, Math.min(1, (values.length - step) * values[place])]);
    if (!fromSmallest) steps.reverse();
    const adjusted = [];
    let last = steps.length ? steps[0][1] : 0;
    for (const [place, enlarged] of steps) adjusted[place] = last = keep(last, enlarged);
    return adjusted;
  };
  const holm = (values) => stepwise(values, Math.max, true);
  const hochberg = (values) => stepwise(values, Math.min, false);

  const judge = (data, requirements, arm) => requirements.map((one) => met(data, arm, one));

  const rank = (point, qualifies) => {
    const { order, reached, to } = point.pairs;
    const places = order.map((_, place) => place).filter((place) => qualifies.has(order[place]));
    if (!places.length) return { ranked: [], reached: false };
    const [leader, ...others] = places;
    const margins = reached[leader] ? others.map((place) => to[place][leader]) : [];
    const corrected = hochberg(margins.map(([p]) => p));
    const ranked = places.map((place, at) => {
      const margin = at && margins.length ? margins[at - 1] : null;
      return {
        stack: order[place],
        p: margin && corrected[at - 1],
        change: margin?.[1],
        range: margin?.[2],
        within: margin?.[3],
      };
    });
    return { ranked, reached: reached[leader] };
  };

  const lead = (ranked, alpha) => (ranked.some((one) => one.p !== null && one.p > alpha) ? "close" : "leads");

  const decidePoint = (data, requirements, point) => {
    const ran = point.arms.filter((arm) => arm.aside === undefined);
    const judged = new Map(ran.map((arm) => [arm.stack, judge(data, requirements, arm)]));
    const qualifies = new Set(ran.map((arm) => arm.stack).filter((stack) => !judged.get(stack).includes(NOT_MET)));
    const excluded = ran.map((arm) => arm.stack).filter((stack) => !qualifies.has(stack));
    const found = { judged, excluded, ranked: [], outcome: "" };
    if (!data.objective) {
      found.ranked = [...qualifies].map((stack) => ({ stack, p: null }));
      found.outcome = !qualifies.size ? (excluded.length ? "nothing qualifies" : "nothing ran")
        : requirements.length && qualifies.size === 1 ? "only one" : "not asked";
      return found;
    }
    const { ranked, reached } = rank(point, qualifies);
    found.ranked = ranked;
    found.outcome = !ranked.length ? (excluded.length ? "nothing qualifies" : "nothing ran")
      : !reached ? "nothing reached"
      : ranked.length === 1 ? "only one" : lead(ranked, data.objective.alpha);
    return found;
  };

  const isTested = (found) => found.outcome === "leads" || found.outcome === "close";
  const standsAlone = (found) => found.outcome === "leads" || found.outcome === "only one";

  // Pairs of places along a part that sweeps one key where one stack leads alone and then another.
  const changes = (found) => {
    const leading = found.map((one, place) => [place, one]).filter(([, one]) => one.alone);
    return leading.slice(1).flatMap(([place, one], at) => {
      const [last, before] = leading[at];
      return before.ranked[0].stack === one.ranked[0].stack ? [] : [[last, place]];
    });
  };

  // Leads are corrected over all points at which there is one to test, but where the lead changes.
  const decide = (data, part, requirements) => {
    const found = part.points.map((point) => decidePoint(data, requirements, point));
    for (const one of found) one.alone = standsAlone(one);
    const flips = new Set(part.sweeps_one ? changes(found).flat() : []);
    const tested = found.filter(isTested);
    const before = tested.map((one) => Math.max(...one.ranked.map(({ p }) => p ?? 0)));
    const after = holm(before);
    tested.forEach((one, at) => {
      if (flips.has(found.indexOf(one)) || before[at] === after[at]) return;
      for (const arm of one.ranked) if (arm.p !== null) arm.p = Math.min(1, (arm.p * after[at]) / before[at]);
      one.outcome = lead(one.ranked, data.objective.alpha);
    });
    for (const one of found) {
      const named = isTested(one) || one.outcome === "only one";
      one.leaders = !named ? [] : one.ranked
        .filter(({ p }, place) => !place || (p !== null && p > (data.objective?.alpha ?? 0)))
        .map(({ stack }) => stack);
    }
    return found;
  };

  return { changes, compare, decide };
})();
