"""How events are told: several sentences for each, in a file of words."""

from otherminds.files import read_wording

WORDING, WORDING_TABLES = read_wording("events")
