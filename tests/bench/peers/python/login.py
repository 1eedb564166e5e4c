"""A login on Python: boto3 and argon2-cffi."""

import base64
import hashlib
import json
import os
import secrets
import time
from urllib.parse import parse_qs

import boto3
from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError

IDLE_SECONDS = 2 * 60 * 60
ABSOLUTE_SECONDS = 7 * 24 * 60 * 60

TABLE = os.environ["ACCOUNTS_TABLE"]
client = boto3.client("dynamodb")
hasher = PasswordHasher()


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def answer(status, body, token=None):
    headers = {"content-type": "application/json; charset=utf-8", "cache-control": "no-store"}
    attributes = f"Path=/; Max-Age={ABSOLUTE_SECONDS}; HttpOnly; Secure; SameSite=Lax"
    cookies = [f"__Host-session={token}; {attributes}"] if token else []
    return {"statusCode": status, "headers": headers, "cookies": cookies, "body": json.dumps(body)}


def failure(status, message):
    return answer(status, {"success": False, "message": message})


def matches(stored, password):
    try:
        return hasher.verify(stored, password)
    except VerifyMismatchError:
        return False


def handler(event, _context):
    if event["requestContext"]["http"]["method"] != "POST":
        return failure(405, "Método no permitido")
    if event["headers"].get("x-requested-with") != "XMLHttpRequest":
        return failure(403, "Acceso prohibido")
    body = event["body"]
    if event["isBase64Encoded"]:
        body = base64.b64decode(body).decode()
    form = parse_qs(body)
    email = form["email"][0].strip().lower()
    pk = text(hashlib.sha256(email.encode()).digest()[:16])

    key = {"pk": {"S": pk}, "sk": {"S": "profile"}}
    profile = client.get_item(TableName=TABLE, Key=key, ConsistentRead=True).get("Item")
    if not profile or not matches(profile["password"]["S"], form["password"][0]):
        return failure(200, "Email o contraseña incorrectas")

    secret = secrets.token_bytes(32)
    now = int(time.time())
    client.put_item(
        TableName=TABLE,
        Item={
            "pk": {"S": pk},
            "sk": {"S": f"session#{text(hashlib.sha256(secret).digest())}"},
            "id": profile["id"],
            "generation": profile["generation"],
            "created_at": {"N": str(now)},
            "last_seen": {"N": str(now)},
            "expires_at": {"N": str(now + IDLE_SECONDS)},
        },
        ConditionExpression="attribute_not_exists(pk)",
    )

    user = {
        "id": int(profile["id"]["N"]),
        "email": profile["email"]["S"],
        "name": profile["name"]["S"],
        "url_image": profile["url_image"]["S"],
        "accept_news": int(profile["accept_news"]["N"]),
    }
    body = {"success": True, "message": "Inicio de sesión correcto", "user": user}
    return answer(200, body, f"{pk}.{text(secret)}")
