// Draws each panel that is shown with the theme of the page, and again when the reader changes it.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("lasthop-data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const drawn = new Map(); // by panel: its mode, and what frees it

  // By figure: what shows a message of it.
  const shows = new Map(Object.entries(data.messages ?? {}).map(([name, lines]) =>
    [name, window.lasthopMessages(document.getElementById(name), lines)]));

  const draw = async (id, mode) => {
    const options = {
      actions: false,
      ast: true, // expressions are interpreted, so that the page's policy can forbid eval
      config: data.themes[mode],
      mode: "vega-lite",
      renderer: "svg",
      tooltip: { theme: mode },
    };
    drawn.get(id)?.view.finalize();
    const view = await window.lasthopEmbed(document.getElementById(id), data.panels[id], options);
    drawn.set(id, { mode, view });
    const show = shows.get(document.getElementById(id).closest("figure")?.id);
    if (show) view.view.addEventListener("click", (_, item) => { if (item?.datum?.name) show(item.datum.name); });
  };

  // What is folded away has no width, and few readers open it: it is drawn when it is shown.
  const isShown = (id) => document.getElementById(id).checkVisibility();

  let turn = 0;
  const drawShown = async () => {
    const mine = ++turn;
    const mode = dark.matches ? "dark" : "light";
    delete document.documentElement.dataset.drawn;
    for (const id of Object.keys(data.panels)) {
      if (mine !== turn) return;
      if (isShown(id) && drawn.get(id)?.mode !== mode) await draw(id, mode);
    }
    document.documentElement.dataset.drawn = mode;
  };

  const unfoldAround = (element) => {
    for (let at = element; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  };

  const explorer = document.getElementById("explorer-body");
  if (explorer) window.lasthopExplorer(explorer, data.explorer);

  dark.addEventListener("change", drawShown);
  document.addEventListener("toggle", drawShown, { capture: true });
  window.addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
  });
  if (location.hash) {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    unfoldAround(target);
    target?.scrollIntoView();
  }
  drawShown();
})();
