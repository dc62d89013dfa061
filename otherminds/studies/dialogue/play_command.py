"""`otherminds play`: conversations of two models with thoughts that the other does not hear."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.errors import UsageError
from otherminds.terminal.options import PARTIAL, common, model_options, open_model, read_budget
from otherminds.terminal.screen import note, print_json, print_table, progress, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from otherminds.calling.recorded import Recorded
    from otherminds.store.store import Store
    from otherminds.talks.play import Played
    from otherminds.talks.talk import State

DRAWING = ("temperature=0.6", "top_p=0.9")
"""As published. Without any chance a small model soon says the same thing over and over."""


@click.command()
@model_options
@click.option("--partner", metavar="MODEL", help="Who answers.  [default: the same model]")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many conversations, spread evenly.")
@click.option("--pairs", type=int, default=1, show_default=True, help="Pairs of people for every scene.")
@click.option("--turns", type=click.IntRange(min=1), default=7, show_default=True, help="Messages of each side.")
@click.option("--states", default="", metavar="STATE,…", help="belief, intention, desire, emotion, knowledge.")
@click.option("--seed", type=int, default=0, show_default=True, help="For who meets whom, and for the models.")
@click.option("--form", help="How to ask for thoughts: prefill, json or plain.  [default: what the model can]")
@click.option("--retries", type=int, default=2, show_default=True, help="How often to ask again for a message.")
@click.option("--swap", is_flag=True, help="The one who speaks first thinks about the other.")
@click.option("--show-thoughts", is_flag=True, help="Let each hear the other's thoughts, for comparison.")
@click.option("--show-attributes", is_flag=True, help="Let each know the other's goal and personality.")
@click.option("--ablation", is_flag=True, help="Every conversation four times, with each of the two hidden or shown.")
@click.option("--patterns", is_flag=True, help="The first speaker with all 32 patterns of personality.")
@click.option("--no-inner", is_flag=True, help="Talk without any thoughts.")
@click.option("--budget", metavar="NAME=N,…", help="Stop cleanly, for each model: calls=, tokens=, seconds=, money=.")
@click.option("--prices", type=click.Path(path_type=Path), help="A JSON table of prices a million tokens.")
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR")
@common
@click.pass_context
def play(context: click.Context, /, spec: str, output: Path, as_json: bool, **given: Any) -> None:
    """Let two models talk, each with private thoughts.

    DIR gets the conversations (talks.jsonl), those that could not be used, with the reason (apart.jsonl), what was
    played (play.json) and every answer (otherminds.db), so the same command, given again after whatever stopped it,
    goes on from there to the same conversations. `otherminds build dialogue --talks DIR/talks.jsonl` makes questions.
    With --ablation and --patterns, --limit counts what is played four times or thirty-two.

    Models draw at temperature 0.6 and top_p 0.9, with --seed, unless -M says otherwise.
    """
    from otherminds.store.store import Store
    from otherminds.talks.stage import NO_ANSWER

    states = _states(given["states"])
    with Store(_inside(output) / "otherminds.db") as store:
        players = _players(spec, given, store)
        played = _play(players, states, given, keep=lambda so_far: _save(so_far, output))
    told = _told(players, states, played, given)
    _write_json(output / "play.json", told)
    if as_json:
        print_json(told | {"folder": str(output)})
    else:
        _print(played, told, output)
    if told["stopped"]:
        note(f"not finished: {told['stopped']}; the same command with more goes on from here")
        context.exit(PARTIAL)
    if unanswered := sum(one.reason.startswith(NO_ANSWER) for one in played.apart):
        note(f"{unanswered} conversations are apart because a call failed; the same command asks these calls again")
        context.exit(PARTIAL)
    if not played.talks:
        note("no conversation came to its end; apart.jsonl says why, and another model or --form may help")
        context.exit(1)


# ── what the options ask for ──


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


def _players(spec: str, given: dict[str, Any], store: Store) -> tuple[Recorded, Recorded]:
    """The two models with a memory; one and the same where there is no partner."""
    from otherminds.calling.recorded import Recorded
    from otherminds.models.specs import SERVED

    budget = read_budget(given["budget"], given["prices"])
    settings = (*DRAWING, f"seed={given['seed']}", *given["extra"])
    specs = [spec, given["partner"] or spec]
    served = [one for one in specs if one.partition(":")[0] in SERVED]
    found: dict[str, Recorded] = {}
    for one in specs:
        if one.startswith("baseline:"):
            raise UsageError("a baseline answers questions and cannot talk; take a model")
        # The address belongs to whoever is on a server; if nobody is, the first one says that it has no use for it.
        address = given["base_url"] if one in served or not served else None
        if one not in found:
            found[one] = Recorded(open_model(one, address, settings), store, budget=budget)
    return found[specs[0]], found[specs[1]]


def _save(played: Played, output: Path) -> None:
    """What there is so far, so that whatever ends the work leaves whole conversations."""
    from otherminds.items import write_lines
    from otherminds.talks import talk as talks

    talks.save(output / "talks.jsonl", played.talks)
    write_lines(output / "apart.jsonl", (one.to_dict() for one in played.apart))


def _play(
    players: tuple[Recorded, Recorded],
    states: tuple[State, ...],
    given: dict[str, Any],
    keep: Callable[[Played], None],
) -> Played:
    from otherminds.studies.dialogue.questions.traits import patterns
    from otherminds.talks import bank
    from otherminds.talks.play import play

    castings, limit = bank.castings(pairs=given["pairs"], seed=given["seed"]), given["limit"]
    if given["patterns"]:
        # Pairs that differ in one factor must not differ in the state as well, so scenes are played in all of them.
        castings, limit = [variant for casting in castings[:limit] for variant in patterns(casting)], None
    with progress("messages") as show:
        return play(
            castings,
            *players,
            turns=given["turns"],
            states=states,
            limit=limit,
            seed=given["seed"],
            swap=given["swap"],
            thoughts=given["show_thoughts"],
            attributes=given["show_attributes"],
            ablation=given["ablation"],
            inner=not given["no_inner"],
            form=given["form"],
            retries=given["retries"],
            progress=show,
            keep=keep,
        )


# ── what came of it ──

KEPT = (
    *("limit", "pairs", "turns", "seed", "form", "retries", "swap", "ablation", "patterns"),
    *("show_thoughts", "show_attributes", "no_inner"),
)
"""The options that play.json repeats."""


def _told(
    players: tuple[Recorded, Recorded], states: tuple[State, ...], played: Played, given: dict[str, Any]
) -> dict[str, Any]:
    """What was played, by whom, and what it took."""
    import platform
    from importlib.metadata import version

    return {
        "otherminds": version("otherminds"),
        "python": platform.python_version(),
        "states": list(states),
        **{name: given[name] for name in KEPT},
        "talks": len(played.talks),
        "apart": dict(Counter(one.reason.partition(": ")[2] or one.reason for one in played.apart)),
        "messages": played.counts.to_dict(),
        "leak_check": {
            "prompts": played.prompts,
            "leaks": len(played.leaks),
            "shown_on_purpose": played.shown,
            "found": [asdict(leak) for leak in played.leaks[:20]],
        },
        "stopped": next((player.stopped for player in players if player.stopped), ""),
        # One model that plays both parts has one account of what it spent.
        "players": [_spent(player) for player in (players if players[0] is not players[1] else players[:1])],
    }


def _spent(player: Recorded) -> dict[str, Any]:
    return {
        "name": player.name,
        "fingerprint": player.fingerprint,
        "identity": dict(player.identity),
        "calls": {"made": player.made, "reused": player.reused},
        "usage": asdict(player.usage),
    }


def _write_json(path: Path, data: dict[str, Any]) -> None:
    import json

    from otherminds.files import write_text

    write_text(path, json.dumps(data, ensure_ascii=False, indent=2) + "\n")


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
