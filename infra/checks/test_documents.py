"""Tests of the documents: the targets of links, the names of tests, and the format of decision records."""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "docs/decisions"
LINK = re.compile(r"\]\(([^)\s]+)\)")
# A name of five or more words is the name of a test. test_evidence.py checks the evidence of the security documents more strictly.
TEST = re.compile(r"`([a-z0-9]+(?:_[a-z0-9]+){4,})`")
FORM = re.compile(r"# (\d+)\. .+\n\n(.+\n+)?## Context\n\n[^#]+\n\n## Decision\n\n[^#]+\n\n## Consequences\n\n- [^#]+\n")

# The most words of pages that have to be read as a whole, or in a hurry.
WORDS_MAX = {"infra/README.md": 3000, "docs/before-you-choose.md": 700}


def documents() -> list[Path]:
    """All documents, except those that git ignores."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def anchors(document: Path) -> set[str]:
    """The anchors that GitHub makes for a document's headings."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(document: Path, text: str) -> list[str]:
    """Links to files or headings that do not exist."""
    found = []
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, heading = target.partition("#")
        place = (document.parent / name).resolve() if name else document
        if not place.exists() or (heading and place.suffix == ".md" and heading not in anchors(place)):
            found.append(target)
    return found


def faults_of_record(name: str, text: str, index: str) -> list[str]:
    """The faults of a decision record."""
    match = FORM.fullmatch(text)
    found = [] if match and int(name[:4]) == int(match[1]) else ["has the wrong format, or another number than its file"]
    found += [] if 10 <= text.count("\n") <= 30 else ["has fewer than 10 lines or more than 30"]
    return found + ([] if index.count(f"({name})") == 1 else ["is not in the index exactly once"])


class Documents(unittest.TestCase):
    """All documents of the repository."""

    def test_every_link_has_a_target(self):
        for document in documents():
            with self.subTest(str(document.relative_to(ROOT))):
                self.assertEqual(dead_links(document, document.read_text(encoding="utf-8")), [])

    def test_every_named_test_exists(self):
        code = ["git", "grep", "--untracked", "-hoE", r"(fn|def) [a-z0-9_]+|^ *[a-z0-9_]+: ", "--", "*.rs", "*.py"]
        there = set(re.findall(r"[a-z0-9_]+", subprocess.run(code, cwd=ROOT, check=True, capture_output=True, text=True).stdout))
        for document in documents():
            with self.subTest(str(document.relative_to(ROOT))):
                self.assertEqual(set(TEST.findall(document.read_text(encoding="utf-8"))) - there, set())

    def test_decision_records_have_one_format_and_an_index(self):
        records = sorted(DECISIONS.glob("[0-9]*.md"))
        index = (DECISIONS / "README.md").read_text(encoding="utf-8")
        numbers = [path.name[:4] for path in records]
        self.assertEqual(sorted(set(numbers)), numbers)
        for path in records:
            with self.subTest(path.name):
                self.assertEqual(faults_of_record(path.name, path.read_text(encoding="utf-8"), index), [])

    def test_pages_that_are_read_in_a_hurry_are_short(self):
        for name, most in WORDS_MAX.items():
            self.assertLessEqual(len((ROOT / name).read_text(encoding="utf-8").split()), most, name)

    def test_mistakes_are_detected(self):
        readme = ROOT / "README.md"
        for link in ("[a](docs/nothing.md)", "[a](#no-such-heading)", "[a](ARCHITECTURE.md#no-such-heading)"):
            self.assertNotEqual(dead_links(readme, link), [])
        self.assertEqual(dead_links(readme, "[a](ARCHITECTURE.md) [b](https://example.com)"), [])
        record = "# 7. Title\n\n## Context\n\nA.\n\n## Decision\n\nB.\n\n## Consequences\n\n- C.\n"
        self.assertEqual(faults_of_record("0007-title.md", record, "[Title](0007-title.md)"), [])
        self.assertNotEqual(faults_of_record("0008-title.md", record, "[Title](0008-title.md)"), [])
        self.assertNotEqual(faults_of_record("0007-title.md", record.replace("Decision", "Choice"), "[Title](0007-title.md)"), [])
        self.assertNotEqual(faults_of_record("0007-title.md", record, ""), [])


if __name__ == "__main__":
    unittest.main()
