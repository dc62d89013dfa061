"""What commands print: tables that keep to the terminal without breaking words, and nothing that steers it."""

import pytest

from otherminds.terminal import screen

RUNS = (
    ["run", "started (UTC)", "suite", "model", "prompt", "score", "state"],
    [
        ["78ba4b8ff8", "2026-11-15 09:44", "perturbed", "first_order", "json-chain", "json", "stopped"],
        ["9386303a8a", "2026-11-15 09:51", "safety", "realist", "raw", "letters", "finished"],
    ],
)
ANSWERS = (
    ["item", "verdict", "answer", "right", "S"],
    [
        [
            "conflict-intention-of-second-order/00",
            "incorrect",
            "Luca will deny it until Nils can produce a witness.",
            "Luca will stay cool, because a fit of rage is what Nils expects.",
            "0.25",
        ]
    ],
)


def printed(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    table: tuple[list[str], list[list[str]]],
    width: int,
) -> list[str]:
    """The lines of a table on a terminal of this width."""
    made = screen.console()
    made.width = width
    monkeypatch.setattr(screen, "console", lambda: made)
    screen.print_table(*table)
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("table", [RUNS, ANSWERS], ids=["runs", "answers"])
def test_no_word_breaks_at_80_columns(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    table: tuple[list[str], list[list[str]]],
) -> None:
    lines = printed(monkeypatch, capsys, table, 80)
    assert max(map(len, lines)) <= 80
    words = {word for line in lines for word in line.split()}
    assert {word for cells in (table[0], *table[1]) for cell in cells for word in cell.split()} <= words


def test_a_table_with_room_stays_on_its_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(monkeypatch, capsys, RUNS, 120)
    assert [line for line in lines if "9386303a8a  2026-11-15 09:51  safety" in line]


def test_what_is_copied_stays_whole_however_narrow_the_screen_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(monkeypatch, capsys, ANSWERS, 40)
    assert [line for line in lines if line.startswith("conflict-intention-of-second-order/00 ")]


def test_a_table_without_rows_has_its_head(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert [line for line in printed(monkeypatch, capsys, (["a", "b"], []), 80) if line.split() == ["a", "b"]]


def test_what_steers_a_terminal_is_shown_by_number() -> None:
    assert screen.harmless("a\x1b[31m\u202e\U000e0041 b\tc\n") == "a\\x1b[31m\\x202e\\xe0041 b\tc\n"
    assert screen.harmless("👩\u200d🚀") == "👩\u200d🚀"


def test_a_long_table_looks_as_a_short_one(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        [f"item-{n}", "right" * (n % 2), "some words " * (n % 15), "käse 漢字" if n % 3 else "x\ny", f"{n / 8:.2f}"]
        for n in range(40)
    ]

    def printed(many: int) -> str:
        monkeypatch.setattr(screen, "MANY", many)
        screen.print_table(["item", "verdict", "answer", "choice", "S"], rows, right=["S"])
        return capsys.readouterr().out

    assert printed(3) == printed(1000)
