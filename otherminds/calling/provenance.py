"""One run, one model: canaries before, between and after its calls, some calls asked again, and what they show.

What disagrees although nothing is drawn becomes a finding: a sentence that stays with the run, which is not clean.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from otherminds.calling.flights import AGAIN, paid
from otherminds.errors import EndpointError, OtherModel, StoreError
from otherminds.models import Model, Prompt, Usage, Verb
from otherminds.models.api.provenance import Answer, Known, agree, answer_of, canaries, part_late
from otherminds.store.packing import Result
from otherminds.store.run_seals import break_seal, count_versions

if TYPE_CHECKING:
    from otherminds.calling.flights import ModelQueue
    from otherminds.calling.recorded import Recorded
    from otherminds.models.api.endpoint import Endpoint
    from otherminds.store.store import RunRow, Store

SHARE = 0.02
"""Of the calls to a model behind a server, how many are asked again."""
ROUNDS = 3
"""How often canaries are asked where nothing happens: twice at the start, once at the end."""
LEAST_BUDGET = 100
"""Calls of a budget below which there is no room for canaries."""
TRIES = 16
"""How often a call with a new text is asked before the old one counts as gone."""
SHORT = 10.0
"""Seconds of patience with a server that has answered everything."""
PROVENANCE = "provenance"
"""The part of a manifest that this is about."""
OPEN = "its end was not compared with its start"
CHANGED = "calls that were asked again changed their answer"
_ADVICE = "the numbers are kept and marked. To measure what answers now, ask it with another --store"

_log = logging.getLogger("otherminds")


def find_share(model: Model, share: float | None, calls: int) -> float:
    """Which share of so many calls is asked again; of a few calls, none."""
    usual = SHARE if model.servers and SHARE * calls >= 1 else 0.0
    return usual if share is None else share


def _draws_nothing(who: Mapping[str, Any]) -> bool:
    """Whether a model of this identity answers the same whenever it is asked."""
    return who.get("temperature", 0) == 0 and "versions" not in who


def join(store: Store, run: str, parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """For the manifest of a run, what the manifests of its parts say together."""
    notes = [part[PROVENANCE] for part in parts if PROVENANCE in part]
    if not notes:
        return {}
    findings: dict[str, Any] = dict.fromkeys(each for part in notes for each in part.get("findings", ()))
    answers = [part["canaries"]["answers"] for part in notes if "canaries" in part]
    if len(answers) > 1 and _draws_nothing(parts[0]["identity"]):
        first, other = answers
        odd = Known(first).compare([next(iter(each), None) for each in other], None)
        if 2 * odd > len(first):
            found = f"{odd} of {len(first)} canaries are answered otherwise in one part of the run than in another"
            findings[found] = None
    merged = {**notes[0], **notes[-1], "versions": count_versions(store, run)}
    return {PROVENANCE: merged | ({"findings": [*findings]} if findings else {})}


class Watch:
    """Watches over one run of a model, which goes on from what its row says.

    `like` is a prompt of the run, `share` how many of its calls are asked again.
    """

    def __init__(self, recorded: Recorded, row: RunRow, verb: Verb, like: Prompt, *, share: float, seed: int) -> None:
        self._recorded, self._row, self._verb, self._share, self._seed = recorded, row, verb, share, seed
        calls = recorded.budget.calls
        room = self._servers and (calls is None or calls >= LEAST_BUDGET)
        self._prompts = canaries(verb, like) if room else []
        self._form = hashlib.sha256(json.dumps([each.to_dict() for each in self._prompts]).encode()).hexdigest()[:12]
        self._began, self._seen, self._made = False, 0, 0
        self._notes: dict[str, Any] = dict(row.manifest.get(PROVENANCE, {}))
        self._known = Known(self._kept() if self._prompts else ())

    @property
    def entry(self) -> dict[str, Any]:
        """For the manifest; nothing where nothing was compared."""
        return {PROVENANCE: self._notes} if self._notes else {}

    @property
    def _servers(self) -> Sequence[Endpoint]:
        """All that answer for the model; none where it is not behind a server."""
        return self._recorded.model.servers

    @property
    def _interruptions(self) -> int:
        return sum(server.wire.interruptions for server in self._servers)

    def begin(self) -> None:
        """Before the first call of this sitting: whether the model is the one that this store knows."""
        if self._began or not self._servers:
            return
        self._began, self._notes["open"] = True, OPEN
        first = not self._known.asked
        self._compare("at the start of this run than before")
        if first and self._prompts:
            self._compare("when they are asked twice (does the server ignore the temperature?)")
        self._recorded.reserved = len(self._prompts)  # those at the end
        # If the program is killed, the run goes on from what these canaries have shown.
        with self._recorded.store.changing() as db:
            break_seal(db, self._row.id, manifest={**self._row.manifest, **self.entry})

    def look(self) -> None:
        """After an outage another model may answer."""
        # No more canaries than answers, however often connections fail.
        enough = self._recorded.made - self._made >= len(self._known.answers)
        if self._began and enough and self._interruptions != self._seen:
            self._compare("after an outage than before")

    def end(self) -> None:
        """After the last call: what answers now is what answered first."""
        if "open" not in self._notes or not self._servers:
            return
        patience = [(server, server.wire.patience) for server in self._servers]
        try:
            for server, seconds in patience:
                server.wire.patience = min(seconds, SHORT)
            if not self._began or self._recorded.made > self._made:
                self._compare("at the end of this run than at its start")
            del self._notes["open"]
        except OtherModel as error:
            self._find(str(error))
            raise
        except EndpointError as error:
            self._notes["open"] = f"{OPEN} ({error}), which the same command makes up for"
        finally:
            for server, seconds in patience:
                server.wire.patience = seconds

    def count_versions(self) -> None:
        """Which versions of the model gave the answers of the run, and how many each."""
        with suppress(StoreError):
            if self._servers and (counts := count_versions(self._recorded.store, self._recorded.work)):
                self._notes["versions"] = counts

    def _kept(self) -> Sequence[Sequence[Answer]]:
        """What was answered to the same canaries under the same identity first of all that this store has."""
        with suppress(StoreError):
            for row in sorted(self._recorded.store.runs(), key=lambda row: row.created):
                kept = row.manifest.get(PROVENANCE, {}).get("canaries", {})
                if row.sound and row.fingerprint == self._recorded.fingerprint and kept.get("form") == self._form:
                    return list(kept["answers"])
        return ()

    def _ask(self, server: Endpoint, places: Sequence[int]) -> list[Answer]:
        prompts = [self._prompts[place] for place in places]
        results: Sequence[Result] = server.ask(prompts) if self._verb == "ask" else server.weigh(prompts)
        self._recorded.count_canaries(len(results), sum(map(paid, results), start=Usage()))
        return [answer_of(prompt, result) for prompt, result in zip(prompts, results, strict=True)]

    def _compare(self, when: str) -> None:
        self._seen, self._made = self._interruptions, self._recorded.made
        for server in self._servers:
            try:
                server.confirm()
                answers = self._ask(server, range(len(self._prompts)))
            except EndpointError:
                if len(self._servers) > 1:
                    continue  # Its work will go to the others.
                raise
            if not answers:
                continue
            first, strict = not self._known.asked, self._is_strict(self._prompts[0])
            changed = self._known.compare(answers, partial(self._ask, server) if strict else None)
            kept = self._notes.setdefault("canaries", {})
            kept |= {"form": self._form, "answers": self._known.answers}
            if not first:
                agree_now = self._known.asked - changed
                # Of canaries it is told how many never changed, however often they were compared.
                kept |= {"compared": self._known.asked, "agree": min(kept.get("agree", agree_now), agree_now)}
            varied = self._known.varied
            wrong = changed or (varied if 2 * varied > len(answers) else 0)
            if wrong and strict:
                self._find(f"{wrong} of {len(answers)} canaries are answered otherwise {when}, though nothing is drawn")

    def _is_strict(self, prompt: Prompt) -> bool:
        """Whether an answer that changes is a finding: nothing is drawn, and one version is wanted."""
        fixed = {"temperature": 0} if self._verb == "weigh" else {}
        return not prompt.draw and _draws_nothing({**self._recorded.identity, **fixed})

    def _find(self, sentence: str) -> None:
        findings = self._notes.setdefault("findings", [])
        if sentence not in findings:
            findings.append(sentence)
            _log.warning("%s: %s; %s", self._recorded.name, sentence, _ADVICE)

    def recheck(self, line: ModelQueue, key: str, prompt: Prompt, first: Result) -> None:
        """Ask for this once more if it belongs to the share; a run that goes on chooses the same calls."""
        chosen = int(hashlib.sha256(f"{self._seed} {key}".encode()).hexdigest()[:8], 16) < self._share * 2**32
        if chosen and not first.error:
            self._ask_again(line, key, prompt, answer_of(prompt, first), 1)

    def _ask_again(self, line: ModelQueue, key: str, prompt: Prompt, first: Answer, tries: int) -> None:
        def compare(result: Result) -> None:
            second = answer_of(prompt, result)
            if second is None:
                return
            same = agree(first, second)
            if not same and self._is_strict(prompt) and not part_late(first, second):
                if isinstance(first, str) and tries < TRIES and CHANGED not in self._notes.get("findings", ()):
                    self._ask_again(line, key, prompt, first, tries + 1)  # An old text comes back, if it was a tie.
                    return
                self._find(CHANGED)
            known = self._notes.setdefault("rechecked", {"compared": 0, "agree": 0})
            known |= {"compared": known["compared"] + 1, "agree": known["agree"] + same}

        line.ask(AGAIN + key, prompt, compare)
