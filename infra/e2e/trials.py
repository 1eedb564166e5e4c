"""Checks on the emulator that scripts/deploy/trial-deployment leaves nothing behind, after a complete and after an interrupted run."""

import signal
import subprocess
import time

import boto3
from stack import ROOT

REPORT = ROOT / "target/e2e/trial-deployment.md"
# A trial takes less than a minute on a machine that has nothing else to do.
SECONDS = 900
# Of the journeys of a trial, this one reads a mail, and those of session do not.
READS_MAIL = "reset::a_reset_link_is_mailed"
MEASURED = ["Journeys", "A call after a pause", "The gateway", "Cold and warm calls"]
# How the resources of the emulator are listed.
KINDS = {
    "stack": ("cloudformation", "list_stacks", "StackSummaries[?StackStatus != 'DELETE_COMPLETE'].StackName"),
    "table": ("dynamodb", "list_tables", "TableNames"),
    "bucket": ("s3", "list_buckets", "Buckets[].Name"),
    "log group": ("logs", "describe_log_groups", "logGroups[].logGroupName"),
    "function": ("lambda", "list_functions", "Functions[].FunctionName"),
    "role": ("iam", "list_roles", "Roles[].RoleName"),
    "policy": ("iam", "list_policies", "Policies[?!starts_with(Arn, 'arn:aws:iam::aws:')].PolicyName"),
    "API": ("apigatewayv2", "get_apis", "Items[].Name"),
    "alarm": ("cloudwatch", "describe_alarms", "MetricAlarms[].AlarmName"),
    "dashboard": ("cloudwatch", "list_dashboards", "DashboardEntries[].DashboardName"),
    "topic": ("sns", "list_topics", "Topics[].TopicArn"),
    "queue": ("sqs", "list_queues", "QueueUrls"),
}


def there() -> set[tuple[str, str]]:
    """The names of all resources of the emulator, by kind."""
    listed = {kind: boto3.client(service).get_paginator(operation).paginate().search(names) for kind, (service, operation, names) in KINDS.items()}
    found = {(kind, one) for kind, names in listed.items() for one in names if one}
    return found | {("configuration set", one) for one in boto3.client("sesv2").list_configuration_sets()["ConfigurationSets"]}


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
    process = subprocess.Popen([str(ROOT / "scripts/deploy/trial-deployment"), "--yes", "--report", str(REPORT), "--pauses", "0", *arguments],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        if interrupted:
            interrupt_in_the_middle(process, before)
        said, _ = process.communicate(timeout=SECONDS)
    finally:
        # A trial that still runs ends as with Ctrl-C: it removes its resources first.
        process.terminate()
    report = REPORT.read_text(encoding="utf-8") if REPORT.is_file() else ""
    sections = [line.removeprefix("## ") for line in report.splitlines() if line.startswith("## ")]
    wanted = (1, ["Removed"]) if interrupted else (0, [*MEASURED, "Removed"])
    expected = ["It was interrupted."] if interrupted else [f"- ended: `{READS_MAIL}`"]
    if (process.returncode, sections) != wanted or not all(line in report for line in expected) or there() != before:
        raise SystemExit(f"a trial (interrupted: {interrupted}) has left {there() ^ before}. Its output:\n{said}\n{report}")


def nothing_stays(*arguments: str) -> None:
    """Runs a complete and an interrupted trial."""
    for interrupted in (False, True):
        trial(interrupted, "--filter", "session::", "--filter", READS_MAIL, *arguments)
