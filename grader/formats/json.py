"""Reports as JSON, version 1; `grader/schema/report-v1.json` describes it.

The output is always valid JSON (RFC 8259): numbers that are not finite become text, lone
surrogates become `?`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from grader import explain
from grader.model import CaseResult, Json, Refusal, Report, RequirementResult
from grader.text import clean

ENDING = ".json"

VERSION = 1


def render(reports: Sequence[Report]) -> str:
    """Return the reports as one JSON document that ends with a line feed."""
    document = {"version": VERSION, "reports": [report_data(report) for report in reports]}
    return json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def report_data(report: Report) -> dict[str, Any]:
    """Return one report as JSON data."""
    return {
        "problem": report.problem.slug,
        "submission": report.submission,
        "verdict": str(report.verdict),
        "score": {"earned": points(report.earned), "possible": points(report.possible)},
        "requirements": [_requirement(result) for result in report.requirements],
        "error": _refusal(report.refusal),
        "notes": [*filter(None, [explain.confinement(report)]), *explain.report_notes(report)],
        "runner": report.runner,
        "isolation": list(report.isolation),
        "reseed": report.reseed,
        "seconds": round(report.seconds, 3),
    }


def points(value: Fraction) -> int | float:
    """Return points as an int if they are whole, else as a float rounded to two decimals."""
    return int(value) if value.denominator == 1 else float(round(value, 2))


def plain(value: Any) -> Json:
    """Return facts as JSON data."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, complex):
        return str(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value]


def _requirement(result: RequirementResult) -> dict[str, Any]:
    requirement, diagnosis = result.requirement, result.diagnosis
    return {
        "id": requirement.id,
        "says": requirement.says,
        "verdict": str(result.verdict),
        "waits_for": list(result.waits_for),
        "bonus": requirement.bonus,
        "points": points(requirement.points),
        "diagnosis": diagnosis
        and {"misconception": diagnosis.misconception or None, "hint": diagnosis.hint},
        "cases": [_case(case) for case in result.cases],
    }


def _case(result: CaseResult) -> dict[str, Any]:
    mismatch = result.mismatch
    return {
        "id": result.case.id,
        "verdict": str(result.verdict),
        "message": clean(explain.message(result)) or None,
        "mismatch": mismatch
        and {
            "kind": mismatch.kind,
            "value": mismatch.value or None,
            **explain.plain_facts(mismatch),
        },
        "output": result.execution.output,
        "seconds": round(result.execution.seconds, 6),
    }


def _refusal(refusal: Refusal | None) -> dict[str, Any] | None:
    if refusal is None:
        return None
    message = clean("\n".join(explain.refusal_lines(refusal)))
    return {"kind": refusal.kind, "message": message, "line": refusal.line}
