"""Prints the table of docs/before-you-choose.md with what a deployment costs a month for each value of Observability, from the transformed templates.

Prices are those of us-east-1, without free tiers: https://aws.amazon.com/cloudwatch/pricing/ and https://aws.amazon.com/xray/pricing/"""

import json
import math
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ALARM, COMPOSITE, DASHBOARD, METRIC = 0.10, 0.50, 3.00, 0.30
TRACE = 5 / 1e6
# With each login, a user's pages check the session ten times. A call's cost is that of docs/performance.md, with 0.55 a million for its log and answer.
# Each login also calls the function notices, at a low rate by itself, which writes one item and no answer.
CALLS = {"login": (1, 3.33e-6 + 0.55e-6), "session": (10, 2.19e-6 + 0.55e-6), "notices": (1, 0.87e-6 + 0.28e-6)}
# Lambda traces the first call of each second and 5 % of the others: https://docs.aws.amazon.com/lambda/latest/dg/services-xray.html
SECONDS, SHARE = 30.4 * 86400, 0.05
CONDITIONS = {"full": {"HasAlarms", "IsFull"}, "basic": {"HasAlarms"}, "off": set()}
LOGINS = (0, 10_000, 1_000_000)


def watching(template: dict, level: str) -> float:
    """The alarms and the dashboard. An alarm on several metrics costs as much as one on each of them."""
    there = [one for one in template["Resources"].values() if one.get("Condition") in CONDITIONS[level] | {None}]
    metrics = [sum("MetricStat" in metric for metric in one["Properties"].get("Metrics", [])) or 1 for one in there if one["Type"] == "AWS::CloudWatch::Alarm"]
    count = {kind: sum(one["Type"] == f"AWS::CloudWatch::{kind}" for one in there) for kind in ("CompositeAlarm", "Dashboard")}
    return ALARM * sum(metrics) + COMPOSITE * count["CompositeAlarm"] + DASHBOARD * count["Dashboard"]


def calls(logins: int, source: str, traced: bool) -> float:
    """The calls, the metrics that the functions write in the hours in which they are called, and the traces."""
    own = len(re.findall(r"Metric \{ name", source.partition("const CALL")[2].partition("};")[0]))
    total = 0.0
    for each, price in CALLS.values():
        number = logins * each
        first = SECONDS * -math.expm1(-number / SECONDS)
        total += number * price + own * METRIC * -math.expm1(-number / (SECONDS / 3600))
        total += TRACE * (first + SHARE * (number - first)) if traced else 0
    return total


def table(templates: dict) -> list[str]:
    """The lines of the table."""
    source = (ROOT / "shared/src/log/metrics.rs").read_text(encoding="utf-8")
    tracing = templates["template"]["Resources"]["Login"]["Properties"]["TracingConfig"]["Mode"]["Fn::If"]
    rows = ["| `Observability` | idle | " + " | ".join(f"{logins:,} logins" for logins in LOGINS[1:]) + " |", "|---|" + "---:|" * len(LOGINS)]
    for level in CONDITIONS:
        traced = tracing[1 if tracing[0] in CONDITIONS[level] else 2] == "Active"
        sums = [watching(templates["watching"], level) + calls(logins, source, traced) for logins in LOGINS]
        rows.append(f"| {level} | " + " | ".join(f"{one:.2f}" for one in sums) + " |")
    return rows


def transformed() -> dict:
    """The transformed templates."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "target/checks").glob("*.json")}


if __name__ == "__main__":
    print("\n".join(table(transformed())))
