"""Untrusted folders and ZIPs are read safely, and each refused file is listed with a reason."""

from __future__ import annotations

import io
import os
import stat
import sys
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from grader.batch.archive import Archive, DamagedError
from grader.batch.sources import Entry, Tree, UnreadableError, open_trees
from grader.errors import UsageError
from grader.submission import MOST_BYTES

MIB = 1024 * 1024


def _zip(members: dict[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as out:
        for name, data in members.items():
            out.writestr(name, data)
    return buffer.getvalue()


def _tree(tmp_path: Path, data: bytes, name: str = "class.zip") -> Tree:
    (tmp_path / name).write_bytes(data)
    (tree,) = open_trees([tmp_path / name])
    return tree


def _link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    "name",
    ["../evil.py", "/etc/evil.py", "C:/evil.py", "C:\\evil.py", "ada/../../evil.py", "..\\evil.py"],
)
def test_a_path_outside_the_zip_is_left_out_with_a_reason(name: str, tmp_path: Path) -> None:
    tree = _tree(tmp_path, _zip({name: b"x", "ada.py": b"y"}))
    assert [entry.path for entry in tree.entries] == ["ada.py"]
    assert [entry.refused for entry in tree.left_out] == ["its path lies outside the ZIP"]


def test_a_link_in_a_zip_is_listed_as_refused(tmp_path: Path) -> None:
    tree = _tree(tmp_path, _zip({_link("ada.py"): b"/etc/passwd"}))
    assert tree.entries == (Entry("ada.py", "it is a link"),)


def test_an_encrypted_file_is_refused(tmp_path: Path) -> None:
    data = bytearray(_zip({"ada.py": b"x = 1\n" * 10}))
    data[6] |= 1  # general purpose flag, bit 0, of the local header
    data[data.index(b"PK\x01\x02") + 8] |= 1  # and of the central directory
    assert _tree(tmp_path, bytes(data)).entries == (Entry("ada.py", "it is encrypted"),)


def test_a_file_compressed_with_lzma_is_refused(tmp_path: Path) -> None:
    (entry,) = _tree(tmp_path, _zip({"ada.py": b"x"}, zipfile.ZIP_LZMA)).entries
    assert "compression method is not supported" in entry.refused


def test_a_path_that_occurs_twice_in_a_zip_is_refused(tmp_path: Path) -> None:
    data = _zip({"ada.py": b"x", "bob.py": b"y"}).replace(b"bob.py", b"ada.py")
    assert _tree(tmp_path, data).entries == (Entry("ada.py", "two files have this name"),)


def test_members_of_any_claimed_size_leave_the_other_members_readable(tmp_path: Path) -> None:
    tree = _tree(tmp_path, _zip({"ada.py": bytes(300 * MIB), "bob.py": b"x = 1\n"}))
    assert tree.entries == (Entry("ada.py"), Entry("bob.py"))
    assert tree.read("bob.py") == b"x = 1\n"


def test_a_path_of_more_than_1000_characters_is_left_out_with_a_reason(tmp_path: Path) -> None:
    tree = _tree(tmp_path, _zip({"-" * 60_000 + ".py": b"x", "ada.py": b"y"}))
    assert [entry.path for entry in tree.entries] == ["ada.py"]
    (left_out,) = tree.left_out
    assert left_out == Entry("-" * 1000, "its path is longer than 1000 characters")


def test_a_large_file_in_a_zip_is_read_only_up_to_the_size_limit(tmp_path: Path) -> None:
    tree = _tree(tmp_path, _zip({"ada.py": bytes(200 * MIB)}))
    tracemalloc.start()
    assert len(tree.read("ada.py")) == MOST_BYTES + 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * MIB


def test_a_file_whose_size_in_the_zip_is_wrong_is_refused_when_read(tmp_path: Path) -> None:
    data = bytearray(_zip({"ada.py": b"x" * 5000}))
    central = data.index(b"PK\x01\x02")
    data[central + 24 : central + 28] = (10).to_bytes(4, "little")
    tree = _tree(tmp_path, bytes(data))
    with pytest.raises(UnreadableError, match="the ZIP is damaged at this file"):
        tree.read("ada.py")


@pytest.mark.parametrize(
    "data", [b"", b"not a zip file", _zip({"ada.py": b"x"})[:30]], ids=["empty", "text", "cut"]
)
def test_a_damaged_zip_is_refused_with_its_path(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"class\.zip: not a readable ZIP file"):
        _tree(tmp_path, data)


def test_a_zip_cut_or_altered_at_any_byte_is_read_or_raises_damaged_error() -> None:
    whole = _zip({"ada.py": b"print(1)\n" * 50, "bob/x.py": b"y"})
    for end in range(len(whole)):
        for data in (whole[:end], whole[:end] + b"\xff" + whole[end + 1 :]):
            try:
                archive = Archive.of_bytes(data)
                for member in archive.members:
                    archive.read(member.path, 100)
            except DamagedError:
                continue


# --- ZIPs that learners hand in -----------------------------------------------------------------


def test_a_zip_in_a_zip_of_the_class_is_listed_as_a_folder(tmp_path: Path) -> None:
    tree = _tree(tmp_path, _zip({"ada/work.zip": _zip({"src/a.py": b"one"})}))
    assert tree.entries == (Entry("ada/work.zip/src/a.py", zip_path="ada/work.zip"),)
    assert tree.read("ada/work.zip/src/a.py") == b"one"


def test_a_zip_in_a_learners_folder_is_listed_as_a_folder(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "work.ZIP").write_bytes(_zip({"a.py": b"one"}))
    (tree,) = open_trees([tmp_path])
    assert tree.read("ada/work.ZIP/a.py") == b"one"


@pytest.mark.parametrize(
    ("inner", "why"),
    [
        (b"not a zip", "this ZIP is refused: not a readable ZIP"),
        (
            _zip({"../a.py": b""}),
            "this ZIP is refused because of its file '../a.py': its",
        ),
        (
            _zip({f"{n:060_d}": b"" for n in range(50_000)}),
            "this ZIP is refused: not a readable ZIP file: its list of files is too long",
        ),
    ],
    ids=["damaged", "outside", "many files"],
)
def test_a_bad_zip_of_one_learner_does_not_affect_other_learners(
    inner: bytes, why: str, tmp_path: Path
) -> None:
    tree = _tree(tmp_path, _zip({"ada/work.zip": inner, "bob/work.py": b""}))
    entries = {entry.path: entry.refused for entry in tree.entries}
    assert entries["ada/work.zip"].startswith(why)
    assert entries["bob/work.py"] == ""


def test_a_zip_in_a_learners_zip_is_not_opened(tmp_path: Path) -> None:
    inner = _zip({"b.zip": _zip({"c.zip": b""})})
    (entry,) = _tree(tmp_path, _zip({"ada/a.zip": inner})).entries
    assert entry.path == "ada/a.zip/b.zip"
    assert entry.refused == "a ZIP inside a learner's ZIP is not opened"


@pytest.mark.parametrize("members", [{}, {"__MACOSX/a.py": b""}], ids=["empty", "tools only"])
def test_a_learners_zip_without_a_submission_keeps_an_entry_with_the_reason(
    members: dict[str | zipfile.ZipInfo, bytes], tmp_path: Path
) -> None:
    (tmp_path / "eve.zip").write_bytes(_zip(members))
    (tmp_path / "ada.py").write_text("")
    (tree,) = open_trees([tmp_path])
    assert tree.entries == (
        Entry("ada.py"),
        Entry("eve.zip", "this ZIP contains no .py or .ipynb file"),
    )


def test_a_zip_that_occurs_twice_in_a_zip_is_refused(tmp_path: Path) -> None:
    inner = _zip({"a.py": b""})
    data = _zip({"ada.zip": inner, "bob.zip": inner}).replace(b"bob.zip", b"ada.zip")
    (entry,) = _tree(tmp_path, data).entries
    assert entry == Entry("ada.zip/a.py", "two files have this name", "ada.zip")


def test_each_learners_zip_keeps_an_entry_for_a_file_that_cannot_be_a_submission(
    tmp_path: Path,
) -> None:
    inner = _zip({"essay.pdf": b"", "notes.txt": b""})
    tree = _tree(tmp_path, _zip({f"a/b/c/{who}.zip": inner for who in ("ada", "bob")}))
    assert [entry.path for entry in tree.entries] == [
        "a/b/c/ada.zip/essay.pdf",
        "a/b/c/bob.zip/essay.pdf",
    ]


# --- folders ------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_are_neither_followed_nor_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "projection.py").write_text("secret")
    root = tmp_path / "class"
    (root / "ada").mkdir(parents=True)
    (root / "ada" / "projection.py").symlink_to(secret / "projection.py")
    (root / "bob").symlink_to(secret)
    (root / "loop").symlink_to(root)
    (tree,) = open_trees([root])
    assert {entry.path: entry.refused for entry in tree.entries} == {
        "ada/projection.py": "it is a link",
        "bob": "it is a link",
        "loop": "it is a link",
    }


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_file_replaced_by_a_link_after_listing_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text("mine")
    (tree,) = open_trees([tmp_path])
    (tmp_path / "ada.py").unlink()
    (tmp_path / "ada.py").symlink_to("/etc/hostname")
    with pytest.raises(UnreadableError, match="it is a link"):
        tree.read("ada.py")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_refused_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ada.py")
    (tree,) = open_trees([tmp_path])
    assert tree.entries == (Entry("ada.py", "it is not a regular file"),)


def test_tool_folders_and_hidden_files_are_ignored(tmp_path: Path) -> None:
    for name in [".git/a.py", "__MACOSX/a.py", "__pycache__/a.py", "venv/a.py", "ada/.a.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "ada" / "a.py").write_text("")
    (tree,) = open_trees([tmp_path])
    assert [entry.path for entry in tree.entries] == ["ada/a.py"]


def test_single_files_form_one_source(tmp_path: Path) -> None:
    for name in ("ada.py", "bob.py"):
        (tmp_path / name).write_text(name)
    (tree,) = open_trees([tmp_path / "bob.py", tmp_path / "ada.py"])
    assert [entry.path for entry in tree.entries] == ["ada.py", "bob.py"]


def test_single_files_with_the_same_name_keep_their_folders(tmp_path: Path) -> None:
    for who in ("ada", "bob"):
        (tmp_path / who).mkdir()
        (tmp_path / who / "projection.py").write_text(who)
    (tree,) = open_trees([tmp_path / who / "projection.py" for who in ("ada", "bob")])
    assert [entry.path for entry in tree.entries] == ["ada/projection.py", "bob/projection.py"]


@pytest.mark.parametrize(
    ("name", "says"), [("nowhere", "no file or folder"), ("notes.txt", "is not a folder, a ZIP")]
)
def test_a_path_that_is_not_a_source_is_refused(name: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(UsageError, match=says):
        open_trees([tmp_path / name])
