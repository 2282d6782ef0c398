"""The pages name files that exist, and the walk of an argument stays short."""

from __future__ import annotations

import re

from conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "architecture.md").read_text("utf-8")
MOST_FORMS = 14


def test_every_path_on_the_page_about_security_exists() -> None:
    page = (REPOSITORY / "SECURITY.md").read_text("utf-8")
    paths = set(re.findall(r"`(tests/[\w/.]+)`|\]\(([\w/.-]+)\)", page))
    assert len(paths) > 15
    for path in paths:
        assert (REPOSITORY / "".join(path)).exists(), path


def test_every_path_on_the_page_exists() -> None:
    paths = set(re.findall(r"`((?:grader|child|runners|batch|tests|cases)/[\w/.]*)`", PAGE))
    assert len(paths) > 20
    for path in paths:
        assert any((REPOSITORY / top / path).exists() for top in ("", "grader")), path


def test_an_argument_passes_at_most_14_forms() -> None:
    forms = re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)
    assert forms == [str(number) for number in range(1, len(forms) + 1)]
    assert 0 < len(forms) <= MOST_FORMS
