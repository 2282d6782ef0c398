"""The structure of the package: order of imports, no input or output below `cli`, sizes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import REPOSITORY

PACKAGE = REPOSITORY / "grader"

ORDER = (
    "child",
    "errors",
    "stopping",
    "model",
    "text",
    "source_text",
    "files",
    "patterns",
    "recipes",
    "symmetries",
    "loading",
    "catalog",
    "options",
    "notebook",
    "submission",
    "compare",
    "exception_hints",
    "explain",
    "redaction",
    "runners",
    "dependencies",
    "grading",
    "equivalence",
    "diagnose",
    "pipeline",
    "margins",
    "trivial",
    "audit",
    "checking",
    "scaffold",
    "watching",
    "formats",
    "batch",
    "commands",
    "interactive",
    "pytest_items",
    "pytest_plugin",
    "cli",
    "__main__",
    "__init__",
)
"""The modules from the ground up: each imports only modules above it in this list."""

MODULES = sorted(PACKAGE.rglob("*.py"))
TREES = {path: ast.parse(path.read_text("utf-8")) for path in MODULES}

MAY_EXIT = {"batch/grading.py", "stopping.py"}
"""modules that may end their own process, beside the runners' children"""
MOST_LINES = 300


CHILD = {
    path.relative_to(PACKAGE).as_posix()
    for path in MODULES
    if path.is_relative_to(PACKAGE / "child")
}
"""files that run in the child process, with NumPy and without the rest of the grader"""


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def place_of(path: Path) -> str:
    """Return the entry of ORDER that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """Yield the entries of ORDER that a file imports, also inside functions."""
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                assert name_of(path) in CHILD, "only modules of the child use relative imports"
            elif node.module == "grader":
                yield from (alias.name for alias in node.names)
            elif node.module and node.module.startswith("grader."):
                yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("grader."):
                    yield alias.name.split(".")[1]


def test_every_module_has_a_place_in_the_order() -> None:
    assert {place_of(path) for path in MODULES} == set(ORDER)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_one_way(path: Path) -> None:
    here = place_of(path)
    for there in imported(path):
        if there in ORDER and there != here:
            assert ORDER.index(there) < ORDER.index(here), f"{here} imports {there}"


def test_errors_imports_no_module_and_model_only_errors_and_child() -> None:
    assert set(imported(PACKAGE / "errors.py")) == set()
    assert set(imported(PACKAGE / "model.py")) == {"child", "errors"}


def test_child_modules_import_nothing_else_of_the_grader() -> None:
    """Learner code cannot read or patch code that its process does not contain."""
    assert {"child/worker.py", "child/answers.py", "child/sandbox/enter.py"} <= CHILD
    for name in sorted(CHILD):
        assert list(imported(PACKAGE / name)) == [], name


def test_only_loading_imports_yaml() -> None:
    for path in MODULES:
        roots = {
            root.split(".")[0]
            for node in ast.walk(TREES[path])
            for root in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        }
        theirs = name_of(path) == "batch/gradescope.py"  # reads Gradescope's export
        assert "yaml" not in roots or place_of(path) == "loading" or theirs, path


def test_pure_modules_do_not_import_input_output_modules() -> None:
    worldly = {"os", "sys", "io", "pathlib", "subprocess", "socket", "time", "logging", "shutil"}
    pure = {"patterns", "recipes", "compare", "explain", "diagnose", "redaction"}
    for name in (path for path in MODULES if place_of(path) in pure):
        for node in ast.walk(TREES[name]):
            if isinstance(node, ast.Import):
                assert not worldly & {alias.name.split(".")[0] for alias in node.names}, name
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] not in worldly, name


def test_only_the_pipeline_makes_reports() -> None:
    """`checking` reads its own reports and shows none."""
    callers = {
        name_of(path)
        for path in MODULES
        for node in ast.walk(TREES[path])
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and f"{node.value.id}.{node.attr}" in ("grading.grade", "grading.report")
    }
    assert callers == {"pipeline.py", "checking.py"}


TEXTS = {"message", "reason", "why_not", "hint", "notes"}
"""attributes that contain sentences, now or in earlier versions"""
READERS = {
    *("match", "fullmatch", "search", "findall", "finditer", "sub", "split", "partition"),
    *("startswith", "endswith", "removeprefix", "removesuffix", "replace", "find", "index"),
}
MAY_READ = {"exception_hints.py", "equivalence.py"}
"""modules that may read messages of exceptions: these come from Python, NumPy or the learner"""


def is_text(node: ast.AST) -> bool:
    """Return whether an expression is a stored text or a sentence of `explain`."""
    return isinstance(node, ast.Attribute) and (
        node.attr in TEXTS or (isinstance(node.value, ast.Name) and node.value.id == "explain")
    )


def read_back(tree: ast.Module) -> Iterator[int]:
    """Yield the lines at which code searches a sentence or extracts a part of it."""
    for node in ast.walk(tree):
        looked_into: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in READERS:
                looked_into = [node.func.value, *node.args]
        elif isinstance(node, ast.Compare):
            is_in = any(isinstance(op, ast.In | ast.NotIn) for op in node.ops)
            sides = [node.left, *node.comparators]
            literal = any(isinstance(s, ast.Constant) and isinstance(s.value, str) for s in sides)
            looked_into = sides if is_in or literal else []
        if any(is_text(part) for side in looked_into for part in ast.walk(side)):
            yield looked_into[0].lineno


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_module_parses_a_sentence(path: Path) -> None:
    lines = list(read_back(TREES[path]))
    assert name_of(path) in MAY_READ or lines == []


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        ("re.match('argument', note.message)", True),
        ("'(line' in case.reason", True),
        ("failure.message == 'no'", True),
        ("explain.message(case).endswith('?')", True),
        ("text.startswith('x')", False),
        ("case.reason or explain.reason(case)", False),
    ],
)
def test_the_check_finds_code_that_parses_a_sentence(code: str, is_found: bool) -> None:
    assert bool(list(read_back(ast.parse(code)))) is is_found


def acts(path: Path) -> Iterator[str]:
    """Yield where a file prints to the process's own streams, exits or reads the environment."""
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            to_given = any(keyword.arg == "file" for keyword in node.keywords)
            if (name == "print" and not to_given) or name in ("exit", "quit", "input"):
                yield f"{name}() in line {node.lineno}"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            whole = f"{node.value.id}.{node.attr}"
            ends = whole in ("sys.exit", "os._exit", "os.abort") and name_of(path) not in MAY_EXIT
            if ends or whole in ("os.environ", "os.getenv", "os.environb"):
                yield f"{whole} in line {node.lineno}"
        elif isinstance(node, ast.Raise) and "SystemExit" in ast.dump(node):
            yield f"raise SystemExit in line {node.lineno}"


BELOW_CLI = [
    path for path in MODULES if place_of(path) not in ("cli", "child", "runners", "__main__")
]


@pytest.mark.parametrize("path", BELOW_CLI, ids=name_of)
def test_nothing_below_the_command_line_prints_exits_or_reads_the_environment(path: Path) -> None:
    assert list(acts(path)) == []


def public(node: ast.AST) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """Yield the public functions, classes and methods of a module or class."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef) and not child.name.startswith("_"):
            yield child
            if isinstance(child, ast.ClassDef):
                yield from public(child)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_and_public_definitions_have_docstrings(path: Path) -> None:
    assert ast.get_docstring(TREES[path]), "the module has no docstring"
    silent = [
        node.name
        for node in public(TREES[path])
        if not ast.get_docstring(node)
        and not any(
            "overload" in ast.dump(d) or "setter" in ast.dump(d) for d in node.decorator_list
        )
    ]
    assert silent == []


def lines_of_code(path: Path) -> int:
    """Return how many lines hold code: no blank ones, comments or docstrings."""
    lines = path.read_text("utf-8").splitlines()
    code = {
        n for n, line in enumerate(lines, 1) if line.strip() and not line.strip().startswith("#")
    }
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            assert node.end_lineno is not None
            code -= set(range(node.lineno, node.end_lineno + 1))
    return len(code)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_is_shorter_than_the_limit(path: Path) -> None:
    assert lines_of_code(path) < MOST_LINES


def test_no_module_contains_a_note_about_future_work() -> None:
    marks = ("TO" + "DO", "FIX" + "ME", "XX" + "X")
    for path in [*MODULES, *REPOSITORY.glob("tests/*.py")]:
        text = path.read_text("utf-8")
        assert not any(mark in text for mark in marks), path
