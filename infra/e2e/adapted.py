"""Adapts the templates to the emulator, because of these limits of MiniStack 1.5.33. Others are in `LIMITS` in __main__.py, and in
`add_routes` in deployment.py:

- It has no CodeDeploy, and its SAM transform only uses the defaults of parameters, so gradual deployment is removed.
- It refuses alarms on metric math, so each such alarm watches only its first metric.
- It does not know the resource and the sender when it checks the permission for SES's SendEmail, so the policy must not restrict them.
- Its CloudFront cannot reach AWS hosts, and its gateway has no TLS, so the API's origin is the emulator, with a path that names the gateway.
- Its S3 answers 403 to CloudFront for every missing file, so infra/e2e/hosting.py checks the 404 page in another way.
- It has no composite alarms.
- A mail identity has no DKIM records, so the outputs with them are removed.
- It does not know archives of events, so the archive is removed.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "target/e2e"
# The adapted template is in the folder of the original, because it contains relative paths.
TEMPLATE = ROOT / "e2e.yaml"


def write() -> None:
    """Writes the root template to TEMPLATE, and the nested ones to FOLDER."""
    transform = [ROOT / "target/tools/sam/bin/python", "-W", "ignore", ROOT / "infra/checks/transform.py", FOLDER / "transformed"]
    subprocess.run(transform, check=True, capture_output=True)
    for path in (FOLDER / "transformed").glob("*.json"):
        if path.stem != "template":
            template = nested(json.loads(path.read_text(encoding="utf-8")))
            (FOLDER / f"{path.stem}.yaml").write_text(json.dumps(template), encoding="utf-8")
    text = (ROOT / "template.yaml").read_text(encoding="utf-8")
    before, name, after = text.partition("\n  GradualDeployment: ")
    after = after.replace('Default: "true"', 'Default: "false"', 1).replace("Location: infra/", "Location: target/e2e/")
    archive = re.search(r"\n  EventArchive:\n(    .*\n)+", after)
    TEMPLATE.write_text(before + name + after.replace(archive[0], "\n"), encoding="utf-8")


def nested(template: dict) -> dict:
    """A nested template, without the parts that the emulator refuses."""
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::CloudWatch::Alarm" and "Metrics" in resource["Properties"]:
            one_metric(resource["Properties"])
        if resource["Type"] == "AWS::IAM::ManagedPolicy":
            for statement in resource["Properties"]["PolicyDocument"]["Statement"]:
                if statement["Action"] == ["ses:SendEmail"]:
                    statement["Resource"] = "*"
                    del statement["Condition"]
        if resource["Type"] == "AWS::CloudFront::Distribution":
            by_path(next(origin for origin in resource["Properties"]["DistributionConfig"]["Origins"] if origin["Id"] == "api"))
    template["Resources"] = {name: one for name, one in template["Resources"].items() if one["Type"] != "AWS::CloudWatch::CompositeAlarm"}
    outputs = template.get("Outputs", {})
    template["Outputs"] = {name: output for name, output in outputs.items() if not name.startswith("DkimRecord")}
    return template


def one_metric(alarm: dict) -> None:
    """Replaces an alarm's metric math by its first metric."""
    first = next(metric["MetricStat"] for metric in alarm.pop("Metrics") if "MetricStat" in metric)
    statistic = "ExtendedStatistic" if first["Stat"].startswith("p") else "Statistic"
    alarm.update({**first["Metric"], "Period": first["Period"], statistic: first["Stat"]})


def by_path(origin: dict) -> None:
    """Replaces an origin's API host by the emulator's."""
    emulator = urlsplit(os.environ["AWS_ENDPOINT_URL"])
    api = {"Fn::Select": [0, {"Fn::Split": [".", origin["DomainName"]]}]}
    origin["DomainName"] = emulator.hostname
    origin["OriginPath"] = {"Fn::Sub": ["/_aws/execute-api/${Api}/$default", {"Api": api}]}
    origin["CustomOriginConfig"].update(OriginProtocolPolicy="http-only", HTTPPort=emulator.port)
