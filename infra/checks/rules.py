"""The project's own rules for the transformed templates. A rule returns a list of its violations."""

import json
import re
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The HTTP API's timeout in seconds, which cannot be set higher.
GATEWAY_TIMEOUT = 30
WITHOUT_DEFAULT = {"FrontEndUrl", "MailFrom", "GoogleClientIds"}
# Actions that do not support resources, reads of resources whose names CloudFormation chooses, and queries of a log group, whose ARN ends in ":*".
ON_ANYTHING = {
    "xray:PutTraceSegments", "xray:PutTelemetryRecords", "dynamodb:ListStreams",
    "lambda:GetAccountSettings", "lambda:ListEventSourceMappings", "ses:GetAccount", "sts:GetCallerIdentity", "logs:DescribeLogGroups", "sns:ListSubscriptionsByTopic",
    "logs:GetQueryResults", "logs:StartQuery", "lambda:InvokeFunction", "lambda:GetAlias", "lambda:GetProvisionedConcurrencyConfig", "lambda:UpdateAlias",
    "cloudwatch:DescribeAlarms", "codedeploy:GetDeployment", "codedeploy:PutLifecycleEventHookExecutionStatus",
}
# The streams that the operators' tool writes (`put` in infra/accounts/src/trail/log_group.rs), among those of the functions.
OPERATORS_STREAMS = ":log-stream:operator/*"


def of_type(template: dict, kind: str) -> dict[str, dict]:
    """The properties of a type's resources, by logical id."""
    found = template["Resources"].items()
    return {name: resource.get("Properties", {}) for name, resource in found if resource["Type"] == kind}


def functions(all_: dict) -> dict[str, dict]:
    """The functions of this service, without the one that CodeDeploy calls."""
    return {name: one for name, one in of_type(all_["template"], "AWS::Lambda::Function").items() if name != "PreTraffic"}


def listeners(all_: dict) -> set[str]:
    """The functions, by logical id, that listen to a stream and have no route."""
    mappings = of_type(all_["template"], "AWS::Lambda::EventSourceMapping").values()
    # The mapping names the alias of the function, which has the function's name before "Alias".
    return {mapping["FunctionName"]["Ref"].removesuffix("Aliaslive") for mapping in mappings}


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


def every_table_is_restorable_protected_from_deletion_and_has_the_key_of_dynamodb(all_: dict) -> list[str]:
    found = []
    for name, resource in all_["template"]["Resources"].items():
        if resource["Type"] != "AWS::DynamoDB::Table":
            continue
        table = resource["Properties"]
        kept = resource.get("DeletionPolicy") == resource.get("UpdateReplacePolicy") == "Retain"
        restorable = table.get("PointInTimeRecoverySpecification", {}).get("PointInTimeRecoveryEnabled")
        owned = "SSESpecification" not in table
        on_demand = table.get("BillingMode") == "PAY_PER_REQUEST"
        if not (kept and restorable and owned and on_demand and table.get("DeletionProtectionEnabled") is True):
            found.append(name)
    return found


def erasures_are_in_the_log_for_longer_than_deleted_accounts_are_in_the_backups(all_: dict) -> list[str]:
    template = all_["template"]
    # DynamoDB keeps backups for 35 days unless the table sets fewer.
    backups = max(
        table["PointInTimeRecoverySpecification"].get("RecoveryPeriodInDays", 35)
        for table in of_type(template, "AWS::DynamoDB::Table").values()
    )
    kept = of_type(template, "AWS::Logs::LogGroup")["Logs"]["RetentionInDays"]
    parameter = template["Parameters"][kept["Ref"]]
    return [str(days) for days in [parameter["Default"], *parameter["AllowedValues"]] if days <= backups]


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
            if "*" in json.dumps(resources).replace(OPERATORS_STREAMS, "") and not set(actions) <= ON_ANYTHING:
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


def operators_write_only_the_log_streams_of_their_tool(all_: dict) -> list[str]:
    source = (ROOT / "infra/accounts/src/trail/log_group.rs").read_text(encoding="utf-8")
    found = [] if 'format!("operator/{date}")' in source else ["the tool writes other streams"]
    writes = [one["Resource"] for name, one in statements(all_["permissions"]) if name == "OperatorChanges" and "logs:PutLogEvents" in one["Action"]]
    return found + [str(one) for one in writes if not json.dumps(one).endswith(OPERATORS_STREAMS + '"}')]


def every_role_can_have_a_permissions_boundary(all_: dict) -> list[str]:
    wanted = {"Fn::If": ["HasBoundary", {"Ref": "PermissionsBoundaryArn"}, {"Ref": "AWS::NoValue"}]}
    roles = {name: one for template in all_.values() for name, one in of_type(template, "AWS::IAM::Role").items()}
    return [name for name, role in roles.items() if role.get("PermissionsBoundary") != wanted]


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


def mails_arrive_as_they_were_sent(all_: dict) -> list[str]:
    # With Virtual Deliverability Manager, the account may rewrite links to count clicks: https://docs.aws.amazon.com/ses/latest/dg/vdm-settings.html
    off = {"DashboardOptions": {"EngagementMetrics": "DISABLED"}, "GuardianOptions": {"OptimizedSharedDelivery": "DISABLED"}}
    found = [name for name, one in of_type(all_["mail"], "AWS::SES::ConfigurationSet").items() if one.get("VdmOptions") != off]
    destinations = of_type(all_["mail"], "AWS::SES::ConfigurationSetEventDestination").items()
    return found + [name for name, one in destinations if {"open", "click"} & set(one["EventDestination"]["MatchingEventTypes"])]


def sam_builds_each_function_from_its_crate(all_: dict) -> list[str]:
    crates = {name: re.sub(r"(?<!^)([A-Z])", r"-\1", name).lower() for name in functions(all_)}
    resources = all_["template"]["Resources"]
    return [
        f"{name}: its CodeUri is not functions/{crate}, or its BuildMethod not rust-cargolambda" for name, crate in crates.items()
        if resources[name]["Properties"]["Code"].get("S3Key") != f"functions/{crate}" or resources[name].get("Metadata", {}).get("BuildMethod") != "rust-cargolambda"
    ]


def no_environment_variable_is_a_secret(all_: dict) -> list[str]:
    secret = re.compile(r"SECRET|PASSWORD$|TOKEN|KEY$")
    names = {name for function in functions(all_).values() for name in environment(function)}
    return sorted(name for name in names if secret.search(name) and not name.endswith(("_ARN", "_SECONDS")))


def hashing() -> set[str]:
    """The functions, by logical id, that hash passwords."""
    source = (ROOT / "tests/bench/src/scenario.rs").read_text(encoding="utf-8")
    listed = re.search(r"const HASHING: .+ = \[(.+)\];", source)[1]
    return {crate.strip('"').title().replace("-", "") for crate in listed.split(", ")}


def routes_that_hash_or_mail_have_a_lower_limit(all_: dict) -> list[str]:
    mailing = {name for name, function in functions(all_).items() if "MAIL_FROM" in environment(function)}
    paths = of_type(all_["template"], "AWS::ApiGatewayV2::Api")["Api"]["Body"]["paths"]
    integrated = {path: json.dumps(methods) for path, methods in paths.items()}
    dear = {f"ANY {path}" for path, text in integrated.items() for name in (hashing() | mailing) if "${" + f"{name}Aliaslive" in text}
    limits = {"ThrottlingRateLimit": {"Ref": "DearRequestsPerSecond"}, "ThrottlingBurstLimit": {"Ref": "DearRequestBurst"}}
    given = of_type(all_["template"], "AWS::ApiGatewayV2::Stage")["ApiApiGatewayDefaultStage"].get("RouteSettings", {})
    return sorted(dear ^ {route for route, one in given.items() if one == limits}) if len(dear) > 5 else ["no dear route"]


def functions_that_hash_have_a_whole_processor(all_: dict) -> list[str]:
    sizes = {name: function["MemorySize"] for name, function in functions(all_).items()}
    return [name for name, size in sizes.items() if (size == 1769) != (name in hashing()) or size > 1769]


def functions_have_json_logs_traces_and_optional_reserved_concurrency(all_: dict) -> list[str]:
    wanted = {"LogFormat": "JSON", "SystemLogLevel": "WARN", "LogGroup": {"Ref": "Logs"}}
    return [
        name for name, function in functions(all_).items()
        if function.get("LoggingConfig") != wanted or function.get("TracingConfig") != {"Mode": {"Fn::If": ["IsFull", "Active", "PassThrough"]}}
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
        wanted = {"CORS_ORIGINS": "CorsOrigins", "FRONT_END_URL": "FrontEndUrl", "SESSION_SAME_SITE": "SessionSameSite"}
        if any(variables.get(variable) != {"Ref": parameter} for variable, parameter in wanted.items()):
            found.append(name)
    defaults = [template["Parameters"][name]["Default"] for name in ("CorsOrigins", "SessionSameSite")]
    return found if defaults == ["", "lax"] else [*found, str(defaults)]


def a_custom_domain_disables_the_gateways_own_endpoint(all_: dict) -> list[str]:
    servers = of_type(all_["template"], "AWS::ApiGatewayV2::Api")["Api"]["Body"].get("servers", [])
    wanted = {"disableExecuteApiEndpoint": {"Fn::If": ["HasDomain", True, False]}}
    good = any(server.get("x-amazon-apigateway-endpoint-configuration") == wanted for server in servers)
    return [] if good else [str(servers)]


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
    # That of the product's own API depends on a condition.
    all_behaviours = [one.get("Fn::If", [None, one])[1] for one in distribution(all_)["CacheBehaviors"]]
    behaviours = {one["PathPattern"]: one for one in all_behaviours}
    # AWS's policies CachingDisabled and AllViewerExceptHostHeader. The latter also forwards cookies.
    wanted = {"CachePolicyId": "4135ea2d-6df8-44a3-9df3-4b5a84be39ad", "OriginRequestPolicyId": "b689b0a8-53d0-40ab-baf2-68738e2966ac"}
    found = [
        path for path, one in behaviours.items()
        if not wanted.items() <= one.items() or len(one["AllowedMethods"]) != 7 or one["ViewerProtocolPolicy"] != "https-only"
    ]
    routes = of_type(all_["template"], "AWS::ApiGatewayV2::Api")["Api"]["Body"]["paths"]
    to_api = [path for path, one in behaviours.items() if one["TargetOriginId"] == "api"]
    return found + [route for route in routes if not any(fnmatch(route, path) for path in to_api)]


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
