// The items of a report: filters, search, and every answer to open. Whatever a model or a person wrote is set as text,
// never as markup. The address says what is shown, so that every number in the report can lead here:
// #items?study=safety&model=smollm2&task=TB|FB/SA&q=basket
"use strict";
(() => {
  const PAGE = 40;
  const MANY = 9;
  const FILTERS = ["study", "model", "kind", "verdict"];
  const MARKS = { correct: "✓", incorrect: "✗" };
  const data = JSON.parse(document.getElementById("records").textContent);
  const root = document.getElementById("browser");
  const section = root.closest("section");
  const lower = data.texts.map(() => null);
  let wanted = {};
  let shown = PAGE;
  let ours = null;

  const make = (name, properties = {}, ...inside) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key === "class") element.className = value;
      else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else element.setAttribute(key, value);
    }
    element.append(...inside.filter((part) => part !== null && part !== ""));
    return element;
  };

  // Keys stop at what they can scroll, and pass by whatever fits.
  const widths = new ResizeObserver((boxes) => {
    for (const { target } of boxes) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
      else target.removeAttribute("tabindex");
    }
  });
  for (const box of document.querySelectorAll(".scroll")) widths.observe(box);

  // ---- tables in another order ----

  const sorted = (head) => {
    const table = head.closest("table");
    const place = [...head.parentElement.children].indexOf(head);
    const down = head.getAttribute("aria-sort") !== "descending" && (head.classList.contains("number") || head.hasAttribute("aria-sort"));
    const key = (row) => row.children[place].dataset.value ?? null;
    const compare = (one, other) => {
      const [a, b] = [key(one), key(other)];
      if (a !== null && b !== null) return (down ? -1 : 1) * (Number(a) - Number(b));
      if (a !== null || b !== null) return a === null ? 1 : -1;
      return (down ? -1 : 1) * one.children[place].textContent.localeCompare(other.children[place].textContent, "en", { numeric: true });
    };
    for (const each of head.parentElement.children) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
  };
  for (const head of document.querySelectorAll(".sortable thead th")) {
    head.setAttribute("tabindex", "0");
    head.addEventListener("click", () => sorted(head));
    head.addEventListener("keydown", (event) => event.key === "Enter" && sorted(head));
  }

  // ---- which records ----

  const text = (number) => (lower[number] ??= data.texts[number].toLowerCase());
  const property = (record, name) => {
    const item = data.items[record.item];
    const run = data.runs[record.run];
    if (name in run) return run[name];
    if (name === "verdict") return record.verdict;
    if (name === "kind" || name === "id") return item[name];
    return item.tags[name];
  };
  // The tag `kind` of some items is another thing than the kind that is filtered by.
  const holds = (record, [name, values]) => values.has(property(record, name));
  const mentions = (record, words) => {
    const item = data.items[record.item];
    const near = [item.id, item.question, item.answer, record.said, ...item.choices].join("\n").toLowerCase();
    return words.every(
      (word) => near.includes(word) || text(item.context).includes(word) || record.calls.some((call) => text(call[1]).includes(word)),
    );
  };
  const chosen = () => {
    const { q = "", ...rest } = wanted;
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    const filters = Object.entries(rest).map(([name, value]) => [name, new Set(value.split("|"))]);
    return data.records.filter(
      (record) => filters.every((filter) => holds(record, filter)) && (!words.length || mentions(record, words)),
    );
  };

  // ---- the address ----

  const address = (filters) =>
    "#items?" + Object.entries(filters).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
  const read = () => {
    const [place, query = ""] = location.hash.split("?");
    if (place !== "#items") return false;
    wanted = Object.fromEntries([...new URLSearchParams(query)].filter(([, value]) => value));
    return true;
  };
  const change = (name, value) => {
    wanted = { ...wanted, [name]: value };
    if (!value) delete wanted[name];
    ours = address(wanted);
    location.replace(ours);
    show();
  };
  addEventListener("hashchange", () => {
    if (location.hash === ours || !read()) return;
    ours = null;
    show();
    section.scrollIntoView();
  });

  // ---- one record ----

  const part = (label, ...inside) => [make("dt", {}, label), make("dd", {}, ...inside)];
  const exact = (words) => make("pre", {}, words);
  const choice = (item, record) => (words) => {
    const notes = [words === item.answer ? "right" : "", words === record.said ? "said" : ""].filter(Boolean).join(", ");
    return make("li", words === item.answer ? { class: "right" } : {}, words, notes ? ` (${notes})` : "");
  };
  const cell = (value, right, unknown) => {
    const odd = right !== undefined && value && value !== right;
    return make("td", odd ? { class: "odd" } : {}, odd ? `✗ ${value}` : (value ?? unknown));
  };
  // A lane for everybody, a segment for as long as one value is held; hatched where it is not what the top lane has.
  const drawn = (name, properties = {}, ...inside) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(properties)) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };
  const picture = (all, heading, unknown, fits) => {
    const [left, high, gap] = [150, 26, 6];
    const events = all[0][1].length;
    const step = (800 - left) / events;
    const values = [...new Set(all.flatMap(([, row]) => row.filter(Boolean)))];
    const colour = (value) => `var(--series-${(values.indexOf(value) % 6) + 1})`;
    const svg = drawn("svg", { viewBox: `0 0 800 ${22 + all.length * (high + gap)}`, role: "img", class: "lanes" }, drawn("title", {}, heading));
    for (let event = 0; event < events; event++) svg.append(drawn("text", { x: left + (event + 0.5) * step, y: 13, "text-anchor": "middle", class: "quiet" }, String(event + 1)));
    all.forEach(([name, row], lane) => {
      const y = 20 + lane * (high + gap);
      svg.append(drawn("text", { x: 0, y: y + 17 }, name.length > 19 ? `${name.slice(0, 18)}…` : name, drawn("title", {}, name)));
      const false_ = (event) => lane > 0 && Boolean(row[event]) && fits(event, row[event]) !== row[event];
      for (let start = 0, end; start < events; start = end) {
        for (end = start + 1; end < events && row[end] === row[start] && false_(end) === false_(start); end++);
        if (row[start] === "") continue;
        const known = row[start] !== null && row[start] !== undefined;
        const x = left + start * step + 1;
        const width = (end - start) * step - 2;
        const words = `${false_(start) ? "✗ " : ""}${known ? row[start] : unknown}`;
        const room = Math.floor((width - 8) / 7);
        const look = known ? `fill:${colour(row[start])};stroke:${colour(row[start])}` : "fill:none;stroke:var(--quiet)";
        svg.append(drawn("rect", { x, y, width, height: high, rx: 4, style: look, class: !known ? "open" : false_(start) ? "false" : "true" }, drawn("title", {}, words)));
        svg.append(drawn("text", { x: x + 6, y: y + 17 }, words.length > room ? `${words.slice(0, Math.max(1, room - 1))}…` : words));
      }
    });
    return svg;
  };
  const timeline = (item, record) => {
    const found = data.beliefs[item.beliefs];
    return found.matters.flatMap(({ heading, lanes, unknown }) => {
      const all = found.chain && record.states ? [...lanes, ["the model wrote", record.states]] : lanes;
      const near = (event, value) => (found.chain && all[0][1][event].split(" or ").includes(value) ? value : all[0][1][event]);
      const rows = found.told.map((told, event) => {
        // Of a chain of thought, any of the states that are right will do.
        const cells = all.map(([, values], lane) => cell(values[event] ?? null, lane ? near(event, values[event]) : undefined, unknown));
        return make("tr", {}, make("td", { class: "number" }, String(event + 1)), make("td", {}, told), ...cells);
      });
      const head = make("tr", {}, make("th"), make("th", {}, "event"), ...all.map(([name]) => make("th", { scope: "col" }, name)));
      const table = make("table", {}, make("caption", {}, heading), make("thead", {}, head), make("tbody", {}, ...rows));
      const box = make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": heading }, table);
      widths.observe(box);
      const seen = make("div", { class: "scroll", role: "group", "aria-label": `${heading} Picture` }, picture(all, heading, unknown, near));
      widths.observe(seen);
      return [seen, box];
    });
  };
  const calls = (record) =>
    record.calls.flatMap(([pieces, back], index) => {
      const which = record.calls.length > 1 ? ` ${index + 1}` : "";
      return [
        ...part(`prompt${which}, exactly as sent`, exact(pieces.map((piece) => data.texts[piece]).join(""))),
        ...part(`what came back${which}`, exact(data.texts[back])),
      ];
    });
  const opened = (record) => {
    const item = data.items[record.item];
    const run = data.runs[record.run];
    // A server has a page for every answer; a file has a place for it.
    const page = data.pages?.[record.run];
    const here = page ? `${page}?item=${encodeURIComponent(item.id)}` : address({ ...run, id: item.id });
    const tags = Object.entries(item.tags).map(([name, value]) => `${name}: ${value}`).join(" · ");
    return make(
      "dl",
      {},
      ...(data.texts[item.context] ? part("story", exact(data.texts[item.context])) : []),
      ...part("question", item.question, item.choices.length ? make("ul", {}, ...item.choices.map(choice(item, record))) : ""),
      ...part("right answer", item.answer, item.why ? make("p", { class: "note" }, item.why) : ""),
      ...part("the model's answer", record.said || "none", make("p", { class: "note" }, `${record.verdict}: ${record.why}`)),
      ...(item.beliefs === null ? [] : part("who believes what, event by event", ...timeline(item, record))),
      ...calls(record),
      ...part("this answer", make("a", { href: here }, item.id), make("p", { class: "note" }, tags)),
    );
  };
  const line = (record) => {
    const item = data.items[record.item];
    const run = data.runs[record.run];
    const mark = MARKS[record.verdict] ?? "?";
    const about = [run.study, item.kind, run.model, `${run.score}, ${run.prompt}`].filter(Boolean).join(" · ");
    const said = record.said ? `said ${record.said}` : record.verdict;
    const right = ["correct", "unscored"].includes(record.verdict) ? "" : `, right is ${item.answer}`;
    const summary = make(
      "summary",
      {},
      make("span", { class: `mark ${record.verdict}`, role: "img", "aria-label": record.verdict }, mark),
      make("span", { class: "what" }, item.question, " ", make("b", {}, said), right, make("small", {}, about)),
    );
    const details = make("details", {}, summary);
    details.addEventListener("toggle", () => details.open && details.children.length === 1 && details.append(opened(record)));
    return details;
  };

  // ---- the whole ----

  // A number can rest on more items than anybody wants to read in a button.
  const several = (value, parts = value.split("|")) => (parts.length > MANY ? `${parts.length} of them` : parts.join(", "));

  const select = (name) => {
    const values = [...new Set(data.records.filter((record) => name !== "kind" || !wanted.study || property(record, "study") === wanted.study).map((record) => property(record, name)))].filter(Boolean).sort();
    const current = wanted[name] ?? "";
    // A link may ask for several values at once, or for one that is not there.
    const options = ["", ...values, ...(current && !values.includes(current) ? [current] : [])];
    const list = make("select", { id: `by-${name}`, onchange: (event) => change(name, event.target.value) });
    for (const value of options) {
      const option = make("option", { value }, value || "all");
      option.selected = value === current;
      list.append(option);
    }
    return make("label", { for: `by-${name}` }, make("span", {}, data.called?.[name] ?? name), list);
  };
  const count = make("p", { class: "count", role: "status" });
  const selects = make("div", { class: "parts" });
  const chips = make("div", { class: "parts" });
  const list = make("div", { class: "records" });
  const more = make("button", { type: "button", onclick: () => { shown += PAGE; show(); } }, "Show more");
  const search = make("input", { type: "search", id: "by-q", placeholder: "words in story, question or answer" });
  let pause = 0;
  search.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(() => change("q", search.value.trim()), 150);
  });

  function show() {
    const found = chosen();
    const key = JSON.stringify(wanted);
    if (key !== list.dataset.key) shown = PAGE;
    list.dataset.key = key;
    const extra = Object.entries(wanted).filter(([name]) => !FILTERS.includes(name) && name !== "q");
    const focus = document.activeElement.id;
    selects.replaceChildren(...FILTERS.map(select));
    chips.replaceChildren(
      ...extra.map(([name, value]) =>
        make("button", { type: "button", class: "chip", title: "Remove this filter", onclick: () => change(name, "") }, `${name}: ${several(value)} ✕`),
      ),
    );
    if (focus.startsWith("by-")) document.getElementById(focus).focus({ preventScroll: true });
    if (document.activeElement !== search) search.value = wanted.q ?? "";
    const right = found.filter((record) => record.verdict === "correct").length;
    count.textContent = `${found.length.toLocaleString("en")} of ${data.records.length.toLocaleString("en")} answers, ${right.toLocaleString("en")} of them right`;
    list.replaceChildren(...found.slice(0, shown).map(line));
    more.hidden = found.length <= shown;
    if (found.length === 1) list.firstChild.open = true;
  }

  const asked = make("label", { for: "by-q" }, make("span", {}, "search"), search);
  root.append(make("div", { class: "filters" }, selects, asked, chips), count, list, more);
  const linked = read();
  show();
  if (linked) section.scrollIntoView();
})();
