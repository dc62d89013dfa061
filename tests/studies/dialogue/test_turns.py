"""A message is read into thought and speech, or refused; whatever a model writes, nothing raises and nothing leaks."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from otherminds.errors import ModelError, UsageError
from otherminds.models.scripted import Scripted
from otherminds.talks.turns import FORMS, Read, form_for, read

NAMES = ("Amara", "Bjorn")


def bracketed(text: str, *, cut: bool = False, beginning: str = "I want") -> Read:
    return read(text, form="plain", beginning=beginning, names=NAMES, cut=cut)


@pytest.mark.parametrize(
    "text",
    [
        '(I want to go home.) "Shall we start?"',
        '  (I want to go home.)\n"Shall we start?"  ',
        "（I want to go home.） “Shall we start?”",
        '(I want to go home.): "Shall we start?"',
        '<think>What might she say (or not)? "Hm."</think>(I want to go home.) "Shall we start?"',
        '<Thinking>(I want him gone.) "Hm."</Thinking>(I want to go home.) "Shall we start?"',
        # Stop strings take the last mark away.
        '(I want to go home.) "Shall we start?',
    ],
)
def test_messages_in_shape(text: str) -> None:
    assert bracketed(text) == Read("I want to go home.", "Shall we start?")


@pytest.mark.parametrize(
    ("text", "thought", "speech", "repairs"),
    [
        ('Amara: (I want tea) "Tea?"', "I want tea", "Tea?", ["name"]),
        ('**Amara Okafor:** (I want tea) "Tea?"', "I want tea", "Tea?", ["name"]),
        ("(I want tea) Is there tea?", "I want tea", "Is there tea?", ["quotation mark"]),
        ("(I want tea) Is there tea?\nI hope so.", "I want tea", "Is there tea?", ["quotation mark", "chatter"]),
        ("*(I want tea)*\n\nIs there tea?", "I want tea", "Is there tea?", ["prose", "quotation mark"]),
        ("(I want tea) 'It's tea, isn't it?'", "I want tea", "It's tea, isn't it?", ["quotation mark"]),
        ('(I want tea) She smiles. "Tea?"', "I want tea", "Tea?", ["prose"]),
        ('(I want tea) "Tea?" I hope there is some.', "I want tea", "Tea?", ["chatter"]),
        ('(I want tea) "Tea?"\n\nNote: stayed in character.', "I want tea", "Tea?", ["chatter"]),
        ('(I want tea) "Tea?" (I hope he is quick.)', "I want tea", "Tea?", ["chatter"]),
        ('(I want tea) "Tea?"\n(I want more) "More?"', "I want tea", "Tea?", ["went on"]),
        ('(I want tea) "Tea?"\nBjorn: "Of course."\nAmara: "Thanks"', "I want tea", "Tea?", ["went on"]),
        ('(I want tea) "Tea?"\n**Bjorn**: Sure', "I want tea", "Tea?", ["went on"]),
        ('(I want tea "Tea?"', "I want tea", "Tea?", ["bracket"]),
        ('(I want tea. "Tea :) or coffee?"', "I want tea.", "Tea :) or coffee?", ["bracket"]),
        ('(I want tea. "Tea (green)?"', "I want tea.", "Tea (green)?", ["bracket"]),
        ('(I want(I want tea) "Tea?"', "I want tea", "Tea?", ["began anew"]),
        ('(I want tea) "They said "no" to me."', "I want tea", "They said 'no' to me.", ["quotation inside"]),
        ('(i want tea) "Tea?"', "I want tea", "Tea?", ["beginning"]),
        ('Here it is: (I want tea) "Tea?"', "I want tea", "Tea?", ["prose"]),
    ],
)
def test_what_can_be_mended_is_mended_and_named(text: str, thought: str, speech: str, repairs: list[str]) -> None:
    assert bracketed(text) == Read(thought, speech, tuple(repairs))


@pytest.mark.parametrize(
    ("text", "thought", "speech"),
    [
        ('(I want tea (green, if need be)) "Tea?"', "I want tea (green, if need be)", "Tea?"),
        ('(I want 1) tea and 2) quiet) "Tea?"', "I want 1) tea and 2) quiet", "Tea?"),
        ('(I want to say "no" for once) "Yes."', 'I want to say "no" for once', "Yes."),
        ('(I want tea) "The green one (or the black)."', "I want tea", "The green one (or the black)."),
        ("(I want\ntea) \"It's Anna's, isn't it?\"", "I want tea", "It's Anna's, isn't it?"),
    ],
)
def test_brackets_and_quotations_may_be_inside(text: str, thought: str, speech: str) -> None:
    assert bracketed(text) == Read(thought, speech)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "there is no thought"),
        ("   \n ", "there is no thought"),
        ("Hello there.", "there is no thought"),
        ('"Hello." (I want tea)', "something is said before the thought"),
        ("(I want tea", "the thought has no end"),
        ("(I want tea and then some more of it", "the thought has no end"),
        ("(I want tea)", "nothing is said"),
        ('(I want tea. "Tea?")', "nothing is said"),
        ('(I want tea) "…"', "nothing is said"),
        ('(I want tea) "Tea? (I hope nobody hears that I am broke.)"', "there is a thought in the speech"),
        ('(I want …) "Tea?"', "the thought is empty"),
        ('(I want to) "Tea?"', "the thought is empty"),
        ('(I wanted tea) "Tea?"', "the thought does not begin with 'I want'"),
        ('(I feel thirsty) "Tea?"', "the thought does not begin with 'I want'"),
        ('(I want tea) "(I want it now) Tea?"', "there is a thought in the speech"),
        ('Bjorn: "Hello."\nAmara: (I want tea) "Tea?"', "there is no thought"),
        ('(I want to say "no" but I cannot. "Yes."', "the thought cannot be told from the speech"),
        ('(I want to say "no" but I cannot', "the thought cannot be told from the speech"),
        ("(I want tea :) and quiet) Tea?", "the thought cannot be told from the speech"),
        ('(I want tea :) and "no" and quiet) "Tea?"', "the thought cannot be told from the speech"),
        ("(I want tea) because of my throat. Tea?", "the thought cannot be told from the speech"),
        ('<think>(I want tea) "Tea?"', "there is no thought"),
    ],
)
def test_what_cannot_be_parted_is_a_fault(text: str, fault: str) -> None:
    found = bracketed(text)
    assert found.fault == fault
    assert found.speech == ""


def test_a_message_that_was_cut_off_is_a_fault_and_keeps_its_thought() -> None:
    cut = bracketed('(I want tea) "I would like some te', cut=True)
    assert cut == Read("I want tea", "", ("cut off",), "the message was cut off in the middle")
    assert bracketed('(I want tea) "Tea?" And then', cut=True).speech == "Tea?"
    assert bracketed("(I want tea. I want tea and te", cut=True).thought == "I want tea."
    assert bracketed("(I want tea and te", cut=True).thought == ""
    long = bracketed('(I want tea) "Tea? I would. I would. I would. I wou', cut=True)
    assert long == Read("I want tea", "Tea? I would.", ("cut off",))


@pytest.mark.parametrize(
    ("thought", "kept"),
    [
        ("I think that he wants tea", "I think that he wants tea"),
        ("I think he wants tea", "I think that he wants tea"),
        ("I think that Bjorn wants tea", "I think that he wants tea"),
        ("I think that he want tea", "I think that he wants tea"),
    ],
)
def test_other_words_for_the_beginning(thought: str, kept: str) -> None:
    found = bracketed(f'({thought}) "Tea?"', beginning="I think that he wants")
    assert found.thought == kept
    assert found.clean is (thought == kept)
    assert bracketed('(I\'ll wait) "Later."', beginning="I will").thought == "I will wait"


def test_json() -> None:
    def held(text: str, beginning: str = "I want") -> Read:
        return read(text, form="json", beginning=beginning, names=NAMES)

    assert held('{"thought": "I want tea", "speech": "Tea (green)?"}') == Read("I want tea", "Tea (green)?")
    assert held('```json\n{"thought": "(I want tea)", "speech": "\\"Tea?\\""}\n```') == Read("I want tea", "Tea?")
    assert held('{"thought": "I want tea", "speech": "Tea?"} Done!').repairs == ("chatter",)
    assert held('(I want tea) "Tea?"') == Read("I want tea", "Tea?", ("no JSON",))
    assert held('{"speech": "Tea?"}', "") == Read("", "Tea?")
    for text, fault in {
        '{"thought": "I want tea", "spee': "the JSON is broken or cut off",
        '{"speech": "Tea?"}': "there is no thought",
        '{"thought": "I want tea"}': "nothing is said",
        '{"thought": ["I want tea"], "speech": "Tea?"}': "thought or speech is no text",
        "{" * 5000: "the JSON is broken or cut off",
    }.items():
        assert held(text).fault == fault


def test_without_thoughts_only_the_speech_is_read() -> None:
    def said(text: str) -> Read:
        return read(text, form="prefill", beginning="", names=NAMES)

    assert said('"Tea?"') == Read("", "Tea?")
    assert said('"Tea?" Bjorn nods.') == Read("", "Tea?", ("chatter",))
    assert said('"Tea?"\nBjorn: "Yes."') == Read("", "Tea?", ("went on",))
    assert said('"Tea?" :)') == Read("", "Tea?", ("chatter",))
    assert said("").fault == "nothing is said"


def test_after_a_thought_that_was_written_for_the_model_all_is_speech() -> None:
    def said(text: str) -> Read:
        return read(text, form="prefill", beginning="I want", names=NAMES, thought="I want tea")

    assert said('"Tea?"') == Read("I want tea", "Tea?")
    assert said('"and no sugar (please)?")') == Read("I want tea", "and no sugar (please)?", ("chatter",))
    assert said('"(I want it now) "Tea?"').fault == "there is a thought in the speech"
    assert said('""') == Read("I want tea", "", (), "nothing is said")


# ── whatever a model writes ──

PIECES = [*'()"“”\n {},…', "I want", "tea", "no", "Bjorn:", "Amara:", '"speech":']
NOISE = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join))


@given(NOISE, st.sampled_from(list(FORMS)), st.sampled_from(["I want", "I think that they feel", ""]), st.booleans())
@example('{"thought": "\\ud800 I want", "speech": "\\ud800 a"}', "json", "", False)
@example("{1: 2}", "json", "I want", False)
@example("[{}]", "json", "I want", False)
def test_no_text_raises(text: str, form: str, beginning: str, cut: bool) -> None:
    found = read(text, form=form, beginning=beginning, names=NAMES, cut=cut)  # type: ignore[arg-type]
    if found.fault:
        assert found.speech == ""
    else:
        assert found.speech
        assert '"' not in found.speech
        assert found.thought.startswith(beginning)
        assert bool(found.thought) is bool(beginning)
    f"{found.thought}{found.speech}".encode()


THOUGHT = st.lists(st.sampled_from(["alpha", "beta", "(gamma)", '"delta"', "1)", "epsilon,"]), min_size=1, max_size=8)
SAID = st.lists(st.sampled_from(["Uno", "dos", "(tres)", "'cuatro'", "cinco!"]), min_size=1, max_size=6)
SHAPES = [
    '(I want {t}) "{s}"',
    '(I want {t} "{s}"',
    '(I want {t}\n"{s}"',
    '(I want {t}. "{s}")',
    '(I want {t}) "{s}',
    '(I want {t}) "{s}" (I want {t})',
    '(I want {t}) "{s}"\n(I want {t}) "{s}"',
    '(I want {t}\n\nBjorn: "{s}"',
    '"{s}" (I want {t})',
    "(I want {t}",
]


@given(THOUGHT.map(" ".join), SAID.map(" ".join), st.sampled_from(SHAPES))
def test_no_thought_is_ever_read_as_speech(thought: str, said: str, shape: str) -> None:
    found = bracketed(shape.format(t=thought, s=said))
    assert not re.search("alpha|beta|gamma|delta|epsilon|want", found.speech), found


# ── which form ──


def test_the_form_is_the_surest_that_the_model_can_keep_to() -> None:
    model = Scripted(lambda _: "", name="m")
    chosen = {}
    for cannot in ((), ("prefill",), ("prefill", "schema")):
        model.cannot = frozenset(cannot)
        chosen[cannot] = form_for(model)
    assert list(chosen.values()) == ["prefill", "json", "plain"]
    assert form_for(model, "plain") == "plain"
    with pytest.raises(UsageError, match="m cannot keep to the form 'json'"):
        form_for(model, "json")
    with pytest.raises(UsageError, match="no form 'verse'; there are prefill, json, plain"):
        form_for(model, "verse")
    model.cannot = frozenset({"chat", "prefill"})
    with pytest.raises(ModelError, match="m cannot chat"):
        form_for(model)
