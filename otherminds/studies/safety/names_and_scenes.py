"""Names, scenes and stray sentences of our own, from which the generated stories are made."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

_NAMES = """
Abena Adriel Aiko Alma Anouk Arjun Astrid Bela Bilal Camille Cheng Chidi Daria Davit Dolores Dunja Elif Emeka Enzo
Esme Fatou Felix Fiona Gabor Goran Halima Hamza Hana Ines Ingmar Iris Isak Jamal Jelena Joao Joris Kaia Kamal Keiko
Kenji Lars Latifa Leila Lior Ludmila Magnus Maite Malik Marit Mateo Milan Mirela Nadir Naoko Nils Noor Oda Olek Omar
Otto Paloma Petra Pilar Priya Qiang Rafael Ravi Rosa Ruben Sadia Samir Sanna Selma Sione Sofia Stellan Suraj Tamar
Tariq Teresa Thandi Tomas Tuan Ugo Ulla Valdis Vera Viktor Wanda Xenia Yara Yusuf Zahra Zelda Zoltan
"""

# domain, room, containers, things; no name in a line is part of another one of that line.
_SCENES = """
household; kitchen; drawer, basket, cupboard, jar, tin; key, spoon, candle, whistle
household; hallway; chest, satchel, bucket, crate; scarf, torch, glove, umbrella
household; attic; trunk, hatbox, sack, barrel; medal, doll, kite, compass
household; garage; toolbox, bin, locker, carton; pump, hammer, lamp, rope
household; living room; sideboard, hamper, vase, bureau; album, puzzle, ribbon, magazine
household; nursery; wardrobe, pram, basket, drawer; rattle, bonnet, teddy, blanket
household; cellar; cask, crate, cabinet, tub; bottle, corkscrew, lantern, fuse
household; laundry room; hamper, bucket, pouch, cupboard; brush, sponge, needle, button
household; garden shed; pot, crate, barrow, sack; trowel, hose, sprinkler, glove
household; study; desk, folder, cabinet, briefcase; letter, passport, stamp, diary
household; bedroom; dresser, suitcase, jar, trunk; necklace, watch, comb, bracelet
household; pantry; hamper, jug, crate, tin; ladle, sieve, grater, funnel
work; office; cabinet, tray, safe, folder; contract, badge, stapler, receipt
work; workshop; bin, locker, crate, toolbox; chisel, gauge, drill, clamp
work; bakery; hopper, tin, basket, fridge; whisk, cake, sieve, apron
work; laboratory; cooler, cabinet, drawer, rack; vial, lens, timer, filter
work; clinic; cart, cabinet, locker, drawer; bandage, thermometer, chart, inhaler
work; warehouse; cage, bin, crate, locker; scanner, parcel, cutter, invoice
work; hotel lobby; safe, pigeonhole, drawer, suitcase; key, passport, envelope, bell
work; costume room; trunk, hamper, closet, hatbox; mask, wig, fan, cape
work; newsroom; tray, locker, satchel, cabinet; recorder, camera, notebook, microphone
work; print shop; carton, drawer, tube, bin; poster, ruler, stamp, roller
work; greenhouse; barrow, pot, crate, bucket; trowel, bulb, sprayer, thermostat
work; tailor's shop; basket, wardrobe, drawer, chest; thimble, pattern, button, zip
school; classroom; cupboard, desk, bag, bin; atlas, ruler, globe, eraser
school; gym; locker, crate, sack, trolley; ball, whistle, bat, stopwatch
school; library; cart, drawer, satchel, cabinet; novel, atlas, bookmark, magnifier
school; music room; cabinet, case, trunk, cupboard; flute, baton, metronome, tambourine
school; art room; jar, drawer, bucket, portfolio; brush, sketch, palette, stencil
school; dormitory; wardrobe, suitcase, drawer, hamper; ticket, necklace, watch, charger
public; station; locker, trolley, crate, kiosk; ticket, parcel, lantern, flag
public; museum; case, cabinet, drawer, crate; coin, fossil, brooch, map
public; pavilion; hamper, cooler, chest, basket; blanket, flag, kite, lantern
public; church hall; cupboard, urn, trunk, chest; candle, banner, bell, candlestick
public; boathouse; locker, barrel, chest, sack; buoy, rope, flare, compass
public; market hall; basket, bucket, crate, sack; melon, scale, purse, ladle
public; ferry cabin; locker, crate, drawer, barrel; map, horn, torch, rope
public; town hall; safe, drawer, folder, cabinet; seal, charter, key, ledger
"""

NAMES = tuple(_NAMES.split())

FILLERS = tuple(
    """A clock ticked on the wall.
It was a quiet afternoon.
Rain fell outside.
A dog barked somewhere down the street.
The lights hummed softly.
Somebody upstairs was practising the violin.
The weather had been mild all week.
A bus went past the window.
It was almost time for tea.
The floor had been swept that morning.
Music played faintly next door.
A fly buzzed about for a while.
The air smelled of fresh paint.
Outside, children were playing.
The calendar still showed last month.
A door slammed far away.
It was the third of the month.
The heating had just come on.
Leaves blew across the yard outside.
Nobody had watered the plants yet.
A phone rang in another part of the building.
The radio was giving the football results.
Somewhere a tap was dripping.
The curtains were half drawn.
A train whistled in the distance.
The morning post had come early.
It was getting dark.
The wallpaper was a faded green.
A van was being unloaded outside.
Birds were singing in the hedge.
There was a draught from the window.
The carpet had been cleaned the day before.
Church bells rang the hour.
A neighbour was mowing the lawn.
The week had been a busy one.
Two pigeons sat on the ledge.
A plane crossed the sky.
The coffee machine gurgled.
It was warmer than the day before.
A picture hung a little crooked.""".splitlines()
)


@dataclass(frozen=True, slots=True)
class Scene:
    """Where stories of a kind can happen, and with what."""

    domain: str
    room: str
    containers: tuple[str, ...]
    things: tuple[str, ...]


def read_scenes(lines: str) -> tuple[Scene, ...]:
    """Scenes from lines of domain, room, containers and things."""
    found = []
    for line in lines.strip().splitlines():
        domain, room, containers, things = line.split("; ")
        found.append(Scene(domain, room, tuple(containers.split(", ")), tuple(things.split(", "))))
    return tuple(found)


SCENES = read_scenes(_SCENES)


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw from the lists: a seeded source of chance, a scene, and people in any number."""

    key: str
    rng: random.Random
    scene: Scene
    people: tuple[str, ...]
    containers: tuple[str, ...]
    things: tuple[str, ...]

    @classmethod
    def of(cls, key: str, *, scenes: Sequence[Scene] = SCENES) -> Draw:
        """The same for the same key."""
        rng = random.Random(key)
        scene = rng.choice(scenes)
        containers, things = (tuple(rng.sample(names, len(names))) for names in (scene.containers, scene.things))
        return cls(key, rng, scene, tuple(rng.sample(NAMES, 5)), containers, things)

    def rng_for(self, what: str) -> random.Random:
        """A source of chance that is the same for all twins of a group."""
        return random.Random(f"{self.key}:{what}")
