"""`--format json`: strict JSON that the shipped schema describes, for every kind of outcome."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import REPOSITORY, run_in, write_files
from hypothesis import given
from hypothesis import strategies as st

from grader import compare
from grader.formats.json import plain

SCHEMA = json.loads((REPOSITORY / "grader/schema/report-v1.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def strict(text: str) -> Any:
    """Return the JSON document; NaN and Infinity, which only Python accepts, are errors."""

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is not JSON")

    assert text.endswith("}\n")
    document = json.loads(text, parse_constant=refuse)
    text.encode("utf-8")  # no lone surrogates
    return document


def valid(text: str) -> Any:
    """Return the JSON document after validating it."""
    document = strict(text)
    VALIDATOR.validate(document)
    return document


def graded(course: Path, source: str | bytes, *arguments: str) -> Any:
    """Return the one report of a solution of the small course."""
    write_files(course, {"solutions/projection.py": source})
    ran = run_in(course, "grade", "--format", "json", "--runner", "process", *arguments)
    assert ran.err == ""
    (report,) = valid(ran.out)["reports"]
    assert (ran.code == 0) == (report["verdict"] == "passed")
    return report


def mismatches(report: Any) -> list[dict[str, Any]]:
    """Return the mismatches of a report, in order."""
    return [
        case["mismatch"]
        for requirement in report["requirements"]
        for case in requirement["cases"]
        if case["mismatch"]
    ]


RIGHT = "def project(X, W, bias=None):\n    return X @ W if bias is None else X @ W + bias\n"
WRONG = {
    "kind": "def project(X, W, bias=None):\n    return X @ W, bias\n",
    "array_like": "def project(X, W, bias=None):\n    X @ W\n",
    "shape": "def project(X, W, bias=None):\n    return (X @ W).T\n",
    "complex": "def project(X, W, bias=None):\n    return X @ W + 1j\n",
    "nonfinite": "def project(X, W, bias=None):\n    return X @ W / 0.0\n",
    "values": "def project(X, W, bias=None):\n    return X @ W * 2\n",
}


def test_the_schema_is_valid_and_forbids_unknown_properties() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def objects(node: Any) -> Any:
        if isinstance(node, dict):
            if "properties" in node and "required" in node:
                yield node
            for value in node.values():
                yield from objects(value)
        elif isinstance(node, list):
            for value in node:
                yield from objects(value)

    found = list(objects(SCHEMA))
    assert len(found) > 15
    for node in found:
        assert node["additionalProperties"] is False
        assert set(node["required"]) == set(node["properties"])


def test_the_schema_lists_exactly_the_kinds_of_mismatch() -> None:
    kinds = [each["properties"]["kind"]["const"] for each in SCHEMA["$defs"]["mismatch"]["oneOf"]]
    assert kinds == list(compare.KINDS)


def test_the_schema_ships_with_the_package() -> None:
    text = (REPOSITORY / "pyproject.toml").read_text("utf-8")
    assert 'grader = ["schema/*.json"' in text


def test_a_right_solution_passes_without_messages(small_course: Path) -> None:
    report = graded(small_course, RIGHT)
    assert (report["problem"], report["submission"]) == ("projection", "solutions/projection.py")
    assert report["score"] == {"earned": 3, "possible": 3}
    assert report["error"] is None
    assert [r["verdict"] for r in report["requirements"]] == ["passed"] * 3
    assert [r["id"] for r in report["requirements"]] == ["returns", "product", "bias"]
    assert {case["message"] for r in report["requirements"] for case in r["cases"]} == {None}


def test_an_untouched_starter_is_not_started(small_course: Path) -> None:
    source = "def project(X, W, bias=None):\n    raise NotImplementedError\n"
    assert graded(small_course, source)["verdict"] == "not_started"


@pytest.mark.parametrize("kind", WRONG)
def test_each_kind_of_mismatch_has_its_facts(kind: str, small_course: Path) -> None:
    report = graded(small_course, WRONG[kind])
    assert report["verdict"] == "failed"
    assert mismatches(report)[0]["kind"] == kind


ONE = "returns:\n  - {name: output, axes: [row, column]}\n"
TWO = ONE + "  - {name: total, axes: [], dtype: float64}\n"


def promise(course: Path, returns: str, reference: str) -> None:
    """Give the small course other promised values and another reference."""
    problem = (course / "problems/projection/problem.yaml").read_text("utf-8")
    case = (course / "cases/projection/product.yaml").read_text("utf-8")
    files = {
        "problems/projection/problem.yaml": problem.replace(ONE, returns).replace(
            "says: The bias", "checks: dtype, says: The bias"
        ),
        "problems/projection/reference.py": (
            f"def project(X, W, bias=None):\n    return {reference}\n"
        ),
        "cases/projection/product.yaml": case.replace(
            "expected: [[1.0, 1.0], [2.5, 1.0]]", "expected: {total: 5.5}"
        ),
    }
    write_files(course, files)


def test_a_wrong_count_and_a_wrong_dtype_have_their_facts(small_course: Path) -> None:
    promise(small_course, TWO, "X @ W, (X @ W).sum()")
    (first, *_) = mismatches(graded(small_course, "def project(X, W, bias=None):\n    return ()\n"))
    assert (first["kind"], first["got"], first["expected"]) == ("count", 0, 2)
    source = "def project(X, W, bias=None):\n    return X @ W, float((X @ W).sum())\n"
    (first,) = mismatches(graded(small_course, source))
    assert (first["kind"], first["value"], first["got"]) == ("dtype", "total", "")


def test_wrong_names_have_their_facts(small_course: Path) -> None:
    by_name = TWO.replace("returns:\n", "returns:\n  dictionary:\n").replace("  - ", "    - ")
    promise(small_course, by_name, "{'output': X @ W, 'total': (X @ W).sum()}")
    source = "def project(X, W, bias=None):\n    return {'outptu': X @ W, 'total': (X @ W).sum()}\n"
    (first, *_) = mismatches(graded(small_course, source))
    assert first == {"kind": "names", "value": None, "missing": ["output"], "extra": ["outptu"]}


def test_nan_and_infinity_become_text(small_course: Path) -> None:
    source = "def project(X, W, bias=None):\n    return X @ W * float('nan')\n"
    assert {m["actual"] for m in mismatches(graded(small_course, source))} == {"nan"}
    source = "def project(X, W, bias=None):\n    return X @ W - 1e308 - 1e308\n"
    (first, *_) = mismatches(graded(small_course, source))
    assert first["actual"] == "-inf"


def test_an_exception_and_a_crash_are_errored(small_course: Path) -> None:
    for body in ("raise ValueError('no\\x1b[31m')", "import os; os._exit(0)", "return 1 / 0"):
        report = graded(small_course, f"def project(X, W, bias=None):\n    {body}\n")
        assert report["verdict"] == "errored"
        assert not mismatches(report)
        assert "\x1b" not in json.dumps(report, ensure_ascii=False)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("def project(X, W:\n", "syntax"),
        ("import nothing_of_this_name\n", "import"),
        ("def other():\n    return 1\n", "missing"),
        ("\x00", "encoding"),
        (b"\xff\xfed\x00", "encoding"),
        ('{"cells": [], "nbformat": 4, "metadata": {}}', "notebook"),
        (b"#" * (2**20 + 1), "too_large"),
    ],
)
def test_a_refused_file_has_an_error_and_every_requirement_is_skipped(
    source: str | bytes, kind: str, small_course: Path
) -> None:
    report = graded(small_course, source)
    assert report["verdict"] == "errored"
    assert report["error"]["kind"] == kind
    assert {r["verdict"] for r in report["requirements"]} == {"skipped"}


def test_a_missing_solution_is_unreadable(small_course: Path) -> None:
    (small_course / "solutions/projection.py").unlink()
    ran = run_in(small_course, "grade", "--format", "json")
    (report,) = valid(ran.out)["reports"]
    assert report["error"]["kind"] == "unreadable"


def test_printed_text_is_cut_cleaned_and_decoded(small_course: Path) -> None:
    source = (
        "import sys\n"
        "def project(X, W, bias=None):\n"
        "    print('\\ud800\\x1b[2J\\x00' * 5000)\n"
        "    sys.stdout.buffer.write(b'\\xff\\xfe') if hasattr(sys.stdout, 'buffer') else None\n"
        "    return X @ W\n"
    )
    report = graded(small_course, source)
    for requirement in report["requirements"]:
        for case in requirement["cases"]:
            assert len(case["output"]) < 10_000
            assert not set(case["output"]) & {"\x1b", "\x00", "\ud800"}


def test_a_report_states_hidden_cases_and_reseeding(small_course: Path) -> None:
    hidden = small_course / "hidden"
    case = (small_course / "cases/projection/product.yaml").read_text("utf-8")
    write_files(hidden, {"more.yaml": case.replace("id: ", "id: secret-")})
    report = graded(small_course, WRONG["values"], "--cases", "hidden", "--hidden", "--reseed", "7")
    assert report["reseed"] == 7
    assert "secret" not in json.dumps(report)


def test_several_files_give_several_reports_in_order(small_course: Path) -> None:
    write_files(small_course, {"b.py": RIGHT, "a.py": WRONG["shape"]})
    ran = run_in(small_course, "grade", "b.py", "a.py", "--format", "json")
    assert [r["submission"] for r in valid(ran.out)["reports"]] == ["b.py", "a.py"]
    assert ran.code == 1


def test_a_report_file_equals_the_printed_report(small_course: Path) -> None:
    write_files(small_course, {"solutions/projection.py": RIGHT})
    run_in(small_course, "grade", "--output", f"json={small_course / 'report.json'}")
    valid((small_course / "report.json").read_text("utf-8"))


def test_the_schema_refuses_invalid_documents(small_course: Path) -> None:
    report = graded(small_course, WRONG["values"])
    document = {"version": 1, "reports": [report]}
    VALIDATOR.validate(document)

    def broken(change: Any) -> bool:
        copy = json.loads(json.dumps(document))
        change(copy["reports"][0])
        return not VALIDATOR.is_valid(copy)

    def first(report: Any) -> Any:
        return mismatches(report)[0]

    assert broken(lambda r: r.pop("seconds"))
    assert broken(lambda r: r.update(extra=1))
    assert broken(lambda r: r.update(verdict="great"))
    assert broken(lambda r: first(r).pop("allowed"))
    assert broken(lambda r: first(r).update(kind="shape"))
    assert broken(lambda r: first(r).update(difference=-1.0))
    assert broken(lambda r: r["requirements"][1]["cases"][0].update(verdict="passed"))
    assert broken(lambda r: r.update(error={"kind": "syntax", "message": "no", "line": 1}))


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.complex_numbers()
        | st.text(alphabet=st.characters(codec=None), max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=10,
    )
)
def test_arbitrary_facts_become_strict_json(facts: Any) -> None:
    text = json.dumps(plain(facts), ensure_ascii=False, allow_nan=False)
    text.encode("utf-8")
    assert json.loads(text) == plain(facts)


def test_finite_numbers_keep_every_digit() -> None:
    for number in (0.1, 1e-300, math.pi, -0.0, 2**63 + 1):
        assert json.loads(json.dumps(plain(number))) == number
