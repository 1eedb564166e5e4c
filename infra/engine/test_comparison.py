"""Tests of the comparison of engines: it finds what is new, what is gone, and what the calls lack."""

import json
import re
import unittest
from collections import Counter

import forms
import sources
from answers import compared
from cases import every
from cases.forms import cases as drawn, recorded
from cases.values import Case
from differences import Known, found, undocumented

FAILED = {"__type": "x#ConditionalCheckFailedException", "message": "The conditional request failed"}
CASE = Case("guard of a text").put().get()


def given(overlooked: dict | None = None, **answers: list) -> list:
    """The differences of engines that answer the two calls of a case so."""
    none = {name: set() for name in answers}
    return found([CASE], {name: [[compared("GetItem", *one) for one in own]] for name, own in answers.items()}, none | (overlooked or {}))


def known(**more) -> Known:
    """A known difference of the engine b."""
    return Known({"wrong": "b", "how": ["ConditionalCheckFailedException for 200"], "cases": ["guard *"]} | more)


class Comparison(unittest.TestCase):
    """The differences, and the sources of the calls."""

    def test_answers_that_differ_only_in_the_order_of_a_set_are_equal(self):
        one, other = ((200, {"Item": {"x": {"SS": members}}}) for members in (["a", "b"], ["b", "a"]))
        self.assertEqual(given(a=[one, one], b=[other, other], c=[one, other]), [])

    def test_a_difference_is_new_unless_an_entry_has_its_engine_its_case_and_its_way(self):
        differing = given(a=[(200, {}), (200, {})], b=[(400, FAILED), (200, {})], c=[(200, {}), (200, {})])
        self.assertEqual([one.is_explained([known()]) for one in differing], [True])
        for wrong in ({"wrong": "a"}, {"cases": ["change *"]}, {"how": ["200 for ConditionalCheckFailedException"]}):
            self.assertEqual([one.is_explained([known(**wrong)]) for one in differing], [False], wrong)

    def test_an_item_an_order_a_reason_or_words_that_differ_are_found(self):
        items = [{"x": {"S": "a"}}, {"x": {"S": "b"}}]
        cancelled = {"__type": "TransactionCanceledException", "CancellationReasons": [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Item": items[0]}]}
        other_reason = cancelled | {"CancellationReasons": [{"Code": "ConditionalCheckFailed", "Item": items[0]}, {"Code": "None"}]}
        no_item = cancelled | {"CancellationReasons": [{"Code": "None"}, {"Code": "ConditionalCheckFailed"}]}
        pairs = [((200, {"Items": items}), (200, {"Items": items[::-1]})), ((400, FAILED), (400, FAILED | {"Item": items[0]})), ((400, FAILED), (400, FAILED | {"message": "No"})),
                 ((400, cancelled), (400, other_reason)), ((400, cancelled), (400, no_item)), ((200, {}), (500, {}))]
        for one, other in pairs:
            self.assertEqual(len(given(a=[one, (200, {})], b=[other, (200, {})])), 1, (one, other))

    def test_after_a_difference_the_engines_that_agree_are_still_compared(self):
        same, other = (200, {}), (200, {"Item": {"x": {"S": "a"}}})
        self.assertEqual([list(one.answers) for one in given(a=[same, other], b=[(400, FAILED), same], c=[same, same])], [["a", "b", "c"], ["a", "c"]])

    def test_an_engine_that_returns_no_items_with_refusals_does_not_hide_that_others_differ(self):
        item = FAILED | {"Item": {"x": {"S": "a"}}}
        for other in (FAILED, FAILED | {"Item": {"x": {"S": "b"}}}):
            differing = given({"c": {"Item"}}, a=[(400, item), (200, {})], b=[(400, other), (200, {})], c=[(400, FAILED), (200, {})])
            self.assertEqual([one.is_explained([known()]) for one in differing], [False], other)
        self.assertEqual(len(given({"c": {"Item"}}, a=[(200, {"Item": {}}), (200, {})], b=[(200, {"Item": {}}), (200, {})], c=[(200, {}), (200, {})])), 1)

    def test_an_entry_that_no_answer_needs_is_gone(self):
        entry = known(cases=["guard *", "change *"])
        self.assertEqual(entry.unseen(), ["b, guard *", "b, change *", "b, ConditionalCheckFailedException for 200"])
        given(a=[(200, {})], b=[(400, FAILED)])[0].is_explained([entry])
        self.assertEqual(entry.unseen(), ["b, change *"])

    def test_the_calls_have_every_expression_of_the_source_and_each_kind_is_missed(self):
        cases = list(every())
        self.assertEqual([name for name, count in Counter(case.name for case in cases).items() if count > 1], [])
        calls = [call for case in cases for call in case.calls]
        self.assertEqual(sources.missing(calls), [])
        for text in ("if_not_exists(", "NOT contains(", "size(", " AND #sort <= :last", "sk >= :sk"):
            fewer = [call for call in calls if not any(text in expression for expression in sources.expressions(call[1]))]
            self.assertNotEqual(sources.missing(fewer), [], text)

    def test_the_calls_are_the_same_each_time(self):
        self.assertEqual([(case.name, case.calls) for case in every()], [(case.name, case.calls) for case in every()])

    def test_a_form_that_is_added_or_removed_changes_no_case_of_another(self):
        every_form = recorded()
        of_all = {case.name: case.calls for case in drawn(every_form)}
        for place in (0, len(every_form) // 2, len(every_form) - 1):
            fewer = {case.name: case.calls for case in drawn(every_form[:place] + every_form[place + 1:])}
            self.assertEqual(fewer, {name: of_all[name] for name in fewer})

    def test_no_form_of_the_store_is_one_that_the_engine_accepts_and_dynamodb_does_otherwise(self):
        """An update of a key in a transaction, and an update that only removes, which may create an item."""
        keys = {"accounts": {"pk", "sk"}, "entries": {"id"}}
        bodies = [json.loads(form)[1] for form in recorded()]
        parts = [part for body in bodies for kinds in body.get("TransactItems", []) for part in kinds.values()]
        updates = [update for update in bodies + parts if "UpdateExpression" in update]
        self.assertGreater(len(updates), 100)
        for update in updates:
            changed = {update["ExpressionAttributeNames"].get(name) for name in re.findall(r"#\w+", update["UpdateExpression"])}
            self.assertFalse(changed & keys[update["TableName"]], update)
            self.assertRegex(update["UpdateExpression"], r"\b(SET|ADD) ", update)

    def test_a_documented_answer_that_is_missing_or_no_longer_wrong_is_found(self):
        def faults(*answers: tuple, **more) -> int:
            rule = {"answer": "ConditionalCheckFailedException", "cases": ["guard *"]} | more
            return len(undocumented([CASE], [[compared("GetItem", *one) for one in answers]], [rule], wrong=True))

        self.assertEqual((faults((200, {}), (400, FAILED)), faults((200, {}), (200, {}))), (0, 1))
        self.assertEqual((faults((200, {}), (400, FAILED), wrong=True), faults((200, {}), wrong=True)), (1, 0))
        self.assertEqual((faults((200, {}), answer="200"), faults((400, FAILED), answer="200"), faults(cases=["change *"])), (0, 1, 1))

    def test_the_tables_of_a_form_are_found_in_each_kind_of_call(self):
        for form in (["Query", {"TableName": "a"}], ["BatchGetItem", {"RequestItems": {"a": {}}}], ["TransactWriteItems", {"TransactItems": [{"Put": {"TableName": "a"}}]}]):
            self.assertEqual(forms.tables(form), {"a"})


if __name__ == "__main__":
    unittest.main()
