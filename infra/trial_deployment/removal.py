"""Removes everything that a trial has created, in any state. All names begin with the trial's name."""

import os
import time

import boto3
from botocore.exceptions import BotoCoreError, ClientError, WaiterError
from report import say

# In seconds: how long the removal of the stack may take, and the pause between two looks at its state.
LONGEST, WAIT = 1800, 0.5 if os.environ.get("AWS_ENDPOINT_URL") else 10
# How what the stack may leave is listed: the tables, which it retains, the upload's bucket, and log groups that a late line has created again.
KINDS = {
    "stack": ("cloudformation", "list_stacks", "StackSummaries[?StackStatus != 'DELETE_COMPLETE'].StackName"),
    "table": ("dynamodb", "list_tables", "TableNames"),
    "bucket": ("s3", "list_buckets", "Buckets[].Name"),
    "log group": ("logs", "describe_log_groups", "logGroups[].logGroupName"),
}


def named(kind: str, name: str) -> list[str]:
    """The resources of a kind whose name, without the path before it, is the trial's or begins with it."""
    service, operation, names = KINDS[kind]
    found = filter(None, boto3.client(service).get_paginator(operation).paginate().search(names))
    return [one for one in found if f"{one.rpartition('/')[2]}-".startswith(f"{name}-")]


def removed(name: str) -> list[str]:
    """Removes everything, and gives the failures and what is left. What appears during the removal needs a second one."""
    return attempted(name) and attempted(name)


def attempted(name: str) -> list[str]:
    """Removes everything once. The stack is the first, and takes its nested stacks with it."""
    faults = []
    for kind, remove in STEPS.items():
        try:
            for one in sorted({name, *named(kind, name)}, key=len) if kind == "stack" else named(kind, name):
                say(f"removing {kind} {one}")
                remove(one)
        except (BotoCoreError, ClientError) as fault:
            faults.append(f"{kind}: {fault}")
    try:
        return faults + [f"{kind} {one} is still there" for kind in KINDS for one in named(kind, name)]
    except (BotoCoreError, ClientError) as fault:
        return [*faults, f"what is left cannot be listed: {fault}"]


def stack(name: str) -> None:
    """Removes a stack in any state."""
    client, deadline = boto3.client("cloudformation"), time.monotonic() + LONGEST
    while True:
        try:
            client.delete_stack(StackName=name)
            return client.get_waiter("stack_delete_complete").wait(StackName=name, WaiterConfig={"Delay": WAIT, "MaxAttempts": int(LONGEST / WAIT)})
        except (ClientError, WaiterError) as fault:
            # An update or a rollback that is in progress has to end first. A second deletion may succeed where the first failed.
            if isinstance(fault, ClientError) and fault.response["Error"]["Code"] != "ValidationError" or time.monotonic() > deadline:
                raise
            time.sleep(WAIT)


def table(name: str) -> None:
    """Removes a table. With point-in-time recovery, DynamoDB would keep a backup for 35 days."""
    client = boto3.client("dynamodb")
    client.get_waiter("table_exists").wait(TableName=name)
    client.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False})
    if client.describe_table(TableName=name)["Table"].get("DeletionProtectionEnabled"):
        client.update_table(TableName=name, DeletionProtectionEnabled=False)
        client.get_waiter("table_exists").wait(TableName=name)
    client.delete_table(TableName=name)
    client.get_waiter("table_not_exists").wait(TableName=name)


def bucket(name: str) -> None:
    """Removes a bucket with its objects."""
    boto3.resource("s3").Bucket(name).objects.delete()
    boto3.client("s3").delete_bucket(Bucket=name)


def log_group(name: str) -> None:
    """Removes a log group."""
    boto3.client("logs").delete_log_group(logGroupName=name)


STEPS = {"stack": stack, "table": table, "bucket": bucket, "log group": log_group}
