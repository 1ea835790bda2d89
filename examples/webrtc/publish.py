# SPDX-License-Identifier: LGPL-2.1-or-later
"""Publishes one stream to a media server by WHIP (RFC 9725): the offer goes out
with a POST, the answer comes back, and a DELETE ends it."""

import http.client
import signal
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
MAX_ANSWER_BYTES = 100_000
CHECK_INTERVAL_MS = 1000
# What is offered, as a browser numbers them.
PAYLOAD_TYPE = 102
EXTENSION_ID = "5"


class PublishError(Exception):
    """Its text is what the user reads."""


def request(url, method, token, body=None):
    """(headers, text) of a reply that says yes."""
    headers = {"Content-Type": "application/sdp"} if body else {}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    try:
        with urllib.request.urlopen(
                urllib.request.Request(url, body, headers, method=method),
                timeout=ANSWER_LIMIT_S) as reply:
            return reply.headers, reply.read(MAX_ANSWER_BYTES).decode(
                "utf-8", "replace")
    except urllib.error.HTTPError as error:
        text = error.read(200).decode("utf-8", "replace").strip()
        raise PublishError(f"{url} refuses: {error.code} {error.reason}"
                           + (f", {text}" if text else "")) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise PublishError(f"{url} does not answer: {reason}.") from error


def read_answer(text):
    result, description = GstSdp.SDPMessage.new_from_text(text)
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
        self.loop = GLib.MainLoop()
        Gst.init(None)
        offered = Offer(None, 0, PAYLOAD_TYPE, EXTENSION_ID)
        self.peer = Peer(offered, controller, nack, properties, scene.Scene(),
                         self._on_event)

    def _on_event(self, event, **fields):
        self.tell(event, stream="published", **fields)
        if event == "left":
            self.why = fields["why"]
            GLib.idle_add(self.loop.quit)

    def run(self):
        """Until it is stopped; PublishError when it could not begin, or the
        server has ended it."""
        for number in (signal.SIGINT, signal.SIGTERM):
            GLib.unix_signal_add(GLib.PRIORITY_HIGH, number, self.stop)
        try:
            self._begin()
            GLib.timeout_add(CHECK_INTERVAL_MS, self._check)
            self.loop.run()
            if self.why:
                raise PublishError(f"{self.url}: {self.why}.")
        except PeerError as error:
            raise PublishError(f"{self.url}: {error}") from error
        finally:
            self._end()

    def _begin(self):
        headers, text = request(self.url, "POST", self.token,
                                self.peer.make_offer().encode())
        if headers.get("Location"):
            self.location = urllib.parse.urljoin(self.url, headers["Location"])
        self.peer.accept(read_answer(text))

    def _check(self):
        self.peer.check()
        return GLib.SOURCE_CONTINUE

    def _end(self):
        self.peer.close("it was stopped")
        if self.location:
            try:
                request(self.location, "DELETE", self.token)
            except PublishError as error:
                self.tell("warning", stream="published", source="DELETE",
                          text=str(error))

    def stop(self):
        self.loop.quit()
        return GLib.SOURCE_REMOVE
