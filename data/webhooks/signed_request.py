"""One request to a webhook: signed, straight to an address that was looked at, within a time, and no further.

The header Assay-Signature is `t=SECONDS,v1=HEX`: the HMAC-SHA256, with the webhook's secret, of the seconds since 1970,
a full stop and the body. A receiver computes it anew, compares, and refuses what is old.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import socket
import ssl
import threading
import time
from contextlib import suppress
from urllib.parse import urlsplit

from data.webhooks.webhooks import allows_private, is_public
from judges.version import VERSION

TIMEOUT_SECONDS = 10.0
"""Seconds for one request from its beginning to its end."""
_MAX_ERROR_LENGTH = 200


def sign(secret: str, seconds: int, body: bytes) -> str:
    """The header that says who sends."""
    signature = hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={signature}"


def post(url: str, secret: str, event: str, kind: str, body: bytes, patience: float = TIMEOUT_SECONDS) -> str:
    """Send a body; "" where it was taken (a status from 200 to 299), else why not, in a sentence."""
    parts = urlsplit(url)
    name, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    headers = {
        "content-type": "application/json", "user-agent": f"Assay/{VERSION}", "assay-event": kind, "assay-id": event,
        "assay-signature": sign(secret, int(time.time()), body), "connection": "close",
    }  # fmt: skip
    try:
        line = _CheckedConnection(name, port, parts.scheme == "https", patience)
    except _PrivateAddress as error:
        return str(error)
    except (OSError, UnicodeError) as error:  # the library rejects a name with an empty or too long part
        return f"{name} cannot be found: {getattr(error, 'strerror', None) or error}."[:_MAX_ERROR_LENGTH]
    watch = threading.Timer(patience, line.cut)
    watch.start()
    try:
        line.request("POST", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), body, headers)
        answer = line.getresponse()
        with suppress(http.client.RemoteDisconnected):  # then that was all
            while 100 <= answer.status < 200:  # what comes before the answer itself, as 103
                answer.headers = None  # type: ignore[assignment]  # the library then reads on
                answer.begin()
        status = answer.status
        if line.was_cut:
            raise TimeoutError
        if 200 <= status < 300:
            return ""
        return f"It answered {status}." + (" Redirects are not followed." if 300 <= status < 400 else "")
    except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
        if line.was_cut or isinstance(error, TimeoutError):
            return f"It did not answer within {patience:g} seconds."
        return _describe_failure(error)[:_MAX_ERROR_LENGTH]
    finally:
        watch.cancel()
        line.close()


def _describe_failure(error: Exception) -> str:
    """Return the reason why no answer came, as a sentence."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"Its certificate is not valid: {error.verify_message}."
    if isinstance(error, ssl.SSLError):
        return "It does not speak TLS: the address may begin with http, not https."
    return f"It could not be reached: {getattr(error, 'strerror', None) or type(error).__name__}."


class _PrivateAddress(Exception):
    """A name leads to a private network, which is not allowed."""


class _CheckedConnection(http.client.HTTPConnection):
    """A connection to the very address that was checked: if the name leads elsewhere by then, this changes nothing."""

    def __init__(self, name: str, port: int, safe: bool, patience: float) -> None:
        super().__init__(name, port, timeout=patience)
        self.was_cut = False
        self._safe = safe
        self.default_port = 443 if safe else 80  # which the header Host does without
        addresses = [str(info[4][0]) for info in socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)]
        if not allows_private() and not all(is_public(address) for address in addresses):
            raise _PrivateAddress(f"{name} leads to this machine or a private network, which is not allowed here.")
        self._address = addresses[0]

    def connect(self) -> None:
        """Connect to the address; with https the certificate has to be of the name."""
        self.sock = socket.create_connection((self._address, self.port), self.timeout)
        if self._safe:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)

    def cut(self) -> None:
        """End it, wherever it is."""
        self.was_cut = True
        with suppress(OSError, AttributeError):
            self.sock.shutdown(socket.SHUT_RDWR)
