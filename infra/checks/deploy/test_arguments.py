"""Tests of scripts/deploy: check-arguments refuses names that AWS would refuse late or not at all, and deploy passes on what an account requires."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
TEMPLATE = (ROOT / "template.yaml").read_text(encoding="utf-8")


def script(name: str):
    """A script as a module. It gets a stand-in for boto3."""
    loader = SourceFileLoader(name, str(ROOT / "scripts/deploy" / name))
    module = module_from_spec(spec_from_loader(name, loader))
    with mock.patch.dict(sys.modules, {"boto3": mock.Mock(), "botocore": mock.Mock(), "botocore.exceptions": mock.Mock()}):
        loader.exec_module(module)
    return module


arguments, changes = script("check-arguments"), script("show-changes")


class Arguments(unittest.TestCase):
    def test_a_stack_name_leaves_room_for_the_longest_name_of_a_function(self):
        self.assertIsNone(arguments.fault(TEMPLATE, "a" * 39, []))
        self.assertIn("up to 39 letters", arguments.fault(TEMPLATE, "a" * 40, []))
        longer = TEMPLATE.replace("${AWS::StackName}-login\n", "${AWS::StackName}-a-function-with-a-longer-name\n")
        self.assertIn("up to 34 letters", arguments.fault(longer, "a" * 39, []))
        self.assertIsNotNone(arguments.fault(TEMPLATE, "1st", []))

    def test_a_misspelt_parameter_is_refused_with_the_nearest_name(self):
        self.assertIsNone(arguments.fault(TEMPLATE, "accounts", ["LoginMaxFailures=10", "GradualDeployment=false", "ProductName=Mis finanzas"]))
        self.assertEqual(arguments.fault(TEMPLATE, "accounts", ["LoginMaxFailure=10"]), "there is no parameter LoginMaxFailure: did you mean LoginMaxFailures?")
        self.assertIn("did you mean AlarmEmail?", arguments.fault(TEMPLATE, "accounts", ["alarmemail=a@example.com"]))


class Changes(unittest.TestCase):
    def test_the_changes_of_a_nested_stack_are_shown_below_it(self):
        def change(name: str, kind: str, **more: object) -> dict:
            return {"ResourceChange": {"Action": "Modify", "LogicalResourceId": name, "ResourceType": kind, **more}}

        sets = {"root": [change("Mail", "AWS::CloudFormation::Stack", ChangeSetId="mail"), change("Login", "AWS::Lambda::Function", Details=[{"Target": {"Attribute": "Properties", "Name": "Code"}}])],
                "mail": [change("Identity", "AWS::SES::EmailIdentity", Replacement="True", Details=[{"Target": {"Attribute": "Tags"}}])]}
        client = mock.Mock()
        client.get_paginator.return_value.paginate = lambda ChangeSetName: [{"Changes": sets[ChangeSetName]}]
        self.assertEqual(changes.lines(client, "root"), [
            "Modify   Mail (AWS::CloudFormation::Stack)", "  Replace  Identity (AWS::SES::EmailIdentity) Tags", "Modify   Login (AWS::Lambda::Function) Code"])

    def test_a_parameter_that_is_not_given_keeps_its_value_if_the_stack_has_it(self):
        template = "Parameters:\n  A:\n    Type: String\n  B:\n    Type: String\n  New:\n    Type: String\nResources:\n"
        self.assertEqual(changes.values(template, {"A", "B", "Gone"}, ['A=""']), [{"ParameterKey": "A", "ParameterValue": ""}, {"ParameterKey": "B", "UsePreviousValue": True}])


class Deploy(unittest.TestCase):
    """A tree with stand-ins for SAM and for the Python with boto3, which finds a deployed stack for arm64. Both print how they are called."""

    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.top = Path(work.name)
        for name in ("scripts/deploy/deploy", "scripts/deploy/check-arguments", "scripts/deploy/write-release", "template.yaml", *(f"infra/{name}.yaml" for name in ("permissions", "mail", "watching", "domain", "web"))):
            (self.top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.top / name)
        for name, body in (("target/lambda/arm64/login/bootstrap.zip", "zip"), ("target/tools/sam/bin/sam", '#!/bin/bash\nprintf "<%s>" sam "$@"\ngrep CodeUri release.yaml >> uris\n'),
                           ("target/tools/sam/bin/python", '#!/bin/bash\n[[ $1 == - ]] && echo arm64 || printf "<%s>" "$@"\n')):
            (self.top / name).parent.mkdir(parents=True, exist_ok=True)
            (self.top / name).write_text(body, encoding="utf-8")
            (self.top / name).chmod(0o755)

    def deploy(self, *given: str, **environment: str) -> subprocess.CompletedProcess:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "ARTIFACTS", "STACK", "TAGS", "DIFF"))}
        return subprocess.run([self.top / "scripts/deploy/deploy", *given], env={**clean, **environment}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def test_tags_and_role_are_passed_on_and_the_zips_are_deployed(self):
        said = self.deploy("AlarmEmail=a@example.com", TAGS="Team=web Stage=test", DEPLOY_ROLE="arn:aws:iam::1:role/deploy")
        self.assertIn("<--tags><Team=web><Stage=test><--role-arn><arn:aws:iam::1:role/deploy>", said.stdout, said.stderr)
        self.assertNotIn("--tags", self.deploy().stdout)
        uris = (self.top / "uris").read_text(encoding="utf-8")
        self.assertIn("CodeUri: target/lambda/current/login/bootstrap.zip", uris)
        self.assertNotIn("CodeUri: functions/", uris)

    def test_a_misspelt_parameter_deploys_nothing(self):
        said = self.deploy("LoginMaxFailure=10")
        self.assertEqual((said.returncode, "<sam>" in said.stdout), (1, False))

    def test_diff_shows_the_changes_and_deploys_nothing(self):
        said = self.deploy("AlarmEmail=a@example.com", DIFF="yes")
        self.assertIn("<scripts/deploy/show-changes><packaged.yaml><accounts><Architecture=arm64><AlarmEmail=a@example.com>", said.stdout, said.stderr)
        self.assertNotIn("<sam><deploy>", said.stdout)


if __name__ == "__main__":
    unittest.main()
