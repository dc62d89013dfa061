"""The documentation as a site: built strictly, with nothing from outside, and words linked to the glossary."""

import re
import runpy
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import otherminds as om
from tests.browser import Browser, needs_browser

mkdocs_config = pytest.importorskip("mkdocs.config", reason="the extra 'docs' builds the site")

ROOT = Path(__file__).parent.parent
HOOKS = runpy.run_path(str(ROOT / "docs" / "hooks.py"))
LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src", "video": "src"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site; a link that leads nowhere, or a page that no menu has, would end it."""
    from mkdocs.commands.build import build

    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        config = mkdocs_config.load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True)
        config.plugins.run_event("startup", command="build", dirty=False)
        build(config)
    return folder


class Assets(HTMLParser):
    """What a page loads by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if (
            tag in LOADED
            and (address := given.get(LOADED[tag]))
            and given.get("rel") not in ("canonical", "next", "prev")
        ):
            self.found.append(address)


@pytest.mark.filterwarnings("ignore")  # of the theme and its plugins
def test_site_needs_nothing_from_outside(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 25
    for page in pages:
        assets = Assets()
        assets.feed(page.read_text(encoding="utf-8"))
        assert assets.found
        outside = [address for address in assets.found if re.match(r"(?:\w+:)?//", address)]
        assert not outside, f"{page.name} loads {outside}"
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(?:https?:)?//|@import", sheet.read_text(encoding="utf-8")), sheet.name


class Links(HTMLParser):
    """Where a page leads, and the places in it that can be led to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.to: list[str] = []
        self.places = {""}
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.places |= {str(given.get("id")), str(given.get("name"))}
        if tag == "a" and (address := given.get("href")):
            self.to.append(address)


@pytest.mark.filterwarnings("ignore")
def test_every_link_leads_somewhere(site: Path) -> None:
    pages = {page: Links(page) for page in site.rglob("*.html") if page.name != "404.html"}
    lost, followed = [], 0
    for page, links in pages.items():
        for address in map(urlsplit, links.to):
            if address.scheme or address.netloc:
                continue
            other = (page.parent / unquote(address.path)).resolve() if address.path else page
            other = other / "index.html" if other.is_dir() else other
            known = pages[other].places if other in pages else {""}
            followed += 1
            if not other.exists() or unquote(address.fragment) not in known:
                lost.append(f"{page.name} leads to {address.geturl()}")
    assert followed > 1_000
    assert lost == []


@pytest.mark.filterwarnings("ignore")
@needs_browser
def test_site_fits_a_phone_and_asks_nobody_for_anything(site: Path) -> None:
    with Browser() as browser:
        for name in ("index.html", "gallery.html", "glossary.html", "tutorials/measure.html", "tutorials/compare.html"):
            with browser.page(width=390) as page:
                page.open((site / name).as_uri())
                assert page.errors == [], name
                assert page.hosts <= {""}, name
                assert page.overflow == [], name


@pytest.mark.filterwarnings("ignore")
@needs_browser
def test_it_can_be_searched_when_it_is_opened_as_files(site: Path) -> None:
    with Browser() as browser, browser.page() as page:
        page.open((site / "tutorials" / "measure.html").as_uri())
        page.click(".md-search__input")
        page.type("cloze")
        page.wait("document.querySelector('.md-search-result__link')")
        assert (page.errors, page.hosts) == ([], {""})


@pytest.mark.filterwarnings("ignore")
def test_every_command_and_every_public_name_is_in_the_reference(site: Path) -> None:
    import otherminds
    from otherminds.cli import COMMANDS

    commands = (site / "commands.html").read_text(encoding="utf-8")
    assert not [name for name in COMMANDS if f'id="otherminds-{name}"' not in commands]
    api = (site / "api.html").read_text(encoding="utf-8")
    assert not [name for name in otherminds.__all__ if f'id="otherminds.{name}"' not in api]


@pytest.mark.filterwarnings("ignore")
def test_glossary_has_all_words_that_pages_link(site: Path) -> None:
    glossary = (site / "glossary.html").read_text(encoding="utf-8")
    assert not [anchor for anchor in HOOKS["TERMS"] if f'id="{anchor}"' not in glossary]
    assert 'href="glossary.html#cloze"' in (site / "export.html").read_text(encoding="utf-8")


def test_only_the_first_use_in_prose_is_linked() -> None:
    text = "# Cloze\n\n`cloze` and [cloze](x.md), then cloze, and cloze again.\n\n```text\nmass\n```\nThe mass of S.\n"
    assert HOOKS["with_glossary"](text) == text.replace(
        "then cloze", "then [cloze](glossary.md#cloze){ .term }"
    ).replace("The mass of S", "The [mass](glossary.md#mass){ .term } of [S](glossary.md#s){ .term }")


@needs_browser
def test_pictures_are_taken_of_any_finished_profile_of_two_models(tmp_path: Path) -> None:
    program = runpy.run_path(str(ROOT / "docs" / "make_pictures.py"))
    images = program["main"].__globals__["IMAGES"] = tmp_path / "images"
    images.mkdir()
    om.profile("baseline:realist", output=tmp_path / "one", studies=False, quiet=True)
    with pytest.raises(SystemExit, match="should be the finished profile of two models; it is of realist"):
        program["main"](tmp_path / "one")
    om.profile("baseline:realist", "baseline:oracle", output=tmp_path / "two", studies=False, quiet=True)
    program["main"](tmp_path / "two")
    wanted = {path.name for path in (ROOT / "docs" / "images").glob("*.png")}
    assert {path.name for path in images.iterdir()} == wanted
    assert all(path.stat().st_size > 10_000 for path in images.iterdir())
