"""The project's own rules for the transformed templates. A rule returns a list of its violations."""

import json
import re
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The root stack's name in the transformed templates.
SERVICE = "accounts"
# The HTTP API's timeout in seconds, which cannot be set higher.
GATEWAY_TIMEOUT = 30
WITHOUT_DEFAULT = {"FrontEndUrl", "MailFrom", "GoogleClientIds"}
# Actions that do not support resources, reads of resources whose names CloudFormation chooses, and queries of a log group, whose ARN ends in ":*".
ON_ANYTHING = {
    "xray:PutTraceSegments", "xray:PutTelemetryRecords", "dynamodb:ListStreams",
    "lambda:GetAccountSettings", "lambda:ListEventSourceMappings", "ses:GetAccount", "sts:GetCallerIdentity", "logs:DescribeLogGroups", "sns:ListSubscriptionsByTopic",
    "logs:GetQueryResults", "logs:StartQuery",
}


def of_type(template: dict, kind: str) -> dict[str, dict]:
    """The properties of a type's resources, by logical id."""
    found = template["Resources"].items()
    return {name: resource.get("Properties", {}) for name, resource in found if resource["Type"] == kind}


def functions(all_: dict) -> dict[str, dict]:
    """The functions."""
    return of_type(all_["template"], "AWS::Lambda::Function")


def listeners(all_: dict) -> set[str]:
    """The functions, by logical id, that listen to a stream and have no route."""
    mappings = of_type(all_["template"], "AWS::Lambda::EventSourceMapping").values()
    # The mapping names the alias of the function, which has the function's name before "Alias".
    return {mapping["FunctionName"]["Ref"].removesuffix("Aliaslive") for mapping in mappings}


def watched(all_: dict, parameter: str) -> set[str]:
    """The functions, by logical id, whose names the root template passes to the alarms in this parameter."""
    handed = all_["template"]["Resources"]["Watching"]["Properties"]["Parameters"][parameter]["Fn::Sub"].split(",")
    return {name for name, function in functions(all_).items() if function["FunctionName"]["Fn::Sub"] in handed}


def statements(template: dict):
    """Every statement of every identity policy, with the logical id of its role or managed policy."""
    for name, role in of_type(template, "AWS::IAM::Role").items():
        for policy in role.get("Policies", []):
            policy = policy["Fn::If"][1] if "Fn::If" in policy else policy
            yield from ((name, one) for one in policy["PolicyDocument"]["Statement"])
    for name, policy in of_type(template, "AWS::IAM::ManagedPolicy").items():
        yield from ((name, one) for one in policy["PolicyDocument"]["Statement"])


def a_first_deployment_needs_three_parameters(all_: dict) -> list[str]:
    parameters = all_["template"]["Parameters"]
    needed = {name for name, parameter in parameters.items() if "Default" not in parameter}
    return [f"{name}: only the parameters in WITHOUT_DEFAULT must have no default" for name in needed ^ WITHOUT_DEFAULT]


def every_parameter_has_a_description_and_constraints(all_: dict) -> list[str]:
    bounds = {"AllowedPattern", "AllowedValues", "MinValue", "MinLength"}
    parameters = all_["template"]["Parameters"].items()
    return [name for name, parameter in parameters if "Description" not in parameter or not bounds & parameter.keys()]


def a_stream_mapping_retries_failed_records_and_then_sends_them_to_the_queue(all_: dict) -> list[str]:
    wanted = {
        "BisectBatchOnFunctionError": True,
        "FunctionResponseTypes": ["ReportBatchItemFailures"],
        "StartingPosition": "TRIM_HORIZON",
        "DestinationConfig": {"OnFailure": {"Destination": {"Fn::GetAtt": ["DeadLetters", "Arn"]}}},
    }
    # The stream keeps a record for a day.
    longest = 24 * 60 * 60
    return [
        name for name, mapping in of_type(all_["template"], "AWS::Lambda::EventSourceMapping").items()
        if any(mapping.get(key) != value for key, value in wanted.items())
        or not 3600 < mapping.get("MaximumRecordAgeInSeconds", -1) < longest
    ]


def every_table_is_encrypted_restorable_and_protected_from_deletion(all_: dict) -> list[str]:
    found = []
    for name, resource in all_["template"]["Resources"].items():
        if resource["Type"] != "AWS::DynamoDB::Table":
            continue
        table = resource["Properties"]
        kept = resource.get("DeletionPolicy") == resource.get("UpdateReplacePolicy") == "Retain"
        restorable = table.get("PointInTimeRecoverySpecification", {}).get("PointInTimeRecoveryEnabled")
        encrypted = table.get("SSESpecification", {}).get("SSEEnabled")
        on_demand = table.get("BillingMode") == "PAY_PER_REQUEST"
        if not (kept and restorable and encrypted and on_demand and table.get("DeletionProtectionEnabled") is True):
            found.append(name)
    return found


def the_accounts_table_deletes_expired_items(all_: dict) -> list[str]:
    expiry = of_type(all_["template"], "AWS::DynamoDB::Table")["AccountsTable"].get("TimeToLiveSpecification")
    return [] if expiry == {"AttributeName": "expires_at", "Enabled": True} else [str(expiry)]


def each_timeout_is_shorter_than_the_timeout_of_the_caller(all_: dict) -> list[str]:
    def seconds(path: str, name: str) -> int:
        text = (ROOT / path).read_text(encoding="utf-8")
        return int(re.search(rf"const {name}: Duration = Duration::from_secs\((\d+)\)", text)[1])

    operation = seconds("shared/src/aws/mod.rs", "OPERATION")
    deadline = seconds("shared/src/endpoint/host.rs", "DEADLINE")
    return [
        f"{name}: {operation} < {deadline} < {function['Timeout']} < {GATEWAY_TIMEOUT}"
        for name, function in functions(all_).items()
        if name not in listeners(all_) and not operation < deadline < function["Timeout"] < GATEWAY_TIMEOUT
    ]


def no_policy_has_a_wildcard_as_action_or_resource(all_: dict) -> list[str]:
    found = []
    for template in all_.values():
        for name, statement in statements(template):
            actions, resources = statement["Action"], statement["Resource"]
            if not isinstance(actions, list) or any("*" in action for action in actions):
                found.append(f"{name}: {actions}")
            if "*" in json.dumps(resources) and not set(actions) <= ON_ANYTHING:
                found.append(f"{name}: {resources}")
    return found


def every_function_has_its_own_role_without_managed_policies_of_aws(all_: dict) -> list[str]:
    wanted = {name: {"Fn::GetAtt": ["Permissions", f"Outputs.{name}"]} for name in functions(all_)}
    found = [f"{name}: wrong Role in template.yaml" for name, function in functions(all_).items() if function["Role"] != wanted[name]]
    roles = of_type(all_["permissions"], "AWS::IAM::Role")
    given = {name: output["Value"] for name, output in all_["permissions"]["Outputs"].items()}
    found += [
        f"{name}: no role {name}Role, or no output {name} with its ARN, in infra/permissions.yaml"
        for name in wanted if given.get(name) != {"Fn::GetAtt": [f"{name}Role", "Arn"]}
    ]
    return found + [name for name, role in roles.items() if "arn:" in json.dumps(role.get("ManagedPolicyArns"))]


def only_functions_that_send_mail_may_do_so_and_only_from_one_address(all_: dict) -> list[str]:
    senders = {name for name, function in functions(all_).items() if "MAIL_FROM" in environment(function)}
    roles = of_type(all_["permissions"], "AWS::IAM::Role").items()
    allowed = {name.removesuffix("Role") for name, role in roles if "SendMail" in json.dumps(role)}
    bound = of_type(all_["permissions"], "AWS::IAM::ManagedPolicy")["SendMail"]["PolicyDocument"]["Statement"]
    condition = {"StringEquals": {"ses:FromAddress": {"Ref": "MailFrom"}}}
    return sorted(senders ^ allowed) + [str(one) for one in bound if one.get("Condition") != condition]


def environment(function: dict) -> dict:
    """A function's variables."""
    return function.get("Environment", {}).get("Variables", {})


def no_environment_variable_is_a_secret(all_: dict) -> list[str]:
    secret = re.compile(r"SECRET|PASSWORD$|TOKEN|KEY$")
    names = {name for function in functions(all_).values() for name in environment(function)}
    return sorted(name for name in names if secret.search(name) and not name.endswith(("_ARN", "_SECONDS")))


def functions_that_hash_have_a_whole_processor(all_: dict) -> list[str]:
    sizes = {name: function["MemorySize"] for name, function in functions(all_).items()}
    hashing = watched(all_, "HashingFunctions")
    return [name for name, size in sizes.items() if (size == 1769) != (name in hashing) or size > 1769]


def functions_have_json_logs_traces_and_optional_reserved_concurrency(all_: dict) -> list[str]:
    wanted = {"LogFormat": "JSON", "SystemLogLevel": "WARN", "LogGroup": {"Ref": "Logs"}}
    return [
        name for name, function in functions(all_).items()
        if function.get("LoggingConfig") != wanted or function.get("TracingConfig") != {"Mode": "Active"}
        or "Fn::If" not in function.get("ReservedConcurrentExecutions", {})
    ]


def the_access_log_has_no_query_string_header_or_body(all_: dict) -> list[str]:
    logged = of_type(all_["template"], "AWS::ApiGatewayV2::Stage")["ApiApiGatewayDefaultStage"]["AccessLogSettings"]
    known = {"requestId", "requestTimeEpoch", "identity.sourceIp", "httpMethod", "routeKey", "status", "responseLatency",
             "error.message", "integrationErrorMessage"}
    return sorted(set(re.findall(r"\$context\.([\w.]+)", logged["Format"])) ^ known)


def cors_allows_only_the_configured_origins(all_: dict) -> list[str]:
    template = all_["template"]
    # On routes for any method, the gateway's own CORS does not answer preflights.
    found = [name for name, api in of_type(template, "AWS::ApiGatewayV2::Api").items() if "x-amazon-apigateway-cors" in api["Body"]]
    for name, function in functions(all_).items():
        variables = function["Environment"]["Variables"]
        if variables.get("CORS_ORIGINS") != {"Ref": "CorsOrigins"} or variables.get("SESSION_SAME_SITE") != {"Ref": "SessionSameSite"}:
            found.append(name)
    defaults = [template["Parameters"][name]["Default"] for name in ("CorsOrigins", "SessionSameSite")]
    return found if defaults == ["", "lax"] else [*found, str(defaults)]


def a_custom_domain_disables_the_gateways_own_endpoint(all_: dict) -> list[str]:
    servers = of_type(all_["template"], "AWS::ApiGatewayV2::Api")["Api"]["Body"].get("servers", [])
    wanted = {"disableExecuteApiEndpoint": {"Fn::If": ["HasDomain", True, False]}}
    good = any(server.get("x-amazon-apigateway-endpoint-configuration") == wanted for server in servers)
    return [] if good else [str(servers)]


def a_functions_alarm_rolls_back_its_new_version(all_: dict) -> list[str]:
    alarms = [alarm["AlarmName"] for alarm in of_type(all_["watching"], "AWS::CloudWatch::Alarm").values()]
    stream = all_["template"]["Resources"]["Watching"]["Properties"]["Parameters"]["StreamFunction"]["Fn::Sub"]
    alarms = [stream.replace("${AWS::StackName}", SERVICE) + alarm["Fn::Sub"].removeprefix("${StreamFunction}")
              if isinstance(alarm, dict) and alarm["Fn::Sub"].startswith("${StreamFunction}") else alarm for alarm in alarms]
    found = []
    for name, function in functions(all_).items():
        group = of_type(all_["template"], "AWS::CodeDeploy::DeploymentGroup").get(f"{name}DeploymentGroup", {})
        rolling_back = [alarm["Name"] for alarm in group.get("AlarmConfiguration", {}).get("Alarms", [])]
        expected = function["FunctionName"]["Fn::Sub"] + "-errors"
        events = group.get("AutoRollbackConfiguration", {}).get("Events", [])
        named = expected.replace("${AWS::StackName}", SERVICE)
        if named not in alarms:
            found.append(f"{name}: its name is not in Functions of Watching in template.yaml")
        if rolling_back != [{"Fn::Sub": expected}] or "DEPLOYMENT_STOP_ON_ALARM" not in events:
            found.append(f"{name}: its DeploymentPreference in template.yaml does not name the alarm {expected}")
    return found


def every_alarm_notifies_and_names_its_runbook_section(all_: dict) -> list[str]:
    watching = all_["watching"]
    runbook = (ROOT / "infra/README.md").read_text(encoding="utf-8")
    found = [] if of_type(watching, "AWS::CloudWatch::Dashboard") else ["no dashboard"]
    for name, alarm in of_type(watching, "AWS::CloudWatch::Alarm").items():
        section = re.search(r"See (.+) in infra/README\.md", str(alarm.get("AlarmDescription")))
        speaks = alarm.get("AlarmActions") == alarm.get("OKActions") == [{"Ref": "Alarms"}]
        if not (speaks and section and section[1] in runbook):
            found.append(name)
    return found


def every_kind_of_failure_has_an_alarm(all_: dict) -> list[str]:
    alarms = json.dumps(of_type(all_["watching"], "AWS::CloudWatch::Alarm"))
    wanted = ["5xx", "Errors", "Faults", "Throttles", "p99", "ReadThrottleEvents", "WriteThrottleEvents",
              "Reputation.BounceRate", "Reputation.ComplaintRate", "wrong-credentials"]
    return [metric for metric in wanted if f'"{metric}"' not in alarms]


def alarms_and_dashboard_read_metrics_that_the_functions_write(all_: dict) -> list[str]:
    source = (ROOT / "shared/src/log/metrics.rs").read_text(encoding="utf-8")
    written = set(re.findall(r'Metric { name: "(\w+)"', source))
    watching = json.dumps(all_["watching"]["Resources"]).replace('\\"', '"')
    read = set(re.findall(r'"Namespace": "Accounts", "MetricName": "(\w+)"', watching))
    read |= set(re.findall(r'\["Accounts", ?"(\w+)"', watching))
    return sorted(read - written) if read else ["no metric of the functions is read"]


def distribution(all_: dict) -> dict:
    """The configuration of the CloudFront distribution."""
    return of_type(all_["web"], "AWS::CloudFront::Distribution")["Distribution"]["DistributionConfig"]


def only_cloudfront_may_read_the_bucket_of_the_pages(all_: dict) -> list[str]:
    public = of_type(all_["web"], "AWS::S3::Bucket")["Bucket"].get("PublicAccessBlockConfiguration", {})
    statements_ = of_type(all_["web"], "AWS::S3::BucketPolicy")["BucketPolicy"]["PolicyDocument"]["Statement"]
    allowed = [one for one in statements_ if one["Effect"] == "Allow"]
    good = len(public) == 4 and all(public.values()) and all(
        one["Principal"] == {"Service": "cloudfront.amazonaws.com"} and "Distribution" in json.dumps(one["Condition"])
        and set(one["Action"]) == {"s3:GetObject", "s3:ListBucket"}
        for one in allowed
    )
    return [] if good and allowed else [str(allowed), str(public)]


def cloudfront_forwards_every_route_and_caches_no_answer(all_: dict) -> list[str]:
    behaviours = {one["PathPattern"]: one for one in distribution(all_)["CacheBehaviors"]}
    # AWS's policies CachingDisabled and AllViewerExceptHostHeader. The latter also forwards cookies.
    wanted = {"CachePolicyId": "4135ea2d-6df8-44a3-9df3-4b5a84be39ad", "OriginRequestPolicyId": "b689b0a8-53d0-40ab-baf2-68738e2966ac"}
    found = [
        path for path, one in behaviours.items()
        if not wanted.items() <= one.items() or len(one["AllowedMethods"]) != 7 or one["ViewerProtocolPolicy"] != "https-only"
    ]
    routes = of_type(all_["template"], "AWS::ApiGatewayV2::Api")["Api"]["Body"]["paths"]
    return found + [route for route in routes if not any(fnmatch(route, path) for path in behaviours)]


def cloudfront_replaces_only_answers_with_status_404(all_: dict) -> list[str]:
    replaced = {one["ErrorCode"] for one in distribution(all_).get("CustomErrorResponses", [])}
    return sorted(str(code) for code in replaced - {404})


def the_content_security_policy_allows_no_inline_code_and_only_configured_third_parties(all_: dict) -> list[str]:
    policies = of_type(all_["web"], "AWS::CloudFront::ResponseHeadersPolicy")
    policy = policies["Headers"]["ResponseHeadersPolicyConfig"]["SecurityHeadersConfig"]["ContentSecurityPolicy"]
    text, variables = policy["ContentSecurityPolicy"]["Fn::Sub"]
    bad = [word for word in ("unsafe", "http:", "https:", "*", "data:") if word in text]
    used = set(re.findall(r"\$\{(\w+)\}", text))
    none = all_["web"]["Mappings"]["Sources"]["none"]
    default = all_["web"]["Parameters"]["CaptchaProvider"]["Default"]
    return bad + sorted(used ^ variables.keys()) + [name for name, source in none.items() if source or default != "none"]


def rules_of(names: dict) -> list:
    """The rules among a module's names."""
    return [value for value in list(names.values()) if getattr(value, "__annotations__", {}).get("return") == list[str]]


RULES = rules_of(globals())
