"""Tests of the costs: the page before the choice has the table that follows from the templates, and more alarms cost more."""

import unittest

from costs import ROOT, table, transformed, watching


class Costs(unittest.TestCase):
    def test_the_page_before_the_choice_has_the_sums_that_follow_from_the_templates(self):
        text = (ROOT / "docs/before-you-choose.md").read_text(encoding="utf-8")
        self.assertIn("\n".join(table(transformed())), text, "take the table that `python3 infra/checks/costs.py` prints")

    def test_the_page_before_the_choice_has_the_number_of_the_functions_behind_the_api(self):
        paths = transformed()["template"]["Resources"]["Api"]["Properties"]["Body"]["paths"]
        text = (ROOT / "docs/before-you-choose.md").read_text(encoding="utf-8")
        self.assertIn(f"There are {len(paths)} functions behind the API", text)

    def test_each_metric_of_an_alarm_counts_where_its_condition_holds(self):
        alarm = {"Type": "AWS::CloudWatch::Alarm", "Properties": {}}
        math = {"Type": "AWS::CloudWatch::Alarm", "Condition": "IsFull", "Properties": {"Metrics": [{"Id": "sum"}, {"MetricStat": {}}, {"MetricStat": {}}]}}
        template = {"Resources": {"A": alarm, "B": math, "C": {"Type": "AWS::CloudWatch::Dashboard", "Condition": "IsFull"}}}
        self.assertEqual([round(watching(template, level), 2) for level in ("full", "basic", "off")], [3.30, 0.10, 0.10])

    def test_less_is_watched_for_less(self):
        full, basic, off = (watching(transformed()["watching"], level) for level in ("full", "basic", "off"))
        self.assertTrue(full > basic > off)
        self.assertLess(basic, 1.30)


if __name__ == "__main__":
    unittest.main()
