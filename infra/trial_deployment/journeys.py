"""Runs the journeys of tests/ against a trial."""

import argparse
import re

from processes import run
from stack import ROOT

# A package alone would be compiled with other features than the workspace.
CARGO = ["cargo", "test", "--locked"]
TARGETS = ["black_box", "providers"]
LISTED_ORIGIN = "https://listed.example"
# Nothing listens there. A journey ends at this address when it reads a mail or needs a credential of the local identity provider.
NOWHERE = "http://127.0.0.1:9"
ENVIRONMENT = {
    "BACKENDS_URL": NOWHERE,
    "COOKIE_SECURE": "true",
    "LISTED_ORIGIN": LISTED_ORIGIN,
    "VISITOR_ADDRESS": "success+{}@simulator.amazonses.com",  # SES's simulator accepts any mail
    "RUST_TEST_THREADS": "4",  # Lambda runs at most ten calls at once in a new AWS account
}


def build() -> None:
    """Builds the journeys before anything that costs money is created."""
    status, output = run([*CARGO, "--no-run", *(word for target in TARGETS for word in ("--test", target))])
    if status:
        raise SystemExit(f"the journeys cannot be built:\n{output[-4000:]}")


def journeys(base_url: str, asked: argparse.Namespace, faults: list[str]) -> list[str]:
    """Runs the black-box tests, and those of the data endpoint, against a URL. Adds those that fail to the faults."""
    log, skipped = asked.report.with_suffix(".log"), [f"--skip={claim}" for claim in asked.skip]
    outputs = [
        run([*CARGO, "--test", target, "--no-fail-fast", "--", *wanted, *skipped], BASE_URL=base_url, **ENVIRONMENT)[1]
        for target, wanted in zip(TARGETS, (asked.filter, ["receive_data::"]), strict=True)
    ]
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("\n".join(outputs), encoding="utf-8")
    passed, failed, ended = (sum(found, []) for found in zip(*map(outcome, outputs), strict=True))
    faults += [f"journey failed: {claim}" for claim in failed]
    return [
        f"{len(passed)} passed, {len(failed)} failed ({log.name} says why), and {len(ended)} ended where they read a mail or sign in with Google. "
        "The mails went to SES's simulator.", "", *(f"- ended: `{claim}`" for claim in ended), *(f"- skipped: `{claim}`" for claim in asked.skip)]


def outcome(output: str) -> tuple[list[str], list[str], list[str]]:
    """The journeys in the test runner's output that passed, failed, and ended at NOWHERE."""
    results = re.findall(r"^test (\S+) \.\.\. (ok|FAILED)$", output, re.MULTILINE)
    if not results:
        return [], [f"no test ran: {output[-500:]}"], []
    parts = re.split(r"^---- (\S+) stdout ----$", output, flags=re.MULTILINE)
    ended = [claim for claim, text in zip(parts[1::2], parts[2::2], strict=True) if NOWHERE in text]
    passed = [claim for claim, result in results if result == "ok"]
    return passed, [claim for claim, result in results if result == "FAILED" and claim not in ended], ended
