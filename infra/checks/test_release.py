"""Tests of releases: a deployment uses only zips that match the list of digests."""

import contextlib
import importlib.util
import io
import subprocess
import tempfile
import unittest
import urllib.request
import zipfile
from importlib.machinery import SourceFileLoader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOADER = SourceFileLoader("release", str(ROOT / "scripts/deploy/release"))
release = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", LOADER))
LOADER.exec_module(release)

FUNCTIONS = ["login", "logout"]


def zip_of(**files: str) -> bytes:
    """A zip with files of these names."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return made.getvalue()


class Take(unittest.TestCase):
    """A release of two functions, unchanged and with one change."""

    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.top, self.folder = Path(work.name, "tree"), Path(work.name, "release")
        for function in FUNCTIONS:
            self.write(f"functions/{function}/Cargo.toml", b"")
            self.write(f"target/lambda/arm64/{function}/bootstrap.zip", zip_of(bootstrap=function))
            self.write(f"target/sbom/arm64/{function}.cdx.json", b"{}")
        self.write("template.yaml", b"Resources: {}")
        release.pack(self.folder, "arm64", self.top)
        release.sums(self.folder, self.top)
        # The existing zips are kept until a complete release replaces them.
        self.write("target/lambda/arm64/login/bootstrap.zip", b"before")
        self.write("target/lambda/arm64/of-old/bootstrap.zip", b"before")

    def write(self, name: str, content: bytes) -> None:
        """Writes a file of the tree."""
        (self.top / name).parent.mkdir(parents=True, exist_ok=True)
        (self.top / name).write_bytes(content)

    def there(self) -> dict[str, bytes]:
        """The zips that would be deployed."""
        found = (self.top / "target/lambda/arm64").glob("*/bootstrap.zip")
        return {path.parent.name: path.read_bytes() for path in found}

    def refused(self, *reasons: str, taken: str = "", architecture: str = "arm64") -> None:
        """Asserts that the release is refused for these reasons, and that the zips have not changed."""
        before = self.there()
        with self.assertRaises(release.Refused) as caught:
            release.take(taken or str(self.folder), architecture, self.top)
        for reason in reasons:
            self.assertIn(reason, str(caught.exception))
        self.assertEqual(self.there(), before)

    def listed_as(self, old: str, new: str) -> None:
        """Changes the list of digests."""
        sums = self.folder / "SHA256SUMS"
        self.assertIn(old, text := sums.read_text())
        sums.write_text(text.replace(old, new))

    def test_the_zips_of_a_release_replace_the_existing_ones(self):
        with contextlib.redirect_stdout(io.StringIO()):
            release.take(str(self.folder), "arm64", self.top)
        self.assertEqual(self.there(), {function: zip_of(bootstrap=function) for function in FUNCTIONS})

    def test_sha256sum_agrees_with_the_list_of_digests(self):
        command = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
        self.assertEqual(subprocess.run(command, cwd=self.folder, check=False).returncode, 0)

    def test_a_zip_that_is_missing_changed_or_not_listed_is_named(self):
        (self.folder / "login-arm64.zip").unlink()
        (self.folder / "logout-arm64.zip").write_bytes(zip_of(bootstrap="changed"))
        self.refused("login-arm64.zip is not in", "logout-arm64.zip is not the file that SHA256SUMS lists")
        self.refused("login-x86_64.zip is not listed", architecture="x86_64")
        (self.folder / "SHA256SUMS").unlink()
        self.refused("SHA256SUMS is not in")

    def test_a_symbolic_link_is_refused(self):
        (self.folder / "login-arm64.zip").rename(self.top / "elsewhere")
        (self.folder / "login-arm64.zip").symlink_to(self.top / "elsewhere")
        self.refused("login-arm64.zip is not in")

    def test_a_path_in_the_list_of_digests_is_refused(self):
        for name in ("../login-arm64.zip", "/login-arm64.zip", "zips/login-arm64.zip", ".login-arm64.zip", "logout-arm64.zip", ""):
            with self.subTest(name):
                text = (self.folder / "SHA256SUMS").read_text()
                self.listed_as("login-arm64.zip", name)
                self.refused("of SHA256SUMS is not a digest and a file name, or repeats a file name")
                (self.folder / "SHA256SUMS").write_text(text)

    def test_a_zip_contains_only_the_program(self):
        for content, reason in (
            (zip_of(bootstrap="", more=""), "contains ['bootstrap', 'more']"),
            (zip_of(**{"../bootstrap": ""}), "contains ['../bootstrap']"),
            (b"no zip", "is not a zip"),
        ):
            (self.folder / "login-arm64.zip").write_bytes(content)
            release.sums(self.folder, self.top)
            self.refused(f"login-arm64.zip {reason}")

    def test_the_zips_of_a_release_need_its_own_template(self):
        self.write("template.yaml", b"Resources: {Other: {}}")
        self.refused("template.yaml here differs from the release's")

    def test_a_release_comes_from_a_folder_or_over_https(self):
        for taken in ("http://example.com/v1", "ftp://example.com/v1", "file:///etc"):
            self.refused("begins with https://", taken=taken)
        for taken in ("https://user@example.com/v1", "https://example.com/v1?a=b", "https://example.com/v1#a", "https://example.com//v1"):
            self.refused("without a user, a query or a fragment", taken=taken)
        self.refused("there is no such folder", taken=str(self.folder / "nowhere"))

    def test_a_redirect_that_leaves_https_is_not_followed(self):
        request = urllib.request.Request("https://example.com/v1/SHA256SUMS")
        redirected = lambda url: release.HttpsAlone().redirect_request(request, None, 302, "Found", {}, url)
        self.assertEqual(redirected("https://files.example.com/1").full_url, "https://files.example.com/1")
        with self.assertRaises(release.Refused):
            redirected("http://files.example.com/1")


class Deploy(unittest.TestCase):
    """The commands of `make deploy`."""

    def planned(self, *arguments: str) -> str:
        """The commands, without running them."""
        command = ["make", "--dry-run", "deploy", *arguments]
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout

    def test_a_release_is_taken_and_nothing_is_compiled(self):
        plan = self.planned("RELEASE=v1")
        self.assertIn("scripts/deploy/release take", plan)
        self.assertNotIn("scripts/build/build", plan)
        self.assertLess(plan.index("scripts/deploy/release take"), plan.index("scripts/deploy/deploy"))

    def test_without_a_release_the_zips_are_built(self):
        plan = self.planned()
        self.assertIn("scripts/build/build", plan)
        self.assertNotIn("scripts/deploy/release", plan)


if __name__ == "__main__":
    unittest.main()
