"""The stack on the emulator: deployed as on AWS, with additions for the limits of the emulator."""

import json
import os

import adapted
from stack import Stack

STACK = "accounts"
REGION = "eu-west-1"
PARAMETERS = {
    "FrontEndUrl": "https://app.example.com",
    "MailFrom": "cuentas@example.com",
    "GoogleClientIds": "local-client",
    "CorsOrigins": "https://listed.example",
    "SessionAuthorizer": "true",
    "EventBus": "default",
    # Higher than the emulator can reach, because throttling by the gateway is not tested.
    "RequestsPerSecond": "10000",
    "RequestBurst": "5000",
    "DearRequestsPerSecond": "10000",
    "DearRequestBurst": "5000",
}


class Deployment(Stack):
    """The deployed stack."""

    template = adapted.TEMPLATE.name
    # As with an operator who sets only AWS_REGION.
    variables = {"AWS_DEFAULT_REGION": "", "TAGS": "Team=accounts Stage=test"}

    def __init__(self, emulator_url: str, architecture: str, name: str = STACK):
        super().__init__(name, architecture)
        # The key "test" is the emulator's root user; each function gets the keys of its own role.
        os.environ.update(
            AWS_ENDPOINT_URL=emulator_url, AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test",
            AWS_DEFAULT_REGION=REGION, AWS_REGION=REGION,
        )

    def beside(self, name: str, **parameters: str) -> "Deployment":
        """Another stack with the same parameters and these."""
        stack = self.client("cloudformation").describe_stacks(StackName=self.name)["Stacks"][0]
        own = {parameter["ParameterKey"]: parameter["ParameterValue"] for parameter in stack["Parameters"]}
        other = Deployment(os.environ["AWS_ENDPOINT_URL"], self.architecture, name)
        other.deploy(**{key: own[key] for key in (*PARAMETERS, "GoogleKeysUrl")}, **parameters)
        return other

    def deploy(self, **parameters: str) -> None:
        """Runs scripts/deploy/deploy on the adapted templates."""
        adapted.write()
        try:
            super().deploy(**parameters)
        finally:
            adapted.TEMPLATE.unlink(missing_ok=True)
        self.add_routes()

    def add_routes(self) -> None:
        """Creates the gateway's routes from the transformed template, because the emulator ignores an API's OpenAPI body."""
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
        """The gateway in the transformed template."""
        answer = self.client("cloudformation").get_template(StackName=self.name, TemplateStage="Processed")
        body = answer["TemplateBody"]
        return (json.loads(body) if isinstance(body, str) else body)["Resources"]["Api"]
