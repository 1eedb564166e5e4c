"""Gives generated requests what they need to pass the checks of a local stack, and says which answers are refusals.

Sessions, credentials, tokens and registered addresses cannot be generated. Valid ones replace the document's examples, and
requests that need a session get one. Each request gets its own new account, so it cannot end the session of another request.
"""

import itertools
import os
import re

import requests
import schemathesis
from schemathesis.core.failures import AcceptedNegativeData

BASE_URL = os.environ["BASE_URL"]
HEADERS = {"X-Requested-With": "XMLHttpRequest"}
PASSWORD = "Secreto123"
# The cookie's name over plain HTTP, which differs from the document's.
COOKIE = "session"

numbers = itertools.count()


def post(path, **body):
    answer = requests.post(BASE_URL + path, headers=HEADERS, timeout=10, **body)
    answer.raise_for_status()
    return answer


def somebody():
    return f"fuzz-{next(numbers)}@example.com"


def credential():
    return post("/_local/google/credential", json={"email": somebody()}).json()["credential"]


def session():
    return post("/app/auth/google-callback-login.php", json={"credential": credential()}).cookies[COOKIE]


def registered():
    email = somebody()
    form = {"nombre": "Ana", "email": email, "password": PASSWORD, "confirm-password": PASSWORD, "terms": "on"}
    post("/app/auth/sendRegister.php", data=form)
    return email


def reset_token():
    email = registered()
    post("/app/auth/sendResetLink.php", data={"email": email})
    mails = requests.get(f"{BASE_URL}/_local/mail", params={"to": email}, timeout=10).json()
    return mails[0]["text"].split("token=")[1].split()[0]


def address(body):
    return somebody() if "nombre" in body else registered()


# The fields whose example a valid value replaces. The address of a registration must be a new one. The credential of a
# passkey, an object, cannot be created here.
REAL = {"email": address, "credential": lambda body: credential(), "token": lambda body: reset_token()}
EXAMPLES = {}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    raw_schema["components"]["securitySchemes"]["session"]["name"] = COOKIE
    settings = raw_schema["paths"]["/app/auth/sendUserConfig.php"]["post"]["requestBody"]["content"]
    for media in settings.values():
        avatar = media["schema"]["properties"]["avatar"]
        avatar["pattern"] = f"^$|^{re.escape(BASE_URL)}/assets/avatars/(0[1-9]|10|default)\\.jpeg$"
    for path in raw_schema["paths"].values():
        operation = path["post"]
        for media in operation.get("requestBody", {"content": {}})["content"].values():
            EXAMPLES.setdefault(operation["operationId"], media.get("example", {}))


@schemathesis.hook
def before_call(context, case, kwargs):
    # Redirects are not followed, because nothing runs at their targets.
    kwargs["allow_redirects"] = False
    body = case.body
    example = EXAMPLES.get(case.operation.definition.raw["operationId"])
    if not isinstance(body, dict) or not isinstance(example, dict):
        return
    case.body = dict(body)
    for field, real in REAL.items():
        if isinstance(example.get(field), str) and body.get(field) == example[field]:
            case.body[field] = real(body)
            # A request without the header comes from the provider's page, which sets a cookie and a field to the same
            # value.
            if "g_csrf_token" in body and "X-Requested-With" not in case.headers:
                case.cookies["g_csrf_token"] = case.body["g_csrf_token"] = example["g_csrf_token"]


@schemathesis.auth(refresh_interval=None)
class Session:
    def get(self, case, context):
        return session()

    def set(self, case, data, context):
        case.cookies[COOKIE] = data


@schemathesis.hook
def filter_case(context, case):
    """Skips requests with a part whose name has control characters, because a header cannot contain them, and those with
    several parts of one name, because a schema cannot say that they are refused."""
    parts = case.body if case.media_type == "multipart/form-data" and isinstance(case.body, dict) else {}
    return not any(re.search(r"[\x00-\x1f\x7f]", name) or isinstance(value, list) for name, value in parts.items())


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Accepts an answer with `success: false` as a refusal. The service answers mistakes of users in this way."""
    return not (isinstance(failure, AcceptedNegativeData) and response.json().get("success") is False)
