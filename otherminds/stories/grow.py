"""Grow: random continuations of a story, a few events long or to the end."""

from __future__ import annotations

import random
from typing import NamedTuple

from otherminds.minds.events import Event
from otherminds.minds.setting import Setting
from otherminds.minds.story import Story
from otherminds.stories.goals import Goal, Tally


class Node(NamedTuple):
    """The beginning of a story, with what the goal counts of it."""

    story: Story
    tally: Tally


class Grower:
    """Draws what happens next. The same event after the same story is worked out once, and so are its views."""

    def __init__(self, setting: Setting, goal: Goal, rng: random.Random) -> None:
        self.setting = setting
        self.goal = goal
        self.rng = rng
        self.start = Node(Story(premises=setting.premises), Tally())
        # By the identity of a node, which is kept beside what follows it so that it cannot be given to another.
        self._known: dict[int, tuple[Node, dict[Event, Node]]] = {}

    def forget(self) -> None:
        """Let go of everything that was drawn; what is still wanted is held by those who want it."""
        self._known.clear()

    def step(self, node: Node) -> Node | None:
        """One more event; None if nothing can happen."""
        drawn = self.setting.draw(node.story, self.rng)
        if drawn is None:
            return None
        kind, event = drawn
        _, following = self._known.get(id(node)) or self._known.setdefault(id(node), (node, {}))
        after = following.get(event)
        if after is None:
            tally = self.goal.count(node.tally, kind, event)
            after = following[event] = Node(node.story.after(event), tally)
        return after

    def steps(self, node: Node, number: int) -> Node:
        """So many more events, or as many as can happen before the goal is out of reach."""
        for _ in range(number):
            after = self.step(node)
            if after is None or self.goal.hopeless(after.tally):
                break
            node = after
        return node

    def ending(self, node: Node) -> Node:
        """One random way to the end: until the goal is met, or out of reach."""
        goal = self.goal
        while not goal.met(node.story, node.tally):
            after = self.step(node)
            if after is None or goal.hopeless(after.tally):
                return node
            node = after
        return node

    def complete(self) -> Story | None:
        """One random story from the start; None if it missed the goal."""
        node = self.ending(self.start)
        return node.story if self.goal.met(node.story, node.tally) else None


class Prospect:
    """How likely random endings are to reach the goal from a node; drawn only as far as somebody needs to know."""

    __slots__ = ("_grower", "done", "drawn", "length", "missed", "most", "node")

    def __init__(self, grower: Grower, node: Node, most: int) -> None:
        self._grower = grower
        self.node = node
        self.done = grower.goal.met(node.story, node.tally)
        self.most = 0 if self.done else most
        self.drawn = self.missed = self.length = 0

    def reachable(self) -> bool:
        """Whether any ending gets there."""
        while self.drawn < self.most and self.missed == self.drawn:
            self._draw()
        return self.missed < self.drawn or not self.most

    @property
    def open(self) -> bool:
        """Whether there are endings left to draw."""
        return self.drawn < self.most

    def judge(self) -> None:
        """Draw all endings."""
        while self.open:
            self._draw()

    def _draw(self) -> None:
        end = self._grower.ending(self.node)
        self.drawn += 1
        self.missed += not self._grower.goal.met(end.story, end.tally)
        self.length += end.story.length

    @property
    def outlook(self) -> tuple[float, float]:
        """h, the share of endings that miss the goal, and their mean length; the best they can be while open."""
        if self.open:
            return 0.0, 0.0
        return (self.missed / self.drawn, self.length / self.drawn) if self.drawn else (0.0, self.node.story.length)
