"""`otherminds tell`: a story in words, and who believes what after each event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otherminds.terminal.derived import File, command
from otherminds.terminal.screen import console, harmless, note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.minds.questions import Question
    from otherminds.minds.sightings import Minds
    from otherminds.minds.story import Story


@command(source={"metavar": "[STORY]"})
def tell(
    as_json: bool,
    source: str | None = None,
    *,
    order: int = 2,
    seed: int | None = None,
    questions: bool = False,
    html: File | None = None,
) -> None:
    """Tell a story, and who believes what after each event.

    STORY is the name of a built-in story or a .json file; without it, the built-in ones are listed.

    order: How deep to read minds; 2: A thinks B thinks.
    seed: Reword the story, by this seed.
    questions: List all that can be asked, with the answers.
    html: Write a page with belief timelines.
    """
    from otherminds.minds.stories import STORIES, titled_story

    if source is None:
        _list(STORIES, as_json)
        return
    title, story = titled_story(source)
    if html is not None:
        from otherminds.results.storybook import story_report

        story_report(title, story, order=order, seed=seed, with_questions=questions).save(html)
    if as_json:
        data = _as_data(title, story, order, seed, questions)
        print_json(data | ({"html": str(html)} if html else {}))
    elif html is not None:
        say(str(html))
    else:
        _print_story(title, story, order, seed)
        if questions:
            _print_questions(story, order)


def _list(stories: dict[str, str], as_json: bool) -> None:
    if as_json:
        print_json(stories)
    else:
        print_table(["story", "what happens"], list(stories.items()))
        note("`otherminds tell NAME` tells one of them; a .json file of your own will do as well")


def _print_story(title: str, story: Story, order: int, seed: int | None) -> None:
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from otherminds.commands.belief_tables import belief_tables, legend
    from otherminds.minds.beliefs import summary, traces
    from otherminds.minds.stories import in_brief
    from otherminds.minds.telling import sentences, told_premises

    found = traces(story, order=order)
    screen = console()
    screen.print(Text(f"{harmless(title)}\n", style="bold"))
    lines = Table.grid(padding=(0, 2, 0, 0))
    lines.add_column(justify="right", style="dim")
    for sentence in told_premises(story):
        lines.add_row("", Text(harmless(sentence), style="italic"))
    for number, sentence in enumerate(sentences(story, seed=seed), start=1):
        lines.add_row(str(number), Text(harmless(sentence)))
    screen.print(lines)
    briefs = [in_brief(event, story.cast.roles) for event in story.events]
    for trace in found:
        for part in belief_tables(trace, briefs, width=screen.width):
            screen.print(part)
    screen.print(Text(f"\n{legend(found, width=screen.width)}\n", style="dim"))
    screen.print(Text("In the end", style="bold"))
    for line in summary(found, order=order, limit=8):
        screen.print(Padding(Text(harmless(line)), (0, 0, 0, 2)))


def _print_questions(story: Story, order: int) -> None:
    from otherminds.minds.questions import questions

    asked = questions(story, order=order)
    rows = [
        [str(question.tags["order"]), question.text, f"{'✗ ' * _is_false(question)}{question.answer}"]
        for question in asked
    ]
    print_table(["order", "question", "answer"], rows, right=["order"])
    say(f"{len(asked)} questions; ✗: the answer is a false belief")


def _is_false(question: Question) -> bool:
    return question.tags.get("false_belief") is True


def _as_data(title: str, story: Story, order: int, seed: int | None, with_questions: bool) -> dict[str, Any]:
    from otherminds.minds.beliefs import chains
    from otherminds.minds.questions import questions
    from otherminds.minds.stories import story_file
    from otherminds.minds.telling import sentences, told_premises

    told = sentences(story, seed=seed)
    minds, premises = chains(story.people, order=order), story.premises
    data: dict[str, Any] = {
        "title": title,
        "order": order,
        "premises": {
            "clear": sorted(premises.clear),
            "distrust": sorted(map(list, premises.distrust)),
            "fresh": premises.fresh,
            "text": told_premises(story),
        },
        "events": [
            {"number": part.length, "event": event, "text": text, "views": [_view(part, chain) for chain in minds]}
            for part, event, text in zip(story.prefixes(), story_file(story)["events"], told, strict=True)
        ],
    }
    if with_questions:
        data["questions"] = [
            {"question": asked.text, "answer": asked.answer, "choices": asked.choices, "minds": asked.minds}
            | {"tags": asked.tags}
            for asked in questions(story, order=order)
        ]
    return data


def _view(story: Story, minds: Minds) -> dict[str, Any]:
    """What a chain of minds takes to be so; whatever is not there is unknown."""
    from otherminds.minds.beliefs import beliefs, view

    facts = [
        {"of": fact.of, "property": fact.property, "value": fact.value, "false": not so}
        for fact, so in beliefs(story, minds)
    ]
    return {"minds": minds, "facts": facts, "topics": sorted(view(story, minds).topics)}
