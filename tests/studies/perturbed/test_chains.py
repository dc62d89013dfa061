"""Chain scores: the worked cases, and agreement with a plain listing of all chains."""

import random
from functools import cache
from itertools import groupby, pairwise, product

import pytest

from otherminds.errors import UsageError
from otherminds.studies.perturbed.tasks.chains import PATH_RULES, ChainScore, Edges, compare, way_is_right


def sets(text: str) -> list[set[str]]:
    """`u u,s s` as gold sets."""
    return [set(part.split(",")) for part in text.split()]


BASE = sets("u u u u cin")
FIGURE = sets("A B,C D D D E")
DOUBT = sets("u u,salt u,salt salt")
FORK = sets("a b,c d,e f")
FORKED: Edges = [None, [("b", "d"), ("c", "e")], None]
DEAD: Edges = [[("a", "b"), ("a", "c")], [("b", "d")]]
THREE = sets("u u,x u,x,y y")

CASES: dict[str, tuple[list[set[str]], dict[str, object], str, bool, int, int, float, float]] = {
    # gold, options, prediction, proper, LCS, LCPS, transitions, changes
    "c01 exact": (BASE, {}, "u u u u cin", True, 5, 5, 1, 1),
    "c02 repetitions skipped": (BASE, {}, "u cin", True, 2, 2, 1, 1),
    "c03 premature": (BASE, {}, "u u cin cin cin", False, 3, 3, 2 / 3, 1),
    "c04 reality leak": (sets("u cin"), {}, "pap cin", False, 1, 0, 0, 0),
    "c05 two steps right": (sets("u cin"), {}, "u cin", True, 2, 2, 1, 1),
    "c06 an allowed alternative": (FIGURE, {}, "A C D D E", True, 5, 5, 1, 1),
    "c07 a state skipped": (FIGURE, {}, "A B E", False, 3, 2, 0.5, 0.5),
    "c08 ambiguous, early": (DOUBT, {}, "u salt salt salt", True, 4, 4, 1, 1),
    "c09 falls back": (DOUBT, {}, "u salt u salt", False, 3, 2, 0.5, 0.5),
    "c10 falls back, free": (DOUBT, {"path_rule": "free"}, "u salt u salt", True, 4, 4, 1, 1),
    "c11 late entry": (DOUBT, {}, "u u salt salt", False, 3, 3, 1, 1),
    "c12 ambiguous, short": (DOUBT, {}, "u salt", True, 2, 2, 1, 1),
    "c13 fork, consistent": (FORK, {"edges": FORKED}, "a b d f", True, 4, 4, 1, 1),
    "c14 fork, crossed": (FORK, {"edges": FORKED}, "a b e f", False, 3, 2, 2 / 3, 2 / 3),
    "c15 empty": (BASE, {}, "", False, 0, 0, 0, 0),
    "c16 too long": (sets("u u cin"), {}, "u u u cin", False, 3, 3, 1, 1),
    "c17 wrong end": (BASE, {}, "u u u u pap", False, 4, 4, 0.5, 0),
    "c18 stops early": (sets("u u shelf shelf drawer"), {}, "u shelf", False, 2, 2, 1, 1),
    "c19 there and back": (sets("shelf drawer shelf"), {}, "shelf", False, 1, 1, 0, 0),
    "c20 constant": (sets("salt salt salt salt"), {}, "salt", True, 1, 1, 1, 1),
    "c21 constant, broken": (sets("salt salt salt salt"), {}, "salt sugar salt", False, 2, 1, 0, 0),
    "c22 junk inside": (sets("u u flute"), {}, "u oboe flute", False, 2, 1, 0, 0),
    "c23 narrower final": (sets("u u,flute u,flute"), {"final": ["flute"]}, "u u", False, 1, 1, 0, 0),
    "c24 return with sets": (sets("A A,B B A"), {}, "A B A", True, 3, 3, 1, 1),
    "c25 three alternatives": (THREE, {}, "u x y", True, 3, 3, 1, 1),
    "c26 x not new": (THREE, {}, "u u x y", False, 3, 3, 1, 1),
    "c27 dead alternative": (sets("a b,c d"), {"edges": DEAD}, "a c d", False, 2, 1, 0, 0),
    "c28 run too long": (sets("u flute flute"), {}, "u u flute", False, 2, 2, 0.5, 1),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_worked_cases(case: tuple[list[set[str]], dict[str, object], str, bool, int, int, float, float]) -> None:
    gold, options, said, proper, lcs, lcps, overlap, changes = case
    predicted = said.split()
    found = compare(gold, predicted, **options)  # type: ignore[arg-type]
    length = max(1, len(predicted))
    assert (found.proper, found.lcs, found.lcps) == (proper, lcs, lcps)
    assert found.rouge_lcs_p == pytest.approx(lcs / length, abs=1e-12)
    assert found.rouge_lcps_p == pytest.approx(lcps / length, abs=1e-12)
    assert found.transition_overlap_p == pytest.approx(overlap, abs=1e-12)
    assert found.transition_overlap_changes_p == pytest.approx(changes, abs=1e-12)


# A second opinion by brute force: all chains are listed, and every definition is taken at its word.


def every_chain(gold: list[set[str]], rule: str, edges: Edges | None, final: set[str] | None) -> list[tuple[str, ...]]:
    def allowed(step: int, old: str, new: str) -> bool:
        if edges is not None and edges[step - 1] is not None:
            return (old, new) in [tuple(pair) for pair in edges[step - 1] or ()]
        return rule == "free" or old == new or old not in gold[step] or new not in gold[step - 1]

    return [
        chain
        for chain in product(*gold)
        if all(allowed(step, *pair) for step, pair in enumerate(pairwise(chain), start=1))
        and (final is None or chain[-1] in final)
    ]


@cache
def subsequences(chain: tuple[str, ...]) -> set[tuple[str, ...]]:
    """All proper subsequences: for every run, from one to all of its repetitions."""
    runs = [(state, len(list(block))) for state, block in groupby(chain)]
    kept = product(*([(state,) * times for times in range(1, length + 1)] for state, length in runs))
    return {tuple(state for part in parts for state in part) for parts in kept}


@cache
def pre_proper(chain: tuple[str, ...]) -> set[tuple[str, ...]]:
    prefixes = (chain[:end] for end in range(1, len(chain) + 1))
    return {()}.union(*(subsequences(prefix) for prefix in prefixes))


@cache
def common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    if not one or not other:
        return 0
    skipped = max(common(one[1:], other), common(one, other[1:]))
    return max(skipped, 1 + common(one[1:], other[1:])) if one[0] == other[0] else skipped


def by_listing(
    gold: list[set[str]], predicted: tuple[str, ...], rule: str, edges: Edges | None, final: set[str] | None
) -> ChainScore:
    chains = every_chain(gold, rule, edges, final)
    proper = any(predicted in subsequences(chain) for chain in chains)
    own = pre_proper(predicted) if predicted else {()}
    lcs = max((common(predicted, chain) for chain in chains), default=0)
    lcps = max((len(each) for chain in chains for each in own & pre_proper(chain)), default=0)
    known = {pair for chain in chains for pair in pairwise(chain)}
    said = set(pairwise(predicted))
    moved = {(old, new) for old, new in said if old != new}
    shares = [len(pairs & known) / len(pairs) if pairs else float(proper) for pairs in (said, moved)]
    length = max(1, len(predicted))
    return ChainScore(proper, lcs, lcs / length, lcps, lcps / length, *shares)


def draw_case(dice: random.Random) -> tuple[list[set[str]], tuple[str, ...], str, Edges | None, set[str] | None]:
    states = "abcd"[: dice.randint(2, 4)]
    gold = [set(dice.sample(states, min(len(states), dice.choice((1, 1, 2, 3))))) for _ in range(dice.randint(1, 5))]
    edges: list[list[tuple[str, str]] | None] | None = None
    if dice.random() < 0.3:
        pairs = [list(product(sorted(old), sorted(new))) for old, new in pairwise(gold)]
        edges = [None if dice.random() < 0.4 else dice.sample(some, dice.randint(1, len(some))) for some in pairs]
    last = sorted(gold[-1])
    final = set(dice.sample(last, dice.randint(1, len(last)))) if dice.random() < 0.4 else None
    rule = dice.choice(("inertia", "inertia", "free"))
    chains = every_chain(gold, rule, edges, final)
    if chains and dice.random() < 0.6:
        # Near a gold chain, where proper and nearly proper predictions lie; random ones are nearly always wrong.
        entries = [state for state in dice.choice(chains) for _ in range(dice.choice((0, 1, 1, 1, 2)))]
        entries = [dice.choice(states) if dice.random() < 0.05 else entry for entry in entries]
    else:
        entries = [dice.choice(states + "?") for _ in range(dice.randint(0, 6))]
    return gold, tuple(entries[:7]), rule, edges, final


def test_agrees_with_a_listing_of_all_chains() -> None:
    dice = random.Random(5)
    proper = 0
    for _ in range(5000):
        gold, predicted, rule, edges, final = draw_case(dice)
        found = compare(gold, predicted, path_rule=rule, edges=edges, final=final)
        expected = by_listing(gold, predicted, rule, edges, final)
        for name in ChainScore.__dataclass_fields__:
            assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-9), (name, gold, predicted)
        assert found.lcps <= found.lcs <= len(predicted)
        if found.proper:
            proper += 1
            ratios = (found.rouge_lcs_p, found.rouge_lcps_p, found.transition_overlap_p)
            assert (*ratios, found.transition_overlap_changes_p) == (1, 1, 1, 1)
    assert 500 < proper < 4500, "the cases should be neither all proper nor all improper"


def test_a_gold_chain_is_proper_and_so_is_its_shortest_form() -> None:
    dice = random.Random(11)
    for _ in range(300):
        gold, _, rule, edges, final = draw_case(dice)
        for chain in every_chain(gold, rule, edges, final)[:5]:
            short = [state for state, _ in groupby(chain)]
            assert compare(gold, chain, path_rule=rule, edges=edges, final=final).proper
            assert compare(gold, short, path_rule=rule, edges=edges, final=final).proper
            assert not compare(gold, [*chain, chain[-1]], path_rule=rule, edges=edges, final=final).proper


def test_more_chains_than_could_be_listed() -> None:
    # 3 ** 200 chains: this ends only because none of them is ever written down.
    found = compare([{"a", "b", "c"}] * 200, ["a", "b"] * 100, path_rule="free")
    assert (found.proper, found.lcs, found.lcps) == (True, 200, 200)
    assert compare([{"a", "b", "c"}] * 200, ["b"] * 200).proper
    assert not compare([{"a", "b", "c"}] * 200, ["a", "b"] * 100).proper


def test_no_valid_chain_scores_nothing() -> None:
    blocked: Edges = [[]]
    assert compare([{"a"}, {"b"}], ["a", "b"], edges=blocked) == ChainScore(False, 0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("gold", "options", "words"),
    [
        ([], {}, "must be a sentence"),
        ([{"a"}, set()], {}, "at least one state"),
        (["ab"], {}, "not a text"),
        ([{"ab"}], {"final": "ab"}, "not a text"),
        ([{"a"}], {"path_rule": "habit"}, "no path rule 'habit'; there are inertia, free"),
        ([{"a"}, {"b"}], {"edges": [None, None]}, "1 steps"),
        ([{"a"}, {"b"}], {"final": ["c"]}, "final states"),
        ([{"a"}, {"b"}], {"final": []}, "final states"),
    ],
)
def test_what_makes_no_sense_is_refused(gold: list[set[str]], options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        compare(gold, ["a"], **options)  # type: ignore[arg-type]


# ---- the way without its end --------------------------------------------------------------------------------------


def runs_of(chain):
    return [(state, len(list(block))) for state, block in groupby(chain)]


def test_the_way_agrees_with_a_list_of_all_chains():
    dice = random.Random(5)
    met = set()
    for _ in range(2000):
        rule = dice.choice(list(PATH_RULES))
        sets = [dice.sample("abu", dice.choice([1, 1, 2])) for _ in range(dice.randint(1, 6))]
        final = dice.sample(sets[-1], dice.randint(1, len(sets[-1])))
        chains = every_chain([set(states) for states in sets], rule, None, set(final))
        # Mostly pieces of right chains, so that some are right.
        source = dice.choice(chains) if chains and dice.random() < 0.8 else dice.choices("abu", k=4)
        said = tuple(state for state in source if dice.random() < 0.8)
        way = runs_of(said)[:-1]
        expected = bool(said) and any(
            len(way) == len(gold) and all(a == b and k <= n for (a, k), (b, n) in zip(way, gold, strict=True))
            for gold in (runs_of(chain)[:-1] for chain in chains)
        )
        assert way_is_right(sets, said, path_rule=rule, final=final) is expected, (sets, final, rule, said)
        met.add((expected, bool(way)))
    assert len(met) == 4
