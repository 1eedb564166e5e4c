"""The proof that each function is allowed what it calls, and calls what it is allowed.

The emulator enforces the deployed policies, so a permission that is missing fails the journeys; and it records
every call, so a permission that nothing uses is seen here.
"""

import hashlib
import json

# What Lambda itself does in a function's name; the emulator does it without asking.
LAMBDAS_OWN = {
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "xray:PutTraceSegments",
    "xray:PutTelemetryRecords",
}
# Needs a captcha provider, which the deployed stack has none of.
NEVER_CALLED = {"Login": {"secretsmanager:GetSecretValue"}}
# Names that the emulator's record has for services.
PREFIXES = {"sesv2": "ses"}


def recorded(deployment) -> dict[str, set[str]]:
    """The calls of each function since the emulator started, by logical id."""
    keys = {access_key(deployment, name): name for name in functions(deployment)}
    calls: dict[str, set[str]] = {name: set() for name in keys.values()}
    pages = deployment.client("cloudtrail").get_paginator("lookup_events").paginate()
    for event in (event for page in pages for event in page["Events"]):
        function = keys.get(event.get("AccessKeyId", ""))
        if function:
            service = event["EventSource"].removesuffix(".amazonaws.com")
            calls[function].add(f"{PREFIXES.get(service, service)}:{event['EventName']}")
    return calls


def allowed(deployment) -> dict[str, set[str]]:
    """The actions that each function's deployed role allows, by logical id."""
    iam = deployment.client("iam")
    actions: dict[str, set[str]] = {}
    for name in functions(deployment):
        role = role_arn(deployment, name).rpartition("/")[2]
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
    """What is called without being allowed, and what is allowed without being called; none is the proof."""
    found = []
    for function in sorted(called.keys() | permitted.keys()):
        calls, actions = called.get(function, set()), permitted.get(function, set())
        unused = actions - calls - LAMBDAS_OWN - NEVER_CALLED.get(function, set())
        found += [f"{function} calls {action}, which its policy does not allow" for action in sorted(calls - actions)]
        found += [f"{function} is allowed {action}, which it never calls" for action in sorted(unused)]
    return found


def functions(deployment) -> dict[str, str]:
    """Name of each function at the emulator, by logical id."""
    resources = deployment.resources()
    return {name: resources[name] for name in resources if f"{name}Aliaslive" in resources}


def role_arn(deployment, function: str) -> str:
    """The role of a function."""
    name = functions(deployment)[function]
    return deployment.client("lambda").get_function_configuration(FunctionName=name)["Role"]


def access_key(deployment, function: str) -> str:
    """The access key that the emulator gives to a function: it derives it from function and role."""
    name = functions(deployment)[function]
    configuration = deployment.client("lambda").get_function_configuration(FunctionName=name)
    digest = hashlib.sha256(f"{configuration['FunctionArn']}:{configuration['Role']}".encode()).hexdigest()
    return f"ASIA{digest[:16].upper()}"
