"""The stack on the emulator: deployed as on AWS, with what the emulator leaves out added."""

import functools
import json
import os
import subprocess

import adapted
import boto3

ROOT = adapted.ROOT
STACK = "accounts"
REGION = "eu-west-1"
PARAMETERS = {
    "FrontEndUrl": "https://app.example.com",
    "MailFrom": "cuentas@example.com",
    "GoogleClientIds": "local-client",
    "CorsOrigins": "https://listed.example",
    # As fast as the emulator is: what the gateway throttles is not what is tested.
    "RequestsPerSecond": "10000",
    "RequestBurst": "5000",
}


class Deployment:
    """The deployed stack."""

    def __init__(self, emulator_url: str, architecture: str):
        self.architecture = architecture
        # The key "test" is the emulator's root; each function gets keys of its own role.
        os.environ.update(
            AWS_ENDPOINT_URL=emulator_url, AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test",
            AWS_DEFAULT_REGION=REGION, AWS_REGION=REGION,
        )

    def client(self, service: str):
        """A client of one of the emulator's services."""
        return boto3.client(service)

    def deploy(self, **parameters: str) -> None:
        """Runs infra/deploy. Twice is an update, as on AWS: what is not given keeps its value."""
        adapted.write()
        settings = {"STACK": STACK, "ARCHITECTURE": self.architecture, "TEMPLATE": adapted.TEMPLATE.name}
        given = [f"{name}={value}" for name, value in parameters.items()]
        try:
            done = subprocess.run(
                [ROOT / "infra/deploy", *given],
                env={**os.environ, **settings}, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, check=False,
            )
        finally:
            for file in (adapted.TEMPLATE, ROOT / "release.yaml"):
                file.unlink(missing_ok=True)
        if done.returncode:
            raise SystemExit(f"infra/deploy failed:\n{done.stdout[-4000:]}{done.stderr[-2000:]}")
        self.add_routes()

    def add_routes(self) -> None:
        """Makes the gateway's routes of the transformed template: the emulator ignores an API's OpenAPI body."""
        gateway, resources, api = self.client("apigatewayv2"), self.resources(), self.api()
        for route in gateway.get_routes(ApiId=resources["Api"])["Items"]:
            gateway.delete_route(ApiId=resources["Api"], RouteId=route["RouteId"])
        for path, methods in api["Properties"]["Body"]["paths"].items():
            for method, operation in methods.items():
                asked = operation["x-amazon-apigateway-integration"]
                alias = asked["uri"]["Fn::Sub"].rpartition("${")[2].partition("}")[0]
                integration = gateway.create_integration(
                    ApiId=resources["Api"],
                    IntegrationType="AWS_PROXY",
                    IntegrationMethod=asked["httpMethod"],
                    IntegrationUri=f"arn:aws:apigateway:{REGION}:lambda:path/2015-03-31/functions/{resources[alias]}/invocations",
                    PayloadFormatVersion=asked["payloadFormatVersion"],
                )
                verb = "ANY" if method == "x-amazon-apigateway-any-method" else method.upper()
                target = f"integrations/{integration['IntegrationId']}"
                gateway.create_route(ApiId=resources["Api"], RouteKey=f"{verb} {path}", Target=target)

    def api(self) -> dict:
        """The gateway as the transformed template has it."""
        answer = self.client("cloudformation").get_template(StackName=STACK, TemplateStage="Processed")
        body = answer["TemplateBody"]
        return (json.loads(body) if isinstance(body, str) else body)["Resources"]["Api"]

    def resources(self, stack: str = STACK) -> dict[str, str]:
        """What each logical id of a stack is called."""
        pages = self.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack)
        found = (resource for page in pages for resource in page["StackResourceSummaries"])
        return {resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in found}

    @functools.cached_property
    def base_url(self) -> str:
        """Where the service answers."""
        return self.output("BaseUrl")

    @functools.cached_property
    def functions(self) -> dict[str, str]:
        """What each function is called, by logical id."""
        resources = self.resources()
        return {name: resources[name] for name in resources if f"{name}Aliaslive" in resources}

    def output(self, name: str) -> str:
        """An output of the stack."""
        stack = self.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"][0]
        return next(output["OutputValue"] for output in stack["Outputs"] if output["OutputKey"] == name)
