"""Tests of releases: a deployment uses only zips and templates that match the list of digests."""

import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FUNCTIONS = ["login", "logout"]


class Take(unittest.TestCase):
    """A release of two functions, unchanged and with one change."""

    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.top, self.folder = Path(work.name, "tree"), Path(work.name, "a release")
        (self.top / "scripts/deploy").mkdir(parents=True)
        shutil.copy(ROOT / "scripts/deploy/release", self.top / "scripts/deploy/release")
        for function in FUNCTIONS:
            self.write(f"functions/{function}/Cargo.toml", b"")
            self.write(f"target/lambda/arm64/{function}/bootstrap.zip", function.encode())
            self.write(f"target/sbom/arm64/{function}.cdx.json", b"{}")
        self.write("target/accounts/arm64/accounts", b"accounts")
        self.write("target/sbom/arm64/accounts.cdx.json", b"{}")
        self.write("template.yaml", b"Resources: {}")
        self.write("infra/mail.yaml", b"Resources: {}")
        for command in (["pack", self.folder, "arm64"], ["sums", self.folder]):
            self.assertEqual(self.release(*command).stderr, "")
        # The existing zips are kept until a complete release replaces them.
        self.write("target/lambda/arm64/login/bootstrap.zip", b"before")
        self.write("target/lambda/arm64/of-old/bootstrap.zip", b"before")

    def write(self, name: str, content: bytes) -> None:
        """Writes a file of the tree."""
        (self.top / name).parent.mkdir(parents=True, exist_ok=True)
        (self.top / name).write_bytes(content)

    def release(self, *arguments: object) -> subprocess.CompletedProcess:
        """Runs scripts/deploy/release in the tree."""
        return subprocess.run([self.top / "scripts/deploy/release", *arguments], check=False, capture_output=True, text=True)

    def there(self) -> dict[str, bytes]:
        """All zips and remains below target/lambda."""
        found = (self.top / "target/lambda").rglob("*")
        return {str(path.relative_to(self.top)): path.read_bytes() for path in found if path.is_file()}

    def refused(self, reason: str, taken: str = "", architecture: str = "arm64") -> None:
        """Asserts that the release is refused for this reason, and that nothing has changed."""
        before = self.there()
        ran = self.release("take", taken or self.folder, architecture)
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn(reason, ran.stderr)
        self.assertEqual(self.there(), before)

    def test_the_zips_of_a_release_replace_the_existing_ones(self):
        self.assertEqual(self.release("take", self.folder, "arm64").stderr, "")
        self.assertEqual(self.there(), {f"target/lambda/arm64/{function}/bootstrap.zip": function.encode() for function in FUNCTIONS})

    def test_sha256sum_agrees_with_the_list_of_digests(self):
        command = ["sha256sum", "--check", "--strict", "--quiet", "--ignore-missing", "SHA256SUMS"]
        self.assertEqual(subprocess.run(command, cwd=self.folder, check=False).returncode, 0)
        listed = (self.folder / "SHA256SUMS").read_text()
        self.assertEqual([line.split("  ")[1] for line in listed.splitlines()], [
            "accounts-arm64", "accounts-arm64.cdx.json", "login-arm64.cdx.json", "login-arm64.zip", "logout-arm64.cdx.json", "logout-arm64.zip", "template.yaml", "infra/mail.yaml"])

    def test_a_zip_that_is_missing_changed_or_not_listed_is_named(self):
        (self.folder / "logout-arm64.zip").write_bytes(b"changed")
        self.refused("\nlogout-arm64.zip\n")
        (self.folder / "login-arm64.zip").rename(self.folder / "login-x86_64.zip")
        self.refused("login-arm64.zip")
        shutil.copy(self.folder / "logout-arm64.zip", self.folder / "logout-x86_64.zip")
        self.refused("\nlogin-x86_64.zip\n", architecture="x86_64")
        (self.folder / "SHA256SUMS").write_text("\n")
        self.refused("login-x86_64.zip\nlogout-x86_64.zip\ntemplate.yaml\ninfra/mail.yaml\n", architecture="x86_64")

    def test_the_zips_of_a_release_need_its_own_templates(self):
        for template in ("template.yaml", "infra/mail.yaml", "infra/new.yaml"):
            with self.subTest(template):
                self.write(template, b"Resources: {Other: {}}")
                self.refused(f"{template}\nIf these are templates, check out the release's tag first")

    def test_a_release_comes_from_a_folder_or_over_https(self):
        for taken in ("http://example.com/v1", "file:///etc", str(self.folder / "nowhere")):
            self.refused("it takes a folder, or an address that begins with https://", taken=taken)


class Published(unittest.TestCase):
    """What is published, and how operators check it."""

    def test_the_attestation_that_an_operator_accepts_is_of_the_release_workflow_and_of_the_tag(self):
        pages = [ROOT / "infra/README.md", ROOT / "docs/accounts.md", ROOT / "README.md"]
        text = "\n".join(page.read_text(encoding="utf-8") for page in pages).replace("\\\n", " ")
        commands = re.findall(r"gh attestation verify[^\n&]*", text)
        self.assertGreater(len(commands), 1)
        for command in commands:
            self.assertIn("--signer-workflow OWNER/REPOSITORY/.github/workflows/release.yml", command)
            self.assertIn("--source-ref refs/tags/v", command)
        self.assertTrue((ROOT / ".github/workflows/release.yml").is_file())

    def test_the_digests_are_of_every_template_that_is_deployed(self):
        texts = {path: path.read_text(encoding="utf-8") for path in [ROOT / "template.yaml", *(path for path in (ROOT / "infra").rglob("*.yaml") if not {"examples", "package"} & set(path.parts))]}
        templates = {str(path.relative_to(ROOT)) for path, text in texts.items() if "AWSTemplateFormatVersion" in text}
        self.assertGreater(len(templates), 5)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "login-arm64.zip").write_bytes(b"login")
            subprocess.run([ROOT / "scripts/deploy/release", "sums", folder], check=True)
            listed = {line.split("  ")[1] for line in Path(folder, "SHA256SUMS").read_text().splitlines()}
        self.assertEqual(templates - listed, set())

    def test_the_version_of_a_stack_is_that_of_the_workspace(self):
        version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
        output = re.search(r"^  Version: \{.*Value: \"(.*)\" \}$", (ROOT / "template.yaml").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(output[1], version)


class Deploy(unittest.TestCase):
    """The commands of `make deploy`."""

    def planned(self, *arguments: str) -> str:
        """The commands, without running them."""
        command = ["make", "--dry-run", "deploy", *arguments]
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout

    def test_a_release_is_taken_and_nothing_is_compiled(self):
        plan = self.planned("RELEASE=v1")
        self.assertNotIn("scripts/build/build", plan)
        self.assertLess(plan.index("scripts/deploy/release take"), plan.index("scripts/deploy/deploy"))

    def test_without_a_release_the_zips_are_built(self):
        plan = self.planned()
        self.assertIn("scripts/build/build", plan)
        self.assertNotIn("scripts/deploy/release", plan)


if __name__ == "__main__":
    unittest.main()
