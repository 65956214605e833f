"""The reference page of the rails names all of them, in order, and is not stale."""

from pathlib import Path

from policies.rails.order import RAILS
from policies.rails.reference import render

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "rails.md"


def test_page_is_what_the_rails_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), "stale: run `python -m bayplan.reference`"


def test_every_rail_has_a_section_in_the_order_in_which_it_is_asked() -> None:
    sections = [line.removeprefix("## ").strip("`") for line in render().splitlines() if line.startswith("## `")]

    assert sections == [rail.name for rail in RAILS]


def test_every_rail_says_more_than_its_name() -> None:
    assert all(len(rail.prose) > 60 for rail in RAILS)


def test_no_two_rails_share_a_name() -> None:
    assert len({rail.name for rail in RAILS}) == len(RAILS)
