"""Requests to a deployed service. Paths are sent unchanged, and redirects are not followed."""

import http.client
import time
from contextlib import closing
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

SECONDS = 30


@dataclass
class Answer:
    """An answer, and its time in milliseconds without the connection's handshakes."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes
    milliseconds: float


def connected(url: SplitResult) -> http.client.HTTPConnection:
    """Opens a connection. Names below localhost are this machine (RFC 6761), but not every resolver supports them."""
    host = "127.0.0.1" if url.hostname.endswith(".localhost") else url.hostname
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = kind(host, url.port, timeout=SECONDS)
    connection.connect()
    return connection


def ask(base_url: str, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
    """Sends a request on a new connection. Underscores in a header's name stand for hyphens."""
    url = urlsplit(base_url)
    sent = {"Host": url.netloc, **{name.replace("_", "-"): value for name, value in headers.items()}}
    with closing(connected(url)) as connection:
        started = time.monotonic()
        connection.request(method, url.path.rstrip("/") + path, body, sent)
        answer = connection.getresponse()
        read = answer.read()
        return Answer(answer.status, answer.headers, read, (time.monotonic() - started) * 1000)
