"""Tests of the parts of a trial that need no account: journeys that read mails, failed removals, and the report."""

import socket
import tempfile
import unittest
from pathlib import Path
from threading import Timer
from unittest import mock

from botocore.exceptions import ClientError

import journeys
import removal
from measures import idle, spread
from report import Report, Section, table

SOURCE = """
async fn token(ana: &mut Visitor) -> String {
    ana.reset_token().await
}

#[tokio::test]
async fn by_a_function_of_the_file() {
    token(&mut ana).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn by_itself() {
    ana.service.mails(&email).await;
}

#[tokio::test]
async fn not_at_all() {
    ana.session().await;
}
"""


class Journeys(unittest.TestCase):
    """The journeys that are skipped if mails cannot be read."""

    def test_journeys_that_read_a_mail_are_found(self):
        self.assertEqual(journeys.reading(SOURCE), ["by_a_function_of_the_file", "by_itself"])

    def test_journeys_have_the_same_names_as_in_the_test_runner(self):
        found = journeys.that_read_mail()
        self.assertIn("reset_link::a_reset_link_is_mailed", found)
        self.assertNotIn("reset_link::a_bad_address_is_refused_with_its_message", found)

    def test_addresses_are_at_the_domain_or_at_the_simulator(self):
        self.assertEqual(journeys.address("mail.example.org"), "{}@mail.example.org")
        self.assertEqual(journeys.address(None).replace("{}", "ana-1"), "success+ana-1@simulator.amazonses.com")


class Removals(unittest.TestCase):
    """A failure does not stop the other steps, and is reported."""

    def test_a_failed_step_is_reported_and_the_others_continue(self):
        done = []
        removed = removal.Removal("accounts-trial-1", lambda _: None, wait=0)
        refused = ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "DeleteStack")
        with mock.patch.multiple(
            removed, mail_rules=named("mail_rules", done), stack=named("stack", done, refused), tables=named("tables", done),
            buckets=named("buckets", done, OSError("an object is left")), log_groups=named("log_groups", done),
        ), mock.patch.object(removal, "KINDS", {"table": lambda: ["accounts-trial-1-x", "accounts-trial-12", "accounts"]}):
            left = removed.everything()
        self.assertEqual(done, ["mail_rules", "stack", "tables", "buckets", "log_groups"])
        self.assertEqual(left, [f"the stack: {refused}", "the buckets: an object is left", "table accounts-trial-1-x is still there"])

    def test_what_is_listed_for_a_while_after_its_deletion_is_not_left(self):
        removed = removal.Removal("accounts-trial-1", lambda _: None, wait=0)
        steps = {step: named(step, []) for step in ("mail_rules", "stack", "tables", "buckets", "log_groups")}
        listings = [["accounts-trial-1-queue"], ["accounts-trial-1-queue"], []]
        with mock.patch.multiple(removed, **steps), mock.patch.object(removal, "KINDS", {"queue": lambda: listings.pop(0)}):
            self.assertEqual(removed.everything(), [])

    def test_a_kind_that_cannot_be_listed_is_reported(self):
        def denied() -> list[str]:
            raise ClientError({"Error": {"Code": "AccessDenied"}}, "ListRoles")

        with mock.patch.object(removal, "KINDS", {"role": denied}):
            self.assertEqual(len(list(removal.left("accounts-trial-1"))), 1)


def named(name: str, done: list[str], fault: Exception | None = None):
    """A step that records its call."""
    def step() -> None:
        done.append(name)
        if fault:
            raise fault

    step.__name__ = name
    return step


class Connections(unittest.TestCase):
    """The detection of a closed idle connection."""

    def test_a_connection_that_the_server_closes_is_detected(self):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            Timer(0.2, theirs.shutdown, [socket.SHUT_RDWR]).start()
            self.assertAlmostEqual(idle(ours, 5), 0.2, delta=1)

    def test_a_connection_that_stays_open_is_not_reported_as_closed(self):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self.assertIsNone(idle(ours, 0.2))


class Reports(unittest.TestCase):
    """Faults come first, and cells are escaped."""

    def test_faults_come_before_what_was_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "new" / "report.md"
            Report({"name": "x"}, [Section("Measured", table(("a",), [("1|2\n3",)]))], ["it rained"]).write(path)
            text = path.read_text(encoding="utf-8")
        self.assertLess(text.index("- it rained"), text.index("## Measured"))
        self.assertIn("| 1\\|2 3 |", text)

    def test_a_spread_is_p50_p99_and_the_maximum(self):
        self.assertEqual(spread([]), "none")
        self.assertEqual(spread([*range(1, 101)]), "50 / 99 / 100")
        self.assertEqual(spread([7]), "7 / 7 / 7")


if __name__ == "__main__":
    unittest.main()
