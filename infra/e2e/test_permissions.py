"""The comparison of calls and policies: the proof itself needs the deployed service."""

import unittest

from permissions import LAMBDAS_OWN, differences


class Differences(unittest.TestCase):
    """What is told, and what is not."""

    def test_equal_sets_are_the_proof(self):
        self.assertEqual(differences({"A": {"d:Get"}}, {"A": {"d:Get"} | LAMBDAS_OWN}), [])

    def test_a_call_that_is_not_allowed_is_told(self):
        told = differences({"A": {"d:Get", "d:Put"}}, {"A": {"d:Get"}})
        self.assertEqual(told, ["A calls d:Put, which its policy does not allow"])

    def test_an_action_that_is_never_called_is_told(self):
        told = differences({"A": {"d:Get"}, "B": {"d:Put"}}, {"A": {"d:Get", "d:Put"}, "B": {"d:Put"}})
        self.assertEqual(told, ["A is allowed d:Put, which it never calls"])

    def test_a_function_without_a_policy_or_without_calls_is_told(self):
        self.assertEqual(len(differences({"A": {"d:Get"}}, {})), 1)
        self.assertEqual(len(differences({}, {"A": {"d:Get"}})), 1)

    def test_an_exception_that_is_none_any_more_is_told(self):
        update = {"dynamodb:UpdateItem"}
        self.assertEqual(differences({"Session": set()}, {"Session": update}), [])
        self.assertEqual(len(differences({"Session": update}, {"Session": update})), 1)


if __name__ == "__main__":
    unittest.main()
