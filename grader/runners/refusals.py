"""Why a submission could not be called at all, as the model says it."""

from __future__ import annotations

from grader.errors import closest
from grader.model import Outcome, Refusal
from grader.runners import judge
from grader.runners.hints import hint
from grader.runners.judge import Judgement
from grader.runners.messages import Facts
from grader.runners.sources import Sources

_KINDS = {
    Outcome.RAISED: "import",
    Outcome.TIMED_OUT: "timeout",
    Outcome.CRASHED: "crash",
    Outcome.MEMORY: "memory",
    Outcome.OUTPUT_LIMIT: "output",
    Outcome.FORBIDDEN: "forbidden",
}


def refusal_of_facts(
    facts: Facts, sources: Sources, entry_point: str, confined: bool, output: str
) -> Refusal:
    """Return the refusal that the child reported: a syntax error, an exception, no entry point."""
    if facts.kind == "missing":
        return _missing(facts, entry_point, output)
    if facts.kind == "syntax":
        line = facts.line or None
        return Refusal(
            "syntax",
            f"{facts.type_name}: {facts.message}",
            line,
            facts.column or None,
            sources.line(facts.path, line or 0),
            hint=hint(facts, loading=True),
            output=output,
        )
    judgement = judge.of_exception(facts, sources, confined=confined, loading=True)
    failure = judgement.failure
    last = failure.frames[-1] if failure.frames else None
    message = f"{failure.type_name}: {failure.message}" if failure.message else failure.type_name
    return Refusal(
        _KINDS[judgement.outcome],
        message,
        line=last.line if last else None,
        text=last.text if last else "",
        frames=failure.frames,
        hint=failure.hint,
        output=output,
    )


def refusal_of_ending(judgement: Judgement, output: str) -> Refusal:
    """Return the refusal of a child that ended, or was ended, while it loaded the file."""
    failure = judgement.failure
    last = failure.frames[-1] if failure.frames else None
    return Refusal(
        _KINDS[judgement.outcome],
        failure.message,
        line=last.line if last else None,
        text=last.text if last else "",
        frames=failure.frames,
        hint=failure.hint,
        output=output,
    )


def _missing(facts: Facts, entry_point: str, output: str) -> Refusal:
    if facts.found:
        message = f"{entry_point} is not a function but an object of type {facts.found}"
        return Refusal("missing", message, output=output)
    message = f"the file does not define {entry_point}"
    if facts.defined:
        message += f"; it defines {', '.join(facts.defined)}"
    near = closest(entry_point, facts.defined)
    advice = f"Write a function named {entry_point}."
    if near:
        advice = f"Rename {near} to {entry_point}."
    elif not facts.defined:
        advice = "It defines no function."
    return Refusal("missing", message, hint=advice, output=output)
