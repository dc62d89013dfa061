// What the list of runs and the page of one run share: tags and a note to show and change, and how far a run is that
// goes on just now. Whatever anybody wrote is set as text.
"use strict";
const runParts = (() => {
  const make = (name, properties = {}, ...inside) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else element.setAttribute(key, value);
    }
    element.append(...inside);
    return element;
  };

  const keep = async (run, token, tags, note) => {
    const sent = await fetch("/notes", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Otherminds-Token": token },
      body: JSON.stringify({ run: run.id, tags, note }),
    });
    if (!sent.ok) return (await sent.json()).error ?? "it could not be kept";
    Object.assign(run, await sent.json());
    return "";
  };
  const tagsAndNote = (cell, run, token, changed = () => {}) => {
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
        said.textContent = await keep(run, token, tags.value.split(/\s+/).filter(Boolean), note.value);
        if (said.textContent) return;
        changed();
        show();
      } }, "keep");
      cell.replaceChildren(tags, note, save, said);
      tags.focus();
    };
    show();
  };

  const began = new Map();
  const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.round(seconds) % 60).padStart(2, "0")}`;
  const going = ({ id, made, wanted: all }) => {
    const now = Date.now() / 1000;
    if (!began.has(id)) began.set(id, { made, now });
    const first = began.get(id);
    const rate = (made - first.made) / (now - first.now || 1);
    const left = all && rate > 0 ? `, about ${clock((all - made) / rate)} left` : "";
    return all ? `running: ${made} of ${all} calls${left}` : `running: ${made} calls`;
  };
  // Asks for news until the store has another run, or one of them ends, and then loads the page anew, unless somebody
  // is at work on it.
  const watch = (mark, busy, show) => {
    const poll = async () => {
      try {
        const news = await (await fetch("/runs.json")).json();
        if (news.mark !== mark && !busy()) {
          location.reload();
          return;
        }
        for (const run of news.running) show(run.id, going(run));
        setTimeout(poll, news.running.length ? 2000 : 5000);
      } catch {
        setTimeout(poll, 10000);
      }
    };
    poll();
  };
  return { make, tagsAndNote, watch };
})();
