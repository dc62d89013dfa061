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

  const { make, tagsAndNote, watch } = runParts;

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
  const annotate = (row) => tagsAndNote(row.cells[row.cells.length - 1], of(row), data.token, () => {
    selects.tag.refill();
    filter();
  });

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
  const busy = () => picked.size || table.querySelector("td input:not([type=checkbox])");
  watch(data.mark, busy, (id, said) => {
    const row = rows.find((line) => line.dataset.run === id);
    if (row) row.cells[data.state].textContent = said;
  });
})();
