"""Writes the transformed templates, which CloudFormation deploys: transform.py FOLDER [STACK]. Runs CloudFormation's transforms locally."""

import json
import os
import sys
from pathlib import Path

from samcli.lib.cfn_language_extensions.api import process_template
from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse

from rules import ROOT, SERVICE

NESTED = ("permissions", "mail", "watching", "domain", "web", "firewall")
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


def expanded(template: dict, root: dict, stack: str) -> dict:
    """A nested template with its loops expanded over the lists that the root template passes to it."""
    if template.get("Transform") != "AWS::LanguageExtensions":
        return template
    handed = root["Resources"]["Watching"]["Properties"]["Parameters"]
    lists = {
        name: handed[name]["Fn::Sub"].replace("${AWS::StackName}", stack).split(",")
        for name, parameter in template["Parameters"].items() if parameter["Type"] == "CommaDelimitedList"
    }
    # Takes only the resources of the loops from the result, because SAM also replaces references whose values only a
    # deployment knows.
    repeated = {name: one for name, one in process_template(template, lists)["Resources"].items() if name not in template["Resources"]}
    single = {name: one for name, one in template["Resources"].items() if not name.startswith("Fn::ForEach::")}
    rest = {name: part for name, part in template.items() if name != "Transform"}
    return {**rest, "Resources": {**single, **repeated}}


def write(folder: Path, stack: str = SERVICE) -> None:
    """Writes all templates as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    root = transformed((ROOT / "template.yaml").read_text(encoding="utf-8"))
    templates = {name: expanded(yaml_parse((ROOT / f"infra/{name}.yaml").read_text(encoding="utf-8")), root, stack) for name in NESTED}
    templates["template"] = root
    for name, template in templates.items():
        (folder / f"{name}.json").write_text(json.dumps(template, indent=1), encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("AWS_DEFAULT_REGION", "eu-west-1")
    write(Path(sys.argv[1]), *sys.argv[2:])
