"""Tests of the `aws` commands in the documents: the AWS CLI has each of them, with these options and all that it requires."""

import re
import shlex
import unittest

import botocore.session
from botocore import xform_name
from test_documents import ROOT, documents

# A command ends at the end of its line (unless a backslash precedes it), at a pipe, a semicolon, `&&`, a comment, a
# closing parenthesis or a backtick; text in quotes and in $(( )) belongs to it.
COMMAND = re.compile(r"""\baws (?!sso)[a-z0-9]+ (?:\\\n|\$\(\(.*?\)\)|'[^']*'|"(?:\$\([^)]*\)|\\.|[^"\\])*"|[^\n|;&`)'"#]|&(?!&))*""")
# Options of every command, and those that the CLI adds to paginated operations.
GLOBAL = {"query", "output", "region", "profile", "no-paginate", "max-items"}
# The CLI's own names of services, and its own commands with their options.
SERVICES = {"deploy": "codedeploy", "s3api": "s3"}
OWN = {("cloudformation", "deploy"): {"stack-name", "template-file", "parameter-overrides", "capabilities"}}

session = botocore.session.get_session()


def commands(text: str) -> list[list[str]]:
    """The words of each command in a text."""
    return [shlex.split(found.replace("\\\n", " ")) for found in COMMAND.findall(text)]


def options(words: list[str]) -> set[str]:
    """The names of the options among words."""
    return {word[2:].partition("=")[0] for word in words if word.startswith("--")}


def faults(command: list[str]) -> list[str]:
    """What the AWS CLI would say about a command."""
    _, service, name, *rest = command
    given = options(rest) - GLOBAL
    if (service, name) in OWN:
        return sorted(given - OWN[service, name])
    model = session.get_service_model(SERVICES.get(service, service))
    if name == "wait":
        waiters = session.get_waiter_model(model.service_name)
        by_name = {xform_name(waiter, "-"): waiters.get_waiter(waiter).operation for waiter in waiters.waiter_names}
        operation = by_name.get(rest[0])
    else:
        operation = {xform_name(operation, "-"): operation for operation in model.operation_names}.get(name)
    if operation is None:
        return [f"there is no {service} {name}"]
    shape = model.operation_model(operation).input_shape
    members = {xform_name(member, "-"): member for member in shape.members}
    switches = {f"no-{option}" for option, member in members.items() if shape.members[member].type_name == "boolean"}
    required = {xform_name(member, "-") for member in shape.required_members}
    return sorted(given - members.keys() - switches) + [f"{option} is missing" for option in sorted(required - given)]


class Commands(unittest.TestCase):
    """All commands in the documents."""

    def test_the_aws_cli_has_every_command_with_its_options(self):
        count = 0
        for document in documents():
            for command in commands(document.read_text(encoding="utf-8")):
                with self.subTest(str(document.relative_to(ROOT)), command=" ".join(command)):
                    self.assertEqual(faults(command), [])
                count += 1
        self.assertGreater(count, 50)

    def test_mistakes_are_detected(self):
        for command, fault in (
            ("aws sqs purge-queue --queue q", ["queue", "queue-url is missing"]),
            ("aws sqs purge-queues --queue-url q", ["there is no sqs purge-queues"]),
            ("aws dynamodb wait table-gone --table-name t", ["there is no dynamodb wait"]),
            ("aws cloudformation deploy --stack s", ["stack"]),
        ):
            self.assertEqual(faults(shlex.split(command)), fault)
        one, other = commands('x=$(aws sqs purge-queue --queue-url "$(part Queue)" | jq .) && aws sqs list-queues \\\n  --no-paginate # --all')
        self.assertEqual((options(one), options(other)), ({"queue-url"}, {"no-paginate"}))


if __name__ == "__main__":
    unittest.main()
