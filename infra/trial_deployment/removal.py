"""Removes everything that a trial has created, in any state. All names begin with the trial's name."""

import time
from collections.abc import Callable, Iterable, Iterator

import boto3
from botocore.exceptions import BotoCoreError, ClientError

SECONDS = 1800
# How often the resources are listed again. SQS may list a deleted queue for another minute.
LISTINGS = 7
# States in which the removal waits before it asks for a deletion, because an update or a rollback is in progress.
UPDATING = ("UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_IN_PROGRESS", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "ROLLBACK_IN_PROGRESS",
            "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS")


class Removal:
    """The removal of the trial with a name."""

    def __init__(self, name: str, say: Callable[[str], None], wait: float = 10):
        self.name, self.say, self.wait = name, say, wait
        self.faults: list[str] = []

    def everything(self) -> list[str]:
        """Removes everything, and gives the failures and what is left."""
        for step in (self.mail_rules, self.stack, self.tables, self.buckets, self.log_groups):
            self.attempt(f"the {step.__name__.replace('_', ' ')}", step)
        remains = list(left(self.name))
        for _ in range(LISTINGS):
            if not remains:
                break
            time.sleep(self.wait)
            remains = list(left(self.name))
        return self.faults + remains

    def attempt(self, what: str, remove: Callable, *arguments: str) -> None:
        """Runs one step. A failure is recorded, and the other steps continue."""
        self.say(f"removing {what}")
        try:
            remove(*arguments)
        except (BotoCoreError, ClientError, OSError) as fault:
            self.faults.append(f"{what}: {fault}")

    def mail_rules(self) -> None:
        """Removes the receipt rule, and the rule set if the trial has created it."""
        ses = boto3.client("ses")
        active = ses.describe_active_receipt_rule_set()
        current = active.get("Metadata", {}).get("Name")
        if any(rule["Name"] == self.name for rule in active.get("Rules", [])):
            ses.delete_receipt_rule(RuleSetName=current, RuleName=self.name)
        if current == self.name:
            ses.set_active_receipt_rule_set()
        if self.name in (one["Name"] for one in ses.list_receipt_rule_sets().get("RuleSets", [])):
            ses.delete_receipt_rule_set(RuleSetName=self.name)

    def stack(self) -> None:
        """Removes the stack and its nested stacks."""
        client, deadline, asked = boto3.client("cloudformation"), time.monotonic() + SECONDS, 0
        while (state := self.state(client)) is not None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"the stack is still {state} after {SECONDS} seconds")
            if state == "DELETE_FAILED" and asked > 1:
                raise TimeoutError(f"CloudFormation could not delete the stack: {self.reasons(client)}")
            if state not in UPDATING and state != "DELETE_IN_PROGRESS":
                client.delete_stack(StackName=self.name)
                asked += 1
            time.sleep(self.wait)

    def state(self, client) -> str | None:
        """The stack's state; None if it does not exist."""
        try:
            state = client.describe_stacks(StackName=self.name)["Stacks"][0]["StackStatus"]
        except ClientError as fault:
            if "does not exist" in str(fault):
                return None
            raise
        return None if state == "DELETE_COMPLETE" else state

    def reasons(self, client) -> str:
        """CloudFormation's reasons for a failed deletion."""
        events = client.describe_stack_events(StackName=self.name)["StackEvents"]
        failed = [event for event in events if event["ResourceStatus"] == "DELETE_FAILED"]
        return "; ".join(f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason')}" for event in failed[:5])

    def tables(self) -> None:
        """Removes the tables, which the stack retains."""
        for table in named("table", self.name):
            self.attempt(f"table {table}", self.table, table)

    def table(self, table: str) -> None:
        """Removes a table. Point-in-time recovery is disabled first; otherwise DynamoDB would keep a backup for 35 days."""
        client = boto3.client("dynamodb")
        client.get_waiter("table_exists").wait(TableName=table)
        client.update_continuous_backups(TableName=table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False})
        if client.describe_table(TableName=table)["Table"].get("DeletionProtectionEnabled"):
            client.update_table(TableName=table, DeletionProtectionEnabled=False)
            client.get_waiter("table_exists").wait(TableName=table)
        client.delete_table(TableName=table)
        client.get_waiter("table_not_exists").wait(TableName=table)

    def buckets(self) -> None:
        """Removes the buckets."""
        for bucket in named("bucket", self.name):
            self.attempt(f"bucket {bucket}", self.bucket, bucket)

    def bucket(self, bucket: str) -> None:
        """Removes a bucket with all versions of its objects."""
        client = boto3.client("s3")
        for page in client.get_paginator("list_object_versions").paginate(Bucket=bucket):
            found = [{"Key": one["Key"], "VersionId": one["VersionId"]} for one in page.get("Versions", []) + page.get("DeleteMarkers", [])]
            if found:
                failed = client.delete_objects(Bucket=bucket, Delete={"Objects": found, "Quiet": True}).get("Errors", [])
                if failed:
                    raise OSError(f"{len(failed)} objects are left, the first {failed[0]['Key']}: {failed[0].get('Message')}")
        client.delete_bucket(Bucket=bucket)

    def log_groups(self) -> None:
        """Removes log groups that a late line has created again."""
        for group in named("log group", self.name):
            boto3.client("logs").delete_log_group(logGroupName=group)


def pages(service: str, operation: str, key: str, **arguments) -> Iterator:
    """All items that an operation lists."""
    for page in boto3.client(service).get_paginator(operation).paginate(**arguments):
        yield from page.get(key, [])


def stacks() -> Iterator[str]:
    """The stacks, including nested ones."""
    found = pages("cloudformation", "list_stacks", "StackSummaries")
    return (stack["StackName"] for stack in found if stack["StackStatus"] != "DELETE_COMPLETE")


# The names of the account's resources in this region, by kind. The stack's deletion removes all but tables and buckets.
KINDS: dict[str, Callable[[], Iterable[str]]] = {
    "stack": stacks,
    "table": lambda: pages("dynamodb", "list_tables", "TableNames"),
    "bucket": lambda: (one["Name"] for one in pages("s3", "list_buckets", "Buckets")),
    "log group": lambda: (one["logGroupName"] for one in pages("logs", "describe_log_groups", "logGroups")),
    "function": lambda: (one["FunctionName"] for one in pages("lambda", "list_functions", "Functions")),
    "role": lambda: (one["RoleName"] for one in pages("iam", "list_roles", "Roles")),
    "policy": lambda: (one["PolicyName"] for one in pages("iam", "list_policies", "Policies", Scope="Local")),
    "API": lambda: (one["Name"] for one in pages("apigatewayv2", "get_apis", "Items")),
    "alarm": lambda: (one["AlarmName"] for one in pages("cloudwatch", "describe_alarms", "MetricAlarms")),
    "dashboard": lambda: (one["DashboardName"] for one in pages("cloudwatch", "list_dashboards", "DashboardEntries")),
    "topic": lambda: (one["TopicArn"].rpartition(":")[2] for one in pages("sns", "list_topics", "Topics")),
    "queue": lambda: (url.rpartition("/")[2] for url in pages("sqs", "list_queues", "QueueUrls")),
    "configuration set": lambda: boto3.client("sesv2").list_configuration_sets()["ConfigurationSets"],
    "set of receipt rules": lambda: (one["Name"] for one in pages("ses", "list_receipt_rule_sets", "RuleSets")),
}


def named(kind: str, name: str) -> list[str]:
    """The resources of a kind whose name is the trial's or begins with it. For a log group, the part after the last slash counts."""
    last = ((one, one.rpartition("/")[2]) for one in KINDS[kind]())
    return [one for one, end in last if end == name or end.startswith(f"{name}-")]


def left(name: str) -> Iterator[str]:
    """The remains of a trial, and the kinds that could not be listed."""
    for kind in KINDS:
        try:
            yield from (f"{kind} {one} is still there" for one in named(kind, name))
        except (BotoCoreError, ClientError) as fault:
            yield f"{kind}: cannot be listed: {fault}"
