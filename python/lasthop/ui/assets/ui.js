// Asks the server what there is, and shows it.
(() => {
  "use strict";
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const at = (id) => document.getElementById(id);
  const { make } = window.lasthopMarkup(at("answer"));

  const tell = (words) => {
    at("told").textContent = words;
    at("told").hidden = !words;
  };

  const ask = async (path, options = {}) => {
    let reply;
    try {
      reply = await fetch(path, { ...options, headers: { "X-Lasthop-Token": token } });
    } catch {
      tell("The server does not answer. Start lasthop ui again, and open the address that it prints.");
      return null;
    }
    const found = await reply.json();
    if (reply.ok) return found;
    tell(found.error);
    return null;
  };
  const send = (path, body = {}) => ask(path, { method: "POST", body: JSON.stringify(body) });

  const study = window.lasthopAsk(send, tell);
  let seen = "";
  let shownFolder = "";
  let explorer = null;

  const showAnswer = (answer) => {
    seen = answer.name;
    at("title").textContent = answer.title;
    at("price").hidden = !answer.tariffs.length;
    at("priced").hidden = !answer.tariffs.length;
    at("priced").textContent = answer.tariff
      ? `Costs by ${answer.tariff}, on this page only. The whole report has those of the study. An empty tariff shows them here again.`
      : `Costs by the tariff of the study: ${answer.tariffs.join("; ")}.`;
    at("report").href = `/report?token=${encodeURIComponent(token)}`;
    if (!answer.explorer) {
      at("explorer-body").replaceChildren(make("p", {}, "No run completed, so there is nothing to explore. The whole report names the reasons."));
      explorer = null;
      return;
    }
    if (explorer && shownFolder === answer.folder) { explorer.update(answer.explorer); return; }
    shownFolder = answer.folder;
    for (const old of at("marks").querySelectorAll("template")) old.remove();
    answer.marks.forEach((mark, place) => {
      const kept = document.createElement("template");
      kept.dataset.stack = place;
      kept.innerHTML = mark; // drawn by the server, without any text of a study
      at("marks").prepend(kept);
    });
    const inOrder = [...at("marks").querySelectorAll("template")].reverse();
    at("marks").prepend(...inOrder);
    explorer = window.lasthopExplorer(at("explorer-body"), answer.explorer);
  };

  const showCampaign = (campaign) => {
    at("run").disabled = campaign?.running ?? false;
    at("stop").disabled = !campaign?.running;
    at("bar").hidden = !campaign?.running;
    at("report").hidden = !seen || (campaign?.running ?? false);
    if (!campaign) return;
    at("bar").value = campaign.total ? campaign.finished / campaign.total : 0;
    const done = `${campaign.repetitions} of ${campaign.repeat} repetitions`;
    at("progress").textContent = campaign.running
      ? `Running: ${campaign.finished} of ${campaign.total} runs of this round; ${done} are in the answer. Results: ${campaign.folder}`
      : `${done} are in ${campaign.folder}.`;
    at("provisional").hidden = !(campaign.provisional && campaign.repetitions);
    at("provisional").textContent = `Provisional: ${done}. The answer can still change.`;
    if (campaign.fault) tell(campaign.fault);
  };

  const showState = (state) => {
    at("file").textContent = state.file;
    at("saved").textContent = state.is_saved ? "" : "(not saved)";
    at("disk").hidden = !state.changed_on_disk;
    at("disk").textContent = `${state.file} has changed on disk since this page read it. Load the file again, or go on here: then it is not saved over without asking.`;
    if (state.answer && state.answer.name !== seen) {
      if (!state.campaign) { at("progress").textContent = `Results: ${state.answer.folder}`; at("provisional").hidden = true; }
      showAnswer(state.answer);
    }
    showCampaign(state.campaign);
  };

  const poll = async () => {
    const state = await ask(`/api/state?seen=${encodeURIComponent(seen)}`);
    if (state) showState(state);
    return state;
  };

  const save = async (path) => {
    tell("");
    if (!await study.flush()) return;
    let body = {};
    const state = await poll();
    if (state?.changed_on_disk) {
      if (!confirm(`${state.file} has changed on disk. Save over it?`)) return;
      body = { overwrite: true };
    }
    if (await send(path, body)) await poll();
  };
  at("run").addEventListener("click", () => save("/api/run"));
  at("save").addEventListener("click", () => save("/api/save"));
  at("stop").addEventListener("click", async () => { if (await send("/api/stop")) poll(); });
  at("reload").addEventListener("click", async () => {
    tell("");
    const read = await send("/api/reload");
    if (read) { study.show(read); poll(); }
  });
  at("open").addEventListener("submit", async (event) => {
    event.preventDefault();
    tell("");
    if (await send("/api/open", { folder: at("folder").value })) { poll(); at("answer").scrollIntoView(); }
  });

  at("price").addEventListener("submit", async (event) => {
    event.preventDefault();
    tell("");
    if (await send("/api/price", { tariff: at("tariff").value })) poll();
  });

  const table = (head, rows, numbers) => make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": head.join(", ") },
    make("table", {}, make("thead", {}, make("tr", {}, ...head.map((cell, on) => make("th", { scope: "col", class: on >= numbers ? "number" : "" }, cell)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell, on) =>
        make("td", { class: on >= numbers ? "number" : "" }, typeof cell === "number" ? cell.toLocaleString("en") : cell)))))));

  at("compare").addEventListener("submit", async (event) => {
    event.preventDefault();
    tell("");
    const found = await send("/api/compare", { base: at("base").value, new: at("new").value });
    if (!found) return;
    const rows = found.rows.length ? [table(["Verdict", "Stack", "Where", "Measure", "Change", "Interval"], found.rows, 6)] : [];
    const hidden = found.hidden ? [make("p", {}, `${found.hidden} more: lasthop compare --all`)] : [];
    at("compared").replaceChildren(make("p", {}, found.summary), ...rows, ...hidden, ...found.notes.map((note) => make("p", { class: "note" }, note)));
  });

  const showLedger = async (file) => {
    tell("");
    at("ledger").replaceChildren(make("p", {}, `Reading ${file.name} \u2026`));
    const found = await ask(`/api/ledger?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
    if (!found) { at("ledger").replaceChildren(); return; }
    const rows = found.rows.map((row) => [...row, `${(100 * row[4] / found.bytes).toFixed(1)} %`]);
    at("ledger").replaceChildren(make("h3", {}, `${found.name}: ${found.bytes.toLocaleString("en")} B of IP packets`),
      ...found.notes.map((note) => make("p", { class: "note" }, note)),
      ...(rows.length ? [table(["Layer", "Cause", "Up (B)", "Down (B)", "Bytes", "Share"], rows, 2)] : []));
  };
  at("capture").addEventListener("change", (event) => { if (event.target.files[0]) showLedger(event.target.files[0]); });
  for (const kind of ["dragover", "dragleave", "drop"]) {
    at("drop").addEventListener(kind, (event) => {
      event.preventDefault();
      at("drop").classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files[0]) showLedger(event.dataTransfer.files[0]);
    });
  }

  const begin = async () => {
    const read = await ask("/api/study");
    if (read) study.show(read);
    for (;;) {
      const state = await poll();
      await new Promise((done) => { setTimeout(done, state?.campaign?.running ? 250 : 1500); });
    }
  };
  begin();
})();
