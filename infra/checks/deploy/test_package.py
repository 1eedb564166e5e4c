"""Tests of `make package`: one template for Terraform, the CDK and StackSets."""

import json
import os
import re
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
os.environ.setdefault("AWS_DEFAULT_REGION", "eu-west-1")
loader = SourceFileLoader("package", str(ROOT / "scripts/deploy/package"))
package = module_from_spec(spec_from_loader("package", loader))
loader.exec_module(package)
# The largest template that CloudFormation takes from a bucket:
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
BYTES_MAX = 1_000_000


def packaged() -> str:
    """The template as `sam package` writes it, with files in a bucket."""
    text = (ROOT / "template.yaml").read_text(encoding="utf-8")
    text = re.sub(r"CodeUri: functions/(\S+)", r"CodeUri: s3://bucket/\1", text)
    return re.sub(r"Location: infra/(\S+)\.yaml", r"Location: https://s3.eu-west-1.amazonaws.com/bucket/\1.template", text)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        given = package.values(["FrontEndUrl=https://app.example.com", 'AlarmEmail=""', "GradualDeployment=true", "Architecture=x86_64"])
        cls.text = package.plain(packaged(), given)
        cls.template = json.loads(cls.text)

    def test_the_template_has_no_transform_and_cloudformation_takes_it_from_a_bucket(self):
        types = {one["Type"] for one in self.template["Resources"].values()}
        self.assertNotIn("Transform", self.template)
        self.assertEqual({one for one in types if "Serverless" in one}, set())
        self.assertLess(len(self.text.encode()), BYTES_MAX)

    def test_its_code_and_its_nested_templates_are_in_the_bucket(self):
        for name, one in self.template["Resources"].items():
            properties = one.get("Properties", {})
            if one["Type"] == "AWS::Lambda::Function" and "ZipFile" not in properties["Code"]:
                self.assertEqual(properties["Code"]["S3Bucket"], "bucket", name)
            if one["Type"] == "AWS::CloudFormation::Stack":
                self.assertTrue(properties["TemplateURL"].startswith("https://"), name)

    def test_the_given_values_are_the_defaults(self):
        defaults = {name: one.get("Default") for name, one in self.template["Parameters"].items()}
        self.assertEqual((defaults["FrontEndUrl"], defaults["AlarmEmail"], defaults["Architecture"]), ("https://app.example.com", "", "x86_64"))
        self.assertEqual({name for name, value in defaults.items() if value is None}, {"MailFrom", "GoogleClientIds"})

    def test_new_versions_get_their_calls_gradually(self):
        alias = self.template["Resources"]["LoginAliaslive"]
        self.assertIn("CodeDeployLambdaAliasUpdate", alias["UpdatePolicy"])


if __name__ == "__main__":
    unittest.main()
