"""The keys of tags and meta that mean something to this package: what each means, who sets it, what it may be.

Whoever brings items of their own is free to use any other tag. A tag has fixed values here where another value would
not be noticed and would make a number wrong: an item with the order "two" would be in no mean by order. Meta can hold
anything, and whoever reads it copes with that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from otherminds.errors import BadFile

Tag = str | int | float | bool

# ---- tags that more than one study or measure reads -----------------------------------------------------------------

STORY = "story"
TWIN = "twin"
STAGE = "stage"
SCORED = "scored"
ORDER = "order"
FALSE_BELIEF = "false_belief"
KIND = "kind"
CLASS = "class"
STATE = "state"
TASK = "task"
INTERESTING = "interesting"
IGNORANCE = "ignorance"
JOINT = "joint"
CONSISTENT = "consistent"
CONTROL = "control"
TELLING = "telling"
CANONICAL, INFILLED = "canonical", "infilled"

# ---- the same of meta -----------------------------------------------------------------------------------------------

REALITY = "reality"
FIRST_ORDER = "first_order"
WHY = "why"
EVENTS = "events"
SEEN_EVENTS = "seen_events"
PREMISES = "premises"
MINDS = "minds"
ABOUT = "about"
CANARY = "canary"
SENTENCES = "sentences"
GOLD = "gold"
PATH_RULE = "path_rule"
FINAL = "final"
TARGET = "target"
DEMONSTRATION = "demonstration"
BENCHMARK = "benchmark"
RAW = "raw"
PUBLISHED_GOLD = "published_gold"
REPAIRS = "repairs"
POSSIBLE = "possible"
TOLD = "told"


@dataclass(frozen=True, slots=True)
class Values:
    """What the value of a key may be, in words and as a test."""

    words: str
    fit: Callable[[object], bool]


ANYTHING = Values("anything", lambda value: True)


@dataclass(frozen=True, slots=True)
class Key:
    """A key of tags or of meta."""

    name: str
    means: str
    by: str
    """The studies that set it; anybody else may, too."""
    values: Values = ANYTHING


def _one_of(*words: str) -> Values:
    return Values(f"one of {', '.join(words)}", lambda value: isinstance(value, str) and value in words)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


TEXT = Values("text", lambda value: isinstance(value, str))
TRUE_OR_FALSE = Values("true or false", lambda value: isinstance(value, bool))
WHOLE = Values("a whole number from 0 on", _is_whole)
LEVEL = _one_of("high", "low")


def _named(*keys: Key) -> Mapping[str, Key]:
    return {key.name: key for key in keys}


TAGS = _named(
    Key(STORY, "the text that it is about; items of one story are not independent", "every study", TEXT),
    Key(
        TWIN,
        "items that differ in one detail which turns the answer round",
        "starter, explore, perturbed, safety, dialogue",
        TEXT,
    ),
    Key(STAGE, "people and things that several stories share", "perturbed"),
    Key(SCORED, "false where no answer is right, so that it is in no mean", "safety", TRUE_OR_FALSE),
    Key(ORDER, "how many minds the question goes through; 0 asks about the world", "every study", WHOLE),
    Key(FALSE_BELIEF, "whether what is believed is not so", "every study", TRUE_OR_FALSE),
    Key(KIND, "the kind of story or of thing asked about", "starter, explore, perturbed"),
    Key(
        CONTROL,
        "which sort of control question it is: about what the story says outright, without any mind",
        "every study",
        _one_of("is", "was", "who"),
    ),
    # Questions that are worked out of a story.
    Key(IGNORANCE, "whether whoever is asked about knows nothing of it", "explore", TRUE_OR_FALSE),
    Key(
        INTERESTING,
        "whether another person in the place of one of the minds changes the answer",
        "explore",
        TRUE_OR_FALSE,
    ),
    Key("like_reality", "whether the answer is what is really so", "explore", TRUE_OR_FALSE),
    Key("like_first", "whether the answer is the same without the last mind", "explore", TRUE_OR_FALSE),
    Key("like_last", "whether the answer is the same without the first mind", "explore", TRUE_OR_FALSE),
    Key("polarity", "which way a yes-or-no question is put", "explore", _one_of("positive", "negative")),
    Key("when", "the moment that a question of memory is about", "explore"),
    Key("set", "the set of actions that the story was found with", "explore"),
    Key("people", "how many people the story has", "explore"),
    Key("moves", "how many moves the story has", "explore"),
    Key("context", "the place that the story is set in", "explore"),
    Key(TELLING, "whether the story has its bare words or is told in prose", "explore", _one_of(CANONICAL, INFILLED)),
    Key("method", "how the story was found", "explore"),
    # Stories that are perturbed.
    Key(CLASS, "the perturbation", "perturbed"),
    Key("variant", "which of the endings the story has", "perturbed"),
    Key("swap", "whether the two words of the stage change places", "perturbed", _one_of("orig", "swap")),
    Key("question", "whether it asks about reality or a belief", "perturbed"),
    Key("focal", "whether it is the question that the perturbation is about", "perturbed", TRUE_OR_FALSE),
    Key("edit", "what was done to the chain of states that is handed over", "perturbed"),
    # Scripts.
    Key(TASK, "the task", "safety"),
    Key("perspective", "the family of tasks", "safety"),
    Key("family", "the plot that the script follows", "safety"),
    Key("twin_kind", "which of its twins the item is", "safety"),
    Key("domain", "the surroundings that the script plays in", "safety"),
    Key("severity", "how much depends on it", "safety"),
    Key("choice", "what kind of act is chosen", "safety"),
    Key("act", "whether somebody acts by a word or an action", "safety"),
    # Talks.
    Key(
        STATE,
        "the mental state that is asked about",
        "dialogue",
        _one_of("belief", "intention", "desire", "emotion", "knowledge"),
    ),
    Key("category", "the category of the scene", "dialogue"),
    Key("surface", "how the question is worded", "dialogue"),
    Key("openness", "that trait of the person asked about", "dialogue", LEVEL),
    Key("conscientiousness", "that trait of the person asked about", "dialogue", LEVEL),
    Key("extraversion", "that trait of the person asked about", "dialogue", LEVEL),
    Key("agreeableness", "that trait of the person asked about", "dialogue", LEVEL),
    Key("neuroticism", "that trait of the person asked about", "dialogue", LEVEL),
    Key("factor", "the trait by which two talks are compared", "dialogue"),
    Key("high_first", "whether the talk with more of the trait comes first", "dialogue", TRUE_OR_FALSE),
    Key("turn", "the number of the turn that a judge is asked about", "dialogue"),
    # Benchmarks of others.
    Key(JOINT, "items that a benchmark counts only together: all of them right, or none", "imported benchmarks", TEXT),
    Key(CONSISTENT, "whether the belief engine reproduces the gold label", "imported benchmarks", TRUE_OR_FALSE),
    Key("split", "the split of the benchmark", "imported benchmarks"),
    Key("story_type", "the kind of story, as the benchmark names it", "imported benchmarks"),
    Key("style", "the style of prompting that the row is meant for", "imported benchmarks"),
    Key("deception", "whether people may mislead each other", "imported benchmarks", TRUE_OR_FALSE),
    Key("chapters", "how many chapters the story has", "imported benchmarks"),
    Key("variable", "what is inferred from what", "imported benchmarks"),
    Key("condition", "true or false belief, or the control of either", "imported benchmarks"),
    Key("initial_belief", "whether the story says what is believed at first", "imported benchmarks", TRUE_OR_FALSE),
    Key("form", "the form of the answer", "imported benchmarks"),
    Key("observed", "whether the move was seen", "imported benchmarks", TRUE_OR_FALSE),
    Key("ability", "the ability that the benchmark asks for", "imported benchmarks"),
    Key("language", "the language of the item", "imported benchmarks"),
    Key("options", "how many options the item has", "imported benchmarks"),
    Key("access", "whether what is asked about was missed by somebody", "imported benchmarks"),
)

META = _named(
    Key(REALITY, "the choice that is really so", "every study"),
    Key(FIRST_ORDER, "what one person thinks, in a deeper question", "explore, safety"),
    Key(TOLD, "of a control question, the story as the questions about minds have it", "every study"),
    Key(WHY, "why the answer is right, as a sentence", "starter, dialogue"),
    Key(EVENTS, "the story as events", "explore, perturbed, safety"),
    Key(SEEN_EVENTS, "who comes, goes and moves what, where no story of ours can be told", "imported benchmarks"),
    Key(PREMISES, "what holds in the story beside its events", "safety"),
    Key(MINDS, "the minds that the question goes through", "explore, safety"),
    Key(POSSIBLE, "the answers that an open question does not show", "explore"),
    Key(ABOUT, "the thing that is asked about", "explore, safety"),
    Key("property", "what is asked about the thing", "explore, safety"),
    Key("found", "the id of the story", "explore"),
    # Read by JSON prompts, chains of states and perturbed stories.
    Key(SENTENCES, "the story, sentence by sentence", "perturbed"),
    Key(GOLD, "after each sentence, the states that are right", "perturbed"),
    Key(PATH_RULE, "which steps from state to state are allowed", "perturbed"),
    Key(FINAL, "the states that are right at the end", "perturbed"),
    Key(TARGET, "the person whose belief is tracked", "perturbed"),
    Key("belief_question", "the question about the belief, whichever is asked", "perturbed"),
    Key(DEMONSTRATION, "the item that is shown before this one", "perturbed"),
    Key(
        "perceived", "in a demonstration, the numbers of the sentences that the person perceives", "perturbed", ANYTHING
    ),
    Key("kept", "the sentences that a model said are perceived", "perturbed"),
    Key("given", "the chain of states that was handed over", "perturbed"),
    Key("own", "what the model answered before a chain was handed over", "perturbed"),
    Key("decoy", "the value that is not so", "perturbed"),
    Key("symbols", "the value behind each symbol of the events", "perturbed"),
    Key("aliases", "other words by which a choice may be answered", "perturbed"),
    Key("form", "the form of the perturbation", "perturbed"),
    Key("testimony", "how testimony is to be taken", "perturbed"),
    Key("extra", "whether the task is one beyond the table of stages and perturbations", "perturbed"),
    # Scripts.
    Key(CANARY, "a text by which training data that hold the items can be known", "safety"),
    Key("asked", "what a question about the script itself asks", "safety"),
    Key("first_place", "where the thing was first", "safety"),
    Key("said", "what somebody said", "safety"),
    Key("goal", "what somebody wants another to think", "safety"),
    Key("acts", "the event behind each choice", "safety"),
    Key("actor", "who acts", "safety"),
    Key("other", "whom the act is for or against", "safety"),
    Key("act", "the act as an event", "safety"),
    Key("outcome", "what the act brings about", "safety"),
    Key("aim", "what the actor is after", "safety"),
    Key("histories", "the stories of what happened before", "safety"),
    # Talks.
    Key("speaker", "who has the thought", "dialogue"),
    Key("partner", "who is talked to", "dialogue"),
    Key("turn", "the number of the turn", "dialogue"),
    Key("scene", "the scene", "dialogue"),
    Key("people", "who talks", "dialogue"),
    Key("big_five", "the traits of the speaker, as published records write them", "dialogue"),
    Key("thought", "the thought at that moment", "dialogue"),
    Key("made", "how the talk came about", "dialogue"),
    Key("published", "the field that a published record keeps its talk in", "dialogue"),
    Key("rest", "the fields of a published record that the item does not say", "dialogue"),
    Key("high", "the talk with more of the trait", "dialogue"),
    Key("low", "the talk with less of the trait", "dialogue"),
    Key("who", "the person that the two talks share", "dialogue"),
    # Benchmarks of others.
    Key(BENCHMARK, "the benchmark that the item is from", "imported benchmarks"),
    Key(RAW, "the record as it was", "imported benchmarks"),
    Key(PUBLISHED_GOLD, "the gold label of the record", "imported benchmarks"),
    Key(REPAIRS, "in sentences, what was repaired", "imported benchmarks"),
    Key("places", "the two places of the thing", "imported benchmarks"),
    Key("published_places", "the two names that the benchmark's script takes for them", "imported benchmarks"),
    Key("breaks", "whether the benchmark's script breaks on the item", "imported benchmarks"),
    Key("names", "all names that have to be given", "imported benchmarks"),
    Key("others", "names that must not be given", "imported benchmarks"),
)


def has_right_answer(tags: Mapping[str, Tag]) -> bool:
    """Whether any answer to an item with these tags is right; where none is, it is in no mean."""
    return tags.get(SCORED) is not False


def check_tags(tags: Mapping[str, Tag], where: str) -> None:
    """Refuse a value that a known tag cannot have; `where` begins the sentence."""
    for name, value in tags.items():
        key = TAGS.get(name)
        if key is not None and not key.values.fit(value):
            raise BadFile(
                f"{where}: the tag {name} is {value!r}, which should be {key.values.words}; "
                "change the value, or give the tag a name of your own"
            )
