"""The commands of dialogue: playing talks, and judging them."""

from __future__ import annotations

from otherminds.studies.dialogue.judge_command import judge
from otherminds.studies.dialogue.play_command import play

COMMANDS = (play, judge)
