"""Starter as a study: does it tell false beliefs from true ones, whatever the way of asking?"""

from __future__ import annotations

from otherminds.results.summary import summarise
from otherminds.studies.starter import ways_of_asking
from otherminds.studies.starter.build import starter
from otherminds.studies.starter.controls import controls
from otherminds.studies.study import Study

STUDY = Study(
    name="starter",
    asks=ways_of_asking.ASKS,
    example=starter,
    look=ways_of_asking.look,
    suite=starter,
    page=summarise,
    questions=lambda desk: desk.once("starter", starter),
    controls=controls,
)
