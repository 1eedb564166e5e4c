"""Rules for what operators name, set, watch and pay."""

import json
import re

from rules import ROOT, functions, of_type, rules_of, statements

# Lambda's limit for the name of a function: https://docs.aws.amazon.com/lambda/latest/api/API_CreateFunction.html
NAME_MAX = 64
# IAM's limit for a managed policy, without spaces: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
POLICY_MAX = 6144
# More characters than a name or an ARN has for which a reference stands.
REFERENCE_MAX = 160
READS = {"dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query", "dynamodb:Scan"}
# What passwords can be guessed with. The digest of an import covers the hash.
SECRETS = {"password", "import_digest"}


def the_nested_templates_refuse_stack_names_that_are_too_long_for_a_function(all_: dict) -> list[str]:
    names = [function["FunctionName"]["Fn::Sub"] for template in all_.values() for function in of_type(template, "AWS::Lambda::Function").values()]
    longest = NAME_MAX - max(len(re.sub(r"\$\{[\w:]+\}", "", name)) for name in names)
    wanted = f"^[A-Za-z][A-Za-z0-9-]{{0,{longest - 1}}}$"
    given = {name: template["Parameters"]["ServiceName"].get("AllowedPattern") for name, template in all_.items() if "ServiceName" in template["Parameters"]}
    return [f"{name}: the pattern of ServiceName is {pattern}, not {wanted}" for name, pattern in given.items() if pattern != wanted]


def every_parameter_of_a_nested_template_can_be_set(all_: dict) -> list[str]:
    found = []
    for stack in of_type(all_["template"], "AWS::CloudFormation::Stack").values():
        nested = re.search(r"infra/(\w+)\.yaml", stack["TemplateURL"])[1]
        found += [f"{nested}: {name} is not passed by template.yaml" for name in all_[nested]["Parameters"].keys() ^ stack["Parameters"].keys()]
    return found


def operators_read_hashes_only_with_the_policy_for_it(all_: dict) -> list[str]:
    source = (ROOT / "shared/src/store/table/access.rs").read_text(encoding="utf-8")
    readable = re.findall(r'^    "(\w+)",$', source, re.MULTILINE)
    wanted = {
        "StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"},
        "Null": {"dynamodb:Attributes": "false"},
        "ForAllValues:StringEquals": {"dynamodb:Attributes": readable},
    }
    found = sorted(SECRETS & set(readable))
    for name, one in statements(all_["permissions"]):
        is_of_people = name.startswith("Operator") and name != "OperatorReadsHashes"
        if is_of_people and READS & set(one["Action"]) and {"Ref": "AccountsTableArn"} in [one["Resource"], *one["Resource"]] and one.get("Condition") != wanted:
            found.append(f"{name}: {one}")
    indexes = of_type(all_["template"], "AWS::DynamoDB::Table")["AccountsTable"]["GlobalSecondaryIndexes"]
    return found + [index["IndexName"] for index in indexes if index["Projection"] != {"ProjectionType": "KEYS_ONLY"}]


def resolved(value: object) -> object:
    """A part of a template with a long text in place of each reference."""
    if isinstance(value, dict):
        is_reference = any(name == "Ref" or name.startswith("Fn::") for name in value)
        return "x" * REFERENCE_MAX if is_reference else {name: resolved(one) for name, one in value.items()}
    return [resolved(one) for one in value] if isinstance(value, list) else value


def no_managed_policy_is_too_long(all_: dict) -> list[str]:
    policies = of_type(all_["permissions"], "AWS::IAM::ManagedPolicy").items()
    lengths = {name: len(json.dumps(resolved(policy["PolicyDocument"]), separators=(",", ":"))) for name, policy in policies}
    return [f"{name}: {length} characters" for name, length in lengths.items() if length > POLICY_MAX]


def of_a_table(value: object, table: str, restored: str) -> list:
    """The references to a table that do not give way to the restored one."""
    if isinstance(value, dict):
        chosen = value.get("Fn::If", [None])
        if chosen[0] == f"Owns{restored}" and f"Restored{restored}" in json.dumps(chosen[2]):
            return []
        if value.get("Ref") == table or value.get("Fn::GetAtt", [None])[0] == table:
            return [json.dumps(value)]
        return [found for one in value.values() for found in of_a_table(one, table, restored)]
    return [found for one in value for found in of_a_table(one, table, restored)] if isinstance(value, list) else []


def a_restored_table_takes_the_place_of_the_stacks_own_everywhere(all_: dict) -> list[str]:
    template = all_["template"]
    found = []
    for restored in ("Accounts", "Entries"):
        found += of_a_table([template["Resources"], template["Outputs"]], f"{restored}Table", restored)
        table = template["Resources"][f"{restored}Table"]
        empty = template["Conditions"][f"Owns{restored}"] == {"Fn::Equals": [{"Ref": f"Restored{restored}Table"}, ""]}
        found += [] if empty and table.get("Condition") == f"Owns{restored}" else [f"{restored}Table is created beside the restored one"]
    return found


def rendered(all_: dict, stack: str) -> dict:
    """The dashboard of a stack with this name and all functions."""
    text, variables = of_type(all_["watching"], "AWS::CloudWatch::Dashboard")["Dashboard"]["DashboardBody"]["Fn::Sub"]
    names = [function["FunctionName"]["Fn::Sub"].replace("${AWS::StackName}", stack) for function in functions(all_).values()]
    for name, joined in variables.items():
        text = text.replace("${" + name + "}", joined["Fn::Join"][0].join(names))
    return json.loads(re.sub(r"\$\{[\w:.]+\}", "x", text).replace("${!", "${"))


def no_search_of_the_dashboard_is_too_long_or_one_too_many(all_: dict) -> list[str]:
    # https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html
    longest, most = 1024, 100
    found = []
    for widget in rendered(all_, "A" * 39)["widgets"]:
        searches = [one["expression"] for metric in widget["properties"].get("metrics", []) for one in metric if isinstance(one, dict) and "expression" in one]
        found += [search for search in searches if len(search) > longest or not search.endswith("300)")]
        found += [widget["properties"]["title"]] if len(searches) > most else []
    return found


def a_failed_call_or_sample_rolls_back_every_new_version(all_: dict) -> list[str]:
    alarms = of_type(all_["watching"], "AWS::CloudWatch::Alarm")
    canaries = {"Canary": "${AWS::StackName}-canary", "NoticesErrors": "${AWS::StackName}-notices-errors", "AuthorizerErrors": "${AWS::StackName}-authorizer-errors"}
    found = [name for name in canaries if alarms.get(name, {}).get("Threshold") != 1 or alarms[name]["DatapointsToAlarm"] != 1]
    # CodeDeploy refuses the alarm of a deployment group that does not exist.
    found += [name for name in ("Canary", "NoticesErrors") if "Condition" in all_["watching"]["Resources"].get(name, {})]
    for name in functions(all_):
        group = of_type(all_["template"], "AWS::CodeDeploy::DeploymentGroup").get(f"{name}DeploymentGroup", {})
        rolling_back = [alarm["Name"]["Fn::Sub"] for alarm in group.get("AlarmConfiguration", {}).get("Alarms", [])]
        expected = [canaries["Canary"], *([canaries[f"{name}Errors"]] if f"{name}Errors" in canaries else [])]
        traffic = all_["template"]["Resources"][f"{name}Aliaslive"].get("UpdatePolicy", {}).get("CodeDeployLambdaAliasUpdate", {})
        if traffic.get("BeforeAllowTrafficHook") != {"Ref": "PreTraffic"}:
            found.append(f"{name}: no sample event is sent to its new versions")
        events = group.get("AutoRollbackConfiguration", {}).get("Events", [])
        if rolling_back != expected or "DEPLOYMENT_STOP_ON_ALARM" not in events:
            found.append(f"{name}: its DeploymentPreference in template.yaml names {rolling_back}, not {expected}")
    return found


def the_dashboard_shows_every_function(all_: dict) -> list[str]:
    text, variables = all_["template"]["Resources"]["Watching"]["Properties"]["Parameters"]["Functions"]["Fn::Sub"]
    shown = [*text.replace("${Authorizer}", "").split(","), variables["Authorizer"]["Fn::If"][1]["Fn::Sub"].lstrip(",")]
    named = {function["FunctionName"]["Fn::Sub"] for name, function in functions(all_).items() if name != "Notices"}
    return sorted(named ^ set(shown))


def every_alarm_notifies_and_names_its_runbook_section(all_: dict) -> list[str]:
    watching = all_["watching"]
    runbook = (ROOT / "infra/README.md").read_text(encoding="utf-8")
    found = [] if of_type(watching, "AWS::CloudWatch::Dashboard") else ["no dashboard"]
    alarms = of_type(watching, "AWS::CloudWatch::Alarm") | of_type(watching, "AWS::CloudWatch::CompositeAlarm")
    for name, alarm in alarms.items():
        section = re.search(r"See (.+) in infra/README\.md", str(alarm.get("AlarmDescription")))
        speaks = alarm.get("AlarmActions") == alarm.get("OKActions") == [{"Ref": "Alarms"}]
        # Canary is for deployments alone, and GatewayErrors notifies of the same calls. TableErrors is for TableOutage alone.
        if name not in ("Canary", "TableErrors") and not (speaks and section and f"### {section[1]}\n" in runbook):
            found.append(name)
    return found


def an_alarm_on_a_percentile_ignores_few_samples(all_: dict) -> list[str]:
    alarms = of_type(all_["watching"], "AWS::CloudWatch::Alarm").items()
    percentiles = {name: alarm for name, alarm in alarms if re.search(r'"(Extended)?Stat(istic)?": "p\d', json.dumps(alarm))}
    silent = [name for name, alarm in percentiles.items() if alarm.get("EvaluateLowSampleCountPercentile") != "ignore"]
    return silent if percentiles else ["no alarm watches a percentile"]


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


RULES = rules_of(globals())
