// Draws each panel with the theme of the page, and again when the reader changes it.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("lasthop-data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const drawn = new Map();

  const draw = async (id, mode) => {
    const options = {
      actions: false,
      ast: true, // expressions are interpreted, so that the page's policy can forbid eval
      config: data.themes[mode],
      mode: "vega-lite",
      renderer: "svg",
      tooltip: { theme: mode },
    };
    drawn.get(id)?.finalize();
    const place = document.getElementById(id);
    drawn.set(id, await window.lasthopEmbed(place, data.panels[id], options));
  };

  let turn = 0;
  const drawAll = async () => {
    const mine = ++turn;
    const mode = dark.matches ? "dark" : "light";
    delete document.documentElement.dataset.drawn;
    for (const id of Object.keys(data.panels)) {
      if (mine !== turn) return;
      await draw(id, mode);
    }
    document.documentElement.dataset.drawn = mode;
  };

  dark.addEventListener("change", drawAll);
  drawAll();
})();
