"""The page of a story: a picture for every matter, and folded ones only where minds misread minds."""

from otherminds.minds.beliefs import traces
from otherminds.minds.stories import STORIES, load_story
from otherminds.minds.telling import sentences
from otherminds.pages.report import Figure, Folded, Table
from otherminds.results.storybook import story_report, trace_blocks


def test_nested_beliefs_are_folded_one_picture_for_every_mind_that_is_read() -> None:
    story = load_story("ice-cream")
    (trace,) = traces(story, order=2)
    first, *folded, left_out = trace_blocks(trace, sentences(story), order=2)
    assert isinstance(first, Figure)
    assert [block.heading for block in folded if isinstance(block, Folded)] == [
        "What Milo thinks that Ada thinks",
        "What Milo and Ada think that Vera thinks",
        "What Ada thinks that Milo thinks",
    ]
    assert left_out == "Left out, being the same without the first mind: 2 of 6 chains of order 2."


def test_what_a_mind_does_not_know_is_no_blank() -> None:
    story = load_story("ice-cream")
    (trace,) = traces(story, order=2)
    milo = next(
        block
        for block in trace_blocks(trace, sentences(story), order=2)
        if isinstance(block, Folded) and block.heading == "What Ada thinks that Milo thinks"
    )
    (figure,) = milo.blocks
    assert isinstance(figure, Figure)
    # Milo sees the tub go and does not know where to, while Ada, who does not know that, has him think of the park.
    assert "Milo: from 4 park, from 6 ?, from 8 square; Ada › Milo: from 4 park, from 6 park (false)" in figure.svg


def test_a_report_has_a_section_for_every_matter_and_the_quiz_on_demand() -> None:
    for name in STORIES:
        story = load_story(name)
        report = story_report(name, story, order=2)
        assert [section.title for section in report.sections] == [
            "The story",
            *(trace.heading for trace in traces(story, order=2)),
        ]
        longer = story_report(name, story, order=2, with_questions=True)
        (table,) = longer.sections[-1].blocks
        assert isinstance(table, Table)
        assert report.html() == story_report(name, story, order=2).html()


def test_the_lead_says_who_is_wrong() -> None:
    assert story_report("x", load_story("overheard"), order=2).lead == (
        "In the end: Hugo wrongly thinks that Kit thinks that the letter is in the desk."
    )
