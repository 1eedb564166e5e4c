"""Tests of the runbook for restoring a table: accounts that were deleted stay deleted."""

import re
import unittest

from rules import ROOT

BOOK = (ROOT / "infra/restore.md").read_text(encoding="utf-8")
CALL = re.compile(r'^erase_deleted "\$restored"$', re.MULTILINE)


def faults(book: str) -> list[str]:
    """The faults of the steps."""
    before, switch, after = book.partition("\nmake deploy PARAMETERS=")
    found = [] if switch else ["no step switches the functions to the restored table"]
    found += [] if CALL.search(before) else ["deletions are not applied before the switch"]
    found += [] if CALL.search(after) else ["deletions are not applied after the switch"]
    # A query of Logs Insights silently stops at its limit, which is at most 10,000 rows.
    return found + (["a query may leave deletions out"] if re.search(r"\blimit\b|--max-items|start-query|\bask\b", book) else [])


class Restore(unittest.TestCase):
    """The steps, and the detection of mistakes in them."""

    def test_deletions_are_applied_before_and_after_the_switch_and_none_is_left_out(self):
        self.assertEqual(faults(BOOK), [])

    def test_each_mistake_is_detected(self):
        first, last = CALL.finditer(BOOK)
        for broken in (
            BOOK[: last.start()] + BOOK[last.end():],
            BOOK[: first.start()] + BOOK[first.end():],
            BOOK.replace("aws logs filter-log-events", "aws logs start-query"),
            BOOK.replace("> erased", "| limit 10000 > erased"),
        ):
            self.assertEqual(len(faults(broken)), 1)


if __name__ == "__main__":
    unittest.main()
