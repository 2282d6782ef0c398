"""Loading author files: suggestions for names, and identical results without libyaml."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from conftest import HERE, REPOSITORY, SMALL_COURSE

from grader.errors import closest, nearest, offer
from grader.loading.document import Document


def test_the_closest_name_is_suggested_or_all_names_are_listed() -> None:
    known = ["title", "hints"]
    assert closest("titel", known) == "title"
    assert offer("title", known) == nearest("titel", known) == "Did you mean 'title'?"
    assert closest("zzz", known) == ""
    assert offer("", known) == nearest("zzz", known) == "Known: title, hints."
    assert offer("", []) == ""


def test_a_misspelt_key_is_not_also_reported_as_missing(tmp_path: Path) -> None:
    path = tmp_path / "problem.yaml"
    path.write_text("titel: Doubling\n", "utf-8")
    document = Document(path, "problem.yaml")
    assert document.root is not None
    assert document.fields(document.root, (), ["title", "hints"]) == {}
    assert [c.message for c in document.complaints] == [
        "unknown key 'titel'", "missing key 'hints'"
    ]  # fmt: skip


# --- without libyaml -----------------------------------------------------------------------------

PARSED_ALIKE = [
    "parameters: [X, mask?]",
    "parameters: [X, mask? ]",
    "parameters: [ X , mask?, other?]",
    'parameters: [X, "mask?"]',
    "parameters: [\n  X,\n  mask?\n]",
    "parameters:\n  - X\n  - mask?",
    "{mask?: 1, a?b: c?d}",
    "[a ? b, ?c, http://x?y=z]",
    "says: Is it so? Yes.",
    "a:\t1\t# after a tab\nb: [1,\t2,\t{c:\t3}]\nd: x\ty\t",
    "- {id: , why: }\n- [a: , b]",
    "a:\n- b:\n- c: [\n  ]",
    "{a:}",
    "[a:, b]",
    "text: |\n  Is it?\n\n  Yes.\n",
    "text: >-\n  Is it?\n  Yes.\n",
    "a: &x [1]\nb: *x",
    "'it''s': \"\\u00e9\\\"\"",
    "a: \"\\ud800\"",
    "a: \"\\U00110000\"",
    "a: *nowhere",
    "a: [1, 2",
    "a: {b: 1",
    "a: 'b",
    "a: b]",
    "a: [b]]",
    "a: b: c",
    "a: - b",
    "- a\n b",
    "a: `b`",
    "a: %b",
    "\ta: 1",
    "a: b\n---\nc: d",
    "a\nb: 1",
    "a: \x01",
]  # fmt: skip
"""documents, sound and broken, that both parsers read alike"""

READ_ALL = """
import json, sys
from pathlib import Path
if sys.argv[1] == "pure":
    sys.modules["yaml._yaml"] = None
import yaml
assert hasattr(yaml, "CSafeLoader") == (sys.argv[1] == "libyaml")
from grader.catalog import Course
from grader.errors import AuthorError
from grader.loading.document import Document

def course(root):
    found = {}
    for slug in Course.at(root).slugs:
        try:
            found[slug] = repr(Course.at(root).load(slug))
        except AuthorError as error:
            found[slug] = str(error)
    return found

def document(path):
    read = Document(path, path.name)
    plain = read.root and read.plain(read.root, ())
    return [repr(plain) if not read.complaints else "", *map(str, read.complaints)]

folders = sorted(path for path in Path(sys.argv[2]).iterdir() if path.is_dir())
files = sorted(Path(sys.argv[2]).glob("*.yaml"))
print(json.dumps({p.name: course(p) for p in folders} | {p.name: document(p) for p in files}))
"""


def _read_all(parser: str, folder: Path) -> dict[str, object]:
    """Return what a fresh Python reads in a folder of courses and documents, by name."""
    command = [sys.executable, "-c", READ_ALL, parser, str(folder)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    found: dict[str, object] = json.loads(ran.stdout)
    return found


def test_every_file_is_read_identically_without_libyaml(tmp_path: Path) -> None:
    """The shipped course, every broken one, and documents one by one: values and complaints."""
    for name in ("problems", "cases"):
        shutil.copytree(REPOSITORY / name, tmp_path / "shipped" / name)
    for situation in sorted((HERE / "data" / "broken").iterdir()):
        for source in (SMALL_COURSE, situation):
            shutil.copytree(source, tmp_path / situation.name, dirs_exist_ok=True)
    for number, text in enumerate(PARSED_ALIKE):
        (tmp_path / f"{number}.yaml").write_text(text, "utf-8")
    shutil.rmtree(tmp_path / "yaml-very-deep-nesting")  # tested below
    pure, libyaml = _read_all("pure", tmp_path), _read_all("libyaml", tmp_path)
    assert len(pure) > 100
    assert str(pure["shipped"]).count("optional=True") == 1
    assert {n: (pure[n], libyaml[n]) for n in libyaml if pure[n] != libyaml[n]} == {}


def test_too_deep_nesting_is_reported_without_libyaml(tmp_path: Path) -> None:
    """The two parsers stop at different depths, and so at different columns."""
    (tmp_path / "deep.yaml").write_text("[" * 3000, "utf-8")
    for parser in ("pure", "libyaml"):
        told = str(_read_all(parser, tmp_path))
        assert re.search(r"deep\.yaml:1:[0-9]+: invalid YAML: exceeded maximum nesting depth", told)
