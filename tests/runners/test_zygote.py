"""The confined runner: refused system calls, clean ends, several submissions at once."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from grader.errors import MachineError, UsageError
from grader.exception_hints import hint
from grader.model import Call, Job, Limits, Outcome, Run
from grader.runners import RUNNERS, choose, launch

from .conftest import HONEST, ONE, PATIENT, calls, submission

if sys.platform != "linux":
    pytest.skip("the confined runner needs Linux", allow_module_level=True)

from grader.child.protocol import LANDLOCK, PROC, REAL_UID, SECCOMP
from grader.child.sandbox import landlock, seccomp
from grader.child.sandbox.syscalls import ALLOWED, FILTERED, OWN, Numbers
from grader.runners.zygote import ZygoteRunner
from grader.runners.zygote_client import Tried, ZygoteClient

try:
    ZygoteRunner().close()
except UsageError as missing:
    pytest.skip(str(missing), allow_module_level=True)

SPIN = "def f(X):\n    while True: pass\n"


@pytest.fixture(scope="module")
def runner() -> Iterator[ZygoteRunner]:
    with ZygoteRunner() as made:
        yield made


def completed(runs: dict[int, Run | MachineError]) -> dict[int, Run]:
    """Return the runs, none of which the machine has refused."""
    assert not [run for run in runs.values() if isinstance(run, MachineError)], runs
    return {ticket: run for ticket, run in runs.items() if isinstance(run, Run)}


def value(run: Run, case: str = "case-0") -> float:
    answer = run.executions[case].answer
    assert answer is not None, run.executions[case].failure
    array = answer.values[0].array
    assert array is not None
    return float(array)


# --- forbidden system calls ----------------------------------------------------------------------

HIDDEN = {
    "reading a file": "open('/etc/passwd')",
    "reading this project": f"open({str(Path(__file__))!r})",
    "reading /proc": "open('/proc/self/environ')",
    "asking whether a file exists": "os.stat('/etc/passwd')",
    "a handle of a file": "os.open('/etc/passwd', os.O_PATH)",
    "asking whether this project exists": f"os.stat({str(Path(__file__).parent)!r})",
}
"""refused as forbidden where paths can be probed; else these files do not exist"""
FORBIDDEN = {
    "listing a folder": "os.listdir('/')",
    "writing a file": "open('/etc/written', 'w')",
    "writing in the working folder": "open('written', 'w')",
    "a TCP socket": "socket.socket()",
    "a UDP socket": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "a unix socket": "socket.socket(socket.AF_UNIX)",
    "a socket pair": "socket.socketpair()",
    "a fork": "os.fork()",
    "another program": "os.execv('/bin/true', ['true'])",
    "a subprocess": "__import__('subprocess').run(['true'])",
    "a SIGKILL to itself": "os.kill(os.getpid(), 9)",
    "a SIGKILL to its thread": "libc.syscall(234, os.getpid(), os.getpid(), 9) and refused()",
    "a signal to the parent": "os.kill(os.getppid(), 0)",
    "a signal to all processes": "os.kill(-1, 0)",
    "a signal to its group": "os.kill(0, 0)",
    "anonymous memory files": "os.memfd_create('x')",
    "a higher priority": "os.nice(-1)",
    "other limits": "libc.prlimit(0, 9, bytes(16), None) and refused()",
    "another user": "os.setuid(0)",
    "a new session": "os.setsid()",
    "a link": "os.symlink('/', '/tmp/link')",
    "a named pipe": "os.mkfifo('/tmp/pipe')",
    "removing": "os.remove('/tmp')",
}


_HEAD = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def refused():
    raise OSError(ctypes.get_errno(), 'refused')
"""


@pytest.mark.parametrize("attempt", FORBIDDEN.values(), ids=FORBIDDEN)
def test_a_forbidden_system_call_ends_the_call_as_forbidden(
    runner: ZygoteRunner, attempt: str
) -> None:
    source = f"{_HEAD}def f(X):\n    {attempt}\n    return X\n"
    execution = runner.run(Job(submission(source), "f", ONE, calls(1), PATIENT)).executions[
        "case-0"
    ]
    assert execution.outcome is Outcome.FORBIDDEN, execution
    assert execution.failure is not None
    assert hint(execution.failure).startswith("The code asked for ")


@pytest.mark.parametrize("attempt", HIDDEN.values(), ids=HIDDEN)
def test_a_file_that_is_not_the_childs_does_not_exist(runner: ZygoteRunner, attempt: str) -> None:
    source = f"{_HEAD}def f(X):\n    {attempt}\n    return X\n"
    execution = runner.run(Job(submission(source), "f", ONE, calls(1), PATIENT)).executions[
        "case-0"
    ]
    if "paths hidden" in runner.isolation:
        assert execution.failure is not None
        assert execution.failure.type_name == "FileNotFoundError"
        assert "runs alone" in hint(execution.failure)
    elif not re.search("stat|O_PATH", attempt):
        assert execution.outcome is Outcome.FORBIDDEN


def test_a_child_inherits_no_open_descriptors(runner: ZygoteRunner) -> None:
    source = """
        import os
        def f(X):
            open_ones = []
            for number in range(1024):
                try:
                    os.fstat(number)
                except OSError:
                    continue
                open_ones.append(number)
            return len(open_ones)
        """
    ends = os.pipe()
    os.set_inheritable(ends[0], True)
    high = os.dup2(ends[0], 900)  # above those that the zygote was given
    with ZygoteRunner() as fresh:
        assert value(fresh.run(Job(submission(source), "f", ONE, calls(1), PATIENT))) == 5
    for number in (*ends, high):
        os.close(number)


@pytest.mark.parametrize("flags", ["O_WRONLY", "O_RDWR", "O_WRONLY | os.O_CREAT"])
def test_a_readable_file_cannot_be_written_nor_a_file_made_beside_it(
    runner: ZygoteRunner, flags: str
) -> None:
    source = f"""
        import os, numpy
        def f(X):
            path = numpy.__file__ + ("-made" if "CREAT" in "{flags}" else "")
            try:
                os.close(os.open(path, os.{flags}))
            except OSError:
                return 1.0
            return 0.0
        """
    assert value(runner.run(Job(submission(source), "f", ONE, calls(1), PATIENT))) == 1


def test_the_first_page_of_shared_memory_keeps_no_note_for_the_next_submission() -> None:
    walk = """
        import sys
        def f(X):
            frame = sys._getframe()
            while 'request' not in frame.f_locals:
                frame = frame.f_back
            page = frame.f_locals['request'].payload.obj
        """
    leave = walk + "    page[64:4096] = b'n' * 4032\n            return 0.0\n        "
    look = walk + "    return float(page[64:4096].count(b'n'))\n        "
    with ZygoteRunner(spare=0) as fresh:  # one slot, which both submissions use
        left = fresh.run(Job(submission(leave), "f", ONE, calls(1), PATIENT))
        found = fresh.run(Job(submission(look), "f", ONE, calls(1), PATIENT))
    assert left.executions["case-0"].answer is not None, left.executions["case-0"].failure
    assert (value(left), value(found)) == (0, 0)


def test_shared_memory_contains_nothing_of_the_previous_submission() -> None:
    leave = (
        "MARK = 'left' + 'overs'\ndef f(X):\n    print(MARK * 1000)\n    return X + 0.123456789\n"
    )
    look = """
        import struct, sys
        VALUE = struct.pack('<d', 40.0 + 0.123456789)
        def f(X):
            frame = sys._getframe()
            while 'request' not in frame.f_locals:
                frame = frame.f_back
            slot = frame.f_locals['request'].payload.obj
            assert slot.find(b'import struct, sys', 0, 2**22) > 0
            return any(slot.find(it, 0, 2**22) > 0 for it in (b'left' + b'overs', VALUE))
        """
    long = Call("case-0", "r", (np.full(50_000, 40.0),))
    short = Call("case-0", "r", (np.full(3, 1.0),))
    with ZygoteRunner(spare=0) as fresh:  # one slot, which both submissions use
        fresh.run(Job(submission(leave), "f", ONE, [long], PATIENT))
        found = fresh.run(Job(submission(look), "f", ONE, [short], PATIENT))
    assert value(found) == 0


# --- the filter, on both machines ----------------------------------------------------------------


def answer_of(steps: list[seccomp.Step], arch: int, number: int, *arguments: int) -> int:
    """Return the result of a classic BPF program, by interpreting the codes it uses."""
    words = {0: number, 4: arch}
    for position, argument in enumerate(arguments):
        words[16 + 8 * position] = argument & 0xFFFFFFFF
    accumulator, place = 0, 0
    while True:
        step = steps[place]
        place += 1
        if step.code == 0x20:
            accumulator = words.get(step.operand, 0)
        elif step.code == 0x54:
            accumulator &= step.operand
        elif step.code == 0x06:
            return step.operand
        else:
            matches = {
                0x15: accumulator == step.operand,
                0x35: accumulator >= step.operand,
                0x45: bool(accumulator & step.operand),
            }[step.code]
            place += step.true if matches else step.false


ALLOW, KILL, EPERM, ENOSYS, ENOTTY = 0x7FFF0000, 0x80000000, 0x50001, 0x50026, 0x50019
EAGAIN = 0x5000B
ARCHES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


@pytest.mark.parametrize("machine", ARCHES)
def test_the_filter_allows_exactly_the_listed_system_calls(machine: str) -> None:
    steps, arch = seccomp.program(4242, machine), ARCHES[machine]
    listed = {getattr(numbers, machine) for numbers in ALLOWED.values()} - {None}
    filtered = {getattr(numbers, machine) for numbers in FILTERED.values()}
    for number in range(600):
        if number not in filtered:
            assert answer_of(steps, arch, number) == (ALLOW if number in listed else EPERM), number
    assert len(steps) < 256


@pytest.mark.parametrize("machine", ARCHES)
def test_the_filter_checks_arguments_of_some_system_calls(machine: str) -> None:
    steps, arch = seccomp.program(4242, machine), ARCHES[machine]

    def ask(name: str, *arguments: int) -> int:
        return answer_of(steps, arch, getattr(FILTERED[name], machine), *arguments)

    thread = 0x3D0F00  # the flags of glibc's pthread_create
    assert ask("clone", thread) == ALLOW
    assert [ask("clone", flags) for flags in (17, 0x4111, thread | 0x10000000)] == [EPERM] * 3
    assert ask("clone3") == ENOSYS
    assert ask("prlimit64", 0, 9, 0, 0x1000) == ALLOW
    assert ask("prlimit64", 77, 9, 0, 0x1000) == EPERM
    assert ask("prlimit64", 0, 9, 0x1000, 0) == EPERM
    assert ask("ioctl", 0, 0x5412) == ENOTTY
    for name, between in (("kill", ()), ("tgkill", (4243,))):
        pids = (4242, 4243, 0, -1, 1)
        assert [ask(name, pid, *between, 15) for pid in pids] == [ALLOW] + [EPERM] * 4
        assert [ask(name, 4242, *between, number) for number in (0, 9)] == [ALLOW, EPERM]
    assert [ask("fcntl", 0, command) for command in (1, 3, 1030)] == [ALLOW] * 3
    assert [ask("fcntl", 0, command) for command in (2, 4, 8, 1033)] == [EPERM] * 4


def test_system_calls_of_another_architecture_or_x32_kill_the_process() -> None:
    assert answer_of(seccomp.program(1, "x86_64"), ARCHES["aarch64"], 0) == KILL
    assert answer_of(seccomp.program(1, "aarch64"), ARCHES["x86_64"], 63) == KILL
    assert answer_of(seccomp.program(1, "x86_64"), ARCHES["x86_64"], 0x40000000) == KILL


def test_system_call_numbers_equal_those_in_the_kernel_headers() -> None:
    headers = {
        "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        "aarch64": Path("/usr/include/asm-generic/unistd.h"),
    }
    for machine, header in headers.items():
        if not header.exists():
            pytest.skip("needs linux-libc-dev on x86-64")
        known: dict[str, int] = {}
        for line in header.read_text().splitlines():
            words = line.split()
            if len(words) == 3 and words[0] == "#define" and words[2].isdigit():
                known[words[1].removeprefix("__NR_").removeprefix("__NR3264_")] = int(words[2])
        known.setdefault("newfstatat", known.get("fstatat", -1))
        for name, numbers in (ALLOWED | FILTERED | OWN).items():
            assert getattr(numbers, machine) == known.get(name), (machine, name)


# --- fail closed ---------------------------------------------------------------------------------


def _without(monkeypatch: pytest.MonkeyPatch, layers: int) -> None:
    """Make the zygote report only `layers`, as on a kernel without the others."""
    monkeypatch.setattr(
        ZygoteClient, "tried", lambda self, timeout: Tried(layers | PROC, 7, REAL_UID)
    )


@pytest.mark.parametrize(("layers", "missing"), [(SECCOMP, "landlock"), (LANDLOCK, "seccomp")])
def test_a_missing_layer_is_named_and_refused(
    monkeypatch: pytest.MonkeyPatch, layers: int, missing: str
) -> None:
    _without(monkeypatch, layers)
    with pytest.raises(UsageError, match=f"missing {missing}"):
        choose("zygote")
    with pytest.raises(UsageError, match=f"missing {missing}"):
        choose("auto", require_isolation=True)
    runner, note = choose("auto")
    with runner:
        assert runner.name == "process"
        assert missing in note
        assert "\n" not in note


def test_auto_chooses_the_confined_runner_and_names_its_layers() -> None:
    runner, note = choose("auto", require_isolation=True)
    with runner:
        assert (runner.name, note) == ("zygote", "")
        assert {"seccomp", "no capabilities", "resource limits"} <= set(runner.isolation)
        assert any(layer.startswith("landlock (ABI ") for layer in runner.isolation)


@pytest.mark.parametrize("name", ["process", "inprocess"])
def test_a_runner_that_does_not_confine_is_refused_when_isolation_is_required(name: str) -> None:
    with pytest.raises(UsageError, match="does not confine"):
        choose(name, require_isolation=True)


def test_a_registered_runner_states_whether_it_confines(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(ZygoteRunner):
        confines = True

    monkeypatch.setitem(RUNNERS, "other", lambda: Other)
    with choose("other", require_isolation=True)[0] as runner:
        assert isinstance(runner, Other)


def test_an_unknown_runner_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="zygote"):
        choose("zygot")


def test_this_machine_has_landlock() -> None:
    assert landlock.abi() > 0
    assert set(RUNNERS) == {"zygote", "process", "inprocess"}
    assert set(Numbers._fields) == set(ARCHES)


# --- several at once -----------------------------------------------------------------------------


def test_hanging_submissions_do_not_delay_others() -> None:
    endless = Job(submission(SPIN), "f", ONE, calls(1), PATIENT)
    honest = Job(submission(HONEST), "f", ONE, calls(2), PATIENT)
    with ZygoteRunner(jobs=2, spare=6) as runner:
        hung = [runner.submit(endless) for _ in range(4)]
        runs: dict[int, Run] = {}
        waiting = 20
        while len(runs) < 20:
            while waiting and runner.room:
                runner.submit(honest)
                waiting -= 1
            runs |= completed(runner.wait(1.0))
    assert not set(hung) & set(runs)
    assert {e.outcome for run in runs.values() for e in run.executions.values()} == {
        Outcome.RETURNED
    }


def test_two_runners_in_two_threads_do_not_exchange_answers() -> None:
    def grade(factor: int) -> None:
        with ZygoteRunner() as runner:
            for _ in range(10):
                source = f"def f(X):\n    return {factor}\n"
                got.append(
                    value(runner.run(Job(submission(source), "f", ONE, calls(1), PATIENT)))
                    == factor
                )

    got: list[bool] = []
    threads = [threading.Thread(target=grade, args=(factor,)) for factor in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [True] * 20


def test_each_submission_has_its_own_limits(runner: ZygoteRunner) -> None:
    source = (
        "def f(X):\n    import resource\n    return resource.getrlimit(resource.RLIMIT_AS)[0]\n"
    )
    found = []
    for memory_mb in (300, 400, 300):
        limits = Limits(memory_mb=memory_mb)
        found.append(value(runner.run(Job(submission(source), "f", ONE, calls(1), limits))) / 2**20)
    assert found[0] == found[2] == found[1] - 100


# --- kill -9 -------------------------------------------------------------------------------------


def descendants(pid: int) -> set[int]:
    """Return the live processes below `pid`."""
    found: set[int] = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                found |= {int(entry.name)} | descendants(int(entry.name))
    return found


def wait_until(condition: object, seconds: float = 5.0) -> bool:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if callable(condition) and condition():
            return True
        time.sleep(0.02)
    return False


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary files; it and /dev/shm must be unchanged afterwards."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path
    assert not list(tmp_path.iterdir())
    assert not list(Path("/dev/shm").glob("*grader*"))


@pytest.mark.usefixtures("scratch")
def test_a_killed_warm_process_is_replaced_and_its_submission_rerun() -> None:
    with ZygoteRunner() as runner:
        ticket = runner.submit(Job(submission(SPIN), "f", ONE, calls(1), Limits(seconds=0.5)))
        first = runner._client._launched.pid
        assert wait_until(lambda: descendants(first))
        below = descendants(first)
        os.kill(first, signal.SIGKILL)
        runs: dict[int, Run] = {}
        while ticket not in runs:
            runs |= completed(runner.wait(1.0))
        assert runs[ticket].executions["case-0"].outcome is Outcome.TIMED_OUT
        assert runner._client._launched.pid != first
        assert wait_until(lambda: not any(map(alive, below)))
        assert runner.run(Job(submission(HONEST), "f", ONE, calls(1), PATIENT)).refusal is None
        second = runner._client._launched.pid
    assert not alive(second)


def test_a_warm_process_that_is_killed_3_times_is_a_fault_of_the_machine() -> None:
    with ZygoteRunner() as runner:
        runner.submit(Job(submission(SPIN), "f", ONE, calls(1), Limits(seconds=5.0)))
        while not (ended := runner.wait(0.05)):
            os.kill(runner._client._launched.pid, signal.SIGKILL)
        assert "the zygote ended 3 times" in str(ended[1])
        assert isinstance(ended[1], MachineError)
        assert runner.run(Job(submission(HONEST), "f", ONE, calls(1), PATIENT)).refusal is None


def test_the_calls_of_a_killed_child_go_to_another_one() -> None:
    with ZygoteRunner() as runner:
        runner.run(Job(submission(HONEST), "f", ONE, calls(1), PATIENT))  # starts the zygote
        source = "import time\ndef f(X):\n    time.sleep(1.0)\n    return X\n"
        ticket = runner.submit(Job(submission(source), "f", ONE, calls(2), Limits(seconds=5.0)))
        runner.wait(0.5)
        for pid in descendants(runner._client._launched.pid):
            os.kill(pid, signal.SIGKILL)  # also the spare child
        runs = completed(runner.wait(30.0))
    outcomes = [e.outcome for e in runs[ticket].executions.values()]
    assert outcomes == [Outcome.RETURNED, Outcome.RETURNED]


def test_a_zygote_uses_no_cpu_time_while_its_child_runs() -> None:
    def used(pid: int) -> int:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    with ZygoteRunner() as runner:
        runner.run(Job(submission(HONEST), "f", ONE, calls(1), PATIENT))
        source = "import time\ndef f(X):\n    time.sleep(0.5)\n    return X\n"
        before = used(runner._client._launched.pid)
        runner.run(Job(submission(source), "f", ONE, calls(2), PATIENT))
        ticks = used(runner._client._launched.pid) - before
    assert ticks < 0.2 * os.sysconf("SC_CLK_TCK")


@pytest.mark.usefixtures("scratch")
def test_a_killed_grader_leaves_no_process_and_no_file() -> None:
    script = f"""
        import sys, time
        sys.path.insert(0, {str(Path(__file__).parents[1])!r})
        from runners.conftest import ONE, calls, submission
        from grader.model import Job, Limits
        from grader.runners.zygote import ZygoteRunner
        runner = ZygoteRunner(spare=3)
        for _ in range(2):
            runner.submit(Job(submission({SPIN!r}), "f", ONE, calls(1), Limits(seconds=60.0)))
        print(runner._client._launched.pid, flush=True)
        runner.wait(60.0)
        """
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    ) as grader:
        assert grader.stdout is not None
        warm = int(grader.stdout.readline())
        assert wait_until(lambda: len(descendants(warm)) >= 2)
        below = descendants(warm)
        grader.kill()
        assert wait_until(lambda: not any(map(alive, {warm} | below)))


def test_a_runner_uses_the_warm_process_started_early() -> None:
    launch.start()
    launch.start()
    (early,) = launch._early
    with ZygoteRunner() as runner:
        assert runner._client._launched is early
    assert not launch._early


def test_starting_early_imports_no_large_module() -> None:
    script = "import sys\nfrom grader.runners import launch\nlaunch.start()\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parents[2],
        env={"PATH": os.environ["PATH"]},  # without `make coverage`, which imports more
        capture_output=True,
        text=True,
        check=True,
    )
    assert not {"numpy", "yaml", "rich", "ctypes", "subprocess"} & set(done.stdout.split())
