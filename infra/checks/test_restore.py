"""Tests of the runbook for restoring a table: accounts that were deleted stay deleted."""

import re
import unittest

from rules import ROOT

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


class Restore(unittest.TestCase):
    """The steps, and the detection of mistakes in them."""

    def test_deletions_are_applied_before_and_after_the_switch(self):
        self.assertEqual(faults(BOOK), [])

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
