"""Tests of the GitHub workflows: pinned actions, least permissions and time limits, and of what Dependabot updates. actionlint checks the rest."""

import re
import subprocess
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*(ROOT / ".github/workflows").glob("*.yml"), *(ROOT / ".github/actions").glob("*/action.yml")])
# A full commit hash, with the version as a comment for readers and Dependabot.
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
IMAGE = re.compile(r"[\w./:-]+@sha256:[0-9a-f]{64}")
USES = re.compile(r"^[ -]*uses: *(.*)$", re.MULTILINE)
# The jobs with more permissions than reading the code.
PERMITTED = {"publish": {"actions": "read", "attestations": "write", "contents": "write", "id-token": "write"}}
READ = {"contents": "read"}


def faults_of_job(name: str, job: dict) -> list[str]:
    """The faults of a job."""
    found = [] if "permissions" in job else ["has no permissions of its own"]
    more = job.get("permissions", {}).items() - READ.items()
    found += [] if more <= PERMITTED.get(name, {}).items() else [f"is permitted {dict(more)}"]
    found += [] if "uses" in job or "timeout-minutes" in job else ["has no time limit"]
    found += [] if "container" not in job or IMAGE.fullmatch(str(job["container"])) else ["runs in an image without a digest"]
    return [f"{name} {fault}" for fault in found + faults_of_steps(job.get("steps", []))]


def faults_of_steps(steps: list[dict]) -> list[str]:
    """The faults of the steps of a job or an action."""
    found = []
    for step in steps:
        if "${{" in step.get("run", ""):
            found.append(f"puts an expression into a script: {step['run']!r}")
        if step.get("uses", "").startswith("actions/checkout@") and step.get("with", {}).get("persist-credentials") is not False:
            found.append("leaves the token in the checkout")
    return found


def faults(text: str) -> list[str]:
    """The faults of a workflow or an action."""
    found = [f"{used} is not pinned" for used in USES.findall(text) if not used.startswith("./") and not PINNED.fullmatch(used)]
    file = yaml.safe_load(text)
    if "runs" in file:
        return found + faults_of_steps(file["runs"]["steps"])
    # YAML parses the key `on` as the boolean true.
    found += ["runs code of a fork with the permissions of the repository"] if "pull_request_target" in file[True] else []
    found += [] if file.get("permissions") == {} else ["gives every job permissions"]
    found += [] if "concurrency" in file else ["may run twice at the same time"]
    return found + [fault for name, job in file["jobs"].items() for fault in faults_of_job(name, job)]


# What Dependabot reads in a directory.
MANIFESTS = {"cargo": "Cargo.toml", "npm": "package.json", "github-actions": "action.yml"}
PINNED_CRATE = re.compile(r'^([\w-]+) = (?:\{ version = )?"=', re.MULTILINE)


def faults_of_dependabot(text: str, manifest: str) -> list[str]:
    """The directories without a manifest, and the crates that the workspace's manifest pins and Dependabot would update."""
    found, ignored = [], set()
    for update in yaml.safe_load(text)["updates"]:
        ignored |= {ignore["dependency-name"] for ignore in update.get("ignore", [])}
        for directory in update["directories"]:
            place = ROOT / directory.strip("/")
            file = place / MANIFESTS[update["package-ecosystem"]]
            # For GitHub actions, the root directory stands for the workflows.
            is_there = file.is_file() or (file.name == "action.yml" and directory == "/")
            found += [] if is_there else [f"{directory} has no {file.name}"]
    return found + [f"{crate} is pinned and not ignored" for crate in PINNED_CRATE.findall(manifest) if crate not in ignored]


# A mistake of each kind: a file, a pattern in it, and its faulty replacement.
MISTAKES = [
    ("ci.yml", r"actions/checkout@\w{40} # v[\d.]+", "actions/checkout@v6"),
    ("ci.yml", r"(actions/checkout@\w{40}) # v[\d.]+", r"\1"),
    ("action.yml", r"actions/cache@\w{40} # v[\d.]+", "actions/cache@main # v5.0.3"),
    ("ci.yml", r"@sha256:\w{64}", ""),
    ("ci.yml", r"\npermissions: \{\}", "\npermissions: write-all"),
    ("ci.yml", r"contents: read", "contents: write"),
    ("weekly.yml", r"    permissions:\n      contents: read\n", ""),
    ("release.yml", r"    timeout-minutes: 15\n", ""),
    ("release.yml", r"persist-credentials: false", "persist-credentials: true"),
    ("weekly.yml", r'make "\$TARGET"', "make ${{ matrix.target }}"),
    ("ci.yml", r"  pull_request:", "  pull_request_target:"),
    ("weekly.yml", r"concurrency:\n  group: weekly\n", ""),
]


class Workflows(unittest.TestCase):
    """The files, and the detection of mistakes in them."""

    def test_every_workflow_is_pinned_limited_and_least_privileged(self):
        self.assertTrue(FILES)
        for path in FILES:
            with self.subTest(path.name):
                self.assertEqual(faults(path.read_text(encoding="utf-8")), [])

    def test_each_mistake_is_detected(self):
        texts = {path.name: path.read_text(encoding="utf-8") for path in FILES}
        for name, right, wrong in MISTAKES:
            with self.subTest(f"{name}: {wrong}"):
                broken, places = re.subn(right, wrong, texts[name], count=1)
                self.assertEqual(places, 1)
                self.assertNotEqual(faults(broken), [], "the mistake was not detected")

    def test_every_directory_of_dependabot_has_a_manifest_and_pinned_crates_are_ignored(self):
        text = (ROOT / ".github/dependabot.yml").read_text(encoding="utf-8")
        manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
        self.assertEqual(faults_of_dependabot(text, manifest), [])
        self.assertEqual(faults_of_dependabot(text.replace("/tests/web,", "/nowhere,"), manifest), ["/nowhere has no package.json"])
        for line in ('new-crate = "=1.0.0"', 'new-crate = { version = "=1.0.0" }'):
            self.assertEqual(faults_of_dependabot(text, f"{manifest}\n{line}\n"), ["new-crate is pinned and not ignored"])

    def test_an_unknown_part_of_the_gate_is_refused(self):
        gate = subprocess.run([ROOT / ".ci/run", "no-such-part"], check=False, capture_output=True, text=True)
        self.assertEqual(gate.returncode, 2)
        self.assertIn("there is no part", gate.stderr)


if __name__ == "__main__":
    unittest.main()
