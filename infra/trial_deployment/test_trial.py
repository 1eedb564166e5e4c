"""Tests of the parts of a trial that need no account: the outcome of the journeys, failed removals, and the report."""

import re
import tempfile
import unittest
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from unittest import mock

import removal
from botocore.exceptions import ClientError
from journeys import NOWHERE, outcome
from report import Report

HERE = Path(__file__).resolve().parent
spec = spec_from_file_location("trial", HERE / "__main__.py")
trial = module_from_spec(spec)
spec.loader.exec_module(trial)

OUTPUT = f"""test login::works ... ok
test reset::is_mailed ... FAILED
test session::lives ... FAILED

---- reset::is_mailed stdout ----
an answer: reqwest::Error {{ url: "{NOWHERE}/_local/mail?to=ana" }}
---- session::lives stdout ----
left: 401
"""
DENIED = ClientError({"Error": {"Code": "AccessDenied"}}, "Delete")


class Trial(unittest.TestCase):
    def test_a_journey_that_ends_where_it_reads_a_mail_is_not_a_failure(self):
        self.assertEqual(outcome(OUTPUT), (["login::works"], ["session::lives"], ["reset::is_mailed"]))
        self.assertIn("no test ran", outcome("error: could not compile")[1][0])

    def test_a_failed_step_is_reported_and_the_others_continue(self):
        table, found = mock.Mock(), ["accounts-trial-1-x", "accounts-trial-12", "accounts"]
        steps = {"stack": mock.Mock(side_effect=DENIED), "table": table}
        with mock.patch.multiple(removal, STEPS=steps, KINDS=dict.fromkeys(steps, ("", "", "")), say=mock.Mock()), mock.patch("boto3.client") as client:
            client.return_value.get_paginator.return_value.paginate.return_value.search.return_value = found
            self.assertEqual(removal.removed("accounts-trial-1"), [f"stack: {DENIED}", *(f"{kind} accounts-trial-1-x is still there" for kind in steps)])
        self.assertEqual(table.mock_calls, [mock.call("accounts-trial-1-x")] * 2)

    def test_an_account_that_runs_few_calls_at_once_skips_the_journeys_that_send_many(self):
        source = (HERE.parents[1] / "tests/black_box/parallel.rs").read_text(encoding="utf-8")
        self.assertEqual(re.search(r"const AT_ONCE: usize = (\d+);", source)[1], str(trial.AT_ONCE))
        self.assertEqual(trial.refused_at_once(10), ["parallel::"])
        self.assertEqual(trial.refused_at_once(1000), [])

    def test_faults_come_first_in_the_report(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "new" / "report.md"
            Report({"name": "x"}, {"Measured": ["1"]}, ["it rained"]).write(path, ["table x"])
            text = path.read_text(encoding="utf-8")
        self.assertLess(text.index("- not removed: table x"), text.index("## Measured"))


if __name__ == "__main__":
    unittest.main()
