# SPDX-License-Identifier: LGPL-2.1-or-later
"""The HTTP of the sender: the page, and signalling as WHEP has it
(draft-ietf-wish-whep-02), where one POST starts a stream:

    GET /                the page
    POST /whep           an offer (application/sdp); 201, its answer, Location
    GET LOCATION/stats   what the sender knows of that stream, as JSON
    POST LOCATION/report what getStats() told the page, as JSON
    DELETE LOCATION      ends the stream

All addresses are in the offer and the answer: no trickle of candidates.  What
is wrong with a request is told in one sentence of plain text."""

import http.server
import json
import pathlib
import socketserver
import threading

from .offer import OfferError
from .peer import PeerError

PAGE = pathlib.Path(__file__).with_name("page.html")
MAX_OFFER_BYTES = 100_000
MAX_REPORT_BYTES = 10_000_000
REQUEST_LIMIT_S = 30


class TooMany(Exception):
    """Its text is what the player reads."""


class Server(http.server.ThreadingHTTPServer):
    """`streams` has open (offer text) -> (name, answer), stats (name),
    report (name, series) and close (name); KeyError: no such stream."""

    daemon_threads = True

    def __init__(self, address, streams):
        self.streams = streams
        super().__init__(address, Handler)

    def server_bind(self):
        """Not HTTPServer's, which asks for the name of the address: where
        nobody answers, that takes half a minute."""
        socketserver.TCPServer.server_bind(self)

    def start(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = REQUEST_LIMIT_S

    def do_GET(self):
        if self.path == "/":
            self._reply(200, PAGE.read_bytes(), "text/html; charset=utf-8")
            return
        name, what = self._stream()
        if what != "stats":
            self._refuse(404, "There is only the page / and the signalling "
                         "/whep.")
            return
        self._of_stream(lambda streams: self._reply(
            200, json.dumps(streams.stats(name)).encode(),
            "application/json"))

    def do_POST(self):
        name, what = self._stream()
        if self.path == "/whep":
            self._open()
        elif what == "report":
            self._report(name)
        else:
            self._refuse(404, "Offers go to /whep.")

    def do_DELETE(self):
        name, what = self._stream()
        if what != "":
            self._refuse(404, "Only a stream can be deleted.")
            return

        def close(streams):
            streams.close(name)
            self._reply(200, b"", "text/plain")
        self._of_stream(close)

    def _open(self):
        if self.headers.get_content_type() != "application/sdp":
            self._refuse(415, "An offer has the type application/sdp.")
            return
        body = self._body(MAX_OFFER_BYTES)
        if body is None:
            return
        try:
            name, answer = self.server.streams.open(
                body.decode("utf-8", "replace"))
        except (OfferError, PeerError) as error:
            self._refuse(400, str(error))
        except TooMany as error:
            self._refuse(503, str(error))
        else:
            self._reply(201, answer.encode(), "application/sdp",
                        Location=f"/whep/{name}")

    def _report(self, name):
        body = self._body(MAX_REPORT_BYTES)
        if body is None:
            return
        try:
            series = json.loads(body)
        except ValueError:
            self._refuse(400, "The report is no JSON.")
            return

        def report(streams):
            streams.report(name, series)
            self._reply(200, b"", "text/plain")
        self._of_stream(report)

    def _stream(self):
        """(name, what of it) that the path says, or ("", None)."""
        parts = self.path.split("/")
        if len(parts) not in (3, 4) or parts[:2] != ["", "whep"]:
            return "", None
        return parts[2], "".join(parts[3:])

    def _of_stream(self, act):
        try:
            act(self.server.streams)
        except KeyError:
            self._refuse(404, "There is no such stream; it may have ended.")

    def _body(self, limit):
        """None when it was refused."""
        length = self.headers.get("Content-Length", "")
        if not length.isdigit():
            self._refuse(411, "How long is it (Content-Length)?")
        elif int(length) > limit:
            self._refuse(413, f"That is more than {limit} bytes.")
        else:
            return self.rfile.read(int(length))
        return None

    def _refuse(self, code, sentence):
        # What was not read of the request would be taken for the next one.
        self.close_connection = True
        self._reply(code, (sentence + "\n").encode(),
                    "text/plain; charset=utf-8")

    def _reply(self, code, body, kind, **headers):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """The sender tells what happens."""
