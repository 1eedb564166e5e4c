"""Types the commands of a SAM user on the emulator: none may end in a traceback, and what they deploy answers.

`cargo lambda build` is replaced by a script that takes the program of an earlier build, because a release build takes minutes."""

import json
import os
import re
from pathlib import Path

import adapted
import boto3
from checks import expect
from deployment import PARAMETERS
from processes import run

ROOT = adapted.ROOT
SAM = ROOT / "target/tools/sam/bin/sam"
NAME = "accounts-typed"
EVENT = {
    "version": "2.0", "routeKey": "ANY /app/auth/sendLogin.php", "rawPath": "/app/auth/sendLogin.php", "rawQueryString": "", "isBase64Encoded": False,
    "headers": {"x-requested-with": "XMLHttpRequest", "content-type": "application/x-www-form-urlencoded"},
    "requestContext": {"http": {"method": "POST", "path": "/app/auth/sendLogin.php", "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "sam"},
                       "accountId": "1", "apiId": "x", "domainName": "x", "domainPrefix": "x", "requestId": "x", "routeKey": "x", "stage": "$default",
                       "time": "01/Jan/2027:00:00:00 +0000", "timeEpoch": 0},
    "body": "email=nadie@example.com&password=Secreto123",
}
# What SAM prints without a container runtime.
NO_CONTAINERS = "requires a container runtime"
# Takes the place of cargo-lambda on the path. `cargo lambda build` runs it in the folder of the function's crate.
CARGO_LAMBDA = """#!/bin/sh
set -e
function=$(basename "$PWD") && mkdir -p "{root}/target/lambda/$function"
unzip -qo "{root}/target/lambda/{architecture}/$function/bootstrap.zip" -d "{root}/target/lambda/$function"
"""


def guided(template: str) -> str:
    """The answers to `sam deploy --guided`: the stack's name, then the region and each parameter as proposed, no confirmation of the changes, new
    roles, rollback. Each function with a route may be called by everybody. The answers are not saved."""
    functions = template.count("Type: HttpApi")
    return "\n".join([NAME, *[""] * (1 + len(parameters(template))), "n", "y", "n", *["y"] * functions, "n", ""])


def parameters(template: str) -> list[str]:
    """The names of the template's parameters."""
    return re.findall(r"^  (\w+): \{ Type: ", template.partition("\nRules:")[0], re.MULTILINE)


def typed(folder: str, architecture: str) -> None:
    """Types the commands, each in the folder of the project."""
    tools, event = Path(folder, "bin"), Path(folder, "event.json")
    tools.mkdir()
    event.write_text(json.dumps(EVENT), encoding="utf-8")
    (tools / "cargo-lambda").write_text(CARGO_LAMBDA.format(root=ROOT, architecture=architecture), encoding="utf-8")
    (tools / "cargo-lambda").chmod(0o755)

    def sam(words: str, answers: str = "", also: str = "") -> str:
        """What a command prints. It must succeed, or print the text `also`."""
        status, said = run([str(SAM), *words.split()], answers, PATH=f"{tools}:{os.environ['PATH']}", SAM_CLI_TELEMETRY="0")
        good = status == 0 or bool(also and also in said)
        expect(good and "Traceback" not in said and "does not exist" not in said, f"sam {words} works", said[-3000:])
        return said

    overrides = " ".join(f"{name}={value}" for name, value in PARAMETERS.items()) + f" Architecture={architecture} GradualDeployment=false"
    adapted.write()
    try:
        sam("validate --lint")
        sam(f"build Login --template {adapted.TEMPLATE.name} --parameter-overrides {overrides}")
        sam(f"local invoke Login -e {event}", also=NO_CONTAINERS)
        sam(f"deploy --guided --parameter-overrides {overrides}", guided(adapted.TEMPLATE.read_text(encoding="utf-8")))
        resources = sam(f"list resources --stack-name {NAME} --output json")
        expect("AccountsTable" in resources, "the resources are listed", resources[-500:])
        sam(f"list stack-outputs --stack-name {NAME}")
        sam(f"sync --code --resource-id Login --stack-name {NAME} --no-watch --parameter-overrides {overrides}", "y\n")
        answer = sam(f"remote invoke Login --stack-name {NAME} --event-file {event}")
        expect("wrong-credentials" in answer or "success" in answer, "the function answers", answer)
        # Not `sam delete`: it does not know the emulator's addresses of nested templates.
        boto3.client("cloudformation").delete_stack(StackName=NAME)
    finally:
        adapted.TEMPLATE.unlink(missing_ok=True)
