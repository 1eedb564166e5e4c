"""A deployed stack, on AWS or on the emulator: its deployment and its resources."""

import functools
from pathlib import Path

import boto3
from processes import run

ROOT = Path(__file__).resolve().parents[2]


class Stack:
    """The stack with a name. Account and region are those of the environment, as with other AWS tools."""

    template = "template.yaml"
    # Variables of the environment of scripts/deploy/deploy.
    variables: dict[str, str] = {}

    def __init__(self, name: str, architecture: str):
        self.name, self.architecture = name, architecture

    def client(self, service: str):
        """A client of one of the services."""
        return boto3.client(service)

    def deploy(self, **parameters: str) -> None:
        """Runs scripts/deploy/deploy. A second deployment is an update, where omitted parameters keep their values."""
        given = [f"{name}={value}" for name, value in parameters.items()]
        settings = {**self.variables, "STACK": self.name, "ARCHITECTURE": self.architecture, "TEMPLATE": self.template}
        try:
            status, output = run([str(ROOT / "scripts/deploy/deploy"), *given], **settings)
        finally:
            (ROOT / "release.yaml").unlink(missing_ok=True)
        if status:
            raise SystemExit(f"scripts/deploy/deploy failed:\n{output[-6000:]}")

    def resources(self, stack: str = "") -> dict[str, str]:
        """The physical ids of the resources of the stack or of a nested stack, by logical id."""
        pages = self.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack or self.name)
        found = (resource for page in pages for resource in page["StackResourceSummaries"])
        return {resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in found}

    @functools.cached_property
    def base_url(self) -> str:
        """The URL of the service."""
        return self.output("BaseUrl")

    @functools.cached_property
    def functions(self) -> dict[str, str]:
        """The names of the functions, by logical id."""
        resources = self.resources()
        return {name: resources[name] for name in resources if f"{name}Aliaslive" in resources}

    @property
    def logs(self) -> str:
        """The functions' log group."""
        return f"/aws/lambda/{self.name}"

    def output(self, name: str) -> str:
        """An output of the stack."""
        stack = self.client("cloudformation").describe_stacks(StackName=self.name)["Stacks"][0]
        return next(output["OutputValue"] for output in stack["Outputs"] if output["OutputKey"] == name)
