"""Deploys the service to an AWS emulator and runs the journeys there: `make e2e`.

All processes listen on loopback and end with the run. FILTER runs only the journeys whose names contain it, and skips the
front end, the trial deployment, and the proof of the permissions, which needs all journeys. ARCHITECTURE is the zips'
architecture.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import checks
import hosting
import permissions
import rollback
import sam_user
import trials
from deployment import PARAMETERS, Deployment
from processes import Process, free_port
from stack import ROOT

STARTED = time.monotonic()


def say(step: str) -> None:
    """Prints the progress."""
    print(f"{time.monotonic() - STARTED:6.1f} s  {step}", flush=True)


def emulator(folder: str) -> Process:
    """MiniStack, which enforces policies and records every call."""
    port = free_port()
    command = [str(Path(sys.executable).with_name("ministack"))]
    return Process(
        "MiniStack", command, f"http://127.0.0.1:{port}/_ministack/health", f"{folder}/ministack.log",
        GATEWAY_PORT=str(port), BIND_HOST="127.0.0.1", AUTH="true", LAMBDA_EXECUTOR="local", STATE_DIR=folder,
        CLOUDTRAIL_RECORDING="1", CLOUDTRAIL_MAX_EVENTS="1000000", LOG_LEVEL="WARNING",
        AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}", MINISTACK_REGION="eu-west-1",
    )


def backends(folder: str) -> Process:
    """The identity provider of the local stack."""
    port = free_port()
    command = [str(ROOT / "target/debug/local"), "backends"]
    return Process(
        "local backends", command, f"http://127.0.0.1:{port}/_local/google/jwks", f"{folder}/backends.log",
        PORT=str(port), DYNAMODB_PORT="0", LOCAL_DATA="memory",
    )


ITS_OWN_OPTIONS = "MiniStack answers OPTIONS itself; API Gateway passes it to an ANY route if no CORS is configured"
REPLACED = "MiniStack replaces bytes that are not UTF-8; API Gateway passes them on as base64"
# Tests that cannot pass on the emulator, each with the reason. A test in this list that passes fails the run, and has
# to be removed from the list.
LIMITS = {
    "guards::a_preflight_of_an_unlisted_origin_is_refused_at_every_path": ITS_OWN_OPTIONS,
    "origins::a_preflight_of_a_listed_origin_lists_what_it_may_send": ITS_OWN_OPTIONS,
    "origins::a_preflight_of_an_origin_that_is_not_listed_is_refused_like_any_other_method": ITS_OWN_OPTIONS,
    "bodies::a_document_of_bytes_that_are_not_text_is_refused": REPLACED,
    "receive_data::bytes_that_are_not_utf_8_are_refused_as_invalid_json": REPLACED,
}


def journeys(deployment: Deployment, provider: str, mails: str) -> None:
    """Runs the black-box tests against the deployed gateway."""
    environment = {**os.environ, "BASE_URL": deployment.base_url, "BACKENDS_URL": provider, "MAILS_URL": mails,
                   "COOKIE_SECURE": "true", "LISTED_ORIGIN": PARAMETERS["CorsOrigins"]}

    def cargo(*arguments: str, **more) -> subprocess.CompletedProcess:
        command = ["cargo", "test", "--locked", "--quiet", "--test", "black_box", "--test", "providers", "--"]
        return subprocess.run([*command, *arguments], cwd=ROOT, env=environment, check=False, text=True, **more)

    if cargo(os.environ.get("FILTER", ""), *(f"--skip={claim}" for claim in LIMITS)).returncode:
        checks.show_faults(deployment)
        raise SystemExit("the journeys failed against the deployed service")
    for claim, reason in LIMITS.items():
        if cargo("--exact", claim, capture_output=True).returncode == 0:
            raise SystemExit(f"{claim} passes on the emulator now: remove it from the list")
        say(f"not on the emulator: {claim} ({reason})")


def main() -> None:
    """The whole run."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        servers = []
        for start in (emulator, backends):
            servers.append(start(folder))
            stack.callback(servers[-1].stop)
        for server in servers:
            server.wait()
        aws, provider = (server.url.removesuffix(path) for server, path in
                         zip(servers, ("/_ministack/health", "/_local/google/jwks"), strict=True))
        say("MiniStack and the identity provider answer")

        deployment = Deployment(aws, os.environ["ARCHITECTURE"])
        deployment.deploy(**PARAMETERS, GoogleKeysUrl=f"{provider}/_local/google/jwks")
        say(f"deployed: {deployment.base_url}")

        checks.hundred_calls_and_a_cold_start(deployment)
        say("100 calls, an update of one parameter and a cold start: all answered, logged and counted")
        checks.the_authorizer_knows_the_sessions(deployment)
        say("the authorizer knows the sessions")
        checks.changes_are_published(deployment)
        say("a registration is published on EventBridge")
        checks.dead_letters_are_redriven(deployment)
        say("the events of a dead letter are published again")
        checks.another_architecture_is_refused(deployment)
        say("a deployment for another architecture is refused")
        checks.monitoring_is_deployed(deployment)
        say("alarms, dashboard, topics and log groups exist")

        journeys(deployment, provider, f"{aws}/_ministack/ses/messages")
        say("the journeys have passed")

        if not os.environ.get("FILTER"):
            allowed = permissions.allowed(deployment)
            called = permissions.recorded(deployment, set().union(*allowed.values()))
            found = permissions.differences(called, allowed)
            if found:
                raise SystemExit("permissions and calls differ:\n  " + "\n  ".join(found))
            say("each function's permissions are exactly its calls")

            # Later than the proof, because the emulator records the calls of an environment that was started directly under no key.
            checks.every_function_answers_the_sample_event(deployment)
            say("every function answers the sample event of a gradual deployment")

            rollback.rehearsed(deployment)
            say("an earlier release is deployed again")
            rollback.restored(deployment)
            say("a stack has a restored table in the place of its own")

            hosting.hosted(deployment)
            say("the front end is served by CloudFront, on one origin with the API")

            trials.nothing_stays(
                "--architecture", os.environ["ARCHITECTURE"], "--mail-from", PARAMETERS["MailFrom"],
                *(f"--skip={claim}" for claim in LIMITS),
            )
            say("a trial deployment leaves only its report, even if it is interrupted")

            # The last one, because the deletion of its stack takes the identity of the sender, which the other stack uses too.
            sam_user.typed(folder, os.environ["ARCHITECTURE"])
            say("what a user of the SAM CLI types works")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped")
