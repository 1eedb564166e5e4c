"""A trial: deploys the service, runs the journeys and measures, in this order."""

import argparse
import datetime
import http.client
import os
import subprocess
from collections.abc import Callable

import boto3
import journeys
import measures
from botocore.exceptions import BotoCoreError, ClientError
from deployment import Deployment
from inbox import Inbox
from report import Report, Section
from stack import ROOT, Stack

# The highest limits of the gateway, because its throttling is not tested.
UNTHROTTLED = {"RequestsPerSecond": "10000", "RequestBurst": "5000"}
UNPROVED = [
    "The login with Google, a custom domain of the API, the front end behind CloudFront, a captcha, gradual deployment and its rollback.",
    "Importing a restored table into the stack (`infra/restore.md`).",
]
REMAINS = "Metrics remain for 15 months and traces for 30 days, because they cannot be deleted. They contain the trial's name and no personal data."


def account() -> str:
    """The account that the credentials belong to."""
    return boto3.client("sts").get_caller_identity()["Account"]


class Trial:
    """A trial with a name."""

    def __init__(self, name: str, asked: argparse.Namespace, say: Callable[[str], None]):
        self.name, self.asked, self.say = name, asked, say
        emulator = os.environ.get("AWS_ENDPOINT_URL")
        self.stack = Deployment(emulator, asked.architecture, name) if emulator else Stack(name, asked.architecture)
        self.region = boto3.session.Session().region_name
        if not self.region:
            raise SystemExit("no region is set: export AWS_REGION=eu-west-1, or choose a profile with AWS_PROFILE")
        if not asked.mail_from:
            raise SystemExit("--mail-from is missing: it takes a sender address. SES must have verified the address or its domain in this region")
        if not verified(asked.mail_from):
            raise SystemExit(f"neither {asked.mail_from} nor its domain is verified in SES in {self.region}")
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
        self.report = Report({"name": name, "account": account(), "region": self.region, "architecture": asked.architecture,
                              "commit": commit or "unknown", "began": moment()})

    def prepare(self) -> None:
        """Runs the steps that need no account."""
        self.say("building the journeys")
        journeys.build()

    def run(self) -> None:
        """Runs all steps. A failed deployment ends the trial; a failed measurement is reported, and the others continue."""
        self.deploy()
        self.attempt("journeys", self.journeys)
        self.attempt("connection to the table", lambda: measures.connection(self.asked.idle_seconds))
        self.attempt("calls after a pause", lambda: measures.pauses(self.stack, self.asked.pauses))
        self.attempt("preflight", lambda: measures.preflight(self.stack))
        self.attempt("the gateway", lambda: measures.gateway(self.stack, self.asked.patience))
        self.attempt("cold and warm calls", lambda: measures.times(self.stack, self.renew))
        self.attempt("percentiles", lambda: measures.percentiles(self.stack, self.asked.patience))

    def deploy(self) -> None:
        """Deploys the stack, with its own bucket for the upload."""
        self.say(f"deploying {self.name}")
        os.environ["ARTIFACTS_BUCKET"] = self.bucket("artifacts")
        self.stack.deploy(
            FrontEndUrl="https://app.example.com", MailFrom=self.asked.mail_from, GoogleClientIds="none", CreateMailIdentity="false",
            GradualDeployment="false", CorsOrigins=measures.LISTED, LogRetentionDays="1", **UNTHROTTLED,
        )
        self.report.facts["address"] = self.stack.base_url
        self.say(f"deployed: {self.stack.base_url}")

    def renew(self) -> None:
        """Replaces the environments of all functions."""
        self.stack.deploy(SessionIdleSeconds="7100")

    def bucket(self, purpose: str) -> str:
        """Creates a bucket whose name begins with the trial's."""
        name = f"{self.name}-{purpose}-{account()}"
        where = {} if self.region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": self.region}}
        boto3.client("s3").create_bucket(Bucket=name, **where)
        return name

    def attempt(self, what: str, measure: Callable[[], Section]) -> None:
        """Adds a section to the report, or the reason why it is missing."""
        self.say(what)
        try:
            self.report.sections.append(measure())
        except (BotoCoreError, ClientError, OSError, http.client.HTTPException, LookupError, ValueError, SystemExit) as fault:
            self.report.faults.append(f"{what}: {type(fault).__name__}: {fault}")

    def journeys(self) -> Section:
        """Runs the journeys. If mails cannot be read, it skips those that read mails."""
        domain, environment = self.mails()
        skipped = {claim: "requested with --skip" for claim in self.asked.skip}
        if domain is None:
            skipped.update(dict.fromkeys(journeys.that_read_mail(), "reads a mail"))
        outcome = journeys.journeys(self.stack.base_url, skipped, self.asked.filter, VISITOR_ADDRESS=journeys.address(domain),
                                    LISTED_ORIGIN=measures.LISTED, **environment)
        log = self.asked.report.with_suffix(".log")
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(outcome.log, encoding="utf-8")
        self.report.faults += [f"journey failed: {claim}" for claim in outcome.failed]
        self.say(f"{outcome.passed} journeys passed, {len(outcome.failed)} failed")
        mail = f"to {domain} and read" if domain else "to SES's simulator, where they cannot be read"
        return Section("Journeys", [
            f"{outcome.passed} passed, {len(outcome.failed)} failed. Mails went {mail}. The login with Google was skipped.", "",
            *(f"- failed: `{claim}`" for claim in outcome.failed), *(f"- skipped: `{claim}` ({why})" for claim, why in outcome.skipped.items()),
        ])

    def mails(self) -> tuple[str | None, dict[str, str]]:
        """The domain whose mails can be read, if any, and the journeys' variables for reading them."""
        if "MAILS_URL" in os.environ:
            return "example.com", {}
        if not self.asked.mail_domain:
            return None, {}
        inbox = Inbox(self.name, self.bucket("mail"))
        try:
            inbox.open(self.asked.mail_domain)
            arrives = inbox.takes_in(self.asked.mail_from, self.asked.mail_domain)
        except ClientError as fault:
            self.report.faults.append(f"SES receives no mails: {fault}")
            return None, {}
        if not arrives:
            self.report.faults.append(f"No mail to {self.asked.mail_domain} arrived: does its MX record lead to SES in {self.region}?")
            return None, {}
        return self.asked.mail_domain, {"BACKENDS_URL": inbox.serve()}

    def finish(self, left: list[str]) -> None:
        """Adds the removal's result to the report."""
        self.report.facts["ended"] = moment()
        self.report.faults += [f"not removed: {one}" for one in left]
        self.report.sections.append(Section("Removed", [
            "Everything else was removed, and no resource with the trial's name was found afterwards." if not left else "Left to be removed manually:",
            *(f"- {one}" for one in left), "", REMAINS]))
        self.report.sections.append(Section("Not tried here", [f"- {one}" for one in UNPROVED]))


def verified(sender: str) -> bool:
    """Whether SES has verified an address or its domain."""
    client = boto3.client("sesv2")
    for identity in (sender, sender.partition("@")[2]):
        try:
            if client.get_email_identity(EmailIdentity=identity)["VerifiedForSendingStatus"]:
                return True
        except client.exceptions.NotFoundException:
            continue
    return False


def moment() -> str:
    """The time, in UTC."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
