"""Tests of the pipeline: what its jobs may do in AWS, that production gets the files of staging, and the detection of drift."""

import fnmatch
import json
import re
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from unittest import mock

import yaml

ROOT = Path(__file__).resolve().parents[3]
DEPLOYER = json.loads((ROOT / "target/checks/deployer.json").read_text(encoding="utf-8"))["Resources"]
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/deploy.yml").read_text(encoding="utf-8"))["jobs"]
ACTION = (ROOT / ".github/actions/deploy/action.yml").read_text(encoding="utf-8")
# The services whose actions do not begin with the name in a resource's type, in lower case.
ACTIONS_OF = {"apigatewayv2": "apigateway"}
# The firewall, the log at the edge and the backups are deployed by hand.
NOT_IN_THE_STACK = {"firewall", "edge-log", "deployer", "backup", "backup-vault"}


def script(name: str):
    """A script as a module."""
    loader = SourceFileLoader(name, str(ROOT / "scripts/deploy" / name))
    module = module_from_spec(spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


drift = script("drift")


def statements(role: str) -> list[dict]:
    """The statements of a role's policies."""
    return [one for policy in DEPLOYER[role]["Properties"]["Policies"] for one in policy["PolicyDocument"]["Statement"]]


def actions(role: str) -> set[str]:
    """The actions that a role allows."""
    found = (one["Action"] for one in statements(role))
    return {action for one in found for action in ([one] if isinstance(one, str) else one)}


def allows(role: str, action: str) -> bool:
    """Whether a role allows an action on anything."""
    return any(fnmatch.fnmatchcase(action, pattern) for pattern in actions(role))


class Roles(unittest.TestCase):
    """infra/deployer.yaml."""

    def test_only_the_jobs_of_one_environment_can_take_a_role(self):
        suffixes = {"DeployRole": "", "ChangesRole": "-changes", "DriftRole": "-drift"}
        for role, suffix in suffixes.items():
            trust = DEPLOYER[role]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
            self.assertEqual([one["Condition"] for one in trust], [{"StringEquals": {
                "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
                "token.actions.githubusercontent.com:sub": {"Fn::Sub": "repo:${Repository}:environment:${Environment}" + suffix},
            }}])

    def test_a_pull_request_can_change_nothing_that_is_deployed(self):
        self.assertTrue(allows("ChangesRole", "cloudformation:CreateChangeSet"))
        for action in ("cloudformation:ExecuteChangeSet", "cloudformation:UpdateStack", "cloudformation:DeleteStack", "iam:PassRole", "s3:DeleteObject"):
            self.assertFalse(allows("ChangesRole", action), action)
        self.assertNotIn("${Artifacts", json.dumps(statements("ChangesRole")))
        jobs = {name for name, job in WORKFLOW.items() if "pull_request" in job.get("if", "") or name == "changes"}
        self.assertEqual({WORKFLOW[name].get("environment", "") for name in jobs}, {"", "${{ matrix.environment }}-changes"})

    def test_neither_a_pull_request_nor_the_detection_of_drift_reads_data(self):
        for role in ("ChangesRole", "DriftRole"):
            for action in ("dynamodb:Scan", "dynamodb:GetItem", "secretsmanager:GetSecretValue", "logs:StartQuery", "sqs:ReceiveMessage"):
                self.assertFalse(allows(role, action), (role, action))

    def test_cloudformation_may_create_what_the_templates_have(self):
        allowed = actions("CloudFormationRole")
        for path in (ROOT / "target/checks").glob("*.json"):
            if path.stem in NOT_IN_THE_STACK:
                continue
            for resource in json.loads(path.read_text(encoding="utf-8"))["Resources"].values():
                service = resource["Type"].split("::")[1].lower()
                service = ACTIONS_OF.get(service, service)
                self.assertTrue(any(action.startswith(f"{service}:") for action in allowed), resource["Type"])

    def test_a_boundary_holds_for_each_action_that_gives_a_role_permissions(self):
        gives = {"iam:CreateRole", "iam:PutRolePolicy", "iam:AttachRolePolicy", "iam:PutRolePermissionsBoundary"}
        for one in statements("CloudFormationRole"):
            if gives & set(one["Action"]):
                self.assertEqual(one["Condition"]["Fn::If"][0], "HasBoundary")
        self.assertNotIn("iam:DeleteRolePermissionsBoundary", actions("CloudFormationRole"))


class Workflow(unittest.TestCase):
    """.github/workflows/deploy.yml."""

    def test_production_gets_the_files_of_staging(self):
        inputs = [job["steps"][-1]["with"]["run"] for job in (WORKFLOW["staging"], WORKFLOW["production"])]
        self.assertEqual(inputs, ["${{ github.run_id }}"] * 2)
        self.assertIn("staging", WORKFLOW["production"]["needs"])
        self.assertIn("make deploy RELEASE=", ACTION)
        builds = [name for name, job in WORKFLOW.items() if any("make build" in step.get("run", "") for step in job["steps"])]
        self.assertEqual(builds, ["build"])

    def test_a_rollback_takes_the_files_and_the_templates_of_one_run_of_main(self):
        find, checkout, deploy = WORKFLOW["again"]["steps"]
        self.assertIn(".github/workflows/deploy.yml push main ", find["run"])
        self.assertEqual(checkout["with"]["ref"], "${{ steps.earlier.outputs.commit }}")
        self.assertEqual((deploy["with"]["run"], deploy["with"]["gradual"]), ("${{ inputs.run }}", "false"))

    def test_no_job_runs_before_the_variable_deploy_is_set(self):
        for name, job in WORKFLOW.items():
            self.assertTrue("needs" in job or "vars.DEPLOY == 'true'" in job["if"], name)

    def test_the_page_names_each_variable(self):
        used = set(re.findall(r"vars\.([A-Z_]+)", json.dumps(WORKFLOW)))
        page = (ROOT / "docs/pipeline.md").read_text(encoding="utf-8")
        self.assertEqual({name for name in used if f"`{name}`" not in page}, set())


class Drift(unittest.TestCase):
    """scripts/deploy/drift."""

    def client(self) -> mock.Mock:
        """A client of a stack with a nested one, in which a queue was changed."""
        client = mock.Mock()
        nested = {"accounts": [{"ResourceType": "AWS::CloudFormation::Stack", "PhysicalResourceId": "arn:mail"}, {"ResourceType": "AWS::SQS::Queue", "PhysicalResourceId": "q"}]}
        client.get_paginator.return_value.paginate = lambda StackName: [{"StackResourceSummaries": nested.get(StackName, [])}]
        client.detect_stack_drift = lambda StackName: {"StackDriftDetectionId": StackName}
        statuses = iter(["DETECTION_IN_PROGRESS"])
        client.describe_stack_drift_detection_status = lambda StackDriftDetectionId: {"DetectionStatus": next(statuses, "DETECTION_COMPLETE")}
        changed = {"StackResourceDriftStatus": "MODIFIED", "LogicalResourceId": "Queue", "ResourceType": "AWS::SQS::Queue",
                   "PropertyDifferences": [{"PropertyPath": "/Delay", "ExpectedValue": "0", "ActualValue": "9"}]}
        pages = {"accounts": {"StackResourceDrifts": []}, "arn:mail": {"StackResourceDrifts": [changed], "NextToken": "more"}}
        client.describe_stack_resource_drifts = lambda StackName, NextToken="", **_: {"StackResourceDrifts": []} if NextToken else pages[StackName]
        return client

    def test_a_changed_resource_of_a_nested_stack_is_shown_and_fails(self):
        client, waited = self.client(), []
        found = []
        for name in drift.stacks(client, "accounts"):
            drift.detect(client, name, waited.append)
            found += drift.lines(client, name)
        self.assertEqual(found, ["modified Queue (AWS::SQS::Queue)", "  /Delay: 0 -> 9"])
        self.assertEqual(len(waited), 1)

    def test_a_failed_detection_ends_with_its_reason(self):
        client = self.client()
        client.describe_stack_drift_detection_status = lambda StackDriftDetectionId: {"DetectionStatus": "DETECTION_FAILED", "DetectionStatusReason": "no permission"}
        with self.assertRaisesRegex(SystemExit, "no permission"):
            drift.detect(client, "accounts")


if __name__ == "__main__":
    unittest.main()
