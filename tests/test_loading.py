"""Loading author files: what does not depend on the wording of a message, nor on the parser."""

from __future__ import annotations

from pathlib import Path

from grader.errors import closest, nearest, offer
from grader.loading.document import Document


def test_the_offered_word_is_the_closest_one_and_without_one_all_are_listed() -> None:
    known = ["title", "hints"]
    assert closest("titel", known) == "title"
    assert offer("title", known) == nearest("titel", known) == "Did you mean 'title'?"
    assert closest("zzz", known) == ""
    assert offer("", known) == nearest("zzz", known) == "Known: title, hints."
    assert offer("", []) == ""


def test_a_misspelt_key_is_not_told_a_second_time_as_a_missing_one(tmp_path: Path) -> None:
    path = tmp_path / "problem.yaml"
    path.write_text("titel: Doubling\n", "utf-8")
    document = Document(path, "problem.yaml")
    assert document.root is not None
    assert document.fields(document.root, (), ["title", "hints"]) == {}
    assert [c.message for c in document.complaints] == [
        "unknown key 'titel'", "missing key 'hints'"
    ]  # fmt: skip
