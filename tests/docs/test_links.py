"""Links between our own pages lead somewhere, and every page can be reached."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_FENCED = re.compile(r"```.*?```", re.DOTALL)
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def links(page: Path) -> Iterator[str]:
    """Yield where a page's links lead, those to other sites left out."""
    for target in _LINK.findall(_CODE.sub("", page.read_text())):
        if not target.startswith(("http:", "https:")):
            yield target


def anchors(page: Path) -> set[str]:
    """Return the anchors that a page's headings make."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def broken(page: Path) -> list[str]:
    """Return the links of a page that lead nowhere."""
    found = []
    for target in links(page):
        file, _, anchor = target.partition("#")
        other = (page.parent / file) if file else page
        if not other.exists() or (anchor and anchor not in anchors(other)):
            found.append(target)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken(page) == []


def headless(page: Path) -> list[str]:
    """Return the first rows of tables without a heading: what a blank line has cut off is shown as text."""
    blocks = re.findall(r"(?:^\|.*\n)+", _FENCED.sub("", page.read_text()), flags=re.MULTILINE)
    return [
        first for first, _, rest in (block.partition("\n") for block in blocks) if not re.match(r"\|[ :|-]+\|", rest)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_table_has_a_heading(page: Path) -> None:
    assert headless(page) == []


def test_a_table_that_a_blank_line_cuts_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("| a |\n|---|\n| b |\n\n| c |\n")

    assert headless(page) == ["| c |"]


def test_index_reaches_every_guide_and_reference() -> None:
    index = ROOT / "docs" / "README.md"

    reached = {(index.parent / target).resolve() for target in links(index)}

    expected = {*ROOT.glob("docs/*.md"), *ROOT.glob("docs/reference/*.md"), *ROOT.glob("docs/design/*.md")} - {index}
    assert expected <= reached


def test_broken_links_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A heading, here\n[a](#a-heading-here) [b](#none) [c](gone.md) [d](page.md) `[e](gone.md)`\n")

    assert broken(page) == ["#none", "gone.md"]
