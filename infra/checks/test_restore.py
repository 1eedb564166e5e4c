"""Tests of the runbook for restoring a table: accounts that were deleted stay deleted."""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from rules import ROOT, of_type

BOOK = (ROOT / "infra/restore.md").read_text(encoding="utf-8")
CALL = re.compile(r'^accounts prepare-restored "\$restored" (?!.*--dry-run).*$', re.MULTILINE)


def faults(book: str) -> list[str]:
    """The faults of the steps."""
    before, switch, after = book.partition("\nmake deploy PARAMETERS=")
    found = [] if switch else ["no step switches the functions to the restored table"]
    found += [] if CALL.search(before) else ["deletions are not applied before the switch"]
    found += [] if CALL.search(after) else ["deletions are not applied after the switch"]
    moments = {re.search(r'--moment "(.*?)"', call)[1] for call in CALL.findall(book)}
    return found + ([] if moments == {"$moment"} else ["the --moment of a step is not the time to which the table is restored"])


# What sets each property that a restored table does not have: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_RestoreTableToPointInTime.html
SETTINGS = {
    "TimeToLiveSpecification": "update-time-to-live",
    "PointInTimeRecoverySpecification": "PointInTimeRecoveryEnabled=true",
    "DeletionProtectionEnabled": "--deletion-protection-enabled",
    "StreamSpecification": "StreamViewType=NEW_AND_OLD_IMAGES",
}
# What a restored table has.
RESTORED = {"BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes"}


def unset(book: str, table: dict) -> list[str]:
    """The properties of the table that nothing sets on the restored one before the switch."""
    before = book.partition("\nmake deploy PARAMETERS=")[0]
    return [name for name in table if name not in RESTORED and (name not in SETTINGS or SETTINGS[name] not in before)]


class Restore(unittest.TestCase):
    """The steps, and the detection of mistakes in them."""

    def test_deletions_are_applied_before_and_after_the_switch(self):
        self.assertEqual(faults(BOOK), [])

    def test_a_restored_table_gets_every_setting_of_the_template_before_the_switch(self):
        template = json.loads((ROOT / "target/checks/template.json").read_text(encoding="utf-8"))
        table = of_type(template, "AWS::DynamoDB::Table")["AccountsTable"]
        self.assertEqual(unset(BOOK, table), [])
        for name, command in SETTINGS.items():
            self.assertEqual(unset(BOOK.replace(command, ""), table), [name])
        self.assertEqual(unset(BOOK, {**table, "TableClass": "STANDARD"}), ["TableClass"])

    def test_the_switch_leaves_nothing_of_the_old_table_in_the_template_and_the_other_table_untouched(self):
        command = re.search(r"^sed -i .*template\.yaml$", BOOK, re.MULTILINE)[0]
        before = (ROOT / "template.yaml").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "template.yaml")
            path.write_text(before, encoding="utf-8")
            subprocess.run(["bash", "-c", f"restored=new arn=the-arn stream=the-stream\n{command}"], cwd=folder, check=True)
            after = path.read_text(encoding="utf-8")
        self.assertIsNone(re.search(r"^  AccountsTable:$|!(Ref|GetAtt) AccountsTable\b", after, re.MULTILINE))
        self.assertTrue(all(text in after for text in ("ACCOUNTS_TABLE: new\n", "AccountsTableArn: the-arn\n", "Stream: the-stream\n")))
        for text in ("  EntriesTable:\n", "!Ref EntriesTable", "!GetAtt EntriesTable.Arn"):
            self.assertEqual(after.count(text), before.count(text))

    def test_the_operators_book_has_a_line_for_each_way_back(self):
        section = (ROOT / "infra/README.md").read_text(encoding="utf-8").partition("\n## Restore, end, keep\n")[2].partition("\n## ")[0]
        for way in ("restore.md#the-whole-table", "accounts restore WHO --from TABLE", "infra/backup.yaml", "make redrive", "accounts sessions end-all",
                    "accounts force-reset --all --mail", "LogRetentionDays="):
            self.assertEqual(sum(way in line for line in section.splitlines()), 1, way)

    def test_each_mistake_is_detected(self):
        first, last = CALL.finditer(BOOK)
        for broken in (
            BOOK[: last.start()] + BOOK[last.end():],
            BOOK[: first.start()] + BOOK[first.end():],
            BOOK[: last.start()] + last[0].replace("$moment", "$now") + BOOK[last.end():],
        ):
            self.assertEqual(len(faults(broken)), 1)
        unswitched = BOOK.replace("\nmake deploy PARAMETERS=", "\n")
        self.assertIn("no step switches the functions to the restored table", faults(unswitched))


if __name__ == "__main__":
    unittest.main()
