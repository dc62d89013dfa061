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

from otherminds.asking.flights import AGAIN, paid
from otherminds.asking.keeping import count_versions
from otherminds.asking.packing import Result
from otherminds.errors import EndpointError, OtherModel, StoreError
from otherminds.models import Prompt, Usage, Verb
from otherminds.models.api.canaries import Answer, Known, Remote, agree, answer_of, canaries, part_late

if TYPE_CHECKING:
    from otherminds.asking.flights import Line
    from otherminds.asking.recorded import Recorded

SHARE = 0.02
"""Of the calls to a model behind a server, how many are asked again."""
LEAST_BUDGET = 100
"""Calls of a budget below which there is no room for canaries."""
TRIES = 16
"""How often a call with a new text is asked before the old one counts as gone."""
SHORT = 10.0
"""Seconds of patience with a server that has answered everything."""
PROVENANCE = "provenance"
"""The part of a manifest that this is about."""
_ADVICE = "the numbers are kept and marked. To measure what answers now, ask it with another --store"

_log = logging.getLogger("otherminds")


def find_share(model: object, share: float | None, calls: int) -> float:
    """How many of so many calls are asked again; of a few calls, none."""
    usual = SHARE if getattr(model, "remote", None) else 0.0
    return usual * (usual * calls >= 1) if share is None else share


class Watch:
    """Watches over one run of a model; `like` is a prompt of the run, `share` how many of its calls are asked again."""

    def __init__(self, recorded: Recorded, verb: Verb, like: Prompt, *, share: float, seed: int) -> None:
        self._recorded, self._verb, self._share, self._seed = recorded, verb, share, seed
        self._remote: Remote | None = getattr(recorded.model, "remote", None)
        calls = recorded.budget.calls
        room = self._remote is not None and (calls is None or calls >= LEAST_BUDGET)
        self._prompts = canaries(verb, like) if room else []
        self._form = hashlib.sha256(json.dumps([each.to_dict() for each in self._prompts]).encode()).hexdigest()[:12]
        self._known = Known()
        self._began = self._open = False
        self._seen = self._made = 0
        self._compared = self._agreed = self._rechecked = self._same = self._different = 0
        self._findings: list[str] = []
        self._versions: dict[str, int] = {}

    def go_on(self, before: Mapping[str, Any]) -> None:
        """Add to what earlier sittings of the run have found."""
        kept, rechecked = before.get("canaries", {}), before.get("rechecked", {})
        self._open, self._findings = bool(before.get("open")), [*before.get("findings", ())]
        self._versions = dict(before.get("versions", {}))
        self._compared, self._agreed = kept.get("compared", 0), kept.get("agree", 0)
        self._rechecked, self._same = rechecked.get("compared", 0), rechecked.get("agree", 0)
        if kept.get("form") == self._form:
            self._known = Known(kept["answers"])

    @property
    def told(self) -> dict[str, Any]:
        """For the manifest; `open` as long as the end of the run was not compared with its start."""
        told: dict[str, Any] = {"findings": self._findings} if self._findings else {}
        if any(self._known.answers):
            counts = {"compared": self._compared, "agree": self._agreed}
            told["canaries"] = {"form": self._form, "answers": self._known.answers, **counts}
        if self._rechecked:
            told["rechecked"] = {"compared": self._rechecked, "agree": self._same}
        told |= {"versions": self._versions} if self._versions else {}
        told |= {"open": True} if self._open else {}
        return {PROVENANCE: told} if told else {}

    # ── canaries ──

    def begin(self) -> bool:
        """Before the first call of this sitting: whether the model is the one that this store knows."""
        if self._began or self._remote is None:
            return False
        self._began = self._open = True
        if self._prompts:
            at = (self._recorded.store.path, self._form)
            if at in self._remote.canaries:
                # Those at the end of one run are those at the start of the next.
                self._known = self._remote.canaries[at]
            else:
                if not any(self._known.answers):
                    self._known = Known(self._kept())
                first = not any(self._known.answers)
                self._compare("at the start of this run than before")
                if first:
                    self._compare("when they are asked twice (does the server ignore the temperature?)")
                self._remote.canaries[at] = self._known
        self._seen, self._made = self._remote.interruptions, self._recorded.made
        return True

    def look(self) -> None:
        """After an outage another model may answer."""
        failed = self._began and self._remote is not None and self._remote.interruptions != self._seen
        # No more canaries than answers, however often connections fail.
        if failed and self._prompts and self._recorded.made - self._made >= len(self._prompts):
            self._compare("after an outage than before")

    def end(self) -> None:
        """After the last call: what answers now is what answered first."""
        if not (self._began or self._open) or self._remote is None:
            return
        patience = getattr(self._remote, "patience", None)
        try:
            if patience is not None:
                self._remote.patience = min(patience, SHORT)  # type: ignore[attr-defined]
            self._remote.confirm()
            if not self.begin() and self._prompts and self._recorded.made > self._made:
                self._compare("at the end of this run than at its start")
            self._open = False
        except OtherModel as error:
            self._find(str(error))
            raise
        except EndpointError as error:
            self._find(f"the server did not say at the end of this run whether it is the same model ({error})")
        finally:
            if patience is not None:
                self._remote.patience = patience  # type: ignore[attr-defined]
            if self._different:
                self._find(f"{self._different} of {self._rechecked} calls that were asked again changed their answer")

    def count_versions(self) -> None:
        """Which versions of the model gave the answers of the run, and how many each."""
        if self._remote is not None:
            with suppress(StoreError):
                self._versions = count_versions(self._recorded.store, self._recorded.work)

    def _kept(self) -> Sequence[Sequence[Answer]]:
        """What was answered to the same canaries under the same identity first of all that this store has."""
        with suppress(StoreError):
            for row in sorted(self._recorded.store.runs(), key=lambda row: row.created):
                kept = row.manifest.get(PROVENANCE, {}).get("canaries", {})
                if row.sound and row.fingerprint == self._recorded.fingerprint and kept.get("form") == self._form:
                    return list(kept["answers"])
        return ()

    def _ask(self, places: Sequence[int]) -> list[list[Answer]]:
        assert self._remote is not None
        prompts = [self._prompts[place] for place in places]
        answers = []
        for results in self._remote.everywhere(self._verb, prompts):
            self._recorded.count_canaries(len(results), sum(map(paid, results), start=Usage()))
            answers.append([answer_of(*pair) for pair in zip(prompts, results, strict=True)])
        return answers

    def _compare(self, when: str) -> None:
        assert self._remote is not None
        self._seen, self._made = self._remote.interruptions, self._recorded.made
        strict = self._is_strict(self._prompts[0])
        for server, answers in enumerate(self._ask(range(len(self._prompts)))):

            def again(places: Sequence[int], server: int = server) -> list[Answer]:
                found = self._ask(places)
                return found[min(server, len(found) - 1)]

            compared = self._known.count(answers)
            differ, changed = self._known.compare(answers, again if strict else None)
            self._compared, self._agreed = self._compared + compared, self._agreed + compared - changed
            silent = any(self._known.answers) and not any(answer is not None for answer in answers)
            if strict and (changed or 2 * differ > len(answers) or silent):
                what = "no canary is" if silent else f"{changed or differ} of {len(answers)} canaries are"
                how = "answered" if silent else "answered otherwise"
                self._find(f"{what} {how} {when}, at settings that draw nothing")

    def _is_strict(self, prompt: Prompt) -> bool:
        """Whether an answer that changes is a finding."""
        if self._remote is None:
            return self._verb == "weigh"
        return not self._remote.alternating and (
            self._verb == "weigh" or (self._remote.deterministic and not prompt.draw)
        )

    def _find(self, sentence: str) -> None:
        if sentence not in self._findings:
            self._findings.append(sentence)
            _log.warning("%s: %s; %s", self._recorded.name, sentence, _ADVICE)

    # ── calls that are asked again ──

    def recheck(self, line: Line, key: str, prompt: Prompt, first: Result) -> None:
        """Ask for this once more if it belongs to the share; a run that goes on chooses the same calls."""
        chosen = int(hashlib.sha256(f"{self._seed} {key}".encode()).hexdigest()[:8], 16) < self._share * 2**32
        if chosen and not first.error:
            line.ask(AGAIN + key, prompt, partial(self._compare_call, line, key, prompt, first, 1))

    def _compare_call(self, line: Line, key: str, prompt: Prompt, first: Result, tries: int, second: Result) -> None:
        if second.error:
            return
        one, other = answer_of(prompt, first), answer_of(prompt, second)
        strict = self._is_strict(prompt) and not part_late(one, other)
        if not agree(one, other) and strict and isinstance(one, str) and tries < TRIES and not self._different:
            line.ask(AGAIN + key, prompt, partial(self._compare_call, line, key, prompt, first, tries + 1))
            return
        same = agree(one, other)
        self._rechecked, self._same = self._rechecked + 1, self._same + same
        self._different += strict and not same
