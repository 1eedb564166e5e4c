"""Tests of the size of files and folders. A long file or a full folder is split by purpose, or listed here with the reason."""

import subprocess
import unittest
from collections import Counter
from pathlib import Path, PurePath

ROOT = Path(__file__).resolve().parents[2]
LINES_MAX = 400
FILES_MAX = 16
SOURCE = {".css", ".html", ".js", ".mjs", ".php", ".py", ".rs", ".toml", ".ts", ".yaml"}
# Longer files. Files of packages and their hashes are written by tools.
LONG = {
    "template.yaml": "decision 32 says why it is not split",
    "infra/permissions.yaml": "a role for each function",
    "infra/engine/differences.toml": "each known difference, with its source",
}
WRITTEN_BY_TOOLS = {".lock", "package-lock.json", "record.json"}
# Folders with more files of source.
FULL = {
    "tests/black_box": "a file for each endpoint",
    "shared/src/store/items": "a file for each kind of item",
    "web": "the names are the addresses of the pages",
    "web/client": "the names are URLs, and a page loads a module only when it needs its functions",
    "web/assets": "the names are URLs: moving a file would change every page that loads it",
}


def is_written_by_a_tool(name: str) -> bool:
    """Whether the file is a list of packages with their hashes."""
    return bool({PurePath(name).suffix, PurePath(name).name} & WRITTEN_BY_TOOLS)


def long(lines: dict[str, int]) -> list[str]:
    """The files that are too long, and the exceptions that are not needed. `lines` are the lengths by name."""
    found = [name for name, count in lines.items() if count > LINES_MAX and not is_written_by_a_tool(name)]
    return sorted(set(found) ^ LONG.keys())


def full(names: list[str]) -> list[str]:
    """The folders with too many files of source, and the exceptions that are not needed."""
    counts = Counter(str(PurePath(name).parent) for name in names if PurePath(name).suffix in SOURCE)
    return sorted({folder for folder, count in counts.items() if count > FILES_MAX} ^ FULL.keys())


class House(unittest.TestCase):
    """The files that git has."""

    def setUp(self):
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
        self.names = [name for name in listed if (ROOT / name).is_file()]

    def test_no_file_is_too_long(self):
        texts = {name: (ROOT / name).read_bytes() for name in self.names}
        lines = {name: content.count(b"\n") for name, content in texts.items() if b"\0" not in content}
        self.assertEqual(long(lines), [], f"longer than {LINES_MAX} lines: split it, or list it in LONG with the reason")

    def test_no_folder_is_too_full(self):
        self.assertEqual(full(self.names), [], f"more than {FILES_MAX} files: split it, or list it in FULL with the reason")

    def test_a_long_file_a_full_folder_and_an_obsolete_exception_are_found(self):
        exceptions = dict.fromkeys(LONG, LINES_MAX + 1)
        self.assertEqual(long(exceptions | {"a.rs": LINES_MAX, "Cargo.lock": 9999}), [])
        self.assertEqual(long(exceptions | {"a.rs": LINES_MAX + 1}), ["a.rs"])
        self.assertEqual(long({}), sorted(LONG))
        files = [f"{folder}/{number}.rs" for folder in FULL for number in range(FILES_MAX + 1)]
        self.assertEqual(full([*files, "a/b.rs"]), [])
        self.assertEqual(full([*files, *(f"a/{number}.rs" for number in range(FILES_MAX + 1))]), ["a"])
        self.assertEqual(full([]), sorted(FULL))


if __name__ == "__main__":
    unittest.main()
