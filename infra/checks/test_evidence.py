"""Tests of the documents whose rows name their evidence: each row names a test, a file, a setting or a parameter of the
template, and each of these exists. docs/asvs.md answers each requirement of levels 1 and 2 once, and one of level 3. Every
file of the tests is a module, so that its tests run."""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GATEWAY = "docs/gateway.md"
ASVS = "docs/asvs.md"
# The levels of the requirements of ASVS 5.0.0. Each line is a chapter, each word a section, and each digit the level of one requirement.
LEVELS = """
22 1111122223 112222222223 222 123
122 112 12223 23
3 113 12223 11222233 11122333 3 22333
12233 23333 22 1222
2 112333 113 222
122 111111112222 11223333 112233 22222333 2223 33 2222
222 1111 22 11222 223 22
1233 1123 133 23
111 1222
22 223 22223 1111122222233333 22222 22 222
2233 22233 11233 1222 23 23 33
12233 11 22223
2333 222223 2233 1222233
22 12223333 122
12233 12233 1222222 3333
2 22222 2222 222 2223
23 22223333 22
"""
# The requirement of level 3 that must be answered too: users are notified of changed authentication details.
FURTHER = "V6.3.7"


def rows(document: str) -> list[list[str]]:
    """The cells of the rows of a document's tables, below the tables' heads."""
    found, is_body = [], False
    for line in (ROOT / document).read_text(encoding="utf-8").splitlines():
        if not (line.startswith("|") and line.endswith("|")):
            is_body = False
        elif is_body:
            found.append([cell.strip() for cell in line[1:-1].split("|")])
        is_body |= line.startswith("|---")
    return found


def sources(*folders: str) -> list[Path]:
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.rs"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    return [ROOT / name for name in names if name.startswith(folders or "") and (ROOT / name).is_file()]


def tests_of(text: str) -> set[str]:
    """The tests of a file: the functions with the attribute, and the names in the call of a macro that defines tests."""
    attributes = r"#\[(?:tokio::)?test[^\n]*\]\n(?:\s*#\[[^\n]*\]\n)*\s*(?:async )?fn "
    names = set(re.findall(attributes + r"(\w+)", text))
    for maker, body in re.findall(r"macro_rules! (\w+) \{(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        if re.search(attributes + r"\$", body):
            calls = re.findall(rf"^{maker}! \{{\n(.*?)^\}}", text, re.MULTILINE | re.DOTALL)
            names |= {name for call in calls for name in re.findall(r"^\s*(\w+):", call, re.MULTILINE)}
    return names


def all_tests() -> dict[str, list[str]]:
    """The names of all tests, each with the files that have a test of this name. A file is named by its stem: `lib.rs` by the
    crate's folder, `mod.rs` and `main.rs` by the folder."""
    found: dict[str, list[str]] = {}
    for path in sources():
        file = {"lib": path.parent.parent.name, "mod": path.parent.name, "main": path.parent.name}.get(path.stem, path.stem)
        for name in tests_of(path.read_text(encoding="utf-8")):
            found.setdefault(name, []).append(file)
    return found


TESTS = all_tests()
CODE = "".join(path.read_text(encoding="utf-8") for path in sources("shared/", "functions/"))
TEMPLATE = (ROOT / "template.yaml").read_text(encoding="utf-8")


def fault(name: str) -> str | None:
    """What is wrong with a name in a row, if anything. It names a file, a setting, a parameter of the template, or a test."""
    if "/" in name or "." in name:
        return None if (ROOT / name).exists() else f"no file {name}"
    if name.isupper():
        return None if f'"{name}"' in CODE else f"no setting {name}"
    if name[0].isupper():
        return None if f"\n  {name}:" in TEMPLATE else f"no parameter {name}"
    file, _, test = name.rpartition("::")
    files = TESTS.get(test, [])
    if not files:
        return f"no test is named {test}"
    return None if files.count(file) == 1 or (not file and len(files) == 1) else f"{name} is not one of {files}"


def names(cells: list[str]) -> list[str]:
    return cells[-1].split("`")[1::2]


def requirements(cell: str) -> list[str]:
    """The requirements of a cell: `V1.2.1 V1.2.5–V1.2.9`."""
    found = []
    for name in cell.split():
        (section, first), (end, last) = (part.rsplit(".", 1) for part in (name.partition("–")[0], name.rpartition("–")[2]))
        assert section == end and int(first) <= int(last), name
        found += [f"{section}.{number}" for number in range(int(first), int(last) + 1)]
    return found


def undeclared(folder: Path, declaring: Path) -> list[Path]:
    """The modules below a folder that no file declares."""
    text, found = declaring.read_text(encoding="utf-8"), []
    for path in folder.iterdir():
        inner = path / "mod.rs"
        is_module = inner.exists() or (path.suffix == ".rs" and path != declaring)
        found += [path] if is_module and f"mod {path.stem};" not in text else []
        found += undeclared(path, inner) if inner.exists() else []
    return found


class Evidence(unittest.TestCase):
    """What the documents name."""

    def test_everything_that_a_row_names_exists(self):
        for document in ("SECURITY.md", ASVS, GATEWAY):
            for cells in rows(document):
                with self.subTest(document, row=cells[0]):
                    self.assertNotEqual(names(cells), [])
                    self.assertEqual([found for name in names(cells) if (found := fault(name))], [])

    def test_every_row_of_gateway_md_has_a_test_and_a_source_or_the_word_assumed(self):
        self.assertNotEqual(rows(GATEWAY), [])
        for _, source, evidence in rows(GATEWAY):
            self.assertTrue("](https://" in source or "Assumed" in source, source)
            self.assertTrue(any(name.rpartition("::")[2] in TESTS for name in names([evidence])), evidence)

    def test_every_requirement_is_answered_once_and_none_is_invented(self):
        levels = {}
        for chapter, sections in enumerate(LEVELS.split("\n")[1:-1], 1):
            for section, digits in enumerate(sections.split(), 1):
                levels |= {f"V{chapter}.{section}.{number}": digit for number, digit in enumerate(digits, 1)}
        self.assertEqual([list(levels.values()).count(level) for level in "123"], [70, 183, 92])
        answered = []
        for requirement, met, how, _ in rows(ASVS):
            self.assertIn(met, ("yes", "part", "no", "host", "n/a"), requirement)
            self.assertTrue(how, requirement)
            answered += requirements(requirement)
        self.assertEqual(len(answered), len(set(answered)))
        self.assertEqual(set(answered) - set(levels), set())
        self.assertEqual({name for name, level in levels.items() if level < "3" or name == FURTHER} - set(answered), set())

    def test_every_file_of_the_tests_is_a_module_of_its_folder(self):
        for crate in ("black_box", "embedded", "interleavings", "load", "on_lambda", "providers", "support"):
            folder = ROOT / "tests" / crate
            declaring = next(path for path in (folder / "main.rs", folder / "lib.rs") if path.exists())
            self.assertEqual(undeclared(folder, declaring), [], f"add `mod` to {declaring}, or the tests do not run")

    def test_mistakes_are_detected(self):
        wrong = "no_such_test assert_sound unknown_fields_of_a_form_change_nothing nowhere::a_wrong_password_is_refused shared/src/nothing.rs"
        for name in [*wrong.split(), "NO_SUCH_SETTING", "NoSuchParameter"]:
            self.assertIsNotNone(fault(name), name)
        right = "user_config::unknown_fields_of_a_form_change_nothing the_service_withstands_every_fault shared/src/account/token.rs"
        for name in [*right.split(), "RESET_TOKEN_SECONDS", "GoogleClientIds"]:
            self.assertIsNone(fault(name), name)


if __name__ == "__main__":
    unittest.main()
