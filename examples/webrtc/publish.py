# SPDX-License-Identifier: LGPL-2.1-or-later
"""Publishes one stream to a media server by WHIP (RFC 9725): the offer goes out
with a POST, the answer comes back, and a DELETE ends it."""

import http.client
import signal
import threading
import urllib.error
import urllib.parse
import urllib.request

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
from gi.repository import GLib, Gst, GstSdp  # noqa: E402

from live import scene  # noqa: E402

from .offer import Offer  # noqa: E402
from .peer import Peer, PeerError  # noqa: E402

ANSWER_LIMIT_S = 10
END_LIMIT_S = 2
MAX_ANSWER_BYTES = 100_000
CHECK_INTERVAL_MS = 1000
# What is offered, as a browser numbers them.
PAYLOAD_TYPE = 102
EXTENSION_ID = "5"


class PublishError(Exception):
    """Its text is what the user reads."""


def leaves_tls(url, other):
    """What went encrypted to `url` would go in the clear to `other`."""
    return [urllib.parse.urlsplit(each).scheme
            for each in (url, other)] == ["https", "http"]


class Redirects(urllib.request.HTTPRedirectHandler):
    """RFC 9725 section 4.5: the same request elsewhere, not a GET of it."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        if code not in (307, 308):
            return None
        headers = dict(req.headers)
        if leaves_tls(req.full_url, newurl):
            headers.pop("Authorization", None)
        return urllib.request.Request(newurl, req.data, headers,
                                      method=req.get_method())


def complaint(error):
    """What the body of a refusal says, if anything."""
    try:
        text = error.read(200).decode("utf-8", "replace").strip()
    except (OSError, http.client.HTTPException):
        text = ""
    return f", {text}" if text else ""


def request(url, method, token, body=None):
    """(URL of what was made or None, text) of a reply that says yes."""
    headers = {"Content-Type": "application/sdp"} if body else {}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    try:
        with urllib.request.build_opener(Redirects).open(
                urllib.request.Request(url, body, headers, method=method),
                timeout=ANSWER_LIMIT_S) as reply:
            location = reply.headers.get("Location")
            return (urllib.parse.urljoin(reply.url, location) if location
                    else None,
                    reply.read(MAX_ANSWER_BYTES).decode("utf-8", "replace"))
    except urllib.error.HTTPError as error:
        raise PublishError(f"{url} refuses: {error.code} {error.reason}"
                           f"{complaint(error)}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise PublishError(f"{url} does not answer: {reason}.") from error


def read_answer(text):
    result, description = GstSdp.SDPMessage.new_from_text(text or "no")
    if result != GstSdp.SDPResult.OK or description.medias_len() != 1 \
            or description.get_media(0).get_port() == 0:
        raise PublishError("The server's answer is no SDP that takes the video.")
    return description


class Publisher:

    def __init__(self, url, token, controller, nack, properties, tell):
        self.url = url
        self.token = token
        self.tell = tell
        self.location = None
        self.why = None
        self.beginning = None
        self.loop = GLib.MainLoop()
        Gst.init(None)
        offered = Offer(None, 0, PAYLOAD_TYPE, EXTENSION_ID)
        self.peer = Peer(offered, controller, nack, properties, scene.Scene(),
                         self._on_event)

    def _on_event(self, event, **fields):
        self.tell(event, stream="published", **fields)
        if event == "left":
            self._fail(f"{self.url}: {fields['why']}.")

    def _fail(self, why):
        self.why = self.why or why
        GLib.idle_add(self.loop.quit)

    def run(self):
        """Until it is stopped; PublishError when it could not begin, or the
        server has ended it."""
        for number in (signal.SIGINT, signal.SIGTERM):
            GLib.unix_signal_add(GLib.PRIORITY_HIGH, number, self.stop)
        # A server may answer a byte at a time.
        self.beginning = threading.Thread(target=self._begin, daemon=True)
        self.beginning.start()
        GLib.timeout_add(CHECK_INTERVAL_MS, self._check)
        self.loop.run()
        why = self.why
        self._end()
        if why:
            raise PublishError(why)

    def _begin(self):
        try:
            self.location, text = request(self.url, "POST", self.token,
                                          self.peer.make_offer().encode())
            self.peer.accept(read_answer(text))
        except PublishError as error:
            self._fail(str(error))
        except PeerError as error:
            self._fail(f"{self.url}: {error}")

    def _check(self):
        self.peer.check()
        return GLib.SOURCE_CONTINUE

    def _end(self):
        # Only its answer says what there is to delete.
        self.beginning.join(END_LIMIT_S)
        self.peer.close("it was stopped")
        if self.location:
            try:
                request(self.location, "DELETE",
                        None if leaves_tls(self.url, self.location)
                        else self.token)
            except PublishError as error:
                self.tell("warning", stream="published", source="DELETE",
                          text=str(error))

    def stop(self):
        self.loop.quit()
        return GLib.SOURCE_REMOVE
