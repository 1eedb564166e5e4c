"""Writes the transformed templates, which CloudFormation deploys: transform.py FOLDER. Runs CloudFormation's transform locally."""

import json
import os
import sys
from pathlib import Path

from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse

from rules import ROOT

NESTED = ("permissions", "mail", "watching", "domain", "web", "firewall", "edge-log", "deployer", "backup", "backup-vault")
GIVEN = {
    "FrontEndUrl": "https://app.example.com",
    "MailFrom": "cuentas@example.com",
    "GoogleClientIds": "client",
}


class NoManagedPolicies:
    """A loader of managed policies. The template uses none, so it loads none."""

    def load(self) -> dict:
        """Loads nothing."""
        return {}


def transformed(text: str) -> dict:
    """The root template, with packaged code and nested templates in place of local paths."""
    template = yaml_parse(text)
    for resource in template["Resources"].values():
        properties = resource["Properties"]
        if resource["Type"] == "AWS::Serverless::Function":
            properties["CodeUri"] = "s3://bucket/" + properties["CodeUri"]
        if resource["Type"] == "AWS::Serverless::Application":
            properties["Location"] = "https://bucket.s3.amazonaws.com/" + properties["Location"]
    return transform(template, GIVEN, NoManagedPolicies())


def write(folder: Path) -> None:
    """Writes all templates as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    templates = {name: yaml_parse((ROOT / f"infra/{name}.yaml").read_text(encoding="utf-8")) for name in NESTED}
    templates["template"] = transformed((ROOT / "template.yaml").read_text(encoding="utf-8"))
    for name, template in templates.items():
        (folder / f"{name}.json").write_text(json.dumps(template, indent=1), encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("AWS_DEFAULT_REGION", "eu-west-1")
    write(Path(sys.argv[1]))
