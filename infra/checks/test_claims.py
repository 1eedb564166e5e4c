"""Each claim holds for the templates, and none of them cannot fail: a planted mistake breaks it."""

import copy
import json
import unittest

import claims
import edge

CLAIMS = claims.CLAIMS + edge.CLAIMS
TEMPLATES = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in (claims.ROOT / "target/checks").glob("*.json")
}


def resource(all_: dict, template: str, name: str) -> dict:
    """The properties of a resource."""
    return all_[template]["Resources"][name]["Properties"]


def own_policy(all_: dict, role: str) -> dict:
    """The statement of a role's own policy."""
    return resource(all_, "permissions", role)["Policies"][0]["PolicyDocument"]["Statement"][0]


def paths(all_: dict) -> dict:
    """The gateway's paths."""
    return resource(all_, "template", "Api")["Body"]["paths"]


def access_log(all_: dict) -> dict:
    """What the gateway logs, and where."""
    return resource(all_, "template", "ApiApiGatewayDefaultStage")["AccessLogSettings"]


def path_matches(all_: dict) -> list[dict]:
    """What the firewall's second rule looks for in a path."""
    statement = resource(all_, "firewall", "WebAcl")["Rules"][1]["Statement"]
    return statement["RateBasedStatement"]["ScopeDownStatement"]["OrStatement"]["Statements"]


# A mistake for each claim, planted into a copy.
MISTAKES = {
    "a_first_deployment_needs_three_parameters": lambda a: a["template"]["Parameters"]["Architecture"].pop("Default"),
    "every_parameter_says_what_it_is_and_what_it_takes": lambda a: a["template"]["Parameters"]["MailFrom"].pop("AllowedPattern"),
    "every_function_has_one_route_that_takes_any_method":
        lambda a: paths(a)["/app/auth/logout.php"].update({"post": paths(a)["/app/auth/logout.php"].popitem()[1]}),
    "a_table_can_neither_be_deleted_nor_lost_and_is_encrypted":
        lambda a: resource(a, "template", "EntriesTable").update(DeletionProtectionEnabled=False),
    "sessions_and_tokens_expire_from_the_table":
        lambda a: resource(a, "template", "AccountsTable").pop("TimeToLiveSpecification"),
    "each_timeout_is_below_the_one_around_it": lambda a: resource(a, "template", "Logout").update(Timeout=7),
    "no_policy_allows_any_action_or_any_resource": lambda a: own_policy(a, "LoginRole").update(Action=["dynamodb:*"]),
    "every_function_has_a_role_of_its_own_and_none_of_awss_policies":
        lambda a: resource(a, "template", "Login").update(Role=resource(a, "template", "Logout")["Role"]),
    "mail_is_allowed_where_it_is_sent_and_from_one_address":
        lambda a: resource(a, "permissions", "LogoutRole")["ManagedPolicyArns"].append({"Ref": "SendMail"}),
    "no_secret_stands_in_an_environment":
        lambda a: resource(a, "template", "Login")["Environment"]["Variables"].update(CAPTCHA_SECRET="x"),
    "functions_that_hash_have_a_whole_processor": lambda a: resource(a, "template", "Register").update(MemorySize=512),
    "functions_log_json_are_traced_and_keep_concurrency_on_demand":
        lambda a: resource(a, "template", "Session").pop("TracingConfig"),
    "no_log_is_kept_for_ever": lambda a: resource(a, "template", "AccessLogs").pop("RetentionInDays"),
    "the_access_log_holds_no_query_string_header_or_body":
        lambda a: resource(a, "template", "ApiApiGatewayDefaultStage")["AccessLogSettings"].update(Format="$context.customQuery"),
    "cors_is_for_the_configured_origins_and_none_by_default":
        lambda a: a["template"]["Parameters"]["CorsOrigins"].update(Default="https://other.example"),
    "behind_a_domain_the_gateways_own_address_is_shut": lambda a: resource(a, "template", "Api")["Body"].pop("servers"),
    "a_new_version_is_rolled_back_by_its_functions_alarm":
        lambda a: a["watching"]["Resources"].pop("SessionErrors"),
    "every_alarm_speaks_and_says_what_to_do_and_there_is_a_dashboard":
        lambda a: resource(a, "watching", "LoginErrors").update(AlarmActions=[]),
    "alarms_and_dashboard_read_metrics_that_the_functions_write":
        lambda a: resource(a, "watching", "LoginErrors")["Metrics"][2]["MetricStat"]["Metric"].update(MetricName="Failures"),
    "what_can_go_wrong_has_an_alarm":
        lambda a: [a["watching"]["Resources"].pop(name) for name in list(a["watching"]["Resources"]) if "Bounce" in name],
    "the_pages_lie_in_a_bucket_that_cloudfront_alone_may_read":
        lambda a: resource(a, "web", "BucketPolicy")["PolicyDocument"]["Statement"][0].update(Principal="*"),
    "cloudfront_leads_every_route_to_the_api_whole_and_keeps_no_answer":
        lambda a: resource(a, "web", "Distribution")["DistributionConfig"]["CacheBehaviors"].pop(1),
    "no_answer_of_the_api_is_replaced_but_for_paths_that_it_has_not":
        lambda a: resource(a, "web", "Distribution")["DistributionConfig"]["CustomErrorResponses"].append({"ErrorCode": 403}),
    "the_pages_may_load_nothing_inline_and_third_parties_only_when_asked_for":
        lambda a: a["web"]["Mappings"]["Sources"]["none"].update(Script=" https://cdn.example"),
    "each_writing_of_a_path_with_a_password_is_counted_by_the_firewall":
        lambda a: path_matches(a)[1]["RegexMatchStatement"]["TextTransformations"].pop(),
    "names_in_cloudfront_fit_for_every_stack_and_region":
        lambda a: resource(a, "web", "Addresses").update(Name={"Fn::Sub": "${ServiceName}-addresses-${AWS::Region}"}),
    "the_bucket_is_named_by_cloudformation_and_kept":
        lambda a: resource(a, "web", "Bucket").update(BucketName={"Fn::Sub": "${ServiceName}-web-${AWS::AccountId}"}),
    "cloudfront_compresses_only_what_it_may_keep":
        lambda a: resource(a, "web", "Distribution")["DistributionConfig"]["CacheBehaviors"][0].update(Compress=True),
    "a_nested_template_takes_what_the_root_takes":
        lambda a: a["domain"]["Parameters"]["CertificateArn"].update(AllowedPattern="^arn:aws:acm:.+$"),
    "mails_event_destinations_are_made_one_after_the_other":
        lambda a: a["mail"]["Resources"]["Undelivered"].update(DependsOn="NoticesPolicy"),
    "each_line_of_the_access_log_is_json_whatever_a_caller_sends":
        lambda a: access_log(a).update(Format=access_log(a)["Format"].replace("error.message", "error.messageString")),
    "the_gateways_log_takes_no_room_in_the_regions_policy":
        lambda a: resource(a, "template", "AccessLogs")["LogGroupName"].update({"Fn::Sub": "/aws/apigateway/${AWS::StackName}"}),
    "every_log_group_that_the_runbook_asks_exists":
        lambda a: resource(a, "template", "AccessLogs")["LogGroupName"].update({"Fn::Sub": "/aws/other/${AWS::StackName}"}),
    "reserved_concurrency_says_what_lambda_keeps":
        lambda a: a["template"]["Parameters"]["OtherConcurrency"].update(Description="The same for each other function."),
    "zips_are_built_for_the_c_library_of_their_runtime":
        lambda a: resource(a, "template", "Login").update(Runtime="provided.al2"),
}


class Claims(unittest.TestCase):
    """One test for all, with the claim's name where it fails."""

    def test_every_claim_holds(self):
        for claim in CLAIMS:
            with self.subTest(claim.__name__):
                self.assertEqual(claim(TEMPLATES), [])

    def test_every_claim_fails_on_a_mistake(self):
        self.assertEqual(MISTAKES.keys(), {claim.__name__ for claim in CLAIMS})
        for claim in CLAIMS:
            with self.subTest(claim.__name__):
                broken = copy.deepcopy(TEMPLATES)
                MISTAKES[claim.__name__](broken)
                self.assertNotEqual(claim(broken), [], "the mistake was not noticed")


if __name__ == "__main__":
    unittest.main()
