"""Checks of the deployed stack besides the journeys."""

import contextlib
import io
import json
import time
import urllib.parse
from collections import Counter

from adapted import FOLDER
from asking import ask
from processes import run
from stack import ROOT

CALLS = 100
SECONDS_FOR_LOGS = 20
SESSION = "/app/auth/session.php"


def call(deployment, path: str, cookie: str = "", **fields: str) -> tuple[int, dict, str]:
    """Posts a form as a browser does. Gives status, body and session cookie of the answer."""
    answer = ask(
        deployment.base_url, "POST", path, urllib.parse.urlencode(fields).encode(),
        Content_Type="application/x-www-form-urlencoded", X_Requested_With="XMLHttpRequest", Cookie=cookie,
    )
    return answer.status, json.loads(answer.body), (answer.headers.get("Set-Cookie") or "").partition(";")[0]


def expect(held: bool, claim: str, seen: object) -> None:
    """Ends the run if a claim is false."""
    if not held:
        raise SystemExit(f"expected: {claim}; found: {seen}")


def registered(deployment, email: str) -> dict[str, str]:
    """What a new user signs in with."""
    who = {"email": email, "password": "Secreto123"}
    answer = call(deployment, "/app/auth/sendRegister.php", **who, **{"nombre": "Ana", "confirm-password": who["password"], "terms": "on"})
    expect(answer[0] == 200 and answer[1]["success"] is True, "a user can register", answer)
    return who


def hundred_calls_and_a_cold_start(deployment) -> None:
    """A function answers a hundred calls, and one more in a new environment after an update of only a parameter."""
    who = registered(deployment, "cien@example.com")
    cookie = call(deployment, "/app/auth/sendLogin.php", **who)[2]
    for _ in range(CALLS):
        status, body, _ = call(deployment, SESSION, cookie)
        expect(status == 200 and "id" in body.get("user", {}), "every answer has the user", (status, body))

    idle = "7100"
    deployment.deploy(SessionIdleSeconds=idle)
    live = environment(deployment, "session")
    expect(live["SESSION_IDLE_SECONDS"] == idle, "the live alias has the changed parameter", live)
    status, body, _ = call(deployment, SESSION, cookie)
    expect(status == 200 and "id" in body.get("user", {}), "the session survives an update", (status, body))

    lines = logged(deployment, "session", CALLS + 1)
    starts = sum(line["ColdStarts"] for line in lines)
    expect(len(lines) == CALLS + 1, f"the log has {CALLS + 1} calls", len(lines))
    expect(starts == 2, "two of them are cold starts", starts)
    names = {name for line in lines for name in line["_aws"]["CloudWatchMetrics"][0]["Dimensions"][0]}
    expect(names == {"FunctionName"} and lines[0]["FunctionName"] == f"{deployment.name}-session", "the metrics have the function's name", lines[0])


def the_authorizer_knows_the_sessions(deployment) -> None:
    """The authorizer lets a request with a live session pass, and one without a session not. The emulator does not ask it for a
    route of another API, so it is invoked as API Gateway does."""
    who = registered(deployment, "autorizada@example.com")
    cookie = call(deployment, "/app/auth/sendLogin.php", **who)[2]
    for cookies, passes in (([cookie], True), ([], False)):
        event = {"version": "2.0", "type": "REQUEST", "cookies": cookies, "headers": {}, "requestContext": {"http": {"method": "GET"}}}
        answer = deployment.client("lambda").invoke(FunctionName=deployment.output("SessionAuthorizerArn"), Payload=json.dumps(event))
        verdict = json.loads(answer["Payload"].read())
        expect(verdict.get("isAuthorized") is passes, f"the authorizer answers {passes}", verdict)


def listening(deployment, kind: str) -> str:
    """The address of a queue that gets the events of a kind, as another service would."""
    events, queues = deployment.client("events"), deployment.client("sqs")
    url = queues.create_queue(QueueName=kind)["QueueUrl"]
    queue = queues.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    events.put_rule(Name=kind, EventPattern=json.dumps({"source": ["accounts"], "detail-type": [kind]}))
    events.put_targets(Rule=kind, Targets=[{"Id": "queue", "Arn": queue}])
    return url


def heard(deployment, url: str) -> dict:
    """The detail of the first event in a queue."""
    got = deployment.client("sqs").receive_message(QueueUrl=url, WaitTimeSeconds=20).get("Messages", [])
    return json.loads(got[0]["Body"])["detail"] if got else {}


def changes_are_published(deployment) -> None:
    """A registration arrives as an event at another service, with nothing about the person."""
    url = listening(deployment, "AccountRegistered")
    registered(deployment, "publicada@example.com")
    detail = heard(deployment, url)
    expect(detail.keys() == {"version", "id", "accountId", "at"}, "an event of the registration arrives", detail)


def dead_letters_are_redriven(deployment) -> None:
    """What `make redrive` runs publishes the events of a dead letter, and keeps a letter without events."""
    url, dead, queues = listening(deployment, "AccountLocked"), deployment.output("DeadLettersUrl"), deployment.client("sqs")
    letter = {"function": "notices", "event_id": "e", "account_key": "k", "operation": "events.PutEvents", "cause": "timeout"}
    detail = {"version": 1, "id": "e.AccountLocked", "accountId": 7, "at": "2026-11-29T10:00:00Z"}
    for body in ({**letter, "events": [{"detail-type": "AccountLocked", "detail": detail}]}, letter):
        queues.send_message(QueueUrl=dead, MessageBody=json.dumps(body))
    status, said = run([str(ROOT / "target/tools/sam/bin/python"), str(ROOT / "scripts/deploy/redrive")], STACK=deployment.name)
    expect(status == 1 and "1 redriven, 1 kept" in said, "one letter is redriven, and one kept", said)
    expect(heard(deployment, url) == detail, "the event of the letter arrives", said)
    queues.purge_queue(QueueUrl=dead)


def every_function_answers_the_sample_event(deployment) -> None:
    """What PreTraffic sends to a new version succeeds with each function. The emulator has no CodeDeploy, which would call it."""
    names: dict = {}
    template = json.loads((FOLDER / "transformed/template.json").read_text(encoding="utf-8"))
    exec(template["Resources"]["PreTraffic"]["Properties"]["Code"]["ZipFile"], names)
    with contextlib.redirect_stdout(io.StringIO()):
        silent = [name for name in deployment.functions.values() if not names["answers"](name, "live")]
    expect(not silent, "every function answers the sample event", silent)


def another_architecture_is_refused(deployment) -> None:
    """An operator who forgets the stack's architecture does not change it."""
    own, other = deployment.architecture, {"arm64": "x86_64", "x86_64": "arm64"}[deployment.architecture]
    deployment.architecture = other
    try:
        deployment.deploy()
        raise AssertionError(f"a stack for {own} took a deployment for {other}")
    except SystemExit as refusal:
        expect(f"are for {own}" in str(refusal), "the refusal names the deployed architecture", refusal)
    finally:
        deployment.architecture = own


def environment(deployment, function: str) -> dict[str, str]:
    """The variables of a function's live version."""
    configuration = deployment.client("lambda").get_function_configuration(
        FunctionName=f"{deployment.name}-{function}", Qualifier="live"
    )
    return configuration["Environment"]["Variables"]


def logged(deployment, function: str, at_least: int) -> list[dict]:
    """The log lines of a function. Waits until there are enough, because the log is delayed."""
    deadline = time.monotonic() + SECONDS_FOR_LOGS
    while True:
        lines = [line for line in log_lines(deployment) if line.get("function") == function]
        if len(lines) >= at_least or time.monotonic() > deadline:
            return lines
        time.sleep(0.5)


def log_lines(deployment, since: int = 0, pattern: str = "") -> list[dict]:
    """The lines that functions have logged since a time, in milliseconds, and that match the pattern. MiniStack gives
    only the first 10,000."""
    reader = deployment.client("logs").get_paginator("filter_log_events")
    pages = reader.paginate(logGroupName=deployment.logs, startTime=since, filterPattern=pattern)
    messages = (event["message"] for page in pages for event in page["events"])
    return [json.loads(message) for message in messages if message.startswith("{")]


def show_faults(deployment) -> None:
    """Prints the faults of the functions, and the number of each."""
    lines = (line for line in log_lines(deployment, pattern="ERROR") if line.get("level") == "ERROR")
    keys = ("function", "fault.operation", "fault.cause", "message")
    for fault, count in Counter(" ".join(str(line.get(key, "")) for key in keys) for line in lines).most_common():
        print(f"{count:6} {fault}", flush=True)


def monitoring_is_deployed(deployment) -> None:
    """Every alarm exists and notifies, the dashboard is readable, and the tables are protected."""
    resources = deployment.resources()
    watching = deployment.resources(resources["Watching"])
    cloudwatch = deployment.client("cloudwatch")
    pages = cloudwatch.get_paginator("describe_alarms").paginate()
    alarms = [alarm for page in pages for alarm in page["MetricAlarms"]]
    template = json.loads((FOLDER / "watching.yaml").read_text(encoding="utf-8"))
    wanted = sum(resource["Type"] == "AWS::CloudWatch::Alarm" for resource in template["Resources"].values())
    expect(len(alarms) == wanted >= 15, f"all {wanted} alarms exist", len(alarms))
    present = {alarm["AlarmName"] for alarm in alarms}
    needed = {f"{deployment.name}-{kind}" for kind in ("canary", "gateway-errors", "errors", "notices-errors", "authorizer-errors")}
    expect(needed <= present, "failed calls have their alarms", needed - present)
    topic = watching["Alarms"]
    silent = [alarm["AlarmName"] for alarm in alarms if alarm["AlarmActions"] != [topic] and not alarm["AlarmName"].endswith(("-canary", "-table-errors"))]
    expect(not silent, "each alarm notifies the topic", silent)
    expect(all(alarm["AlarmName"].startswith(f"{deployment.name}-") for alarm in alarms), "alarms name the stack", alarms)
    dashboard = json.loads(cloudwatch.get_dashboard(DashboardName=watching["Dashboard"])["DashboardBody"])
    expect(len(dashboard["widgets"]) >= 8, "the dashboard has widgets", len(dashboard["widgets"]))

    tags = deployment.client("cloudformation").describe_stacks(StackName=deployment.name)["Stacks"][0]["Tags"]
    expect({"Key": "Team", "Value": "accounts"} in tags, "the stack has the tags", tags)

    dynamodb = deployment.client("dynamodb")
    for name in (deployment.output("AccountsTableName"), deployment.output("EntriesTableName")):
        table = dynamodb.describe_table(TableName=name)["Table"]
        expect(table["DeletionProtectionEnabled"], "a table cannot be deleted by mistake", table)
    groups = deployment.client("logs").describe_log_groups()["logGroups"]
    forever = [group["logGroupName"] for group in groups if "retentionInDays" not in group]
    expect(not forever, "every log group has a retention period", forever)
