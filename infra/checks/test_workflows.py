"""Tests of the GitHub workflows: what their jobs may do and how long, and what Dependabot updates. actionlint and zizmor check the rest."""

import re
import subprocess
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
# The jobs with more permissions than reading the code.
TAKES_A_ROLE = {"actions": "read", "id-token": "write"}
PERMITTED = {
    "publish": {"actions": "read", "attestations": "write", "contents": "write", "id-token": "write"},
    "comment": {"actions": "read", "pull-requests": "write"},
    **dict.fromkeys(["changes", "staging", "production", "again"], TAKES_A_ROLE),
    "drift": {"id-token": "write"},
}
# What Dependabot reads in a directory.
MANIFESTS = {"cargo": "Cargo.toml", "npm": "package.json", "github-actions": "action.yml"}
PINNED_CRATE = re.compile(r'^([\w-]+) = (?:\{ version = )?"=', re.MULTILINE)


def faults_of_job(name: str, job: dict) -> list[str]:
    """The faults of a job."""
    more = job.get("permissions", {}).items() - {"contents": "read"}.items()
    found = [] if more <= PERMITTED.get(name, {}).items() else [f"{name} is permitted {dict(more)}"]
    return found + ([] if "uses" in job or "timeout-minutes" in job else [f"{name} has no time limit"])


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


class Workflows(unittest.TestCase):
    """The files, and the detection of mistakes in them."""

    def test_every_job_has_a_time_limit_and_no_permission_that_it_does_not_need(self):
        files = sorted((ROOT / ".github/workflows").glob("*.yml"))
        jobs = [job for path in files for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].items()]
        self.assertGreater(len(jobs), 5)
        self.assertEqual([fault for job in jobs for fault in faults_of_job(*job)], [])
        self.assertEqual(len(faults_of_job("part", {"permissions": {"contents": "write"}})), 2)

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
