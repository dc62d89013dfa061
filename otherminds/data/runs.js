// The list of runs: sort by any column, filter by words, suite, model, state and tag, tags and notes of one's own, up to
// eight runs to compare, and how far a run is that goes on just now. Whatever anybody wrote is set as text.
"use strict";
(() => {
  const MOST = 8;
  const data = JSON.parse(document.getElementById("records").textContent);
  const root = document.getElementById("browser");
  const table = root.closest("section").querySelector("table");
  const rows = [...table.tBodies[0].rows];
  const runs = new Map(data.runs.map((run) => [run.id, run]));
  const of = (row) => runs.get(row.dataset.run);
  const picked = new Set();
  const wanted = { q: "", suite: "", model: "", state: "", tag: "" };
  let sorted = { column: -1, up: true };
  const began = new Map();

  const make = (name, properties = {}, ...inside) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else element.setAttribute(key, value);
    }
    element.append(...inside);
    return element;
  };

  // ---- filters ----

  const tagged = (run) => [...run.tags, ...run.items];
  const words = (run) => [run.id, run.suite, run.model, run.asked, run.note, ...tagged(run)].join("\n").toLowerCase();
  const fits = (run) =>
    ["suite", "model"].every((name) => !wanted[name] || run[name] === wanted[name]) &&
    (!wanted.state || run.state === wanted.state) &&
    (!wanted.tag || tagged(run).includes(wanted.tag)) &&
    wanted.q.toLowerCase().split(/\s+/).every((word) => words(run).includes(word));
  const count = make("p", { class: "count", "aria-live": "polite" });
  const filter = () => {
    let shown = 0;
    for (const row of rows) {
      row.hidden = !fits(of(row));
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length} runs`;
    const used = Object.entries(wanted).filter(([, value]) => value);
    history.replaceState(null, "", used.length ? `#${new URLSearchParams(used)}` : location.pathname);
  };
  const choice = (name, values) => {
    const select = make("select", { "data-filter": name, onchange: () => { wanted[name] = select.value; filter(); } });
    const fill = (all) => {
      select.replaceChildren(make("option", { value: "" }, "all"), ...all.map((one) => make("option", { value: one }, one)));
      select.value = wanted[name];
    };
    fill(values());
    select.refill = () => fill(values());
    return select;
  };
  const unique = (get) => () => [...new Set(data.runs.flatMap(get))].sort();
  const selects = {
    suite: choice("suite", unique((run) => run.suite)),
    model: choice("model", unique((run) => run.model)),
    state: choice("state", unique((run) => run.state)),
    tag: choice("tag", unique(tagged)),
  };
  const search = make("input", { type: "search", "data-filter": "q", oninput: () => { wanted.q = search.value; filter(); } });

  // ---- sorting ----

  const value = (row, column) => {
    const cell = row.cells[column];
    const number = Number.parseFloat(cell.dataset.value ?? cell.textContent);
    return column === data.number ? (Number.isNaN(number) ? -1 : number) : cell.textContent.trim().toLowerCase();
  };
  const sort = (column) => {
    sorted = { column, up: sorted.column === column ? !sorted.up : true };
    const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0) * (sorted.up ? 1 : -1);
    rows.sort((one, other) => order(value(one, column), value(other, column)));
    table.tBodies[0].append(...rows);
    for (const [place, head] of [...table.tHead.rows[0].cells].entries()) {
      head.setAttribute("aria-sort", place === column ? (sorted.up ? "ascending" : "descending") : "none");
    }
  };

  // ---- comparing, tags and notes ----

  const compare = make("button", { type: "button", onclick: () => {
    if (comparable()) location.href = `/compare?runs=${[...picked].join(",")}`;
  } });
  const comparable = () => picked.size >= 2 && picked.size <= MOST;
  const told = () => {
    compare.setAttribute("aria-disabled", String(!comparable()));
    compare.textContent = picked.size > MOST ? `at most ${MOST} runs` : picked.size < 2 ? "Compare: tick two runs or more" : `Compare ${picked.size} runs`;
  };
  const pick = (row) => {
    const run = of(row);
    const box = make("input", { type: "checkbox", "aria-label": `compare ${run.id}`, onchange: () => {
      if (box.checked) picked.add(run.id);
      else picked.delete(run.id);
      told();
    } });
    row.cells[0].prepend(box, " ");
  };
  const keep = async (run, tags, note) => {
    const sent = await fetch("/notes", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Otherminds-Token": data.token },
      body: JSON.stringify({ run: run.id, tags, note }),
    });
    if (!sent.ok) return (await sent.json()).error ?? "it could not be kept";
    Object.assign(run, await sent.json());
    selects.tag.refill();
    filter();
    return "";
  };
  const annotate = (row) => {
    const run = of(row);
    const cell = row.cells[row.cells.length - 1];
    const show = () => {
      const edit = make("button", { type: "button", "aria-label": `tags and note of ${run.id}`, onclick: form }, "edit");
      cell.replaceChildren([...run.tags.map((tag) => `#${tag}`), run.note].filter(Boolean).join(" "), " ", edit);
    };
    const form = () => {
      const tags = make("input", { "aria-label": "tags, with spaces between", placeholder: "tags" });
      const note = make("input", { "aria-label": "note", placeholder: "note" });
      tags.value = run.tags.join(" ");
      note.value = run.note;
      const said = make("span", { role: "alert" });
      const save = make("button", { type: "button", onclick: async () => {
        said.textContent = await keep(run, tags.value.split(/\s+/).filter(Boolean), note.value);
        if (!said.textContent) show();
      } }, "keep");
      cell.replaceChildren(tags, note, save, said);
      tags.focus();
    };
    show();
  };

  // ---- a run that goes on ----

  const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.round(seconds) % 60).padStart(2, "0")}`;
  const going = ({ id, made, wanted: all }) => {
    const now = Date.now() / 1000;
    if (!began.has(id)) began.set(id, { made, now });
    const first = began.get(id);
    const rate = (made - first.made) / (now - first.now || 1);
    const left = all && rate > 0 ? `, about ${clock((all - made) / rate)} left` : "";
    return all ? `running: ${made} of ${all} calls${left}` : `running: ${made} calls`;
  };
  const poll = async () => {
    try {
      const news = await (await fetch("/runs.json")).json();
      const writing = table.querySelector("td input:not([type=checkbox])");
      if (news.mark !== data.mark && !writing && !picked.size) {
        location.reload();
        return;
      }
      for (const one of news.running) {
        const row = rows.find((line) => line.dataset.run === one.id);
        if (row) row.cells[data.state].textContent = going(one);
      }
      setTimeout(poll, news.running.length ? 2000 : 5000);
    } catch {
      setTimeout(poll, 10000);
    }
  };

  for (const [place, row] of rows.entries()) {
    row.dataset.run = data.runs[place].id;
    pick(row);
    annotate(row);
  }
  for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
    const words = head.textContent;
    const look = "background:none;border:0;padding:0;font:inherit;color:inherit;cursor:pointer;text-align:inherit";
    head.replaceChildren(make("button", { type: "button", style: look, onclick: () => sort(column) }, words));
  }
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) if (name in wanted) wanted[name] = value;
  search.value = wanted.q;
  for (const select of Object.values(selects)) select.refill();
  const label = (name, field) => make("label", {}, name, field);
  const named = Object.entries(selects).map(([name, select]) => label(name, select));
  root.append(make("div", { class: "filters" }, label("search", search), ...named, compare), count);
  told();
  filter();
  poll();
})();
