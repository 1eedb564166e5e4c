"""Tests of scripts/deploy/redrive: what becomes of each kind of message. The stand-ins check the requests against AWS's models."""

import contextlib
import io
import json
import unittest
from datetime import datetime, timezone
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import boto3
from botocore.response import StreamingBody
from botocore.stub import Stubber

ROOT = Path(__file__).resolve().parents[3]
LOADER = SourceFileLoader("redrive", str(ROOT / "scripts/deploy/redrive"))
redrive = module_from_spec(spec_from_loader("redrive", LOADER))
LOADER.exec_module(redrive)

URL = "https://sqs.eu-west-1.amazonaws.com/111122223333/dead"
STREAM = "arn:aws:dynamodb:eu-west-1:111122223333:table/accounts/stream/2026-11-01T00:00:00.000"
SHARD = "shardId-00000001234567891234-aaa1abcd"
LETTER = {"function": "notices", "event_id": "e1", "account_key": "k1", "operation": "events.PutEvents", "cause": "InternalFailure"}
EVENT = {"detail-type": "AccountLocked", "detail": {"version": 1, "id": "e1.AccountLocked", "accountId": 7, "at": "2026-11-29T10:00:00Z"}}
PUBLISHED = {"EventBusName": "default", "Source": "accounts", "DetailType": "AccountLocked", "Detail": json.dumps(EVENT["detail"]),
             "Time": datetime(2026, 11, 29, 10, tzinfo=timezone.utc)}
POSITION = {"shardId": SHARD, "startSequenceNumber": "202328600001712385967261751", "endSequenceNumber": "202328600001712385967261759", "batchSize": 2,
            "approximateArrivalOfFirstRecord": "2026-11-29T10:00:00Z", "approximateArrivalOfLastRecord": "2026-11-29T10:00:01Z", "streamArn": STREAM}


def record(number: int) -> dict:
    """A record of the stream, as boto3 reads it."""
    return {"eventID": str(number), "dynamodb": {"SequenceNumber": str(202328600001712385967261750 + number), "ApproximateCreationDateTime": datetime(2026, 11, 29, tzinfo=timezone.utc),
                                                 "Keys": {"pk": {"S": "k1"}, "sk": {"S": "profile"}}}}


class Redrive(unittest.TestCase):
    def setUp(self):
        names = ("cloudformation", "sqs", "events", "dynamodbstreams", "lambda")
        self.clients = {name: boto3.client(name, region_name="eu-west-1", aws_access_key_id="x", aws_secret_access_key="x") for name in names}
        self.stubs = {name: Stubber(client) for name, client in self.clients.items()}
        for stub in self.stubs.values():
            stub.activate()
            self.addCleanup(stub.assert_no_pending_responses)

    def answer(self, service: str, operation: str, answer: dict, **asked: object):
        self.stubs[service].add_response(operation, answer, asked or None)

    def queue_has(self, body: dict, bus: str = "default"):
        """The queue of the stack gives this message."""
        stack = {"StackName": "accounts", "CreationTime": datetime(2026, 1, 1), "StackStatus": "UPDATE_COMPLETE",
                 "Outputs": [{"OutputKey": "DeadLettersUrl", "OutputValue": URL}], "Parameters": [{"ParameterKey": "EventBus", "ParameterValue": bus}]}
        self.answer("cloudformation", "describe_stacks", {"Stacks": [stack]})
        self.answer("sqs", "receive_message", {"Messages": [{"Body": json.dumps(body), "ReceiptHandle": "r"}]})

    def run_with(self, body: dict, stays: bool, bus: str = "default") -> str:
        """What the program prints if the queue has this one message. Checks whether the message stays."""
        self.queue_has(body, bus)
        if stays:
            self.answer("sqs", "receive_message", {})
            self.answer("sqs", "change_message_visibility", {}, QueueUrl=URL, ReceiptHandle="r", VisibilityTimeout=0)
        else:
            self.answer("sqs", "delete_message", {}, QueueUrl=URL, ReceiptHandle="r")
            self.answer("sqs", "receive_message", {})
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(redrive.redrive("accounts", lambda name, **_: self.clients[name]), not stays)
        return said.getvalue()

    def stream(self, *pages: list[dict]):
        self.answer("dynamodbstreams", "get_shard_iterator", {"ShardIterator": "0"}, StreamArn=STREAM, ShardId=SHARD,
                    ShardIteratorType="AT_SEQUENCE_NUMBER", SequenceNumber=POSITION["startSequenceNumber"])
        for number, page in enumerate(pages):
            self.answer("dynamodbstreams", "get_records", {"Records": page, "NextShardIterator": str(number + 1)}, ShardIterator=str(number))

    def function(self, numbers: list[int], said: dict, **more: str):
        """The function is called with these records, and answers."""
        text = json.dumps({"Records": [{**record(number), "eventSourceARN": STREAM} for number in numbers]}, default=redrive.plain)
        payload = json.dumps(said).encode()
        self.answer("lambda", "invoke", {"Payload": StreamingBody(io.BytesIO(payload), len(payload)), **more},
                    FunctionName="accounts-notices", Qualifier="live", Payload=text)

    def test_events_that_could_not_be_published_are_published_as_before_and_their_message_is_deleted(self):
        self.answer("events", "put_events", {"Entries": [{"EventId": "1"}]}, Entries=[PUBLISHED])
        self.assertIn("1 redriven, 0 kept", self.run_with({**LETTER, "events": [EVENT]}, stays=False))

    def test_a_message_stays_while_the_bus_refuses_one_of_its_events(self):
        self.answer("events", "put_events", {"FailedEntryCount": 1, "Entries": [{"EventId": "1"}, {"ErrorCode": "InternalFailure"}]})
        self.assertIn("EventBridge refuses its events, InternalFailure", self.run_with({**LETTER, "events": [EVENT, EVENT]}, stays=True))

    def test_a_message_with_events_stays_if_the_stack_has_no_bus(self):
        self.assertIn("EventBus is empty", self.run_with({**LETTER, "events": [EVENT]}, stays=True, bus=""))

    def test_a_refused_mail_cannot_be_redriven_and_is_listed_with_its_account_and_cause(self):
        said = self.run_with({**LETTER, "operation": "mail.SendEmail", "cause": "MessageRejected"}, stays=True)
        self.assertIn("the account with the key k1: mail.SendEmail MessageRejected", said)

    def test_changes_that_lambda_gave_up_are_read_from_the_stream_up_to_the_last_and_given_to_the_function(self):
        self.stream([record(1)], [], [record(5), record(9), record(10)])
        self.function([1, 5, 9], {"batchItemFailures": []})
        self.assertIn("repeated  3 changes", self.run_with({"DDBStreamBatchInfo": POSITION}, stays=False))

    def test_the_function_gets_at_most_a_hundred_changes_at_once_in_their_order(self):
        redrive.BATCH, before = 2, redrive.BATCH
        self.addCleanup(setattr, redrive, "BATCH", before)
        self.stream([record(1), record(5), record(9)])
        self.function([1, 5], {"batchItemFailures": []})
        self.function([9], {"batchItemFailures": []})
        self.run_with({"DDBStreamBatchInfo": POSITION}, stays=False)

    def test_a_message_stays_if_the_function_fails_again_or_crashes(self):
        for said, more in (({"batchItemFailures": [{"itemIdentifier": "1"}]}, {}), ({"errorMessage": "x"}, {"FunctionError": "Unhandled"})):
            self.stream([record(9)])
            self.function([9], said, **more)
            self.assertIn("fails again", self.run_with({"DDBStreamBatchInfo": POSITION}, stays=True))

    def test_changes_that_have_left_the_stream_are_listed_with_the_command_that_erases_what_they_left(self):
        self.stubs["dynamodbstreams"].add_client_error("get_shard_iterator", "TrimmedDataAccessException")
        self.assertIn("accounts entries erase-deleted --moment 2026-11-28T10:00:00Z", self.run_with({"DDBStreamBatchInfo": POSITION}, stays=True))

    def test_another_failure_ends_the_run_and_releases_the_message(self):
        self.stubs["events"].add_client_error("put_events", "AccessDeniedException")
        self.queue_has({**LETTER, "events": [EVENT]})
        self.answer("sqs", "change_message_visibility", {}, QueueUrl=URL, ReceiptHandle="r", VisibilityTimeout=0)
        with self.assertRaises(redrive.ClientError):
            redrive.redrive("accounts", lambda name, **_: self.clients[name])


if __name__ == "__main__":
    unittest.main()
