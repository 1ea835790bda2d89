# SPDX-License-Identifier: LGPL-2.1-or-later
"""A player for tests: webrtcbin that asks for a stream as a browser does, and
decodes it."""

import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstVideo", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import Gst, GstSdp, GstVideo, GstWebRTC  # noqa: E402

from webrtc.peer import look_for_no_router  # noqa: E402

TRANSPORT_WIDE_CC = ("http://www.ietf.org/id/"
                     "draft-holmer-rmcat-transport-wide-cc-extensions-01")
RTP_CAPS = (
    "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,"
    f"payload=102,extmap-5=(string){TRANSPORT_WIDE_CC}")
# The constrained baseline as browsers offer it.
CAPS = RTP_CAPS + (",packetization-mode=(string)1,"
                   "profile-level-id=(string)42e01f")
DECODE = "rtph264depay ! avdec_h264 ! fakesink name=frames sync=false"
LIMIT_S = 60
FEEDBACK_INTERVAL_MS = 60


def ask(webrtc, signal, argument=None):
    promise = Gst.Promise.new()
    webrtc.emit(signal, argument, promise)
    promise.wait()
    return promise.get_reply()


def answer(webrtc, offer):
    """The SDP of a webrtcbin that only answers, with all addresses in it."""
    gathered = threading.Event()
    webrtc.connect("notify::ice-gathering-state", lambda *_: (
        webrtc.get_property("ice-gathering-state")
        == GstWebRTC.WebRTCICEGatheringState.COMPLETE and gathered.set()))
    _, description = GstSdp.SDPMessage.new_from_text(offer)
    ask(webrtc, "set-remote-description",
        GstWebRTC.WebRTCSessionDescription.new(
            GstWebRTC.WebRTCSDPType.OFFER, description))
    # The reply owns the answer.
    reply = ask(webrtc, "create-answer")
    ask(webrtc, "set-local-description", reply.get_value("answer"))
    if not gathered.wait(LIMIT_S):
        raise AssertionError("no addresses were gathered")
    return webrtc.get_property("local-description").sdp.as_text()


class Player:

    def __init__(self, nack=True):
        self.frames = []
        self.packets = []       # (RTP timestamp, whether it has the marker)
        self.pad = None
        self.gathered = threading.Event()
        self.pipeline = Gst.Pipeline.new(None)
        self.webrtc = Gst.ElementFactory.make("webrtcbin")
        self.webrtc.set_property("bundle-policy", "max-bundle")
        self.webrtc.connect("deep-element-added", look_for_no_router)
        self.pipeline.add(self.webrtc)
        transceiver = self.webrtc.emit(
            "add-transceiver",
            GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY,
            Gst.Caps.from_string(CAPS))
        transceiver.set_property("do-nack", nack)
        self.webrtc.connect("pad-added", self._on_pad)
        self.webrtc.connect("notify::ice-gathering-state", self._on_gathering)
        self.pipeline.set_state(Gst.State.PLAYING)

    def _on_gathering(self, webrtc, _property):
        if webrtc.get_property("ice-gathering-state") \
                == GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            self.gathered.set()

    def _on_pad(self, _webrtc, pad):
        self.pad = pad
        pad.add_probe(Gst.PadProbeType.BUFFER, self._on_packet)
        decoder = Gst.parse_bin_from_description(DECODE, True)
        self.pipeline.add(decoder)
        decoder.sync_state_with_parent()
        decoder.get_by_name("frames").get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, self._on_frame)
        pad.link(decoder.get_static_pad("sink"))

    def _on_packet(self, _pad, info):
        header = info.get_buffer().extract_dup(0, 8)
        self.packets.append(
            (int.from_bytes(header[4:], "big"), bool(header[1] & 0x80)))
        return Gst.PadProbeReturn.OK

    def _on_frame(self, _pad, _info):
        self.frames.append(time.monotonic())
        return Gst.PadProbeReturn.OK

    def offer(self):
        """Its SDP, with all addresses in it."""
        # The reply owns the offer.
        reply = ask(self.webrtc, "create-offer")
        ask(self.webrtc, "set-local-description", reply.get_value("offer"))
        if not self.gathered.wait(LIMIT_S):
            raise AssertionError("no addresses were gathered")
        return self.webrtc.get_property("local-description").sdp.as_text()

    def accept(self, answer):
        _, description = GstSdp.SDPMessage.new_from_text(answer)
        ask(self.webrtc, "set-remote-description",
            GstWebRTC.WebRTCSessionDescription.new(
                GstWebRTC.WebRTCSDPType.ANSWER, description))
        # As often as a browser; an rtpsession waits for the end of a frame else,
        # and the first one may take seconds.
        self.webrtc.get_by_name("rtpbin").emit(
            "get-internal-session", 0).set_property(
                "twcc-feedback-interval", FEEDBACK_INTERVAL_MS * Gst.MSECOND)

    def ask_key_frame(self):
        """By a PLI."""
        self.pad.send_event(GstVideo.video_event_new_upstream_force_key_unit(
            Gst.CLOCK_TIME_NONE, False, 0))

    def stop(self):
        """Without a word to the sender."""
        self.pipeline.set_state(Gst.State.NULL)
