"""Rules for the parts between a caller and the functions: firewall, front end, domain, mail, access log, and builds."""

import json
import posixpath
import re
from urllib.parse import unquote

from rules import ROOT, distribution, functions, of_type, rules_of

# CloudFront's limits for the names of functions and access controls, and of policies.
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
LONGEST_STACK = "A" * 39
LONGEST_REGION = "us-isof-south-1"
LOG_GROUPS = ROOT / "infra/accounts/src/trail/log_group.rs"
TRANSFORMATIONS = {
    "NONE": lambda path: path,
    "URL_DECODE": unquote,
    # posixpath keeps two slashes at the beginning.
    "NORMALIZE_PATH": lambda path: "/" + posixpath.normpath(path).lstrip("/"),
}
# The paths that the firewall limits: those that check or set a password, send a reset link, or log in with a passkey.
# passkeyLoginOptions is among them, because each request to it stores a row, and it needs no session.
LIMITED = ("sendLogin", "sendRegister", "sendResetLink", "resetPassword", "sendUserConfig", "passkeyLogin", "passkeyLoginOptions")
# Spellings of one path. API Gateway decodes a path twice, and truncates it at a decoded question mark.
WRITINGS = ("/app/auth/{}.php", "/app/auth/{}%2ephp", "/%61pp/auth/{}.php", "/app/auth/{}.php%3Fx=y", "/app/auth/{}.php%3f", "/app/auth/{}%252ephp",
            "/%2561pp/auth/{}.php", "/app/auth/{}.php%3F%2F..%2F..%2Fx",
            "//app/auth/{}.php", "/app/./auth/%2e/{}.php", "/app/x/..%2Fauth/{}.php")


def the_firewall_counts_every_spelling_of_a_limited_path(all_: dict) -> list[str]:
    rules = of_type(all_["firewall"], "AWS::WAFv2::WebACL")["WebAcl"]["Rules"]
    passwords = next(rule for rule in rules if rule["Name"] == "Passwords")
    matches = passwords["Statement"]["RateBasedStatement"]["ScopeDownStatement"]["OrStatement"]["Statements"]

    def matched(match: dict, path: str) -> bool:
        for one in sorted(match["TextTransformations"], key=lambda one: one["Priority"]):
            path = TRANSFORMATIONS[one["Type"]](path)
        return re.search(match["RegexString"], path) is not None

    def counted(path: str) -> bool:
        return any(matched(statement["RegexMatchStatement"], path) for statement in matches)

    asked = [writing.format(name) for name in LIMITED for writing in WRITINGS]
    missed = [path for path in asked if not counted(path)]
    routes = of_type(all_["template"], "AWS::ApiGatewayV2::Api")["Api"]["Body"]["paths"]
    return missed + [path for path in routes if path not in asked and counted(path)]


def cloudfront_names_are_unique_and_short_enough(all_: dict) -> list[str]:
    found = []
    for logical, resource in all_["web"]["Resources"].items():
        properties = resource["Properties"]
        for holder in (properties, properties.get("OriginAccessControlConfig", {}), properties.get("ResponseHeadersPolicyConfig", {})):
            if not resource["Type"].startswith("AWS::CloudFront::") or "Name" not in holder:
                continue
            text = holder["Name"]["Fn::Sub"]
            name = text.replace("${ServiceName}", LONGEST_STACK).replace("${AWS::Region}", LONGEST_REGION)
            if not NAME.fullmatch(name) or "${ServiceName}" not in text or "${AWS::Region}" not in text:
                found.append(f"{logical}: {text}")
    return found


def the_log_of_the_edge_has_no_query_string_or_header(all_: dict) -> list[str]:
    known = {"timestamp", "c-ip", "cs-method", "cs-uri-stem", "sc-status", "x-edge-request-id", "x-edge-result-type", "time-taken"}
    # Without fields, CloudFront logs all of them.
    fields = of_type(all_["edge-log"], "AWS::Logs::Delivery")["Delivery"].get("RecordFields", [])
    return sorted(set(fields) - known) if fields else ["it has the fields that CloudFront chooses"]


def the_bucket_has_a_generated_name_and_is_retained(all_: dict) -> list[str]:
    bucket = all_["web"]["Resources"]["Bucket"]
    kept = (bucket.get("DeletionPolicy"), bucket.get("UpdateReplacePolicy"))
    found = [f"kept: {kept}"] if kept != ("RetainExceptOnCreate", "Retain") else []
    return found + (["it has a fixed name"] if "BucketName" in bucket["Properties"] else [])


def nested_templates_have_the_constraints_of_the_root(all_: dict) -> list[str]:
    found = []
    for stack in of_type(all_["template"], "AWS::CloudFormation::Stack").values():
        nested = re.search(r"infra/(\w+)\.yaml", stack["TemplateURL"])[1]
        for name, value in stack["Parameters"].items():
            given = all_["template"]["Parameters"].get(value.get("Ref") if isinstance(value, dict) else None, {})
            taken = all_[nested]["Parameters"][name]
            # If the nested stack is created only when a parameter has a value, the root also accepts an empty value.
            patterns = [one.get("AllowedPattern", "").removeprefix("^$|") for one in (given, taken)]
            if all(patterns) and patterns[0] != patterns[1]:
                found.append(f"{nested}: {name} accepts {taken['AllowedPattern']}, the root {given['AllowedPattern']}")
    return found


def the_event_destinations_of_mail_are_created_one_by_one(all_: dict) -> list[str]:
    kind = "AWS::SES::ConfigurationSetEventDestination"
    resources = {name: one for name, one in all_["mail"]["Resources"].items() if one["Type"] == kind}
    waiting = [name for name, one in resources.items() if set(resources) & set(one.get("DependsOn", []))]
    return [] if len(waiting) == len(resources) - 1 > 0 else [f"{sorted(resources)} wait: {waiting}"]


def every_line_of_the_access_log_is_valid_json(all_: dict) -> list[str]:
    template = all_["template"]
    text = of_type(template, "AWS::ApiGatewayV2::Stage")["ApiApiGatewayDefaultStage"]["AccessLogSettings"]["Format"]
    # messageString has quotation marks of its own, and a path has the decoded text of the caller.
    values = {"$context.error.messageString": '"Internal Server Error"', "$context.path": '/app/"'}
    line = re.sub(r"\$context\.[\w.]+", lambda variable: values.get(variable[0], "x"), text)
    try:
        return [] if all(isinstance(value, str) for value in json.loads(line).values()) else [line]
    except ValueError as error:
        return [f"{error}: {line}"]


def the_gateways_log_group_is_a_vended_log(all_: dict) -> list[str]:
    group = of_type(all_["template"], "AWS::Logs::LogGroup")["AccessLogs"]["LogGroupName"]["Fn::Sub"]
    return [] if group.startswith("/aws/vendedlogs/") else [group]


def every_log_group_that_the_operators_tool_reads_exists(all_: dict) -> list[str]:
    asked = set(re.findall(r'Self::\w+ => "(\w+)"', LOG_GROUPS.read_text(encoding="utf-8")))
    return sorted(asked - of_type(all_["template"], "AWS::Logs::LogGroup").keys()) if asked else ["the tool reads no log group"]


def zips_are_built_for_the_c_library_of_their_runtime(all_: dict) -> list[str]:
    libraries = {"provided.al2023": "2.34"}
    pinned = re.search(r"^glibc=(.+)$", (ROOT / "scripts/build/targets").read_text(encoding="utf-8"), re.MULTILINE)[1]
    found = [name for name, function in functions(all_).items()
             if libraries.get(function["Runtime"]) != pinned]
    scripts = [path for path in (ROOT / "scripts").rglob("*") if path.is_file()]
    builders = [path for path in scripts if "lambda build" in path.read_text(encoding="utf-8")]
    if not builders:
        return ["no script builds the zips"]
    return found + [path.name for path in builders if ". scripts/build/targets" not in path.read_text(encoding="utf-8")]


RULES = rules_of(globals())
