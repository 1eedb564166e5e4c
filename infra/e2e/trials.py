"""Checks on the emulator that scripts/deploy/trial-deployment leaves nothing behind, after a complete and after an interrupted run."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from email.message import EmailMessage

import boto3
from deployment import REGION
from stack import ROOT

sys.path.append(str(ROOT / "infra/trial_deployment"))
from inbox import Inbox  # noqa: E402
from removal import KINDS, Removal  # noqa: E402

REPORT = ROOT / "target/e2e/trial-deployment.md"
# A trial takes less than a minute on a machine that has nothing else to do.
SECONDS = 900
AT_THE_END = ["Removed", "Not tried here"]
MEASURED = ["Journeys", "The table's connection", "A call after a pause", "Other origins", "The gateway", "Cold and warm calls",
            "Percentiles of SuccessfulRequestLatency"]


def there() -> set[tuple[str, str]]:
    """The names of all resources of the emulator."""
    return {(kind, one) for kind, found in KINDS.items() for one in found()}


def interrupt_in_the_middle(process: subprocess.Popen, before: set[tuple[str, str]]) -> None:
    """Sends the signal of Ctrl-C as soon as a new stack and a function exist."""
    deadline = time.monotonic() + SECONDS
    while not {"stack", "function"} <= {kind for kind, _ in there() - before}:
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit("the trial ended, or took too long, before it had a stack and a function")
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)


def trial(interrupted: bool, *arguments: str) -> None:
    """Runs a trial with the shortest measurements. Afterwards the emulator must have the same resources, and the report all its sections."""
    before = there()
    REPORT.unlink(missing_ok=True)
    process = subprocess.Popen(
        [str(ROOT / "scripts/deploy/trial-deployment"), "--yes", "--report", str(REPORT), "--pauses", "0", "--idle-seconds", "1", "--patience", "1", *arguments],
        env={**os.environ, "MAILS_URL": f"{os.environ['AWS_ENDPOINT_URL']}/_ministack/ses/messages"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    try:
        if interrupted:
            interrupt_in_the_middle(process, before)
        said, _ = process.communicate(timeout=SECONDS)
    finally:
        # A trial that still runs ends as with Ctrl-C: it removes its resources first.
        process.terminate()
    report = REPORT.read_text(encoding="utf-8") if REPORT.is_file() else ""
    sections = [line.removeprefix("## ") for line in report.splitlines() if line.startswith("## ")]
    wanted = (1, AT_THE_END) if interrupted else (0, MEASURED + AT_THE_END)
    if (process.returncode, sections) != wanted or ("It was interrupted." in report) != interrupted or there() != before:
        raise SystemExit(f"a trial (interrupted: {interrupted}) has left {there() ^ before}. Its output:\n{said}\n{report}")


def nothing_stays(*arguments: str) -> None:
    """Checks the mails, then runs a complete and an interrupted trial."""
    mails_are_received_and_served_like_those_of_the_local_stack()
    for interrupted in (False, True):
        trial(interrupted, *arguments)


def mails_are_received_and_served_like_those_of_the_local_stack() -> None:
    """Checks the rule, the bucket and the server of the journeys' mails. The emulator receives no mails, so one is put into the bucket."""
    before, name, domain = there(), "accounts-trial-mails", "inbound.example.com"
    bucket, to = f"{name}-mail", f"ana@{domain}"
    boto3.client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
    inbox = Inbox(name, bucket, seconds=0)
    inbox.open(domain)
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "cuentas@example.com", f"Ana <{to}>", "Contraseña"
    mail.set_content("texto: ñ\n")
    mail.add_alternative("<p>ñ</p>\n", subtype="html")
    boto3.client("s3").put_object(Bucket=bucket, Key="mail", Body=mail.as_bytes())
    address = inbox.serve()
    answers = []
    for asked in (to, f"eva@{domain}"):
        with urllib.request.urlopen(f"{address}/_local/mail?to={asked}", timeout=10) as answer:
            answers.append([(one["to"], one["subject"], one["text"], one["html"]) for one in json.load(answer)])
    rules = boto3.client("ses").describe_active_receipt_rule_set()["Rules"]
    left = Removal(name, lambda _: None, wait=0.5).everything()
    if answers != [[(to, "Contraseña", "texto: ñ\n", "<p>ñ</p>\n")], []] or rules[0]["Recipients"] != [domain] or left or there() != before:
        raise SystemExit(f"mails of a trial: {answers}, {rules}, {left}, {there() ^ before}")
