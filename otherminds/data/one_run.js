// The page of one run: its tags and note to change, and how far it is while it goes on.
"use strict";
(() => {
  const { run, token, mark, running } = JSON.parse(document.getElementById("records").textContent).about;
  const [state, cell] = document.querySelector("#this-run tbody tr").cells;
  runParts.tagsAndNote(cell, run, token);
  if (running) runParts.watch(mark, () => cell.querySelector("input"), (id, said) => {
    if (id === run.id) state.textContent = said;
  });
})();
