"""How scripts are told: several sentences for each thing that happens, in a file of words."""

from otherminds.files import read_wording

WORDING, WORDING_TABLES = read_wording("safety/wording")
