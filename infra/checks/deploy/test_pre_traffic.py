"""Tests of the function PreTraffic of template.yaml, which sends a new version a sample event before CodeDeploy sends it calls."""

import io
import json
import sys
import unittest
from pathlib import Path
from unittest import mock

TEMPLATE = json.loads((Path(__file__).resolve().parents[3] / "target/checks/template.json").read_text(encoding="utf-8"))
CODE = TEMPLATE["Resources"]["PreTraffic"]["Properties"]["Code"]["ZipFile"]
APPSPEC = {"version": 0.0, "Resources": [{"Login": {"Type": "AWS::Lambda::Function", "Properties": {
    "Name": "accounts-login", "Alias": "live", "CurrentVersion": "1", "TargetVersion": "2"}}}]}


class PreTraffic(unittest.TestCase):
    def verdict(self, answer: dict, name: str = "accounts-login", holder: str = "string", **more: str) -> tuple[str, dict]:
        """What CodeDeploy is told about a version that answers this, and what the version was called with."""
        content = json.dumps(APPSPEC).replace("accounts-login", name)
        clients = {"lambda": mock.Mock(), "codedeploy": mock.Mock()}
        clients["lambda"].invoke.return_value = {"Payload": io.BytesIO(json.dumps(answer).encode()), **more}
        clients["codedeploy"].get_deployment.return_value = {"deploymentInfo": {"revision": {holder: {"content": content}}}}
        with mock.patch.dict(sys.modules, boto3=mock.Mock(client=clients.get)), mock.patch("builtins.print"):
            names: dict = {}
            exec(CODE, names)
            try:
                names["handler"]({"DeploymentId": "d-1", "LifecycleEventHookExecutionId": "x"}, None)
            except Exception:  # CodeDeploy must be told of it too
                pass
        said = clients["codedeploy"].put_lifecycle_event_hook_execution_status.call_args.kwargs
        self.assertEqual((said["deploymentId"], said["lifecycleEventHookExecutionId"]), ("d-1", "x"))
        return said["status"], clients["lambda"].invoke.call_args.kwargs

    def test_a_version_that_refuses_the_sample_works(self):
        for holder in ("string", "appSpecContent"):
            status, called = self.verdict({"statusCode": 401, "body": "{}"}, holder=holder)
            self.assertEqual(status, "Succeeded")
            self.assertEqual((called["FunctionName"], called["Qualifier"]), ("accounts-login", "2"))

    def test_a_version_that_fails_or_crashes_gets_no_calls(self):
        self.assertEqual(self.verdict({"statusCode": 500})[0], "Failed")
        self.assertEqual(self.verdict({"errorType": "Runtime.ExitError"}, FunctionError="Unhandled")[0], "Failed")
        self.assertEqual(self.verdict([])[0], "Failed")

    def test_the_stream_and_the_authorizer_get_events_of_their_own(self):
        self.assertEqual(json.loads(self.verdict({"batchItemFailures": []}, "accounts-notices")[1]["Payload"]), {"Records": []})
        self.assertEqual(json.loads(self.verdict({"isAuthorized": False}, "accounts-authorizer")[1]["Payload"])["type"], "REQUEST")


if __name__ == "__main__":
    unittest.main()
