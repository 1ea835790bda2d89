#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sender of examples/webrtc as a player without a browser sees it: the
exchange of HTTP, the stream, its end, and what is wrong with a request; and as a
media server sees it to which it publishes."""

import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import unittest
import unittest.mock
import urllib.error
import urllib.request

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests" / "support"), str(TOP / "examples")]

from local_http import request  # noqa: E402
from loopback import TIMEOUT, Gst, wait_for  # noqa: E402
from watched import WatchedTest  # noqa: E402
from webrtc import publish  # noqa: E402
from webrtc_player import (  # noqa: E402
    FEEDBACK_INTERVAL_MS, RTP_CAPS, Player, answer, ask)

EXAMPLES = TOP / "examples"
SENDER = EXAMPLES / "webrtc" / "sender.py"
DEMO = EXAMPLES / "webrtc" / "demo.py"
EMBED = pathlib.Path(os.environ["TFRC_BUILD_DIR"]) / "examples" / "embed-webrtc"
SPEC = {"address": "127.0.0.1", "port": 0, "controller": "none", "nack": True,
        "properties": {}}
STOP_LIMIT_S = 120
# Where UPnP looks for a router.
SSDP_PORT = 1900
VIDEO = ("v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"
         "m=video 9 UDP/TLS/RTP/SAVPF 96\r\nc=IN IP4 0.0.0.0\r\n")
ICE = "a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuvwx\r\n"
VP8 = VIDEO + ICE + "a=recvonly\r\na=rtpmap:96 VP8/90000\r\n"
H264 = ("a=rtpmap:96 H264/90000\r\n"
        "a=fmtp:96 packetization-mode=1;profile-level-id=42e01f\r\n")


class Sender:
    """The program, and what it told."""

    def __init__(self, **changes):
        self.events = []
        self.process = subprocess.Popen(
            [sys.executable, str(SENDER), json.dumps({**SPEC, **changes})],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def of(self, kind):
        return [event for event in list(self.events)
                if event["event"] == kind]

    def port(self):
        wait_for(lambda: self.of("ready") or self.process.poll() is not None)
        return self.of("ready")[0]["port"]

    def request(self, method, path, body=None, kind=None):
        """(code, headers, text)"""
        return request(self.port(), method, path, body, kind)

    def offer(self, sdp):
        return self.request("POST", "/whep", sdp, "application/sdp")

    def sockets(self, port):
        """The inodes of those of UDP and IPv4 that it has at a port."""
        process = pathlib.Path(f"/proc/{self.process.pid}")
        opened = {os.path.realpath(fd).rpartition("/")[2]
                  for fd in (process / "fd").iterdir()}
        sockets = [line.split() for line in
                   (process / "net" / "udp").read_text().splitlines()]
        return [fields[9] for fields in sockets
                if fields[1].endswith(f":{port:04X}")
                and f"socket:[{fields[9]}]" in opened]

    def stop(self):
        """Ends it by closing its stdin: the exit code, and what it complained of."""
        self.process.stdin.close()
        self.process.wait(STOP_LIMIT_S)
        self.reader.join()
        return self.process.returncode, self.process.stderr.read()

    def clean_up(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        for stream in (self.process.stdin, self.process.stdout,
                       self.process.stderr):
            stream.close()


class Case(WatchedTest):
    sender = None

    @classmethod
    def tearDownClass(cls):
        if cls.sender:
            cls.sender.clean_up()

    @classmethod
    def share(cls):
        """One for those tests of a class that do not end it: each takes a second
        to begin."""
        cls.sender = cls.sender or Sender()
        return cls.sender

    def start(self, **changes):
        sender = Sender(**changes)
        self.addCleanup(sender.clean_up)
        return sender

    def connect(self, sender):
        """(player, location) once frames arrive."""
        player = Player()
        self.addCleanup(player.stop)
        code, headers, answer = sender.offer(player.offer())
        self.assertEqual(code, 201, answer)
        self.assertEqual(headers["Content-Type"], "application/sdp")
        player.accept(answer)
        self.assertTrue(wait_for(lambda: len(player.frames) > 30))
        return player, headers["Location"]

    def assert_refused(self, reply, code, *words):
        """With a sentence that has the words."""
        self.assertEqual(reply[0], code, reply[2])
        self.assertRegex(reply[2], r"\A[A-Z][^\n]+[.)?]\n\Z")
        for word in words:
            self.assertIn(word, reply[2])


class Exchange(Case):

    def test_one_exchange_starts_a_stream_and_another_ends_it(self):
        sender = self.start()
        player, location = self.connect(sender)
        code, _, text = sender.request("GET", location + "/stats")
        self.assertEqual(code, 200)
        stats = json.loads(text)
        self.assertGreater(stats["encoded_bytes"], 10000)
        self.assertIsNone(stats["allowed_kbit_s"])
        self.assertEqual(sender.sockets(SSDP_PORT), [])
        self.assertEqual(sender.request("DELETE", location)[0], 200)
        self.assertTrue(wait_for(lambda: sender.of("left")))
        self.assertEqual(sender.of("left")[0]["why"], "its page was closed")
        self.assert_refused(sender.request("GET", location + "/stats"), 404,
                            "no such stream")
        self.assert_refused(sender.request("DELETE", location), 404)
        self.assertEqual(sender.stop(), (0, ""))

    def test_the_controller_lives_off_transport_wide_feedback(self):
        """In the slot of the auxiliary sender: the rate comes far above that of
        a flow without reports, which is a packet in 3 s, and the encoder
        follows."""
        sender = self.start(controller="tfrc", properties={"feedback": "twcc"})
        player, location = self.connect(sender)

        def stats():
            return json.loads(sender.request("GET", location + "/stats")[2])
        self.assertTrue(wait_for(lambda: stats()["allowed_kbit_s"] > 700))
        self.assertTrue(wait_for(lambda: sender.of("stats")[-1]["fields"][
            "encoder-target-bitrate"] > 700000))
        told = sender.of("stats")[-1]["fields"]
        self.assertEqual(told["feedback-format"], "twcc")
        self.assertEqual(told["feedback-state"], "working")
        self.assertEqual(told["arrivals-unknown"], 0)
        self.assertGreater(stats()["rtt_ms"], 0)
        self.assertEqual(sender.of("warning") + sender.of("error"), [])
        self.assertEqual(sender.request("DELETE", location)[0], 200)
        self.assertEqual(sender.stop(), (0, ""))

    def test_a_key_frame_that_is_asked_for_is_one_frame(self):
        """Its parameter sets too: a browser fails to decode those alone."""
        sender = self.start(controller="tfrc", properties={"feedback": "twcc"})
        player, _ = self.connect(sender)

        def key_frames():
            return sender.of("stats")[-1]["fields"]["key-frame-requests"]
        self.assertTrue(wait_for(lambda: sender.of("stats")))
        before = key_frames()
        self.assertTrue(wait_for(lambda: (
            player.ask_key_frame() or key_frames() > before)))
        frames = len(player.frames)
        self.assertTrue(wait_for(lambda: len(player.frames) > frames + 30))
        packets = list(player.packets)
        timestamps = [timestamp for timestamp, _ in packets]
        for i, (timestamp, last) in enumerate(packets[:-1]):
            if last:
                self.assertNotEqual(timestamps[i + 1], timestamp)

    def test_the_answer_names_what_is_sent(self):
        """The payload type and the extension are the offer's, and the SSRC of
        the video is known before its first packet."""
        sender = self.share()
        player = Player()
        self.addCleanup(player.stop)
        _, _, answer = sender.offer(player.offer())
        self.assertRegex(answer, r"(?m)^m=video \d+ UDP/TLS/RTP/SAVPF 102\b")
        self.assertRegex(answer, r"(?m)^a=extmap:5 .*transport-wide-cc")
        self.assertIn("a=rtcp-fb:102 transport-cc", answer)
        self.assertIn("a=rtcp-fb:102 nack\r\n", answer)
        self.assertRegex(answer, r"(?m)^a=ssrc:[1-9]\d* msid")
        self.assertNotRegex(answer, r"(?m)^a=ssrc-group:FID 0 ")
        self.assertIn("a=sendonly", answer)

    def test_without_nack_none_is_answered(self):
        sender = self.start(nack=False)
        player = Player()
        self.addCleanup(player.stop)
        _, _, answer = sender.offer(player.offer())
        self.assertNotIn(" nack\r\n", answer)
        self.assertNotIn(" rtx/", answer)

    def test_a_report_is_handed_on(self):
        sender = self.share()
        _, location = self.connect(sender)
        self.assertEqual(sender.request(
            "POST", location + "/report", '[{"framesDecoded": 7}]',
            "application/json")[0], 200)
        self.assertTrue(wait_for(lambda: sender.of("report")))
        self.assertEqual(sender.of("report")[0]["series"],
                         [{"framesDecoded": 7}])
        self.assert_refused(sender.request(
            "POST", location + "/report", "{", "application/json"), 400,
            "JSON")

    def test_the_page_is_there(self):
        code, headers, page = self.share().request("GET", "/")
        self.assertEqual((code, headers["Content-Type"]),
                         (200, "text/html; charset=utf-8"))
        self.assertIn("/whep", page)

    def test_a_player_that_leaves_without_a_word_is_noticed(self):
        sender = self.start()
        player, location = self.connect(sender)
        player.stop()
        self.assertTrue(wait_for(lambda: sender.of("left")))
        self.assertTrue(wait_for(
            lambda: sender.request("GET", location + "/stats")[0] == 404))


class Refusals(Case):

    def test_what_is_no_offer_is_told_in_a_sentence(self):
        sender = self.share()
        for sdp, words in (
                ("", "no offer"), ("v=0", "no offer"), ("\0\1\2", "no offer"),
                ("words " * 100, "no offer"), ("v=1\r\n" + VIDEO[5:], "no offer"),
                (VP8, "H.264"),
                (VIDEO + ICE + "a=sendonly\r\n" + H264, "H.264"),
                (VIDEO.replace("video 9", "video 0") + ICE + H264, "H.264"),
                (VIDEO.replace("m=video", "m=audio") + ICE + H264, "H.264"),
                (VIDEO + ICE + H264.replace("mode=1", "mode=0"), "H.264"),
                (VIDEO + H264, "ice-ufrag"),
                (VIDEO + ICE + H264, "fingerprint")):
            with self.subTest(sdp=sdp[-60:]):
                self.assert_refused(sender.offer(sdp), 400, words)
        # And it still works.
        self.connect(sender)

    def test_requests_of_no_use_are_told_in_a_sentence(self):
        sender = self.share()
        for method, path, body, kind, code, word in (
                ("GET", "/favicon.ico", None, None, 404, "/whep"),
                ("GET", "/../../etc/passwd", None, None, 404, "/whep"),
                ("POST", "/", "x", "application/sdp", 404, "/whep"),
                ("POST", "/whep", VP8, "text/plain", 415, "application/sdp"),
                ("POST", "/whep", "v" * 100001, "application/sdp", 413, "bytes"),
                ("DELETE", "/whep", None, None, 404, "stream"),
                ("DELETE", "/whep/9", None, None, 404, "stream"),
                ("GET", "/whep/9/stats", None, None, 404, "stream")):
            with self.subTest(method=method, path=path):
                self.assert_refused(
                    sender.request(method, path, body, kind), code, word)

    def test_more_players_than_the_machine_can_serve_are_told_so(self):
        sender = self.start()
        players = [Player() for _ in range(5)]
        for player in players:
            self.addCleanup(player.stop)
        replies = [sender.offer(player.offer()) for player in players]
        self.assertEqual([reply[0] for reply in replies], [201] * 4 + [503])
        self.assert_refused(replies[4], 503, "4 streams")
        # One leaves, and the next has its place.
        sender.request("DELETE", replies[0][1]["Location"])
        self.assertEqual(sender.offer(players[4].offer())[0], 201)

    def test_a_port_that_is_taken_is_told_in_a_sentence(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            sender = self.start(port=port)
            code, errors = sender.stop()
        self.assertEqual(code, 1)
        self.assertRegex(errors, rf"\AThe port {port} [^\n]*in use\.\n\Z")


class Embedding(Case):
    """What docs/interop.md tells an application to do."""

    @staticmethod
    def block(language):
        page = (TOP / "docs" / "interop.md").read_text(encoding="utf-8")
        return re.search(rf"^```{language}\n(.*?)^```", page,
                         re.DOTALL | re.MULTILINE)[1]

    @unittest.skipUnless(EMBED.exists(), "built with -Dexamples=false")
    def test_in_c(self):
        source = (EXAMPLES / "webrtc" / "embed.c").read_text(encoding="utf-8")
        self.assertIn(self.block("c"), source)
        # Where others compute, the first frame alone can take that long.
        for seconds in 8, 30, 60:
            done = subprocess.run(
                [str(EMBED), str(seconds)], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                timeout=STOP_LIMIT_S)
            if done.returncode == 0:
                break
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        allowed = re.findall(r"allowed +(\d+) kbit/s", done.stdout)
        # A packet in 3 s is 4 kbit/s.
        self.assertGreater(max(map(int, allowed)), 300)
        self.assertRegex(done.stdout, r"decoded [1-9]\d+ frames")

    def test_in_python(self):
        names = {"Gst": Gst}
        exec(self.block("python"), names)
        sender = Gst.parse_launch(
            "videotestsrc is-live=true ! video/x-raw,width=160,height=120 "
            "! x264enc tune=zerolatency speed-preset=ultrafast "
            "! video/x-h264,profile=constrained-baseline "
            f"! rtph264pay config-interval=-1 mtu=1200 ! {RTP_CAPS} "
            "! webrtcbin name=webrtc")
        self.addCleanup(sender.set_state, Gst.State.NULL)
        webrtc = sender.get_by_name("webrtc")
        names["add_congestion_control"](webrtc, Gst.Caps.from_string(RTP_CAPS))
        player = Player(nack=False)
        self.addCleanup(player.stop)
        offer = player.offer()
        # Caps of packets that come before the answer name another profile-level-id, and
        # webrtcbin would answer that it only receives.
        sender.set_state(Gst.State.PAUSED)
        player.accept(answer(webrtc, offer))
        sender.set_state(Gst.State.PLAYING)
        self.assertTrue(wait_for(lambda: len(player.frames) > 30, 2 * TIMEOUT))
        controller = sender.get_by_name("controller")
        self.assertTrue(wait_for(lambda: controller.get_property(
            "stats")["allowed-rate"] * 8 > 300000))

    def test_an_offer_names_the_extension(self):
        names = {"Gst": Gst}
        exec(self.block("python"), names)
        sender = Gst.parse_launch(
            "videotestsrc is-live=true ! x264enc tune=zerolatency ! rtph264pay "
            f"! {RTP_CAPS} ! webrtcbin name=webrtc")
        self.addCleanup(sender.set_state, Gst.State.NULL)
        webrtc = sender.get_by_name("webrtc")
        names["add_congestion_control"](webrtc, Gst.Caps.from_string(RTP_CAPS))
        sender.set_state(Gst.State.PLAYING)
        reply = ask(webrtc, "create-offer")
        self.assertRegex(reply.get_value("offer").sdp.as_text(),
                         r"(?m)^a=extmap:5 .*transport-wide-cc")


class MediaServer(http.server.ThreadingHTTPServer):
    """Of WHIP (RFC 9725), as far as a publisher sees it: `reply` is (code, text), and
    the Location or nothing, for every offer; without it a Player answers."""

    daemon_threads = True

    def __init__(self, reply=None):
        self.reply = reply
        self.player = None
        self.seen = []
        super().__init__(("127.0.0.1", 0), MediaHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def open(self, offer):
        if self.reply:
            return self.reply
        self.player = Player()
        text = answer(self.player.webrtc, offer)
        self.player.webrtc.get_by_name("rtpbin").emit(
            "get-internal-session", 0).set_property(
                "twcc-feedback-interval", FEEDBACK_INTERVAL_MS * Gst.MSECOND)
        return 201, text

    def close(self):
        self.shutdown()
        self.server_close()
        if self.player:
            self.player.stop()


class MediaHandler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.seen.append(
            ("POST", self.path, self.headers["Authorization"]))
        code, text, *location = self.server.open(body)
        self._reply(code, text, Location=(*location, "/session/1")[0])

    def do_DELETE(self):
        self.server.seen.append(
            ("DELETE", self.path, self.headers["Authorization"]))
        self._reply(200, "")

    def _reply(self, code, text, **headers):
        self.send_response(code)
        self.send_header("Content-Length", str(len(text.encode())))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        """The test sees it."""


class Publishing(WatchedTest):
    def publish(self, url, *options):
        process = subprocess.Popen(
            [sys.executable, str(DEMO), "--publish", url, *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def serve(self, reply=None):
        server = MediaServer(reply)
        self.addCleanup(server.close)
        return server, f"http://127.0.0.1:{server.server_address[1]}/whip/room"

    def test_a_media_server_gets_the_stream_until_it_ends(self):
        server, url = self.serve()
        process = self.publish(url, "--token", "secret")
        self.assertTrue(wait_for(
            lambda: server.player and len(server.player.frames) > 30,
            2 * TIMEOUT))
        process.terminate()
        told, complaints = process.communicate(timeout=STOP_LIMIT_S)
        self.assertEqual((process.returncode, complaints), (0, ""))
        self.assertIn("connected", told)
        self.assertEqual(server.seen, [
            ("POST", "/whip/room", "Bearer secret"),
            ("DELETE", "/session/1", "Bearer secret")])

    def test_nonsense_is_told_in_a_sentence(self):
        for reply, wanted in (
                ((404, "no such room"), "404 Not Found, no such room"),
                ((201, "hello"), "no SDP that takes the video"),
                ((201, VIDEO.replace("video 9", "video 0")),
                 "no SDP that takes the video"),
                ((201, VIDEO + H264), "webrtc.sh: "),
                ((201, "", "http://[bad"), "does not answer: Invalid IPv6 URL"),
                ((204, ""), "no SDP that takes the video"),
                ((302, ""), "302 Found")):
            with self.subTest(reply=reply):
                process = self.publish(self.serve(reply)[1])
                _, complaints = process.communicate(timeout=STOP_LIMIT_S)
                self.assertEqual(process.returncode, 1)
                self.assertIn(wanted, complaints)
                self.assertNotRegex(complaints, "Traceback|CRITICAL")

    def test_a_refusal_whose_body_does_not_come_is_told_without(self):
        error = urllib.error.HTTPError("http://server", 400, "Bad", {}, None)
        error.read = unittest.mock.Mock(side_effect=TimeoutError)
        with unittest.mock.patch("urllib.request.OpenerDirector.open",
                                 side_effect=error), \
                self.assertRaisesRegex(publish.PublishError, "400 Bad$"):
            publish.request("http://server", "POST", None, b"offer")

    def test_the_offer_follows_a_redirection_as_it_is(self):
        server, url = self.serve((307, ""))
        self.publish(url, "--token", "secret").wait(STOP_LIMIT_S)
        self.assertEqual(server.seen[:2], [
            ("POST", "/whip/room", "Bearer secret"),
            ("POST", "/session/1", "Bearer secret")])

    def test_a_token_that_went_encrypted_never_goes_in_the_clear(self):
        server, url = self.serve()
        made = url.replace("whip/room", "session/1")
        server.reply = (307, "", made)
        secure = url.replace("http:", "https:")
        publisher = unittest.mock.Mock(url=secure, location=made,
                                       token="secret")
        # TLS in name only: the server tells who has the token.
        with unittest.mock.patch("urllib.request.HTTPSHandler.https_open",
                                 urllib.request.HTTPHandler.http_open):
            with self.assertRaises(publish.PublishError):
                publish.request(secure, "POST", "secret", b"offer")
            publish.Publisher._end(publisher)
        self.assertEqual(server.seen[:2] + server.seen[-1:], [
            ("POST", "/whip/room", "Bearer secret"),
            ("POST", "/session/1", None), ("DELETE", "/session/1", None)])

    def test_what_the_server_still_makes_is_deleted(self):
        server, url = self.serve()
        publisher = unittest.mock.Mock(url=url, location=None, token="secret")

        def answer_comes(limit_s):
            self.assertLess(limit_s, STOP_LIMIT_S)
            publisher.location = url
        publisher.beginning.join = answer_comes
        publish.Publisher._end(publisher)
        self.assertEqual(server.seen, [("DELETE", "/whip/room", "Bearer secret")])

    def test_it_ends_soon_while_a_server_says_nothing(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            process = self.publish(
                f"http://127.0.0.1:{listener.getsockname()[1]}/whip")
            connection, _ = listener.accept()
            with connection:
                connection.recv(1)
                process.send_signal(signal.SIGINT)
                _, complaints = process.communicate(timeout=STOP_LIMIT_S)
        self.assertEqual((process.returncode, complaints), (0, ""))

    def test_a_server_that_is_not_there_is_told_in_a_sentence(self):
        for url in ("http://127.0.0.1:1/whip", "no-url"):
            process = self.publish(url)
            _, complaints = process.communicate(timeout=STOP_LIMIT_S)
            self.assertEqual(process.returncode, 1)
            self.assertRegex(complaints, r"^webrtc.sh: .* does not answer: .*\.$")


def why_not():
    """What is missing here, or None."""
    missing = [name for name in ("webrtcbin", "nicesrc", "x264enc")
               if Gst.ElementFactory.find(name) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))
    except OSError:
        return "ICE needs an address that is not the loopback's"
    return None


if __name__ == "__main__":
    if why_not():
        print(f"SKIP: {why_not()}")
        sys.exit(77)
    unittest.main()
