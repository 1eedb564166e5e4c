"""Tests the service in an AWS account: deploys it under a temporary name, runs the journeys, measures what only AWS can show,
writes a report, and removes everything, even after an interrupt or a failure."""

import argparse
import contextlib
import os
import secrets
import signal
import sys
import time
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError
from removal import Removal
from stack import ROOT
from trial import Trial, account

NAME = "accounts-trial-"
ASKED = """This deploys the service to account {account}, region {region}, as the stack "{name}": functions, an API, two tables,
two log groups, a queue, alarms, a dashboard, roles, an SES configuration set, and a bucket for the upload.{mail}
The trial takes about half an hour and costs less than a dollar. Everything except metrics and traces is removed at the
end, and after Ctrl-C.
If this machine fails before that, run: scripts/deploy/trial-deployment --remove {name}"""


def arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="scripts/deploy/trial-deployment", description=__doc__)
    parser.add_argument("--mail-from", metavar="ADDRESS", help="sender of the mails; SES must have verified it or its domain in this region")
    parser.add_argument("--mail-domain", metavar="DOMAIN", help="a domain of yours that is verified in SES and whose MX record is "
                        "inbound-smtp.<region>.amazonaws.com: the journeys then read their mails. Without it, mails go to SES's "
                        "simulator, and the journeys that read mails are skipped")
    parser.add_argument("--architecture", default="arm64", choices=("arm64", "x86_64"), help="architecture of the zips of make build")
    parser.add_argument("--report", type=Path, default=ROOT / "target/trial-deployment.md", help="path of the report")
    parser.add_argument("--yes", action="store_true", help="start without confirmation")
    parser.add_argument("--filter", action="append", default=[], metavar="TEXT", help="run only journeys whose names contain it, and those of receive_data")
    parser.add_argument("--skip", action="append", default=[], metavar="TEXT", help="skip journeys whose names contain it")
    parser.add_argument("--pauses", type=seconds, default="1,30,50,65,120", help="seconds between calls of one function, separated by commas")
    parser.add_argument("--idle-seconds", type=float, default=180, help="how long to watch an idle connection to the table")
    parser.add_argument("--patience", type=float, default=900, help="seconds to wait for delayed data of CloudWatch")
    parser.add_argument("--remove", metavar="NAME", help="only remove the remains of an earlier run")
    return parser.parse_args()


def seconds(text: str) -> list[float]:
    """Numbers separated by commas."""
    return [float(part) for part in text.split(",")]


STARTED = time.monotonic()


def say(step: str) -> None:
    """Prints the progress. A closed terminal is ignored, so that it cannot stop the removal."""
    with contextlib.suppress(OSError):
        print(f"{time.monotonic() - STARTED:6.1f} s  {step}", flush=True)


def stop(*_: object) -> None:
    """Ends a run like Ctrl-C."""
    raise KeyboardInterrupt


def removed(name: str) -> list[str]:
    """Removes everything, and ignores interrupts. Gives the remains."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: say("the removal continues; it ends by itself"))
    return Removal(name, say, wait=0.5 if os.environ.get("AWS_ENDPOINT_URL") else 10).everything()


def tried(asked: argparse.Namespace, name: str) -> int:
    """Runs a trial, and gives its exit status."""
    trial = Trial(name, asked, say)
    if not asked.yes:
        if not sys.stdin.isatty():
            sys.exit("no terminal for the confirmation: add --yes")
        mail = f" SES stores the mails to {asked.mail_domain} in another bucket." if asked.mail_domain else ""
        print(ASKED.format(account=account(), region=trial.region, name=name, mail=mail))
        if input('Type "yes" to begin: ').strip() != "yes":
            return 1
    trial.prepare()
    try:
        trial.run()
    except KeyboardInterrupt:
        # A second interrupt must not stop the removal.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        trial.report.faults.append("It was interrupted.")
    except (BotoCoreError, ClientError, OSError, SystemExit) as fault:
        trial.report.faults.append(str(fault))
    finally:
        left = removed(name)
        trial.finish(left)
        trial.report.write(asked.report)
        say(f"report: {asked.report}")
    print("\n".join(trial.report.faults), file=sys.stderr)
    return 1 if trial.report.faults else 0


def main() -> int:
    """Removes an earlier run, or runs a trial."""
    asked = arguments()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    # A shell starts background processes with interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if asked.remove:
        if not asked.remove.startswith(NAME):
            sys.exit(f"{asked.remove} is not a trial: the name of a trial begins with {NAME}")
        left = removed(asked.remove)
        print("\n".join(left) or "nothing is left", file=sys.stderr)
        return 1 if left else 0
    return tried(asked, NAME + secrets.token_hex(4))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped before anything was created")
    except (BotoCoreError, ClientError) as fault:
        sys.exit(f"{fault}: check the AWS CLI's profile or variables (AWS_PROFILE, AWS_REGION)")
