"""A firing range: a course with canaries, in which attacks are graded and observed.

The canaries are files (a secret, the course's own files, a classmate's solution), a TCP and a UDP
port, two unix sockets, an environment variable and a few bytes of this process's memory.
`tests/data/attacks/README.md` describes the format of attacks.
"""

from __future__ import annotations

import codecs
import contextlib
import dataclasses
import os
import py_compile
import re
import secrets
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from grader import formats
from grader.catalog import Course
from grader.model import Outcome, Outlook, Report, Verdict
from grader.options import GradingOptions
from grader.pipeline import ProblemGrader
from grader.runners import Runner
from grader.submission import own_helpers

ATTACKS = Path(__file__).parent / "data" / "attacks"
SLUG = "multi_head_attention"
ENVIRONMENT = "GRADER_ATTACK_SECRET"
MEMORY = f"GRADER-MEMORY-{secrets.token_hex(16)}"
"""the secret that attacks look for in the memory of this process"""

HIDDEN = (8675309.25, 7251836.5)
"""the input of the hidden cases; two, to compare the reports"""
_EXAM = """\
requirement: together
cases:
{cases}"""
_HIDDEN_CASE = """\
  - id: exam-{number}
    why: Nobody may see its input.
    arguments:
      X: [[{input}, {number}.0], [2.0, 3.0]]
      W_q: {{zeros: [2, 2]}}
      W_k: {{eye: 2}}
      W_v: {{eye: 2}}
      W_o: {{eye: 2}}
      num_heads: {number}
"""

_WORDS = {
    Outcome.RAISED: "error",
    Outcome.CRASHED: "error",
    Outcome.TIMED_OUT: "timeout",
    Outcome.MEMORY: "memory",
    Outcome.OUTPUT_LIMIT: "output-limit",
    Outcome.FORBIDDEN: "forbidden",
}
_REFUSALS = {
    "timeout": "timeout",
    "memory": "memory",
    "output": "output-limit",
    "forbidden": "forbidden",
}


@dataclasses.dataclass(frozen=True)
class Attack:
    """One file of the corpus and its header."""

    path: Path
    header: dict[str, list[str]]

    @staticmethod
    def read(path: Path) -> Attack:
        """Parse the comment lines at the top."""
        data = path.read_bytes()
        text = data.decode(
            "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace"
        )
        header: dict[str, list[str]] = {}
        for line in text.splitlines():
            found = re.match(r"# (\w+): (.*)", line)
            if not found:
                break
            header.setdefault(found[1], []).append(found[2])
        return Attack(path, header)

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def verdicts(self) -> list[str]:
        """The accepted verdicts."""
        return self.header["verdict"][0].split("|")

    @property
    def kind(self) -> str:
        """The sentence that describes the attempt."""
        return self.header["kind"][0].partition(" -*-")[0]

    @property
    def is_on_hidden_cases(self) -> bool:
        """Whether the exercise has hidden cases for this attack."""
        return "hidden" in self.header

    def said(self, key: str, default: str = "") -> str:
        """Return the header's first line for `key`."""
        return self.header.get(key, [default])[0]


def attacks() -> list[Attack]:
    """Return the whole corpus, sorted by name."""
    alone = ATTACKS.glob("*.py")
    with_siblings = (folder / f"{folder.stem}.py" for folder in ATTACKS.glob("*.d"))
    return [Attack.read(path) for path in sorted([*alone, *with_siblings], key=lambda p: p.stem)]


@dataclasses.dataclass(frozen=True)
class Aftermath:
    """The report on an attack and the state of the canaries afterwards."""

    report: Report
    word: str
    """the verdict, as headers spell it"""
    reached: list[str]
    terminal: str
    json: str


class Range:
    """The course, its canaries, and one grader for all attacks. A context manager."""

    def __init__(self) -> None:
        # In /tmp: attacks may search there, and paths of sockets must be short.
        self.folder = Path(tempfile.mkdtemp(prefix="grader-attack-", dir="/tmp"))
        self.token = secrets.token_hex(16)
        self._kept = contextlib.ExitStack()

    def __enter__(self) -> Range:
        self._kept.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self._make_course()
        self._listen()
        for name in ("drop", "tmp"):
            (self.folder / name).mkdir()
        before = os.environ.get(ENVIRONMENT), tempfile.tempdir
        os.environ[ENVIRONMENT] = self.token
        tempfile.tempdir = str(
            self.folder / "tmp"
        )  # the runners' temporary folder, to detect leftovers
        self._kept.callback(self._restore, *before)
        self.grader = ProblemGrader(self.course, SLUG)
        self.exams = tuple(map(self._exam, HIDDEN))
        self._snapshot = self._files()
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.close()

    def grade(self, attack: Attack, runner: Runner, exam: int = 0) -> Aftermath:
        """Grade an attack as often as its header says, and check the canaries.

        `exam` selects the input of the hidden cases, where the attack has any.
        """
        grader = self.exams[exam] if attack.is_on_hidden_cases else self.grader
        limits = self._limits(grader, attack.said("limits"))
        before = self._temporary()
        with self._handed_in(attack) as path, limits:
            for _ in range(int(attack.said("runs", "1"))):
                report = grader.grade(path, runner, own_helpers(path))
        time.sleep(float(attack.said("wait", "0")))
        terminal, json = (formats.render(name, [report]) for name in ("terminal", "json"))
        shown = terminal + json
        if attack.is_on_hidden_cases:
            shown += "".join(formats.render(name, [report]) for name in formats.FORMATS)
        reached = [*_told(report), *self._evidence(shown), *self._left(before)]
        return Aftermath(report, _word(report), reached, terminal, json)

    def _exam(self, hidden: float) -> ProblemGrader:
        """Return a grader with two hidden cases more; their file is not in the course."""
        folder = self.folder / f"exam-{hidden}"
        folder.mkdir()
        cases = "".join(_HIDDEN_CASE.format(number=n, input=hidden) for n in (1, 2))
        (folder / "exam.yaml").write_text(_EXAM.format(cases=cases))
        options = GradingOptions(cases=(str(folder),), hidden=True)
        return ProblemGrader(self.course, SLUG, options)

    def _make_course(self) -> None:
        root = self.folder / "course"
        shutil.copytree(ATTACKS / "course", root, ignore=shutil.ignore_patterns("__pycache__"))
        for path in [p for p in root.rglob("*") if p.is_file()]:
            path.write_text(path.read_text().replace("CANARY_TOKEN", self.token))
        py_compile.compile(str(root / "problems" / SLUG / "reference.py"), doraise=True)
        (root / ".git" / "hooks").mkdir(parents=True)
        (root / ".git" / "HEAD").write_text(f"ref: refs/heads/{self.token}\n")
        (root / ".git" / "config").write_text("[core]\n\tbare = false\n")
        (root / "solutions" / "mallory.py").write_text("# handed in\n")
        (self.folder / "secret.txt").write_text(f"the secret is {self.token}\n")
        self.course = Course(root)

    def _listen(self) -> None:
        tcp = socket.create_server(("127.0.0.1", 0))
        self.port = tcp.getsockname()[1]
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", self.port))
        named, abstract = (socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(2))
        named.bind(str(self.folder / "agent.sock"))
        abstract.bind(f"\0{self.folder.name}")
        self._listeners = {
            "the network": tcp,
            "the network by UDP": udp,
            "a local service": named,
            "another submission": abstract,
        }
        for listener in self._listeners.values():
            self._kept.callback(listener.close)
            listener.setblocking(False)
            if listener is not udp:
                listener.listen()

    def _calls(self) -> list[str]:
        """Return the canary sockets that received a connection or packet since the last call."""
        called = []
        for what, listener in self._listeners.items():
            with contextlib.suppress(BlockingIOError):
                while True:
                    if listener.type is socket.SOCK_DGRAM:
                        listener.recv(64)
                    else:
                        listener.accept()[0].close()
                    called.append(f"{what} was called")
        return list(dict.fromkeys(called))

    @contextlib.contextmanager
    def _handed_in(self, attack: Attack) -> Iterator[Path]:
        folder = self.course.root / "handed-in"
        folder.mkdir()
        try:
            siblings = attack.path.parent.iterdir() if attack.path.parent.suffix == ".d" else []
            for sibling in siblings:
                shutil.copy(sibling, folder)
            name = codecs.decode(attack.said("filename", attack.path.name), "unicode_escape")
            path = folder / name
            (folder / attack.path.name).unlink(missing_ok=True)
            path.write_bytes(self._source(attack))
            for link in attack.header.get("link", []):
                short, _, target = link.partition(" -> ")
                (folder / short).unlink(missing_ok=True)
                (folder / short).symlink_to(self._localised(target.encode()).decode())
            yield path
        finally:
            shutil.rmtree(folder)

    def _source(self, attack: Attack) -> bytes:
        data = self._localised(attack.path.read_bytes())
        for line in attack.header.get("expand", []):
            name, count, text = line.split(" ", 2)
            head, _, body = data.partition(f"# expand: {line}\n".encode())
            data = head + body.replace(name.encode(), text.encode() * int(count))
        return data

    def _localised(self, data: bytes) -> bytes:
        """Replace the placeholders in a file by this range's paths and ports."""
        for there, here in (
            ("/tmp/grader-attack-canary", str(self.folder)),
            ("grader-attack-canary", self.folder.name),
            ("47999", str(self.port)),
        ):
            data = data.replace(there.encode(), here.encode())
        return data

    @contextlib.contextmanager
    def _limits(self, grader: ProblemGrader, said: str) -> Iterator[None]:
        prepared = grader.prepared
        changes = {key: float(value) for key, value in re.findall(r"(\w+)=([\d.]+)", said)}
        limits = dataclasses.replace(prepared.problem.limits, **changes)  # type: ignore[arg-type]
        problem = dataclasses.replace(prepared.problem, limits=limits)
        grader.prepared = dataclasses.replace(prepared, problem=problem)
        try:
            yield
        finally:
            grader.prepared = prepared

    def _evidence(self, shown: str) -> list[str]:
        """Return the changes of the canaries since the last call, and restore them."""
        found = self._calls()
        found += [
            f"a report shows {what}"
            for what, secret in (
                ("a canary's token", self.token),
                ("the grader's memory", MEMORY),
                *(("a hidden input", str(int(number))) for number in HIDDEN),
            )
            if secret in shown
        ]
        now = self._files()
        for path in sorted(now.keys() | self._snapshot.keys()):
            if now.get(path) != self._snapshot.get(path):
                found.append(f"{path} was changed")
                self._put_back(path)
        for place in ("/tmp", "/var/tmp", "/dev/shm"):
            with contextlib.suppress(FileNotFoundError):
                Path(place, f"{self.folder.name}-note").unlink()
        return found

    def _temporary(self) -> set[Path]:
        """Return what the folder for temporary files contains; a runner has a folder of its own."""
        return set((self.folder / "tmp").rglob("*"))

    def _left(self, before: set[Path]) -> list[str]:
        """Return what is new in the folder for temporary files, and remove it."""
        found = []
        for left in sorted(self._temporary() - before):
            if left.parent in before or left.parent == self.folder / "tmp":
                found.append(f"{left.name} was left in the folder for temporary files")
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        return found

    def _files(self) -> dict[str, bytes]:
        watched = (
            p
            for name in ("course", "drop", "secret.txt")
            for p in [self.folder / name, *(self.folder / name).rglob("*")]
        )
        return {str(p.relative_to(self.folder)): p.read_bytes() for p in watched if p.is_file()}

    def _put_back(self, path: str) -> None:
        there = self.folder / path
        if path in self._snapshot:
            there.write_bytes(self._snapshot[path])
        else:
            there.unlink()

    @staticmethod
    def _restore(secret: str | None, tempdir: str | None) -> None:
        tempfile.tempdir = tempdir
        if secret is None:
            del os.environ[ENVIRONMENT]
        else:
            os.environ[ENVIRONMENT] = secret


def _told(report: Report) -> list[str]:
    """Return what the attack reports that it reached."""
    outputs = [case.execution.output for r in report.requirements for case in r.cases]
    outputs.append(report.refusal.output if report.refusal else "")
    lines = [line for output in outputs for line in output.splitlines()]
    return list(
        dict.fromkeys(
            line.removeprefix("REACHED ") for line in lines if line.startswith("REACHED ")
        )
    )


def _word(report: Report) -> str:
    """Return the verdict, as headers spell it."""
    if report.verdict is Outlook.PASSED:
        return "pass"
    if report.refusal:
        return _REFUSALS.get(report.refusal.kind, "error")
    if report.verdict is not Outlook.ERRORED:
        return "fail" if report.verdict is Outlook.FAILED else "error"
    return next(
        _WORDS[case.execution.outcome]
        for result in report.requirements
        for case in result.cases
        if case.verdict is Verdict.ERRORED
    )
