# SPDX-License-Identifier: LGPL-2.1-or-later
"""One player and the stream that is made for it: camera -> encoder ->
payloader -> webrtcbin, with rtptfrcsend as the auxiliary sender inside."""

import random
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import Gst, GstWebRTC  # noqa: E402

from live import camera, scene  # noqa: E402
from live.codecs import CODECS  # noqa: E402
from live.endpoint import structure_fields  # noqa: E402

from .offer import TRANSPORT_WIDE_CC  # noqa: E402

ANSWER_LIMIT_S = 10
CONNECT_LIMIT_S = 30
# Receivers of WebRTC report several times a second.
SILENCE_LIMIT_S = 10
# What an encoder makes that nobody controls.
UNCONTROLLED_KBIT_S = 1500
H264_PROFILE = "constrained-baseline"


class PeerError(Exception):
    """Its text is what the player reads."""


def look_for_no_router(_webrtc, _bin, element):
    """libnice looks for one by UPnP that would open a port, and complains on
    stderr where another program has the port at which it listens for it."""
    if element.find_property("agent"):
        element.get_property("agent").set_property("upnp", False)


def description(offer, controller):
    codec = CODECS["x264"]
    encoder = codec.encoder.replace("profile=main", "profile=" + H264_PROFILE)
    # With a delimiter in front of a key frame rtph264pay sends the parameter
    # sets as a frame of their own, which a browser fails to decode, and so asks
    # for another key frame.
    encoder = encoder.replace("x264enc ", "x264enc aud=false ")
    if controller == "none":
        encoder = encoder.replace(
            "bitrate=500",
            f"bitrate={UNCONTROLLED_KBIT_S} vbv-buf-capacity=100")
    extension = "" if offer.extension_id is None \
        else f",extmap-{offer.extension_id}=(string){TRANSPORT_WIDE_CC}"
    # The payloader writes the header extensions that its caps have, and takes
    # the SSRC from them: the answer has to name it before a packet was made.
    ssrc = random.randrange(1, 1 << 32)
    return (
        f"appsrc name=camera is-live=true format=time caps={scene.CAPS} "
        "max-buffers=3 max-bytes=0 leaky-type=downstream "
        "! queue max-size-buffers=3 max-size-bytes=0 max-size-time=0 "
        f"! {encoder} ! {codec.payloader} name=payloader mtu=1200 "
        f"pt={offer.payload_type} "
        "! capsfilter name=rtp caps=\"application/x-rtp,media=video,"
        "encoding-name=H264,clock-rate=90000,"
        f"payload={offer.payload_type},ssrc=(uint){ssrc}{extension}\" "
        "! webrtcbin name=webrtc bundle-policy=max-bundle")


class Peer:
    """`tell(event, **fields)` is called with what happens, in any thread; the
    last is "left"."""

    def __init__(self, offer, controller, nack, properties, drawn, tell):
        """`controller`: "tfrc" with properties of rtptfrcsend, or "none";
        `drawn`: the Scene to show."""
        self.offer = offer
        self.properties = properties
        self.tell = tell
        self.controller = None
        self.encoded_bytes = 0
        self.heard_at = self.created_at = time.monotonic()
        self.connected = False
        self.left = False
        self.lock = threading.Lock()
        self.gathered = threading.Event()
        self.pipeline = Gst.parse_launch(description(offer, controller))
        self.webrtc = self.pipeline.get_by_name("webrtc")
        self.webrtc.connect("deep-element-added", look_for_no_router)
        transceiver = self.webrtc.emit("get-transceiver", 0)
        transceiver.set_property(
            "direction", GstWebRTC.WebRTCRTPTransceiverDirection.SENDONLY)
        transceiver.set_property("do-nack", nack)
        if controller == "tfrc":
            self.webrtc.connect("request-aux-sender", self._on_aux_sender)
        self.webrtc.connect("notify::ice-gathering-state", self._on_gathering)
        self.webrtc.connect("notify::connection-state", self._on_connection)
        self.pipeline.get_by_name("encoder").get_static_pad("src").add_probe(
            Gst.PadProbeType.BUFFER, self._on_encoded)
        self.camera = camera.Camera(
            self.pipeline.get_by_name("camera"), camera.SceneFrames(drawn))
        self.pipeline.get_bus().set_sync_handler(self._on_message)

    def answer(self):
        """The answer's SDP, with the sender's addresses in it."""
        self.pipeline.set_state(Gst.State.PLAYING)
        session = GstWebRTC.WebRTCSessionDescription.new(
            GstWebRTC.WebRTCSDPType.OFFER, self.offer.description)
        self._ask("set-remote-description", session)
        return self._describe("answer")

    def make_offer(self):
        """The offer's SDP, where this end begins."""
        self.pipeline.set_state(Gst.State.PLAYING)
        return self._describe("offer")

    def accept(self, description):
        """What answers that offer."""
        self._ask("set-remote-description",
                  GstWebRTC.WebRTCSessionDescription.new(
                      GstWebRTC.WebRTCSDPType.ANSWER, description))

    def _describe(self, kind):
        reply = self._ask(f"create-{kind}", None)
        if not reply or not reply.has_field(kind):
            raise PeerError("The offer cannot be answered.")
        self._ask("set-local-description", reply.get_value(kind))
        if not self.gathered.wait(ANSWER_LIMIT_S):
            raise PeerError("The sender found no address of its own.")
        return self.webrtc.get_property("local-description").sdp.as_text()

    def _ask(self, signal, argument):
        """What webrtcbin replies to a signal."""
        promise = Gst.Promise.new()
        self.webrtc.emit(signal, argument, promise)
        promise.wait()
        reply = promise.get_reply()
        if reply and reply.has_field("error"):
            raise PeerError("The descriptions do not fit: "
                            f"{reply.get_value('error').message}.")
        return reply

    def _on_aux_sender(self, _webrtc, _transport):
        """What docs/interop.md has in C."""
        self.controller = Gst.ElementFactory.make("rtptfrcsend", "controller")
        for name, value in self.properties.items():
            self.controller.set_property(name, value)
        return self.controller

    def _on_gathering(self, webrtc, _property):
        if webrtc.get_property("ice-gathering-state") \
                == GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            self.gathered.set()

    def _on_connection(self, webrtc, _property):
        state = webrtc.get_property("connection-state")
        if state == GstWebRTC.WebRTCPeerConnectionState.CONNECTED:
            self._start()
        elif self.connected and state.value_nick in ("failed", "closed"):
            self._leave("it closed the connection")

    def _start(self):
        if self.connected:
            return
        self.connected = True
        self.heard_at = time.monotonic()
        rtpbin = self.webrtc.get_by_name("rtpbin")
        rtpbin.get_static_pad("recv_rtcp_sink_0").add_probe(
            Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST,
            self._on_rtcp)
        self.camera.start()
        self.tell("connected")

    def _on_rtcp(self, _pad, _info):
        self.heard_at = time.monotonic()
        return Gst.PadProbeReturn.OK

    def _on_encoded(self, _pad, info):
        self.encoded_bytes += info.get_buffer().get_size()
        return Gst.PadProbeReturn.OK

    def _on_message(self, _bus, message):
        if message.type == Gst.MessageType.ERROR:
            error, debug = message.parse_error()
            self.tell("error", text=error.message, debug=debug or "",
                      source=message.src.get_path_string())
            self._leave(error.message)
        elif message.type == Gst.MessageType.WARNING:
            error, debug = message.parse_warning()
            self.tell("warning", text=error.message, debug=debug or "",
                      source=message.src.get_path_string())
        return Gst.BusSyncReply.DROP

    def check(self):
        """To be called now and then: a player may leave without a word."""
        silence_s = time.monotonic() - self.heard_at
        if self.connected and silence_s > SILENCE_LIMIT_S:
            self._leave(f"nothing came from it for {SILENCE_LIMIT_S} s")
        elif not self.connected and silence_s > CONNECT_LIMIT_S:
            self._leave(f"it did not connect within {CONNECT_LIMIT_S} s")

    def _leave(self, why):
        with self.lock:
            if self.left:
                return
            self.left = True
        self.tell("left", why=why)

    def stats(self):
        """What the page shows; None is not known (yet)."""
        fields = {} if self.controller is None else structure_fields(
            self.controller.get_property("stats"))
        rtt_ns = fields.get("rtt-ns")
        allowed = fields.get("allowed-rate")
        return {
            "time_s": time.monotonic() - self.created_at,
            "encoded_bytes": self.encoded_bytes,
            "allowed_kbit_s": None if allowed is None else allowed * 8e-3,
            "rtt_ms": rtt_ns * 1e-6 if rtt_ns else self._report_rtt_ms(),
            "loss_event_rate": fields.get("loss-event-rate"),
        }

    def controller_stats(self):
        """All that rtptfrcsend tells, or nothing."""
        return {} if self.controller is None else structure_fields(
            self.controller.get_property("stats"))

    def _report_rtt_ms(self):
        """Of the player's receiver reports, or None."""
        promise = Gst.Promise.new()
        self.webrtc.emit("get-stats", None, promise)
        promise.wait()
        reply = promise.get_reply()
        for i in range(reply.n_fields() if reply else 0):
            one = reply.get_value(reply.nth_field_name(i))
            if isinstance(one, Gst.Structure) and one.has_field(
                    "round-trip-time"):
                return one.get_value("round-trip-time") * 1e3
        return None

    def close(self, why):
        """Not in a streaming thread; `why` counts if nobody left before."""
        self._leave(why)
        if self.connected:
            self.camera.stop()
        self.pipeline.set_state(Gst.State.NULL)
