"""Tests of the comparison of calls and policies. The proof itself needs the deployed service."""

import unittest

from permissions import LAMBDAS_OWN, differences


class Differences(unittest.TestCase):
    """The differences that are reported."""

    def test_equal_sets_have_no_differences(self):
        self.assertEqual(differences({"A": {"d:Get"}}, {"A": {"d:Get"} | LAMBDAS_OWN}), [])

    def test_a_call_without_a_permission_is_reported(self):
        found = differences({"A": {"d:Get", "d:Put"}}, {"A": {"d:Get"}})
        self.assertEqual(found, ["A calls d:Put, which its policy does not allow"])

    def test_an_unused_permission_is_reported(self):
        found = differences({"A": {"d:Get"}, "B": {"d:Put"}}, {"A": {"d:Get", "d:Put"}, "B": {"d:Put"}})
        self.assertEqual(found, ["A is allowed d:Put, which it never calls"])

    def test_a_function_without_a_policy_or_without_calls_is_reported(self):
        self.assertEqual(len(differences({"A": {"d:Get"}}, {})), 1)
        self.assertEqual(len(differences({}, {"A": {"d:Get"}})), 1)

    def test_only_a_function_that_reads_sessions_need_not_note_their_use(self):
        session, update = "dynamodb:BatchGetItem", "dynamodb:UpdateItem"
        self.assertEqual(differences({"A": {session}}, {"A": {session, update}}), [])
        self.assertEqual(len(differences({"A": set()}, {"A": {update}})), 1)
        self.assertEqual(len(differences({"A": {session}}, {"A": {session, update, "d:Put"}})), 1)

    def test_an_obsolete_exception_is_reported(self):
        secret = {"secretsmanager:GetSecretValue"}
        self.assertEqual(differences({"Captcha": set()}, {"Captcha": secret}), [])
        self.assertEqual(len(differences({"Captcha": secret}, {"Captcha": secret})), 1)


if __name__ == "__main__":
    unittest.main()
