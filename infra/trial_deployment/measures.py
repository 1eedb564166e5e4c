"""Measurements that need a real deployment. Each gives a section of the report."""

import json
import math
import re
import time
from collections.abc import Callable
from contextlib import closing
from urllib.parse import urlsplit

import boto3
from asking import ask, connected
from checks import call, log_lines
from report import Section, table
from stack import Stack

LISTED = "https://listed.example"
UNLISTED = "https://unlisted.example"
SESSION = "/app/auth/session.php"
WARM_CALLS = 20
SECONDS_FOR_LOGS = 60
# Spellings of a path, and a path without a route whose quotation mark must not break the gateway's log. The function
# answers 401 if the gateway finds the route; otherwise the gateway answers 404.
WRITINGS = ("/app/auth/sessio%6e.php", "/app/auth/session.php%3Fx", "//app/auth/session.php", "/app/./auth/session.php", "/no%22-existe")


def connection(seconds: float) -> Section:
    """Whether DynamoDB keeps a connection open after the request with which the functions open it, and how long it keeps an idle one."""
    url = urlsplit(boto3.client("dynamodb").meta.endpoint_url)
    with closing(connected(url)) as open_connection:
        statuses, kept = [], False
        for _ in range(2):
            open_connection.request("GET", "/", headers={"Host": url.netloc})
            answer = open_connection.getresponse()
            answer.read()
            statuses.append(str(answer.status))
            # The client has closed its socket if the server requested it.
            kept = open_connection.sock is not None
            if not kept:
                break
        closed = idle(open_connection.sock, seconds) if kept else None
    idle_for = f"closed by DynamoDB after {closed:.0f} s without a request" if closed is not None else f"still open after {seconds:.0f} s"
    return Section("The table's connection", [
        f"Two unsigned `GET /` to {url.hostname}, from the machine of this script: {', '.join(statuses)}.",
        f"After the first request the connection was {'kept' if kept else 'closed'}. While idle, it was {idle_for if kept else 'not watched'}.",
    ])


def idle(sock, seconds: float) -> float | None:
    """The seconds after which the server closes an idle connection; None if it does not."""
    started = time.monotonic()
    while (rest := started + seconds - time.monotonic()) > 0:
        # TLS may have records to read that contain no data.
        sock.settimeout(min(rest, 1))
        try:
            if not sock.recv(1):
                return time.monotonic() - started
        except TimeoutError:
            continue
        except OSError:
            return time.monotonic() - started
    return None


def pauses(stack: Stack, seconds: list[float]) -> Section:
    """The duration of a call of session after its environment was frozen for each of the pauses, from the function's log."""
    who = {"email": "pausas@example.com", "password": "Secreto123"}
    form = {**who, "nombre": "Pausas", "confirm-password": who["password"], "terms": "on"}
    call(stack, "/app/auth/sendRegister.php", **form)
    cookie = call(stack, "/app/auth/sendLogin.php", **who)[2]
    call(stack, SESSION, cookie)
    rows = []
    for pause in seconds:
        time.sleep(pause)
        since = now()
        status = call(stack, SESSION, cookie)[0]
        lines = logged(stack, since, lambda found: len(found) > 0, "session")
        line = lines[-1] if lines else {}
        rows.append((f"{pause:g}", status, line.get("duration_ms", "no line"), "yes" if line.get("cold_start") else "no"))
    return Section("A call after a pause", [
        "`session` with a live session reads the table once. If the connection was closed during the pause, the call takes longer.", "",
        *table(("pause (s)", "status", "duration_ms", "cold start"), rows),
    ])


def times(stack: Stack, renew: Callable[[], None]) -> Section:
    """Cold and warm calls of every function, measured here after all environments were replaced, and from the functions' logs."""
    renew()
    routes = functions_by_path(stack)
    since, rows = now(), []
    seen = {function: [empty_post(stack, path) for _ in range(1 + WARM_CALLS)] for path, function in routes.items()}
    logged(stack, since, lambda found: len(found) >= len(routes) * (1 + WARM_CALLS))
    lines = [line for line in log_lines(stack) if "duration_ms" in line]
    for function, (cold, *warm) in sorted(seen.items()):
        short = function.removeprefix(f"{stack.name}-")
        own = {kind: [line["duration_ms"] for line in lines if line["function"] == short and bool(line.get("cold_start")) == kind]
               for kind in (True, False)}
        rows.append((short, f"{cold:.0f}", spread(warm), len(own[True]), spread(own[True]), len(own[False]), spread(own[False])))
    return Section("Cold and warm calls", [
        f"*Seen*: the milliseconds of a `POST` without fields, measured on this machine without handshakes: the first call after all "
        f"environments were replaced, then {WARM_CALLS} more. *Own*: `duration_ms` of all calls of the run, including the journeys, "
        "without the start of an environment. Three numbers are p50 / p99 / maximum.", "",
        *table(("function", "cold, seen", "warm, seen", "cold calls", "cold, own", "warm calls", "warm, own"), rows),
    ])


def spread(milliseconds: list[float]) -> str:
    """The p50, the p99 and the maximum."""
    if not milliseconds:
        return "none"
    ordered = sorted(milliseconds)
    return " / ".join(f"{ordered[math.ceil(len(ordered) * part) - 1]:.0f}" for part in (0.5, 0.99, 1))


def empty_post(stack: Stack, path: str) -> float:
    """The duration of a call, in milliseconds."""
    return ask(stack.base_url, "POST", path, b"", X_Requested_With="XMLHttpRequest").milliseconds


def functions_by_path(stack: Stack) -> dict[str, str]:
    """The function of each path of the gateway."""
    gateway, api = stack.client("apigatewayv2"), stack.resources()["Api"]
    integrations = {one["IntegrationId"]: one["IntegrationUri"] for one in gateway.get_integrations(ApiId=api)["Items"]}
    found = {}
    for route in gateway.get_routes(ApiId=api)["Items"]:
        function = re.search(r":function:([^:/]+)", integrations[route["Target"].removeprefix("integrations/")])
        found[route["RouteKey"].partition(" ")[2]] = function[1] if function else "unknown"
    return found


def preflight(stack: Stack) -> Section:
    """The CORS headers for a page of another origin."""
    rows = []
    for origin in (LISTED, UNLISTED):
        asked = ask(stack.base_url, "OPTIONS", SESSION, Origin=origin, Access_Control_Request_Method="POST",
                    Access_Control_Request_Headers="content-type,x-requested-with,idempotency-key")
        posted = ask(stack.base_url, "POST", SESSION, b"", Origin=origin, X_Requested_With="XMLHttpRequest")
        for method, answer in (("OPTIONS", asked), ("POST", posted)):
            headers = [f"{name}: {value}" for name, value in answer.headers.items() if name.lower().startswith("access-control-") or name.lower() == "vary"]
            rows.append((origin, method, answer.status, "; ".join(headers) or "none"))
    return Section("Other origins", [f"`CorsOrigins` was `{LISTED}`.", "", *table(("origin", "method", "status", "CORS headers"), rows)])


def gateway(stack: Stack, patience: float) -> Section:
    """How the gateway normalises paths, and whether its log is JSON."""
    asked = ((path, ask(stack.base_url, "POST", path, b"", X_Requested_With="XMLHttpRequest").status) for path in WRITINGS)
    rows = [(f"`{path}`", status, "found" if status == 401 else "not found") for path, status in asked]
    group, lines = f"/aws/vendedlogs/apigateway/{stack.name}", []
    deadline = time.monotonic() + min(patience, SECONDS_FOR_LOGS)
    while not lines and time.monotonic() < deadline:
        time.sleep(1)
        pages = stack.client("logs").get_paginator("filter_log_events").paginate(logGroupName=group)
        lines = [event["message"] for page in pages for event in page["events"]]
    broken = [line for line in lines if not is_json(line)]
    return Section("The gateway", [
        *table(("path", "status", "route of session"), rows), "",
        f"Its log has {len(lines)} lines; {len(broken)} of them are not JSON." + (f" One is `{broken[0]}`" if broken else ""),
    ])


def percentiles(stack: Stack, patience: float) -> Section:
    """Whether the dashboard's percentiles of the table's latency exist. CloudWatch is delayed by minutes."""
    cloudwatch, name = stack.client("cloudwatch"), stack.output("AccountsTableName")
    dimension, deadline = [{"Name": "TableName", "Value": name}], time.monotonic() + patience
    while True:
        metrics = cloudwatch.list_metrics(Namespace="AWS/DynamoDB", MetricName="SuccessfulRequestLatency", Dimensions=dimension)["Metrics"]
        rows = [row for metric in metrics if (row := latency(cloudwatch, metric))]
        if rows or time.monotonic() > deadline:
            break
        time.sleep(min(30, patience))
    lines = table(("operation", "p50 (ms)", "p99 (ms)"), rows) if rows else [f"No percentile was available within {patience:.0f} s."]
    return Section("Percentiles of SuccessfulRequestLatency", lines)


def latency(cloudwatch, metric: dict) -> tuple | None:
    """Operation, p50 and p99 of one metric of the last three hours."""
    asked = [{"Id": statistic, "MetricStat": {"Metric": metric, "Period": 10800, "Stat": statistic}} for statistic in ("p50", "p99")]
    end = time.time()
    results = cloudwatch.get_metric_data(MetricDataQueries=asked, StartTime=end - 10800, EndTime=end)["MetricDataResults"]
    values = {one["Id"]: one["Values"][0] for one in results if one["Values"]}
    operation = next((one["Value"] for one in metric["Dimensions"] if one["Name"] == "Operation"), "all")
    return (operation, f"{values['p50']:.1f}", f"{values['p99']:.1f}") if values.keys() == {"p50", "p99"} else None


def logged(stack: Stack, since: int, enough: Callable[[list], bool], function: str = "") -> list[dict]:
    """The lines of calls since a time. Waits until there are enough, because the log is delayed."""
    deadline = time.monotonic() + SECONDS_FOR_LOGS
    while True:
        lines = [line for line in log_lines(stack, since) if "duration_ms" in line and function in ("", line["function"])]
        if enough(lines) or time.monotonic() > deadline:
            return lines
        time.sleep(1)


def now() -> int:
    """The time in milliseconds since 1970, like the log's."""
    return int(time.time() * 1000)


def is_json(line: str) -> bool:
    """Whether a line is valid JSON."""
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
