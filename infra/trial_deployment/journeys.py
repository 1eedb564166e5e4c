"""Runs the journeys of tests/ against a trial, and finds those that read mails."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from processes import run
from stack import ROOT

# A package alone would be compiled with other features than the workspace.
CARGO = ["cargo", "test", "--locked"]
TARGETS = ["black_box", "providers"]
# The pattern of a call that reads a mail in a test. A test that calls a helper with such a call is found by the helper's name.
READS_MAIL = re.compile(r"\.(?:reset_token|mailed_tokens|mails)\(")
# Lambda runs at most ten calls at once in a new AWS account.
THREADS = "4"


@dataclass
class Outcome:
    """The outcome of the journeys."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    log: str = ""


def build() -> None:
    """Builds the journeys before anything that costs money is created."""
    status, output = run([*CARGO, "--no-run", *(word for target in TARGETS for word in ("--test", target))])
    if status:
        raise SystemExit(f"the journeys cannot be built:\n{output[-4000:]}")


def journeys(base_url: str, skipped: dict[str, str], filters: list[str], **environment: str) -> Outcome:
    """Runs the black-box tests, and those of the data endpoint, against a URL."""
    outcome = Outcome(skipped=skipped)
    settings = {"BASE_URL": base_url, "COOKIE_SECURE": "true", "RUST_TEST_THREADS": THREADS, **environment}
    skip = [f"--skip={claim}" for claim in skipped]
    for target, wanted in zip(TARGETS, (filters, ["receive_data::"]), strict=True):
        _, output = run([*CARGO, "--test", target, "--no-fail-fast", "--", *wanted, *skip], **settings)
        results = re.findall(r"^test (\S+) \.\.\. (ok|FAILED)$", output, re.MULTILINE)
        outcome.passed += sum(result == "ok" for _, result in results)
        outcome.failed += [claim for claim, result in results if result == "FAILED"]
        outcome.log += output
        if not results:
            outcome.failed.append(f"{target}: no test ran: {output[-500:]}")
    return outcome


def that_read_mail(folder: Path = ROOT / "tests/black_box") -> list[str]:
    """The tests that read a mail, by their names in the test runner."""
    found = []
    for file in sorted(folder.rglob("*.rs")):
        module = "::".join(file.relative_to(folder).with_suffix("").parts).removesuffix("::mod")
        found += [f"{module}::{claim}" for claim in reading(file.read_text(encoding="utf-8"))]
    return found


def reading(source: str) -> list[str]:
    """The tests of a file that read a mail, directly or with a helper function of the file."""
    parts = re.split(r"^(#\[tokio::test[^\n]*\n)?(?:pub )?(?:async )?fn (\w+)", source, flags=re.MULTILINE)
    functions = list(zip(parts[1::3], parts[2::3], parts[3::3], strict=True))
    names: set[str] = set()
    while True:
        calls = re.compile("|".join(rf"\b{name}\(" for name in sorted(names)) or "(?!)")
        more = {name for _, name, body in functions if READS_MAIL.search(body) or calls.search(body)}
        if more == names:
            return [name for test, name, _ in functions if test and name in names]
        names = more


def address(domain: str | None) -> str:
    """The pattern of the journeys' addresses: at the operator's domain, or at SES's simulator, which accepts any mail."""
    return f"{{}}@{domain}" if domain else "success+{}@simulator.amazonses.com"
