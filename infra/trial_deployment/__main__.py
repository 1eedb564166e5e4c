"""Tests the service in an AWS account: deploys it under a temporary name, runs the journeys, measures what only AWS can show,
writes a report, and removes everything, even after an interrupt or a failure."""

import argparse
import http.client
import os
import secrets
import signal
import sys
import time
from pathlib import Path

import boto3
import journeys
import measures
from botocore.exceptions import BotoCoreError, ClientError
from deployment import Deployment
from removal import removed
from report import Report, say
from stack import ROOT, Stack

NAME = "accounts-trial-"
# The calls that a journey of parallel sends at once (`AT_ONCE` in tests/black_box/parallel.rs).
AT_ONCE = 32
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ASKED = """This deploys the service to account {account}, region {region}, as the stack "{name}", with a bucket for the upload. It
takes about half an hour and costs less than a dollar. At the end and after Ctrl-C, everything except metrics and traces is removed.
If this machine fails before that, run: scripts/deploy/trial-deployment --remove {name}"""


def arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="scripts/deploy/trial-deployment", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--mail-from", metavar="ADDRESS", help="sender of the mails; SES must have verified it or its domain in this region")
    what.add_argument("--remove", metavar="NAME", help="only remove the remains of an earlier run")
    parser.add_argument("--architecture", default="arm64", choices=("arm64", "x86_64"), help="architecture of the zips of make build")
    parser.add_argument("--report", type=Path, default=ROOT / "target/trial-deployment.md", help="path of the report")
    parser.add_argument("--yes", action="store_true", help="start without confirmation")
    parser.add_argument("--filter", action="append", default=[], metavar="TEXT", help="run only journeys whose names contain it, and those of receive_data")
    parser.add_argument("--skip", action="append", default=[], metavar="TEXT", help="skip journeys whose names contain it")
    parser.add_argument("--pauses", type=lambda text: [float(part) for part in text.split(",")], default="1,30,50,65,120",
                        help="seconds between calls of one function, separated by commas")
    return parser.parse_args()


def verified(sender: str) -> bool:
    """Whether SES has verified an address or its domain."""
    identities = boto3.client("sesv2").list_email_identities(PageSize=1000)["EmailIdentities"]
    return any(one["IdentityName"] in (sender, sender.partition("@")[2]) and one["SendingEnabled"] for one in identities)


def refused_at_once(limit: int) -> list[str]:
    """The journeys to skip, because they send more calls at once than Lambda runs in this account. Each of the journeys that run at once sends one."""
    return [] if limit >= AT_ONCE + int(journeys.ENVIRONMENT["RUST_TEST_THREADS"]) else ["parallel::"]


def trial(stack: Stack, asked: argparse.Namespace, account: str, report: Report) -> None:
    """Deploys, runs the journeys and measures. A failed deployment ends the trial; a failed measurement is reported, and the others continue."""
    say(f"deploying {stack.name}")
    bucket, region = f"{stack.name}-artifacts-{account}", report.facts["region"]
    where = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
    boto3.client("s3").create_bucket(Bucket=bucket, **where)
    os.environ["ARTIFACTS_BUCKET"] = bucket
    stack.deploy(FrontEndUrl="https://app.example.com", MailFrom=asked.mail_from, GoogleClientIds="none", CreateMailIdentity="false",
                 GradualDeployment="false", CorsOrigins=journeys.LISTED_ORIGIN, AccessLogRetentionDays="1", RequestsPerSecond="10000", RequestBurst="5000",
                 DearRequestsPerSecond="10000", DearRequestBurst="5000")
    report.facts["address"] = stack.base_url
    steps = {
        "Journeys": lambda: journeys.journeys(stack.base_url, asked, report.faults),
        "A call after a pause": lambda: measures.pauses(stack, asked.pauses),
        "The gateway": lambda: measures.gateway(stack),
        "Cold and warm calls": lambda: measures.times(stack),
    }
    for title, step in steps.items():
        say(title)
        try:
            report.sections[title] = step()
        except (BotoCoreError, ClientError, OSError, http.client.HTTPException, LookupError, ValueError, SystemExit) as fault:
            report.faults.append(f"{title}: {type(fault).__name__}: {fault}")


def ignoring_interrupts(name: str) -> list[str]:
    """Removes everything, and gives the remains."""
    for number in SIGNALS:
        signal.signal(number, lambda *_: say("the removal continues; it ends by itself"))
    return removed(name)


def main() -> str | int:
    """Removes an earlier run, or runs a trial. Gives the faults, or 0 without any."""
    asked = arguments()
    # A shell starts background processes with interrupts ignored.
    for number in SIGNALS:
        signal.signal(number, signal.default_int_handler)
    if asked.remove:
        if not asked.remove.startswith(NAME):
            sys.exit(f"{asked.remove} is not a trial: the name of a trial begins with {NAME}")
        return "\n".join(ignoring_interrupts(asked.remove)) or 0
    name, account, region = NAME + secrets.token_hex(4), boto3.client("sts").get_caller_identity()["Account"], boto3.session.Session().region_name
    if not verified(asked.mail_from):
        sys.exit(f"neither {asked.mail_from} nor its domain is verified in SES in {region}")
    # Of a new account: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
    limit = boto3.client("lambda").get_account_settings()["AccountLimit"]["UnreservedConcurrentExecutions"]
    if skipped := refused_at_once(limit):
        print(f"Lambda runs at most {limit} calls at once in this account. Journeys that send {AT_ONCE} at once are skipped: {', '.join(skipped)}")
        asked.skip += skipped
    if not asked.yes:
        print(ASKED.format(account=account, region=region, name=name))
        if not sys.stdin.isatty() or input('Type "yes" to begin: ').strip() != "yes":
            sys.exit("not confirmed (without a terminal, add --yes)")
    say("building the journeys")
    journeys.build()
    emulator = os.environ.get("AWS_ENDPOINT_URL")
    stack = Deployment(emulator, asked.architecture, name) if emulator else Stack(name, asked.architecture)
    report = Report({"name": name, "account": account, "region": region, "architecture": asked.architecture, "began": time.ctime()})
    try:
        trial(stack, asked, account, report)
    except KeyboardInterrupt:
        report.faults.append("It was interrupted.")
    except (BotoCoreError, ClientError, OSError, SystemExit) as fault:
        report.faults.append(str(fault))
    finally:
        report.write(asked.report, ignoring_interrupts(name))
        say(f"report: {asked.report}")
    return "\n".join(report.faults) or 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped before anything was created")
    except (BotoCoreError, ClientError) as fault:
        sys.exit(f"{fault}: check the AWS CLI's profile or variables (AWS_PROFILE, AWS_REGION)")
