"""Tests of the rules: the templates meet each rule, and each rule detects a mistake that is inserted into a copy."""

import copy
import json
import unittest

import edge
import rules

RULES = rules.RULES + edge.RULES
TEMPLATES = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in (rules.ROOT / "target/checks").glob("*.json")
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


# A mistake for each rule.
MISTAKES = {
    "a_first_deployment_needs_three_parameters": lambda a: a["template"]["Parameters"]["Architecture"].pop("Default"),
    "every_parameter_has_a_description_and_constraints": lambda a: a["template"]["Parameters"]["MailFrom"].pop("AllowedPattern"),
    "a_stream_mapping_retries_failed_records_and_then_sends_them_to_the_queue":
        lambda a: resource(a, "template", "NoticesChanges").pop("DestinationConfig"),
    "every_table_is_encrypted_restorable_and_protected_from_deletion":
        lambda a: resource(a, "template", "EntriesTable").update(DeletionProtectionEnabled=False),
    "the_accounts_table_deletes_expired_items":
        lambda a: resource(a, "template", "AccountsTable").pop("TimeToLiveSpecification"),
    "each_timeout_is_shorter_than_the_timeout_of_the_caller": lambda a: resource(a, "template", "Logout").update(Timeout=7),
    "no_policy_has_a_wildcard_as_action_or_resource": lambda a: inline_statement(a, "LoginRole").update(Action=["dynamodb:*"]),
    "every_function_has_its_own_role_without_managed_policies_of_aws":
        lambda a: resource(a, "template", "Login").update(Role=resource(a, "template", "Logout")["Role"]),
    "only_functions_that_send_mail_may_do_so_and_only_from_one_address":
        lambda a: resource(a, "permissions", "LogoutRole")["ManagedPolicyArns"].append({"Ref": "SendMail"}),
    "no_environment_variable_is_a_secret":
        lambda a: resource(a, "template", "Login")["Environment"]["Variables"].update(CAPTCHA_SECRET="x"),
    "functions_that_hash_have_a_whole_processor": lambda a: resource(a, "template", "Register").update(MemorySize=512),
    "functions_have_json_logs_traces_and_optional_reserved_concurrency":
        lambda a: resource(a, "template", "Session").pop("TracingConfig"),
    "the_access_log_has_no_query_string_header_or_body":
        lambda a: resource(a, "template", "ApiApiGatewayDefaultStage")["AccessLogSettings"].update(Format="$context.customQuery"),
    "cors_allows_only_the_configured_origins":
        lambda a: a["template"]["Parameters"]["CorsOrigins"].update(Default="https://other.example"),
    "a_custom_domain_disables_the_gateways_own_endpoint": lambda a: resource(a, "template", "Api")["Body"].pop("servers"),
    "a_functions_alarm_rolls_back_its_new_version":
        lambda a: a["watching"]["Resources"].pop("Errorsaccountssession"),
    "every_alarm_notifies_and_names_its_runbook_section":
        lambda a: resource(a, "watching", "Errorsaccountslogin").update(AlarmActions=[]),
    "alarms_and_dashboard_read_metrics_that_the_functions_write":
        lambda a: resource(a, "watching", "Errorsaccountslogin")["Metrics"][2]["MetricStat"]["Metric"].update(MetricName="Failures"),
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
