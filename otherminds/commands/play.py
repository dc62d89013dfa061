"""`otherminds play`: conversations of two models with thoughts that the other does not hear."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherminds.errors import UsageError
from otherminds.terminal.derived import Count, Folder, command
from otherminds.terminal.names import bars, recorded
from otherminds.terminal.options import PARTIAL, read_budget
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.calling.costs import Budget
    from otherminds.models import Model
    from otherminds.models.specs import Spec
    from otherminds.talks.play import Played
    from otherminds.talks.talk import State

DRAWING = {"temperature": 0.6, "top_p": 0.9}
"""As published. Without any chance a small model soon says the same thing over and over."""
KEPT = (
    *("limit", "pairs", "turns", "seed", "form", "retries", "swap", "ablation", "patterns"),
    *("show_thoughts", "show_attributes"),
)
"""The options that play.json repeats."""


def play_talks(
    model: Model | str | Spec = "smollm2",
    *,
    partner: Model | str | Spec | None = None,
    limit: Count | None = None,
    pairs: int = 1,
    turns: Count = 7,
    states: str = "",
    seed: int = 0,
    form: str | None = None,
    retries: int = 2,
    swap: bool = False,
    show_thoughts: bool = False,
    show_attributes: bool = False,
    ablation: bool = False,
    patterns: bool = False,
    inner: bool = True,
    budget: Budget | str | None = None,
    prices: str | Path | None = None,
    output: Folder,
    quiet: bool = False,
) -> Played:
    """Let two models talk, each with private thoughts.

    DIR gets the conversations (talks.jsonl), those that could not be used, with the reason (apart.jsonl), what was
    played (play.json) and every answer (otherminds.db), so the same command, given again after whatever stopped it,
    goes on from there to the same conversations. `otherminds build dialogue --talks DIR/talks.jsonl` makes questions.
    With --ablation and --patterns, --limit counts what is played four times or thirty-two.

    Models draw at temperature 0.6 and top_p 0.9, with --seed, unless -M says otherwise.

    partner (MODEL): Who answers.  [default: the same model]
    limit: At most so many conversations, spread evenly.
    pairs: Pairs of people for every scene.
    turns: Messages of each side.
    states (STATE,…): belief, intention, desire, emotion, knowledge.
    seed: For who meets whom, and for the models.
    form: How to ask for thoughts: prefill, json or plain.  [default: what the model can]
    retries: How often to ask again for a message.
    swap: The one who speaks first thinks about the other.
    show_thoughts: Let each hear the other's thoughts, for comparison.
    show_attributes: Let each know the other's goal and personality.
    ablation: Every conversation four times, with each of the two hidden or shown.
    patterns: The first speaker with all 32 patterns of personality.
    inner: Talk without any thoughts.
    """
    given = dict(locals())
    from otherminds.files import write_text
    from otherminds.store.store import Store
    from otherminds.talks import bank
    from otherminds.talks.play import account, play

    chosen, folder = _states(states), _inside(Path(output))
    with Store(folder / "otherminds.db") as store:
        who = [_drawing(each, seed) for each in (model, model if partner is None else partner)]
        lacks = "answers questions and cannot talk"
        players = recorded(who, store, read_budget(budget, prices), lacks=lacks, quiet=quiet)
        castings = bank.castings(pairs=pairs, seed=seed)
        if patterns:
            # Pairs that differ in one factor must not differ in the state as well, so scenes are played in all of them.
            castings, limit = [each for casting in castings[:limit] for each in bank.patterns(casting)], None
        with bars(quiet)("messages") as show:
            played = play(
                castings,
                *players,
                states=chosen,
                limit=limit,
                thoughts=show_thoughts,
                attributes=show_attributes,
                progress=show,
                keep=lambda so_far: so_far.save(folder),
                **{name: given[name] for name in ("turns", "seed", "swap", "ablation", "inner", "form", "retries")},
            )
    options = {"states": list(chosen), **{name: given[name] for name in KEPT}, "no_inner": not inner}
    told = account(played, players, options)
    write_text(folder / "play.json", json.dumps(told, ensure_ascii=False, indent=2) + "\n")
    return played


@command(play_talks, name="play", configured=("model", "partner"), output={"metavar": "DIR"})
def play(as_json: bool, output: Path, **given: Any) -> int:
    played = play_talks(output=output, **given)
    told = json.loads((output / "play.json").read_text(encoding="utf-8"))
    if as_json:
        print_json(told | {"folder": str(output)})
    else:
        _print(played, told, output)
    if told["stopped"]:
        note(f"not finished: {told['stopped']}; the same command with more goes on from here")
        return PARTIAL
    if unanswered := sum(one.unanswered for one in played.apart):
        note(f"{unanswered} conversations are apart because a call failed; the same command asks these calls again")
        return PARTIAL
    if not played.talks:
        note("no conversation came to its end; apart.jsonl says why, and another model or --form may help")
        return 1
    return 0


def _states(text: str) -> tuple[State, ...]:
    from otherminds.talks.talk import STATES

    wanted = [part.strip() for part in text.split(",") if part.strip()]
    if unknown := [part for part in wanted if part not in STATES]:
        raise UsageError(f"--states: there is no state {unknown[0]!r}; there are {', '.join(STATES)}")
    return tuple(state for state in STATES if not wanted or state in wanted)


def _inside(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the folder {folder} cannot be made: {error.strerror or error}") from None
    return folder


def _drawing(model: Model | str | Spec, seed: int) -> Model | Spec:
    """A model that is named, with a little chance."""
    from otherminds.models.specs import Spec, one_model

    if not isinstance(model, str | Spec):
        return model
    name, own = one_model(model)
    return Spec(name, own if name.startswith("baseline:") else DRAWING | {"seed": seed} | own)


def _print(played: Played, told: dict[str, Any], output: Path) -> None:
    counts = played.counts
    rows = [
        ["conversations", f"{len(played.talks):,} whole, {len(played.apart):,} apart"],
        *(["apart", f"{number:,}: {reason}"] for reason, number in told["apart"].items()),
        ["malformed messages", f"{counts.malformed:,} of {counts.messages:,} ({counts.share:.1%})"],
        ["asked again", f"{counts.retries:,} times"],
        ["taken all the same", f"{counts.repaired:,} with repairs, {counts.repeated:,} with a thought had before"],
        ["leak check", _verdict(played)],
    ]
    print_table(["", "what came of it"], rows)
    say(str(output / "talks.jsonl"))


def _verdict(played: Played) -> str:
    said = f"none of {played.prompts:,} prompts holds a thought of the other that was not also said aloud"
    if played.leaks:
        said = f"{len(played.leaks):,} of {played.prompts:,} prompts hold a thought of the other"
    return f"{said}; {played.shown:,} more do on purpose" if played.shown else said
