"""Tests of the rules: the templates meet each rule, and each rule detects a mistake that is inserted into a copy."""

import copy
import json
import unittest

import edge
import operating
import rules

RULES = rules.RULES + edge.RULES + operating.RULES
TEMPLATES = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in (rules.ROOT / "target/checks").glob("*.json")
    # They are no part of the service. test_pipeline.py and test_backup.py check them.
    if path.stem not in ("deployer", "backup", "backup-vault")
}


def resource(all_: dict, template: str, name: str) -> dict:
    """The properties of a resource."""
    return all_[template]["Resources"][name]["Properties"]


def inline_statement(all_: dict, role: str) -> dict:
    """The first statement of a role's inline policy."""
    return resource(all_, "permissions", role)["Policies"][0]["PolicyDocument"]["Statement"][0]


def access_log(all_: dict) -> dict:
    """The settings of the gateway's log."""
    return resource(all_, "template", "ApiApiGatewayDefaultStage")["AccessLogSettings"]


def path_matches(all_: dict) -> list[dict]:
    """The path matches of the firewall's second rule."""
    statement = resource(all_, "firewall", "WebAcl")["Rules"][1]["Statement"]
    return statement["RateBasedStatement"]["ScopeDownStatement"]["OrStatement"]["Statements"]


def searches(all_: dict) -> dict:
    """The variables of the dashboard's text."""
    return resource(all_, "watching", "Dashboard")["DashboardBody"]["Fn::Sub"][1]


# A mistake for each rule.
MISTAKES = {
    "a_first_deployment_needs_three_parameters": lambda a: a["template"]["Parameters"]["Architecture"].pop("Default"),
    "every_parameter_has_a_description_and_constraints": lambda a: a["template"]["Parameters"]["MailFrom"].pop("AllowedPattern"),
    "a_stream_mapping_retries_failed_records_and_then_sends_them_to_the_queue":
        lambda a: resource(a, "template", "NoticesChanges").pop("DestinationConfig"),
    "every_table_is_restorable_protected_from_deletion_and_has_the_key_of_dynamodb":
        lambda a: resource(a, "template", "EntriesTable").update(SSESpecification={"SSEEnabled": True}),
    "mails_arrive_as_they_were_sent": lambda a: resource(a, "mail", "ConfigurationSet").pop("VdmOptions"),
    "erasures_are_in_the_log_for_longer_than_deleted_accounts_are_in_the_backups":
        lambda a: a["template"]["Parameters"]["LogRetentionDays"]["AllowedValues"].append(30),
    "the_accounts_table_deletes_expired_items":
        lambda a: resource(a, "template", "AccountsTable").pop("TimeToLiveSpecification"),
    "each_timeout_is_shorter_than_the_timeout_of_the_caller": lambda a: resource(a, "template", "Logout").update(Timeout=7),
    "no_policy_has_a_wildcard_as_action_or_resource": lambda a: inline_statement(a, "LoginRole").update(Action=["dynamodb:*"]),
    "every_function_has_its_own_role_without_managed_policies_of_aws":
        lambda a: resource(a, "template", "Login").update(Role=resource(a, "template", "Logout")["Role"]),
    "operators_write_only_the_log_streams_of_their_tool":
        lambda a: next(one for one in resource(a, "permissions", "OperatorChanges")["PolicyDocument"]["Statement"] if "logs:PutLogEvents" in one["Action"]).update(Resource={"Ref": "LogsArn"}),
    "operators_read_hashes_only_with_the_policy_for_it":
        lambda a: resource(a, "permissions", "OperatorReads")["PolicyDocument"]["Statement"][0]["Condition"].pop("Null"),
    "no_managed_policy_is_too_long":
        lambda a: resource(a, "permissions", "OperatorReads")["PolicyDocument"]["Statement"].append({"Action": [f"logs:{number}" for number in range(300)]}),
    "every_role_can_have_a_permissions_boundary": lambda a: resource(a, "permissions", "LoginRole").pop("PermissionsBoundary"),
    "only_functions_that_send_mail_may_do_so_and_only_from_one_address":
        lambda a: resource(a, "permissions", "LogoutRole")["ManagedPolicyArns"].append({"Ref": "SendMail"}),
    "sam_builds_each_function_from_its_crate": lambda a: a["template"]["Resources"]["Login"].pop("Metadata"),
    "no_environment_variable_is_a_secret":
        lambda a: resource(a, "template", "Login")["Environment"]["Variables"].update(CAPTCHA_SECRET="x"),
    "routes_that_hash_or_mail_have_a_lower_limit":
        lambda a: resource(a, "template", "ApiApiGatewayDefaultStage")["RouteSettings"].pop("ANY /app/auth/sendLogin.php"),
    "functions_that_hash_have_a_whole_processor": lambda a: resource(a, "template", "Register").update(MemorySize=512),
    "functions_have_json_logs_traces_and_optional_reserved_concurrency":
        lambda a: resource(a, "template", "Session").pop("TracingConfig"),
    "the_access_log_has_no_query_string_header_or_body":
        lambda a: resource(a, "template", "ApiApiGatewayDefaultStage")["AccessLogSettings"].update(Format="$context.customQuery"),
    "cors_allows_only_the_configured_origins":
        lambda a: a["template"]["Parameters"]["CorsOrigins"].update(Default="https://other.example"),
    "a_custom_domain_disables_the_gateways_own_endpoint": lambda a: resource(a, "template", "Api")["Body"].pop("servers"),
    "a_failed_call_or_sample_rolls_back_every_new_version":
        lambda a: resource(a, "template", "SessionDeploymentGroup").pop("AlarmConfiguration"),
    "the_dashboard_shows_every_function":
        lambda a: a["template"]["Resources"]["Watching"]["Properties"]["Parameters"]["Functions"]["Fn::Sub"].__setitem__(0, "${AWS::StackName}-login"),
    "an_alarm_on_a_percentile_ignores_few_samples":
        lambda a: resource(a, "watching", "GatewayLatency").pop("EvaluateLowSampleCountPercentile"),
    "every_alarm_notifies_and_names_its_runbook_section":
        lambda a: resource(a, "watching", "Errors").update(AlarmActions=[]),
    "alarms_and_dashboard_read_metrics_that_the_functions_write":
        lambda a: resource(a, "watching", "NoticesErrors")["Metrics"][2]["MetricStat"]["Metric"].update(MetricName="Failures"),
    "every_kind_of_failure_has_an_alarm":
        lambda a: [a["watching"]["Resources"].pop(name) for name in list(a["watching"]["Resources"]) if "Bounce" in name],
    "only_cloudfront_may_read_the_bucket_of_the_pages":
        lambda a: resource(a, "web", "BucketPolicy")["PolicyDocument"]["Statement"][0].update(Principal="*"),
    "cloudfront_forwards_every_route_and_caches_no_answer":
        lambda a: resource(a, "web", "Distribution")["DistributionConfig"]["CacheBehaviors"].pop(1),
    "cloudfront_replaces_only_answers_with_status_404":
        lambda a: resource(a, "web", "Distribution")["DistributionConfig"]["CustomErrorResponses"].append({"ErrorCode": 403}),
    "the_content_security_policy_allows_no_inline_code_and_only_configured_third_parties":
        lambda a: a["web"]["Mappings"]["Sources"]["none"].update(Script=" https://cdn.example"),
    "the_firewall_counts_every_spelling_of_a_limited_path":
        lambda a: path_matches(a)[1]["RegexMatchStatement"]["TextTransformations"].pop(),
    "cloudfront_names_are_unique_and_short_enough":
        lambda a: resource(a, "web", "Addresses").update(Name={"Fn::Sub": "${ServiceName}-addresses-${AWS::Region}"}),
    "the_log_of_the_edge_has_no_query_string_or_header":
        lambda a: resource(a, "edge-log", "Delivery")["RecordFields"].append("cs-uri-query"),
    "the_bucket_has_a_generated_name_and_is_retained":
        lambda a: resource(a, "web", "Bucket").update(BucketName={"Fn::Sub": "${ServiceName}-web-${AWS::AccountId}"}),
    "nested_templates_have_the_constraints_of_the_root":
        lambda a: a["domain"]["Parameters"]["CertificateArn"].update(AllowedPattern="^arn:aws:acm:.+$"),
    "the_event_destinations_of_mail_are_created_one_by_one":
        lambda a: a["mail"]["Resources"]["Undelivered"].update(DependsOn="BouncesPolicy"),
    "every_line_of_the_access_log_is_valid_json":
        lambda a: access_log(a).update(Format=access_log(a)["Format"].replace("error.message", "error.messageString")),
    "the_gateways_log_group_is_a_vended_log":
        lambda a: resource(a, "template", "AccessLogs")["LogGroupName"].update({"Fn::Sub": "/aws/apigateway/${AWS::StackName}"}),
    "every_log_group_that_the_operators_tool_reads_exists": lambda a: a["template"]["Resources"].pop("AccessLogs"),
    "zips_are_built_for_the_c_library_of_their_runtime":
        lambda a: resource(a, "template", "Login").update(Runtime="provided.al2"),
    "the_nested_templates_refuse_stack_names_that_are_too_long_for_a_function":
        lambda a: resource(a, "template", "Login").update(FunctionName={"Fn::Sub": "${AWS::StackName}-passkey-register-options-2"}),
    "every_parameter_of_a_nested_template_can_be_set":
        lambda a: a["template"]["Resources"]["Mail"]["Properties"]["Parameters"].pop("BouncesEmail"),
    "a_restored_table_takes_the_place_of_the_stacks_own_everywhere":
        lambda a: resource(a, "template", "NoticesChanges").update(EventSourceArn={"Fn::GetAtt": ["AccountsTable", "StreamArn"]}),
    "no_search_of_the_dashboard_is_too_long_or_one_too_many": lambda a: searches(a).update(Searches={"Fn::Join": [" OR ", {"Ref": "Functions"}]}),
}


class Rules(unittest.TestCase):
    """Each test checks all rules, with one subtest for each."""

    def test_the_templates_meet_every_rule(self):
        for rule in RULES:
            with self.subTest(rule.__name__):
                self.assertEqual(rule(TEMPLATES), [])

    def test_every_rule_detects_a_mistake(self):
        self.assertEqual(MISTAKES.keys(), {rule.__name__ for rule in RULES})
        for rule in RULES:
            with self.subTest(rule.__name__):
                broken = copy.deepcopy(TEMPLATES)
                MISTAKES[rule.__name__](broken)
                self.assertNotEqual(rule(broken), [], "the mistake was not detected")


if __name__ == "__main__":
    unittest.main()
