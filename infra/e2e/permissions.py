"""Checks that each function has exactly the permissions that it uses.

The emulator enforces the deployed policies, so a missing permission fails the journeys. It also records every call, so this
module finds permissions that a function does not use.
"""

import datetime
import hashlib
import json

# Actions of Lambda itself with a function's role. The emulator does not check them.
LAMBDAS_OWN = {
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "xray:PutTraceSegments",
    "xray:PutTelemetryRecords",
    # It reads the stream for the function that listens to it.
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "dynamodb:ListStreams",
}
# The emulator does not record calls of SES's API version 2. The journeys read the mails of every function that sends some,
# and tests/embedded/deployment/policies.rs checks that no other function may.
NOT_RECORDED = {"ses:SendEmail"}
TRANSACTED = {
    "Put": "dynamodb:PutItem",
    "Update": "dynamodb:UpdateItem",
    "Delete": "dynamodb:DeleteItem",
    "ConditionCheck": "dynamodb:ConditionCheckItem",
}
# A function that reads sessions writes down that a session was used, ten minutes after the last time. The journeys are quicker.
READS_SESSIONS, NOTES_THEIR_USE = "dynamodb:BatchGetItem", "dynamodb:UpdateItem"
# Other actions that the journeys do not cause on the deployed service. An action in this list that is called fails the proof, and has
# to be removed from the list. tests/embedded/deployment/policies.rs causes each of them, and the use of sessions.
NOT_HERE = {
    "Login": {
        "secretsmanager:GetSecretValue",  # with a captcha provider
        "dynamodb:UpdateItem",  # with a limit of failures, or a password hashed with older parameters
    },
    "Captcha": {"secretsmanager:GetSecretValue"},  # if the service is its own captcha provider
    "PasskeyRegisterOptions": {"dynamodb:Query"},  # if the account has passkeys already
    # The emulator records the calls of a function that is invoked directly, as this one, under no key of its versions.
    "Authorizer": {"dynamodb:BatchGetItem"},
    "Notices": {
        "sqs:SendMessage",  # for a change that cannot be handled
        "dynamodb:BatchWriteItem",  # for the entries of a deleted account
    },
}


def recorded(deployment, actions: set[str]) -> dict[str, set[str]]:
    """The given actions that each function has called since the emulator started, by logical id."""
    trail = deployment.client("cloudtrail")
    called = {}
    for name, function in deployment.functions.items():
        keys = access_keys(deployment, function)
        called[name] = {action for action in actions if any(lookup(trail, key, action) for key in keys)}
        called[name] |= {action for key in keys for action in in_transactions(trail, key)}
    return called


def lookup(trail, key: str, action: str, **more) -> list[dict]:
    """The newest records of an action with an access key, at most fifty."""
    asked = {"AccessKeyId": key, "EventName": action.partition(":")[2]}
    attributes = [{"AttributeKey": attribute, "AttributeValue": value} for attribute, value in asked.items()]
    return trail.lookup_events(LookupAttributes=attributes, **more)["Events"]


def in_transactions(trail, key: str) -> set[str]:
    """The IAM actions of the parts of all transactions with an access key."""
    found, end = set(), datetime.datetime.now(datetime.UTC)
    while events := lookup(trail, key, "dynamodb:TransactWriteItems", EndTime=end):
        for event in events:
            parts = json.loads(event["CloudTrailEvent"])["requestParameters"]["TransactItems"]
            found |= {TRANSACTED[kind] for part in parts for kind in part}
        # The record has no pagination, so the next query ends one second earlier.
        end = min(min(event["EventTime"] for event in events), end - datetime.timedelta(seconds=1))
    return found


def allowed(deployment) -> dict[str, set[str]]:
    """The actions that each function's deployed role allows, by logical id."""
    iam = deployment.client("iam")
    actions: dict[str, set[str]] = {}
    for name, function in deployment.functions.items():
        configuration = deployment.client("lambda").get_function_configuration(FunctionName=function)
        role = configuration["Role"].rpartition("/")[2]
        documents = [
            iam.get_role_policy(RoleName=role, PolicyName=policy)["PolicyDocument"]
            for policy in iam.list_role_policies(RoleName=role)["PolicyNames"]
        ]
        for policy in iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]:
            version = iam.get_policy(PolicyArn=policy["PolicyArn"])["Policy"]["DefaultVersionId"]
            got = iam.get_policy_version(PolicyArn=policy["PolicyArn"], VersionId=version)
            documents.append(got["PolicyVersion"]["Document"])
        actions[name] = {
            action
            for document in documents
            for statement in (json.loads(document) if isinstance(document, str) else document)["Statement"]
            for action in statement["Action"]
        }
    return actions


def differences(called: dict[str, set[str]], permitted: dict[str, set[str]]) -> list[str]:
    """The calls without a permission, and the permissions without a call."""
    found = []
    for function in sorted(called.keys() | permitted.keys()):
        calls, actions = called.get(function, set()), permitted.get(function, set())
        elsewhere = NOT_HERE.get(function, set())
        unused = actions - calls - LAMBDAS_OWN - NOT_RECORDED - elsewhere
        unused -= {NOTES_THEIR_USE} if READS_SESSIONS in actions else set()
        found += [f"{function} calls {action}, which its policy does not allow" for action in sorted(calls - actions)]
        found += [f"{function} is allowed {action}, which it never calls" for action in sorted(unused)]
        found += [f"{function} calls {action} here now: remove it from NOT_HERE" for action in sorted(calls & elsewhere)]
    return found


def access_keys(deployment, function: str) -> list[str]:
    """The access keys of a function's versions, which the emulator derives from version and role."""
    versions = deployment.client("lambda").list_versions_by_function(FunctionName=function)
    named = (f"{version['FunctionArn']}:{version['Role']}" for version in versions["Versions"])
    return [f"ASIA{hashlib.sha256(name.encode()).hexdigest()[:16].upper()}" for name in named]
