"""The attack corpus against every runner that the machine has.

`python tests/test_attacks.py` rewrites the table of what the `process` runner does not stop.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import container_profile
import pytest
from attack_range import ATTACKS, Aftermath, Attack, Range, attacks

from grader import formats
from grader.errors import UsageError
from grader.model import CaseResult, Outlook, Report
from grader.runners import RUNNERS, Runner, choose

if sys.platform != "linux":
    pytest.skip("the attacks are written for Linux", allow_module_level=True)

REPOSITORY = Path(__file__).parents[1]
TABLE = REPOSITORY / "docs" / "isolation-process.md"
HONEST = Attack(
    ATTACKS / "6-honest-unlucky-prints-to-stdout.py", {"verdict": ["pass"], "kind": ["honest"]}
)
UNTRUSTED = [name for name in RUNNERS if name != "inprocess"]
CORPUS = attacks()
DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
SLACK_SECONDS = 60.0
"""allowed beyond the limits of a submission on a busy machine"""
HEAD = """\
# What the `process` runner does not stop

The `process` runner guards against accidents: hangs, crashes, floods of output, memory. It runs \
learner code with the rights of the user who grades. That code can therefore read the reference \
and the grader's memory, use the network and start programs. This table lists the attacks of \
`tests/data/attacks` that succeed under `process`, as root on Linux. `process` stops the others, \
and the confined runner stops all of them. `pass` in the last column is an undeserved pass.

`python tests/test_attacks.py` writes this page, and the tests check it: do not edit it.

| attack | attempt | verdict |
|---|---|---|
"""


INTERNAL = re.compile(r'(?:f_globals|f_locals|worker)(?:\[|\.get\()["\']')
"""how an attack refers to a name in the code that calls it"""


@pytest.fixture(scope="module")
def range_() -> Iterator[Range]:
    with Range() as made:
        yield made


@pytest.fixture(scope="module", params=UNTRUSTED)
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    """One runner for all attacks, since no attack may affect the next submission."""
    try:
        made, _ = choose(request.param)
    except UsageError as missing:
        pytest.skip(str(missing))
    with made:
        yield made


@pytest.mark.parametrize("attack", CORPUS, ids=lambda attack: attack.name)
def test_an_attack_reaches_nothing_and_the_next_submission_passes(
    range_: Range, runner: Runner, attack: Attack
) -> None:
    if attack.said("only", runner.name) != runner.name:
        pytest.skip(f"only {attack.said('only')} is expected to survive this")
    started = time.monotonic()
    after = range_.grade(attack, runner)
    if INTERNAL.search(attack.path.read_text("utf-8", "replace")):
        # After a rename the attack would only raise an error of its own and prove nothing.
        assert not {"KeyError", "AttributeError", "NameError"} & exceptions(after.report)
    seconds = time.monotonic() - started
    honest = range_.grade(HONEST, runner)

    assert honest.report.verdict is Outlook.PASSED, honest.terminal
    assert not honest.reached
    if runner.name == "zygote":
        assert not after.reached
    elif os.geteuid() == 0 and not attack.said("depends"):
        assert bool(after.reached) == (attack.name in listed()), after.reached
    else:
        assert not after.reached or attack.name in listed()
    if not after.reached:
        assert after.word in attack.verdicts, after.terminal
    assert seconds < range_.grader.prepared.problem.limits.total_seconds + SLACK_SECONDS
    check_that_reports_are_harmless(after.terminal, after.json)


ON_HIDDEN_CASES = [attack for attack in CORPUS if attack.is_on_hidden_cases]


@pytest.mark.parametrize("attack", ON_HIDDEN_CASES, ids=lambda attack: attack.name)
def test_a_report_is_the_same_for_other_hidden_inputs(
    range_: Range, runner: Runner, attack: Attack
) -> None:
    """Whatever the attack makes of its inputs, no format tells anything of them."""
    first, second = (without_times(range_.grade(attack, runner, exam)) for exam in (0, 1))
    assert first == second


def without_times(after: Aftermath) -> list[str]:
    """Return the report in every format, without the times of visible cases."""
    requirements = tuple(
        replace(result, cases=tuple(map(without_time, result.cases)))
        for result in after.report.requirements
    )
    assert after.report.seconds.is_integer()
    timeless = replace(after.report, requirements=requirements, seconds=0.0)
    return [formats.render(name, [timeless]) for name in formats.FORMATS]


def without_time(result: CaseResult) -> CaseResult:
    assert not (result.case.hidden and result.execution.seconds)
    return replace(result, execution=replace(result.execution, seconds=0.0))


def check_that_reports_are_harmless(terminal: str, text: str) -> None:
    """Check that learner text cannot control a terminal or a CI log."""
    json.loads(text)
    assert not [c for c in terminal if c != "\n" and steers(c)]
    assert not re.findall(r"^\s*(?:::|##\[|##vso)", terminal, re.MULTILINE)


def test_the_confined_runner_stops_every_attack_inside_a_container() -> None:
    lacks = container_profile.missing()
    if lacks:
        pytest.skip(lacks)
    check_the_confined_runner_after([sys.executable, container_profile.__file__])


def test_the_confined_runner_stops_every_attack_of_an_ordinary_user() -> None:
    if os.geteuid() != 0:
        pytest.skip("the user is an ordinary one already")
    setpriv = shutil.which("setpriv")
    if not setpriv:
        pytest.skip("setpriv (util-linux) is not installed")
    nobody = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"]
    again = "import subprocess, sys; subprocess.check_call([sys.executable, '-c', 'import numpy'])"
    tried = subprocess.run([*nobody, sys.executable, "-c", again], capture_output=True)
    if tried.returncode:
        pytest.skip("an ordinary user cannot read this interpreter")
    check_the_confined_runner_after(nobody)


def check_the_confined_runner_after(command: list[str]) -> None:
    """Run the attacks under `zygote` in a process that was started through a command."""
    options = ["-q", "-p", "no:cacheprovider", "-k", "zygote", __file__]
    ran = subprocess.run(
        [*command, sys.executable, "-B", "-m", "pytest", *options],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr
    passed = re.search(r"(\d+) passed", ran.stdout)
    if not passed:
        pytest.skip(f"zygote does not work there: {ran.stdout[-300:]}")
    assert int(passed[1]) == len(CORPUS) + len(ON_HIDDEN_CASES)


def steers(character: str) -> bool:
    """Return whether a character controls a terminal, changes its direction, or is not visible."""
    return (
        unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
        or unicodedata.bidirectional(character) in DIRECTIONS
        or character in "\u115f\u1160\u3164\uffa0\ufe0f"
    )


def test_every_attack_header_has_a_verdict_and_a_sentence_about_the_attempt() -> None:
    words = {"pass", "fail", "error", "timeout", "memory", "output-limit", "forbidden"}
    for attack in CORPUS:
        assert set(attack.verdicts) <= words, attack.name
        assert len(attack.kind.split()) >= 4, attack.name


def test_the_corpus_has_126_catalogued_attacks_and_at_least_70_own() -> None:
    ours = [attack for attack in CORPUS if attack.name.startswith("7-")]
    assert len(ours) >= 40
    assert len([attack for attack in CORPUS if attack.name.startswith("8-")]) >= 30
    assert len(CORPUS) >= 126 + 40 + 30


def exceptions(report: Report) -> set[str]:
    """Return the types of the exceptions that ended calls."""
    cases = [case for result in report.requirements for case in result.cases]
    return {c.execution.failure.type_name for c in cases if c.execution.failure}


def test_the_table_of_process_lists_existing_attacks_and_their_attempts() -> None:
    kinds = {attack.name: attack.kind for attack in CORPUS}
    assert TABLE.read_text("utf-8").startswith(HEAD)
    assert listed()
    assert {name: kinds.get(name) for name in listed()} == listed()


def listed() -> dict[str, str]:
    """Return the rows of the table: name to kind."""
    rows = re.findall(r"^\| `(\S+)` \| (.*) \| .* \|$", TABLE.read_text("utf-8"), re.MULTILINE)
    return dict(rows)


def write_table() -> None:
    """Grade every attack under `process` and list the successful ones."""
    rows: list[tuple[Attack, str]] = []
    with Range() as range_, choose("process")[0] as process:
        for attack in CORPUS:
            if attack.said("only", "process") != "process":
                rows.append((attack, "not tried: it would end the tests"))
                continue
            after = range_.grade(attack, process)
            print(attack.name, after.word, *after.reached, sep="; ", flush=True)
            if after.reached:
                rows.append((attack, after.word))
            elif attack.said("depends"):
                rows.append((attack, f"with {attack.said('depends')}"))
    lines = "".join(f"| `{attack.name}` | {attack.kind} | {what} |\n" for attack, what in rows)
    TABLE.write_text(HEAD + lines, encoding="utf-8")


if __name__ == "__main__":
    write_table()
