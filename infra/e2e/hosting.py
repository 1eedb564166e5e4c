"""Checks the front end on the emulator's CloudFront: deployed with the same template, uploaded with
scripts/deploy/deploy-web, and requested like a browser does."""

import http.client
import json
import os
import subprocess
import sys
from contextlib import closing
from urllib.parse import urlencode, urlsplit

import adapted
from deployment import STACK, Deployment

WEB = adapted.ROOT / "web"
HOST = "app.example.com"
PARAMETERS = {"WebDomainName": HOST, "WebCertificateArn": "arn:aws:acm:us-east-1:000000000000:certificate/e2e"}
AJAX = {"X-Requested-With": "XMLHttpRequest", "Content-Type": "application/x-www-form-urlencoded"}
PERSON = {"email": "ana.en.la.web@example.com", "password": "Secreto123"}


def upload() -> str:
    """Runs scripts/deploy/deploy-web, and gives its output."""
    done = subprocess.run(
        [sys.executable, adapted.ROOT / "scripts/deploy/deploy-web"], env={**os.environ, **Deployment.variables, "STACK": STACK, "UNFINISHED": "yes"},
        capture_output=True, text=True, check=False,
    )
    if done.returncode:
        raise SystemExit(f"scripts/deploy/deploy-web failed:\n{done.stdout}{done.stderr}")
    return done.stdout


class Browser:
    """Sends requests to the distribution, marked as HTTPS for the emulator."""

    def __init__(self, distribution: str):
        self.distribution = distribution
        self.emulator = urlsplit(os.environ["AWS_ENDPOINT_URL"])

    def ask(self, method: str, path: str, body: dict | None = None, **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Status, headers and body."""
        sent = {"Host": self.distribution, "X-Forwarded-Proto": "https", **headers}
        with closing(http.client.HTTPConnection(self.emulator.hostname, self.emulator.port, timeout=60)) as connection:
            connection.request(method, path, urlencode(body).encode() if body else None, sent)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()


def must(holds: bool, what: str, seen: object) -> None:
    """Ends the run if a condition is false."""
    if not holds:
        raise SystemExit(f"hosting: {what}: {seen}")


def pages_are_served(browser: Browser) -> None:
    """Each page has its own URL and the security headers; a missing page is answered with the 404 page."""
    addresses = {"/": "index.html", "/login": "login.html", "/restablecer?token=x": "restablecer.html", "/restablecer/?token=x": "restablecer.html",
                 "/client/index.js": "client/index.js", "/assets/avatars/03.jpeg": "assets/avatars/03.jpeg"}
    for address, file in addresses.items():
        status, headers, body = browser.ask("GET", address)
        must(status == 200 and body == (WEB / file).read_bytes(), f"{address} is {file}", (status, body[:200]))
        must("default-src 'none'" in headers.get("Content-Security-Policy", ""), f"{address} has a policy", headers)
        must(headers.get("Strict-Transport-Security") is not None, f"{address} asks for HTTPS", headers)
    status, headers, _ = browser.ask("GET", "/.well-known/change-password")
    must((status, headers.get("Location")) == (302, "/seguridad#contrasena"), "password managers find the form", (status, headers))
    status, headers, body = browser.ask("GET", "/.well-known/passkey-endpoints")
    page = f"https://{HOST}/llaves"
    must((status, json.loads(body or b"null")) == (200, {"enroll": page, "manage": page}), "password managers find the passkeys", (status, headers, body))
    # The emulator's S3 answers 403 for missing files, even with permission to list. So a 404 of the API is used instead.
    status, _, body = browser.ask("GET", "/app/no-existe")
    must((status, body) == (404, (WEB / "404.html").read_bytes()), "a missing page is answered with the 404 page", (status, body[:200]))
    status, _, _ = browser.ask("GET", "/no-existe")
    must(status == 403, "the emulator answers 404 for a missing file now: check here that the answer is the 404 page", status)
    status, _, body = browser.ask("GET", "/config.json")
    must(status == 200 and json.loads(body)["google"]["clientId"] == "local-client", "the configuration has Google's client id", body)


def the_api_is_on_the_same_origin(browser: Browser) -> None:
    """Answers are not changed: neither error statuses, which a page could replace, nor cookies."""
    status, _, body = browser.ask("POST", "/app/auth/session.php")
    must(status == 403 and b"Acceso prohibido" in body, "a 403 of the API is not replaced", (status, body[:200]))
    status, _, body = browser.ask("POST", "/receive-data.php")
    must(status == 403 and b"Access denied" in body, "receive-data is reachable", (status, body[:200]))
    status, headers, _ = browser.ask("GET", "/app/auth/session.php")
    must(status == 405 and headers.get("Allow") == "POST", "every method reaches the function", (status, headers))
    registration = {**PERSON, "nombre": "Ana", "confirm-password": PERSON["password"], "terms": "on"}
    _, _, body = browser.ask("POST", "/app/auth/sendRegister.php", registration, **AJAX)
    must(json.loads(body)["success"], "a user can register", body)
    _, headers, body = browser.ask("POST", "/app/auth/sendLogin.php", PERSON, **AJAX)
    cookie = headers.get("Set-Cookie", "")
    must(cookie.startswith("__Host-session="), "a login sets the cookie", (headers, body))
    for _ in range(2):
        status, _, body = browser.ask("POST", "/app/auth/session.php", Cookie=cookie.split(";")[0], **AJAX)
        must(status == 200 and json.loads(body)["user"]["email"] == PERSON["email"], "the cookie opens the session", body)
    status, _, body = browser.ask("POST", "/app/auth/session.php", **AJAX)
    must(status == 401, "an answer is not cached for other users", (status, body))


def an_upload_deletes_all_other_files(deployment: Deployment) -> None:
    """An upload deletes files that are not in web/, and the bucket is private."""
    bucket, client = deployment.output("WebBucketName"), deployment.client("s3")
    client.put_object(Bucket=bucket, Key="old.html", Body=b"old")
    must("deleted old.html" in upload(), "an upload prints the deleted files", "old.html")
    kept = {one["Key"] for one in client.list_objects_v2(Bucket=bucket)["Contents"]}
    package = {path for path in (WEB / "client").rglob("*") if path.suffix != ".js"} | set(WEB.rglob("*.ts"))
    wanted = {path.relative_to(WEB).as_posix() for path in WEB.rglob("*") if path.is_file() and path not in package} | {"config.json"}
    wanted -= {".well-known/security.txt"}  # It has no contact yet.
    must(kept == wanted, "the bucket has the files of web/ without types and, of the client, only the modules", kept ^ wanted)
    blocked = client.get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"]
    must(len(blocked) == 4 and all(blocked.values()), "the bucket is private", blocked)


def hosted(deployment: Deployment) -> None:
    """Runs all checks."""
    deployment.deploy(**PARAMETERS)
    upload()
    browser = Browser(deployment.output("WebTarget"))
    pages_are_served(browser)
    the_api_is_on_the_same_origin(browser)
    an_upload_deletes_all_other_files(deployment)
