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
from otherminds.models.api.canaries import Answer, Known, agree, answer_of, canaries, part_late

if TYPE_CHECKING:
    from otherminds.asking.flights import Line
    from otherminds.asking.recorded import Recorded
    from otherminds.models.api.endpoint import Endpoint

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
_ADVICE = "the numbers are kept and marked. To measure what answers now, ask it with another --store"

_log = logging.getLogger("otherminds")


def find_share(model: object, share: float | None, calls: int) -> float:
    """How many of so many calls are asked again; of a few calls, none."""
    usual = SHARE if getattr(model, "servers", None) else 0.0
    return usual * (usual * calls >= 1) if share is None else share


class Watch:
    """Watches over one run of a model; `like` is a prompt of the run, `share` how many of its calls are asked again."""

    def __init__(self, recorded: Recorded, verb: Verb, like: Prompt, *, share: float, seed: int) -> None:
        self._recorded, self._verb, self._share, self._seed = recorded, verb, share, seed
        calls = recorded.budget.calls
        room = self._servers and (calls is None or calls >= LEAST_BUDGET)
        self._prompts = canaries(verb, like) if room else []
        self._form = hashlib.sha256(json.dumps([each.to_dict() for each in self._prompts]).encode()).hexdigest()[:12]
        self._known = Known()
        self._began, self._open = False, ""
        self._seen = self._made = 0
        self._compared = self._agreed = self._rechecked = self._same = self._different = 0
        self._findings: list[str] = []
        self._versions: dict[str, int] = {}

    def go_on(self, before: Mapping[str, Any]) -> None:
        """Add to what earlier sittings of the run have found."""
        kept, rechecked = before.get("canaries", {}), before.get("rechecked", {})
        self._open, self._findings = before.get("open", ""), [*before.get("findings", ())]
        self._versions = dict(before.get("versions", {}))
        self._compared, self._agreed = kept.get("compared", 0), kept.get("agree", 0)
        self._rechecked, self._same = rechecked.get("compared", 0), rechecked.get("agree", 0)
        if kept.get("form") == self._form:
            self._known = Known(kept["answers"])

    @property
    def told(self) -> dict[str, Any]:
        """For the manifest."""
        told: dict[str, Any] = {"findings": self._findings} if self._findings else {}
        if any(self._known.answers):
            counts = {"compared": self._compared, "agree": self._agreed}
            told["canaries"] = {"form": self._form, "answers": self._known.answers, **counts}
        if self._rechecked:
            told["rechecked"] = {"compared": self._rechecked, "agree": self._same}
        told |= {"versions": self._versions} if self._versions else {}
        told |= {"open": self._open} if self._open else {}
        return {PROVENANCE: told} if told else {}

    @property
    def _servers(self) -> Sequence[Endpoint]:
        """All that answer for the model; none where it is not behind a server."""
        return getattr(self._recorded.model, "servers", ())

    @property
    def _interruptions(self) -> int:
        return sum(server.interruptions for server in self._servers)

    # ── canaries ──

    def begin(self) -> bool:
        """Before the first call of this sitting: whether the model is the one that this store knows."""
        if self._began or not self._servers:
            return False
        self._began, self._open = True, OPEN
        if self._prompts:
            at = (self._recorded.store.path, self._form)
            shared = self._servers[0].canaries
            if at in shared:
                # Those at the end of one run are those at the start of the next.
                self._known = shared[at]
            else:
                if not any(self._known.answers):
                    self._known = Known(self._kept())
                first = not any(self._known.answers)
                self._compare("at the start of this run than before")
                if first:
                    self._compare("when they are asked twice (does the server ignore the temperature?)")
                shared[at] = self._known
        self._seen, self._made = self._interruptions, self._recorded.made
        return True

    def look(self) -> None:
        """After an outage another model may answer."""
        failed = self._began and self._interruptions != self._seen
        # No more canaries than answers, however often connections fail.
        if failed and self._recorded.made - self._made >= len(self._known.answers):
            self._compare("after an outage than before")

    def end(self) -> None:
        """After the last call: what answers now is what answered first."""
        if not (self._began or self._open) or not self._servers:
            return
        patience = [(server, server.patience) for server in self._servers]
        try:
            for server, seconds in patience:
                server.patience = min(seconds, SHORT)
            if not self.begin() and self._recorded.made > self._made:
                self._compare("at the end of this run than at its start")
            self._open = ""
        except OtherModel as error:
            self._find(str(error))
            raise
        except EndpointError as error:
            self._open = f"{OPEN} ({error}), which the same command makes up for"
        finally:
            for server, seconds in patience:
                server.patience = seconds
                if self._open:
                    server.canaries.clear()
            if self._different:
                self._find(f"{self._different} of {self._rechecked} calls that were asked again changed their answer")

    def count_versions(self) -> None:
        """Which versions of the model gave the answers of the run, and how many each."""
        if self._servers:
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
            strict, again = self._is_strict(self._prompts[0]), partial(self._ask, server)
            compared = self._known.count(answers)
            changed, varied = self._known.compare(answers, again if strict else None)
            self._compared, self._agreed = self._compared + compared, self._agreed + compared - changed
            silent = any(self._known.answers) and not any(answer is not None for answer in answers)
            if strict and (changed or 2 * varied > len(answers) or silent):
                what = "no canary is" if silent else f"{changed or varied} of {len(answers)} canaries are"
                how = "answered" if silent else "answered otherwise"
                self._find(f"{what} {how} {when}, at settings that draw nothing")

    def _is_strict(self, prompt: Prompt) -> bool:
        """Whether an answer that changes is a finding: nothing is drawn, and one version is wanted."""
        who = self._recorded.identity
        drawn = self._verb == "ask" and (prompt.draw or who.get("temperature", 0) != 0)
        return not drawn and "versions" not in who

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
