"""Measurements that need a real deployment, in milliseconds as seen from this machine without handshakes. Each gives the lines of a section."""

import time
from statistics import median

from asking import Answer, ask
from checks import call
from report import table
from stack import Stack

SESSION = "/app/auth/session.php"
WARM_CALLS = 20
# Spellings of one path, for the firewall's rule and docs/gateway.md. With its route, the function answers 401; without one, the gateway 404.
WRITINGS = ("/app/auth/sessio%6e.php", "/app/auth/session.php%3Fx", "//app/auth/session.php", "/app/./auth/session.php")


def pauses(stack: Stack, seconds: list[float]) -> list[str]:
    """The time of a call after its environment was frozen for each of the pauses."""
    who = {"email": "success+pausas@simulator.amazonses.com", "password": "Secreto123"}
    call(stack, "/app/auth/sendRegister.php", **who, **{"nombre": "Pausas", "confirm-password": who["password"], "terms": "on"})
    cookie = call(stack, "/app/auth/sendLogin.php", **who)[2]
    call(stack, SESSION, cookie)
    rows = []
    for pause in seconds:
        time.sleep(pause)
        first, second = post(stack, SESSION, cookie), post(stack, SESSION, cookie)
        rows.append((f"{pause:g}", first.status, f"{first.milliseconds:.0f}", f"{second.milliseconds:.0f}"))
    return ["`session` with a live session reads the table once. If DynamoDB closed the connection during the pause, the first call takes longer.",
            "", *table(("pause (s)", "status", "first call", "second call"), rows)]


def gateway(stack: Stack) -> list[str]:
    """How the gateway normalises paths."""
    statuses = ((path, post(stack, path).status) for path in WRITINGS)
    return table(("path", "status", "route of session"), ((f"`{path}`", status, "found" if status == 401 else "not found") for path, status in statuses))


def times(stack: Stack) -> list[str]:
    """A cold call of every function, after an update has replaced all environments, and then warm ones."""
    stack.deploy(SessionIdleSeconds="7100")
    rows, routes = [], stack.client("apigatewayv2").get_routes(ApiId=stack.resources()["Api"])["Items"]
    for path in sorted(route["RouteKey"].partition(" ")[2] for route in routes):
        cold, *warm = (post(stack, path).milliseconds for _ in range(1 + WARM_CALLS))
        rows.append((path, f"{cold:.0f}", f"{median(warm):.0f} / {max(warm):.0f}"))
    return table(("`POST` without fields", "cold call", f"median / maximum of {WARM_CALLS} warm calls"), rows)


def post(stack: Stack, path: str, cookie: str = "") -> Answer:
    """A call without fields."""
    return ask(stack.base_url, "POST", path, b"", X_Requested_With="XMLHttpRequest", Cookie=cookie)
