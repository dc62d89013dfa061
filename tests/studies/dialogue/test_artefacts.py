"""Artefacts: z* by hand, by a second program, and what the two recipes count."""

from math import sqrt

import pytest
from scipy.stats import norm

from otherminds.items import Item, Suite
from otherminds.studies.dialogue.questions.artefacts import RECIPES, cut, find, of_options, of_traits
from otherminds.talks.bank import patterns
from tests.studies.dialogue.made_talks import NORA, OMAR, SCENE, Casting, talk


def suite(*items):
    return Suite("s", tuple(Item(str(n), "Why?", choices[0], choices=choices) for n, choices in enumerate(items)))


def word(found, name):
    return next(each for each in found.words if each.word == name)


def test_marks_go_wherever_they_stand():
    assert cut('He said: "Don\'t — well-known, I know_it…" -') == ["he", "said", "dont", "wellknown", "i", "knowit"]


def test_z_by_hand():
    # "good" stands in 3 right options and 1 wrong one, of four options each.
    found = of_options(suite(*[("good a", "b", "c", "d")] * 1, ("good", "e", "f", "g"), ("good", "good x", "h", "i")))
    good = word(found, "good")
    assert (good.n, good.share, good.chance) == (4, 0.75, 0.25)
    assert good.z == pytest.approx((0.75 - 0.25) / sqrt(0.25 * 0.75 / 4))


def test_occurrences_or_options():
    made = suite(*[("so so so", "no")] * 10)
    assert word(of_options(made, "gardner"), "so").n == 30
    assert word(of_options(made, "paper-like"), "so").n == 10


def test_rare_words_are_left_out_of_the_paper_like_recipe():
    made = suite(*[("so", "no")] * 9)
    assert len(of_options(made, "gardner").words) == 2
    assert of_options(made, "paper-like").words == ()
    assert of_options(made, "paper-like").share == 0.0


def test_chance_is_that_of_the_options_a_word_stands_in():
    found = of_options(suite(("so", "no"), ("so", "a", "b", "c")))
    assert word(found, "so").chance == pytest.approx((1 / 2 + 1 / 4) / 2)


def test_both_directions_count():
    found = of_options(suite(*[("good", "bad", "dull", "odd")] * 40), "paper-like")
    assert [each.word for each in found.high] == ["good"]
    assert {each.word for each in found.low} == {"bad", "dull", "odd"}
    assert (found.count, found.share) == (4, 1.0)


def test_the_line_is_corrected_for_the_vocabulary():
    made = suite(*[(f"right{n} a", f"wrong{n} a") for n in range(300)])
    found = of_options(made, "gardner")
    assert len(found.words) == 601
    assert found.line == pytest.approx(norm.isf(0.01 / 601))
    assert of_options(made, "paper-like").line == pytest.approx(norm.isf(0.01), abs=1e-3)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_second_program_agrees(recipe):
    texts = [f"{'even' if n % 2 else 'odd'} w{n % 7} w{n % 5}, W{n % 3}! all all" for n in range(120)]
    labels = [n % 7 == 1 or n % 11 == 0 for n in range(120)]
    chances = [0.25 if n % 4 else 0.5 for n in range(120)]
    found = find(zip(texts, labels, chances, strict=True), recipe)
    plain = [text.lower().replace(",", "").replace("!", "").split(" ") for text in texts]
    vocabulary = sorted({each for some in plain for each in some})
    expected = set()
    for name in vocabulary:
        times = [min(some.count(name), 1) if recipe == "paper-like" else some.count(name) for some in plain]
        n = sum(times)
        p0 = sum(t * c for t, c in zip(times, chances, strict=True)) / n
        share = sum(t for t, label in zip(times, labels, strict=True) if label) / n
        z = (share - p0) / sqrt(p0 * (1 - p0) / n)
        line = 2.326 if recipe == "paper-like" else norm.isf(0.01 / len(vocabulary))
        assert n >= 10
        assert word(found, name).z == pytest.approx(z)
        if abs(z) > line:
            expected.add(name)
    assert expected == {each.word for each in (*found.high, *found.low)}
    assert expected


def test_words_by_trait():
    played = [talk(f"t{n}", people=each.people) for n, each in enumerate(patterns(Casting(SCENE, (NORA, OMAR))))]
    found = of_traits(played)
    assert list(found) == ["openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism"]
    for each in found.values():
        assert word(each, "thought").share == 0.5
        assert word(each, "thought").n == 32 * 2
        assert not each.count
    # Half of the patterns are high in a factor, and what only these say stands out.
    assert word(of_traits(played, part="speech")["openness"], "t0").share == 1.0
