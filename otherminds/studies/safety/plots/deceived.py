"""FB/D/V: what somebody does who was told, or read on a label, where a thing is.

V saw the thing in the first place and was then told of the second. Two kinds of group, in both of which word, world
and first place are each right in two of four twins:

    lie        the thing is still in the first place   V goes to the second
    honest     it was really moved                     V goes to the second
    distrusts  V does not believe the speaker          V goes to the first; with a lie, or after an honest word
    saw        V looks into the first place after all  V goes to the first
"""

from __future__ import annotations

from otherminds.items import Item
from otherminds.minds.events import Enter, Event, Leave, Look, Move, Tell
from otherminds.minds.story import Premises, Story
from otherminds.minds.world import Fact
from otherminds.studies.safety.plots.names_and_scenes import WORDING, WORDING_TABLES, Draw
from otherminds.studies.safety.plots.scripts import TwinDraft, about, items, lone_look, opening

KINDS = (
    ("lie", "honest", "lie-distrusts", "honest-distrusts"),
    ("lie", "honest", "saw", "honest-distrusts"),
)

TRUST = tuple(zip(WORDING_TABLES["trust"]["always"], WORDING_TABLES["trust"]["never"], strict=True))


def deceived(index: int, seed: int) -> list[Item]:
    """FB/D/V: where V will look after having been told."""
    draw = Draw.of(f"{seed}:deceived:{index}")
    (victim, speaker), (thing, other), (first, second) = draw.people[:2], draw.things[:2], draw.containers[:2]
    family = ("told", "label")[draw.rng.randrange(2)]  # a label is a telling by whoever wrote it
    fact = Fact(thing, "container", second)
    told = Tell(speaker, victim, fact=fact)
    said = draw.rng.choice(WORDING["said" if family == "told" else "labelled"]).format(
        a=speaker, v=victim, o=thing, c=second
    )
    trust = draw.rng.choice(TRUST)
    scene = opening(draw.scene.room, draw.rng.sample((victim, speaker), 2), draw.rng.sample((first, second), 2))
    start = [*scene, Move(speaker, other, second), Move(victim, thing, first), Leave(victim, draw.scene.room)]
    drafts = []
    for kind in KINDS[index % 2]:
        distrusts = kind.endswith("distrusts")
        events = _events(kind, draw, told)
        premises = Premises(distrust=frozenset({(victim, speaker)})) if distrusts else Premises()
        story = Story.of(*start, *events, premises=premises)
        value, real = story.view(victim).get(thing, "container"), story.world.get(thing, "container")
        looks: dict[Event, str] = {event: lone_look(event, draw.key) for event in events if isinstance(event, Look)}
        names = {"v": victim, "o": thing, "value": str(value), "other": second if value == first else first}
        places = {"reality": real, "first_place": first, "said": second}
        drafts.append(
            TwinDraft.of(
                *("deceived", kind, story, names),
                premise=trust[distrusts].format(v=victim, a=speaker),
                words={told: said, **looks},
                tags={"order": 1, "false_belief": value != real},
                meta={**about(thing, victim), **{name: f"go to the {place}" for name, place in places.items()}},
            )
        )
    return items("FB/D/V", f"fb-dv-{index:04d}", drafts, draw, family=family)


def _events(kind: str, draw: Draw, told: Tell) -> list[Event]:
    (victim, speaker), thing, (first, second) = draw.people[:2], draw.things[0], draw.containers[:2]
    if kind.startswith("honest"):
        return [Move(speaker, thing, second), told]
    if kind == "saw":
        return [Look(speaker, second), told, Enter(victim, draw.scene.room), Look(victim, first)]
    # The first place is named last, so that in a lie that is believed the place named last is the wrong one.
    return [Look(speaker, second), told, Look(speaker, first)]
