"""The engines: the embedded one, two others that know DynamoDB's API, or a table of AWS."""

import http.client
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import botocore.session
import yaml
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from cases.values import TABLES
from processes import Process, free_port

EMBEDDED, MINISTACK, DYNALITE, AWS = "embedded", "MiniStack", "dynalite", "AWS"
ROOT = Path(__file__).resolve().parents[2]
SECONDS_TO_CREATE = 300
# The time after which AWS's indexes and scans show a write.
SECONDS_TO_APPEAR = 2
ATTEMPTS = 8
UNSIGNED = {"X-Amz-Date": "20260101T000000Z",
            "Authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0"}


class Engine:
    """An engine at a URL. Calls to AWS are signed with the environment's credentials, and repeated if they are throttled."""

    def __init__(self, name: str, url: str):
        self.name, self.url = name, url.rstrip("/")
        # What the engine does not know: dynalite has no transactions, and returns no item with a failed condition.
        self.overlooked = {"Item"} if name == DYNALITE else set()
        address = urlsplit(url)
        connect = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        self.connection = connect(address.hostname, address.port, timeout=120)
        self.signer = None
        if name == AWS:
            session = botocore.session.get_session()
            credentials, region = session.get_credentials(), os.environ.get("AWS_REGION") or session.get_config_variable("region")
            if not (credentials and region):
                sys.exit("the credentials or the region for AWS are missing (AWS_PROFILE, AWS_REGION)")
            self.signer = SigV4Auth(credentials, "dynamodb", region)

    def send(self, operation: str, body: dict) -> tuple[int, dict]:
        """The status and the body of an answer."""
        if self.signer and (operation == "Scan" or "IndexName" in body):
            time.sleep(SECONDS_TO_APPEAR)
        for attempt in range(ATTEMPTS):
            status, answer = self.send_once(operation, body)
            if not (self.signer and answer.get("__type", "").endswith(("ThrottlingException", "ProvisionedThroughputExceededException"))):
                break
            time.sleep(0.1 * 2 ** attempt)
        return status, answer

    def send_once(self, operation: str, body: dict) -> tuple[int, dict]:
        """Sends a call once."""
        text = json.dumps(body)
        headers = {"X-Amz-Target": f"DynamoDB_20120810.{operation}", "Content-Type": "application/x-amz-json-1.0"}
        if self.signer:
            request = AWSRequest("POST", f"{self.url}/", headers=headers, data=text)
            self.signer.add_auth(request)
            headers = dict(request.headers)
        else:
            headers |= UNSIGNED
        self.connection.request("POST", "/", text, headers)
        answer = self.connection.getresponse()
        content = answer.read()
        try:
            return answer.status, json.loads(content or b"{}")
        except ValueError:
            return answer.status, {"__type": "NoJson", "message": content[:80].decode(errors="replace")}

    def knows(self, operation: str) -> bool:
        """Whether the engine has this operation."""
        return self.name != DYNALITE or not operation.startswith("Transact")

    def create_tables(self) -> None:
        """Creates the tables of the template, without what does not change an answer, and waits for them."""
        for name, properties in tables().items():
            status, answer = self.send("CreateTable", {"TableName": name} | properties)
            if status != 200:
                sys.exit(f"{self.name} does not create {name}: {answer}")
            deadline = time.monotonic() + SECONDS_TO_CREATE
            while self.send("DescribeTable", {"TableName": name})[1]["Table"]["TableStatus"] != "ACTIVE":
                if time.monotonic() > deadline:
                    sys.exit(f"{self.name}: {name} is not active")
                time.sleep(1)

    def delete_tables(self) -> None:
        """Deletes the tables."""
        for name in TABLES.values():
            self.send("DeleteTable", {"TableName": name})


def tables() -> dict[str, dict]:
    """The tables of the template, by their names here."""
    class Loader(yaml.SafeLoader):
        """Reads the template without the values of its functions."""

    Loader.add_multi_constructor("!", lambda *_: None)
    resources = yaml.load((ROOT / "template.yaml").read_text(encoding="utf-8"), Loader)["Resources"]
    kept = ("AttributeDefinitions", "KeySchema", "BillingMode", "GlobalSecondaryIndexes")
    found = {name: resources[f"{table.title()}Table"]["Properties"] for table, name in TABLES.items()}
    return {name: {key: properties[key] for key in kept if key in properties} for name, properties in found.items()}


def commands(folder: str) -> dict[str, tuple[list[str], str, str, dict[str, str]]]:
    """How each local engine starts: its command, the variable of its port, a path that answers, and further variables."""
    tools = ROOT / "target/tools"
    dynalite = "require('dynalite')({ createTableMs: 0, deleteTableMs: 0 }).listen(process.env.PORT, '127.0.0.1')"
    return {
        EMBEDDED: ([str(ROOT / "target/debug/local"), "backends"], "DYNAMODB_PORT", "/", {"PORT": "0", "LOCAL_DATA": "memory"}),
        MINISTACK: ([str(tools / "ministack/bin/ministack")], "GATEWAY_PORT", "/_ministack/health",
                    {"BIND_HOST": "127.0.0.1", "STATE_DIR": folder, "LOG_LEVEL": "WARNING", "MINISTACK_REGION": "eu-west-1"}),
        DYNALITE: (["node", "--eval", dynalite], "PORT", "/", {"NODE_PATH": str(tools / "dynalite/node_modules")}),
    }


@contextmanager
def running(folder: str, names: list[str]) -> Iterator[dict[str, Engine]]:
    """The local engines with these names."""
    with ExitStack() as stack:
        engines = {}
        for name in names:
            command, variable, path, more = commands(folder)[name]
            port = free_port()
            url = f"http://127.0.0.1:{port}"
            process = Process(name, command, url + path, f"{folder}/{name}.log", **more, **{variable: str(port)})
            stack.callback(process.stop)
            process.wait()
            engines[name] = Engine(name, url)
        yield engines
