"""What generated requests need to get past the guards of a local stack, and how this service refuses.

Sessions, credentials and reset tokens cannot be generated. Where the document's example of one is sent, or a
session is asked for, a real one goes instead, of a new account each time: whatever a request ends is its own.
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
# What the document and this deployment call differently: the front end's address, the cookie over plain HTTP.
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


# By operation: the field that a real value goes into where the document's example stands.
REAL = {
    "login": ("email", registered),
    "googleLogin": ("credential", credential),
    "googleRedirect": ("credential", credential),
    "sendResetLink": ("email", registered),
    "resetPassword": ("token", reset_token),
}
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
            EXAMPLES.setdefault(operation["operationId"], media["example"])


@schemathesis.hook
def before_call(context, case, kwargs):
    # A redirect is the answer: nothing runs where it leads to.
    kwargs["allow_redirects"] = False
    operation = case.operation.definition.raw["operationId"]
    field, real = REAL.get(operation, (None, None))
    body = case.body
    if field and isinstance(body, dict) and field in body and body[field] == EXAMPLES[operation][field]:
        case.body = {**body, field: real()}
        # Without the header it is the provider's page that posts, which sets a cookie to the same as a field.
        if "g_csrf_token" in body and "X-Requested-With" not in case.headers:
            case.cookies["g_csrf_token"] = EXAMPLES[operation]["g_csrf_token"]
            case.body["g_csrf_token"] = EXAMPLES[operation]["g_csrf_token"]


@schemathesis.auth(refresh_interval=None)
class Session:
    def get(self, case, context):
        return session()

    def set(self, case, data, context):
        case.cookies[COOKIE] = data


@schemathesis.hook
def filter_case(context, case):
    """A part's name stands in a header, where no control character can."""
    names = case.body if case.media_type == "multipart/form-data" and isinstance(case.body, dict) else {}
    return not any(re.search(r"[\x00-\x1f\x7f]", name) for name in names)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """What a user got wrong is a 200 here: `success: false` refuses as a 4xx does."""
    return not (isinstance(failure, AcceptedNegativeData) and response.json().get("success") is False)
