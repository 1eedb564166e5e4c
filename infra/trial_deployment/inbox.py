"""The inbox of a trial: SES receives mails for a domain of the operator, and the journeys read them as from the local stack."""

import email
import email.policy
import json
import time
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import boto3
from botocore.exceptions import ClientError

# SES may take this long to store a mail in the bucket. The server waits for it, because the journeys do not wait.
SECONDS_TO_ARRIVE = 10
SECONDS_TO_TRY = 90


class Inbox:
    """A bucket where SES stores the mails to a domain, and a server on this machine that reads it."""

    def __init__(self, name: str, bucket: str, seconds: float = SECONDS_TO_ARRIVE):
        self.name, self.bucket, self.seconds = name, bucket, seconds

    def open(self, domain: str) -> None:
        """Makes SES store mails to the domain in the bucket. A region has one active rule set, so the trial adds a rule to it."""
        account = boto3.client("sts").get_caller_identity()["Account"]
        boto3.client("s3").put_bucket_policy(Bucket=self.bucket, Policy=json.dumps(policy(self.bucket, account)))
        ses = boto3.client("ses")
        rules = ses.describe_active_receipt_rule_set().get("Metadata", {}).get("Name")
        if rules is None:
            rules = self.name
            ses.create_receipt_rule_set(RuleSetName=rules)
            ses.set_active_receipt_rule_set(RuleSetName=rules)
        ses.create_receipt_rule(RuleSetName=rules, Rule={
            "Name": self.name, "Enabled": True, "Recipients": [domain], "TlsPolicy": "Optional",
            "Actions": [{"S3Action": {"BucketName": self.bucket}}],
        })

    def takes_in(self, sender: str, domain: str) -> bool:
        """Whether a mail to the domain arrives. Its MX record may name another server."""
        to = f"{self.name}@{domain}"
        try:
            boto3.client("sesv2").send_email(
                FromEmailAddress=sender, Destination={"ToAddresses": [to]},
                Content={"Simple": {"Subject": {"Data": "trial deployment"}, "Body": {"Text": {"Data": "trial deployment"}}}})
        except ClientError:
            return False
        deadline = time.monotonic() + SECONDS_TO_TRY
        while not self.mails(to) and time.monotonic() < deadline:
            time.sleep(2)
        return bool(self.mails(to))

    def mails(self, to: str) -> list[dict]:
        """The mails to an address, newest first."""
        client, found = boto3.client("s3"), []
        for page in client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket):
            for one in page.get("Contents", []):
                raw = client.get_object(Bucket=self.bucket, Key=one["Key"])["Body"].read()
                mail = email.message_from_bytes(raw, policy=email.policy.default)
                if to.lower() in str(mail["To"]).lower():
                    found.append((one["LastModified"], to_json(mail, to)))
        return [mail for _, mail in sorted(found, key=lambda one: one[0], reverse=True)]

    def serve(self) -> str:
        """Starts the server, which ends with this process, and gives its URL."""
        inbox = self

        class Handler(BaseHTTPRequestHandler):
            """`GET /_local/mail?to=ADDRESS`, as in the local stack."""

            def do_GET(self) -> None:
                """Waits for delayed mails, then answers."""
                time.sleep(inbox.seconds)
                body = json.dumps(inbox.mails(parse_qs(urlsplit(self.path).query).get("to", [""])[0])).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Logs nothing, because addresses are personal data."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"


def policy(bucket: str, account: str) -> dict:
    """The bucket's policy: SES may write to it for this account."""
    return {"Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Principal": {"Service": "ses.amazonaws.com"}, "Action": "s3:PutObject",
        "Resource": f"arn:{boto3.session.Session().get_partition_for_region(boto3.client('s3').meta.region_name)}:s3:::{bucket}/*",
        "Condition": {"StringEquals": {"AWS:SourceAccount": account}},
    }]}


def to_json(mail: EmailMessage, to: str) -> dict:
    """A mail in the format of the local stack."""
    def part(kind: str) -> str:
        body = mail.get_body((kind,))
        return body.get_content() if body else ""

    return {"from": str(mail["From"]), "to": to, "subject": str(mail["Subject"]), "text": part("plain"), "html": part("html"),
            "sent_at": str(mail["Date"])}
