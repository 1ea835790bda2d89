#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sending end: camera -> encoder -> payloader -> tfrcsink, or for
measurements of the network alone uncompressed audio: a source that always
has more to send than it may, or a steady one of 1.5 Mbit/s.

    sender.py JSON

with the fields source ("scene", "file", "camera", "screen", "greedy", "fast",
which is greedy on links of up to 100 Mbit/s, or "steady"), file, encoder, host,
port, sink, the properties of tfrcsink, payloader, those of an encoder's
payloader, rtp_caps, those of the greedy source's packets (any), reference
(true: tell what the encoder's frames are where nothing is lost), picture
(where the last frame before the encoder goes as PNG), plain ({port, bitrate}:
the same pictures at this rate in bit/s, as RTP that nobody controls), and mtu,
the size of the greedy source's RTP packets before tfrcsink's extension
(default 1200)."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from live import camera, pictures, scene  # noqa: E402
from live.codecs import CODECS  # noqa: E402
from live.endpoint import (  # noqa: E402
    STATS_INTERVAL_MS, Endpoint, Gst, launch_properties, tell)

# Uncompressed audio of 24.6 or 102 Mbit/s: the pacer sees single packets, of
# which it drops what the rate does not allow.  All packets are of one size.
GREEDY = (
    "audiotestsrc is-live=true wave=silence samplesperbuffer=960 "
    "! audio/x-raw,format=S16BE,rate={rate},channels=8,layout=interleaved,"
    "channel-mask=(bitmask)0xc3f "
    "! rtpL16pay mtu={mtu} min-ptime={duration_ns} ")
STEADY = (
    "audiotestsrc is-live=true wave=silence samplesperbuffer=240 "
    "! audio/x-raw,format=S16BE,rate=48000,channels=2,layout=interleaved "
    "! rtpL16pay mtu=1200 ")
# Of any size and rate; the newest pictures count.
CONVERSION = ("! queue leaky=downstream max-size-buffers=2 ! videoconvert "
              "! videoscale add-borders=true ! videorate drop-only=false "
              f"! {scene.CAPS}")
PICTURES = {
    "camera": f"v4l2src {CONVERSION}",
    "screen": f"ximagesrc use-damage=false {CONVERSION}",
}
APPSRC = (f"appsrc name=camera is-live=true format=time caps={scene.CAPS} "
          "max-buffers=3 max-bytes=0 leaky-type=downstream")
QUEUE = "queue max-size-buffers=3 max-size-bytes=0 max-size-time=0"
GREEDY_FRAME_BYTES = 16
GREEDY_FRAME_RATES = {"greedy": 192000, "fast": 800000}
GREEDY_MTU = 1200
RTP_HEADER_BYTES = 12


def greedy(mtu, rate):
    """Packets of up to so many bytes, the RTP header included."""
    frames = (mtu - RTP_HEADER_BYTES) // GREEDY_FRAME_BYTES
    return GREEDY.format(
        mtu=mtu, rate=rate, duration_ns=frames * 10 ** 9 // rate)


def description(spec):
    properties = {"host": spec["host"], "port": spec["port"],
                  "stats-interval": STATS_INTERVAL_MS, **spec.get("sink", {})}
    network = "tfrcsink name=network " + launch_properties(properties)
    if spec["source"] in GREEDY_FRAME_RATES:
        line = greedy(spec.get("mtu", GREEDY_MTU),
                      GREEDY_FRAME_RATES[spec["source"]])
        return " ! ".join(filter(None, (line, spec.get("rtp_caps"), network)))
    if spec["source"] == "steady":
        return f"{STEADY} ! {network}"
    return f"{encoded(spec)} ! {network}" + (
        plain(spec) if spec.get("plain") else "")


def payloader_of(spec):
    """The payloader's timestamps start at 0 of the running time, so that the receiver
    can say when a frame was taken."""
    return {"timestamp-offset": 0, **spec.get("payloader", {})}


def encoded(spec):
    """Pictures up to the payloader.  An encoder that is late gets new ones, and old
    ones do not pile up, as with a camera."""
    codec = CODECS[spec["encoder"]]
    pictures_line = PICTURES.get(spec["source"], APPSRC)
    if spec.get("plain"):
        pictures_line += " ! tee name=pictures "
    return (f"{pictures_line} ! {QUEUE} "
            f"! {codec.encoder} ! {codec.payloader} name=payloader "
            f"{launch_properties(payloader_of(spec))}")


def plain(spec):
    codec = CODECS[spec["encoder"]]
    encoder = codec.fixed("plain-encoder", spec["plain"]["bitrate"])
    return (f" pictures. ! {QUEUE} ! {encoder} ! {codec.payloader} "
            f"{launch_properties({**payloader_of(spec), 'pt': 96})} "
            f"! udpsink host={spec['host']} port={spec['plain']['port']} "
            "sync=false async=false")


class Sender(Endpoint):

    def __init__(self, spec, pipeline=None, tell_of=tell):
        """`pipeline`: somebody else's, which runs it."""
        self.spec = spec
        self.camera = None
        self.references = []
        super().__init__(pipeline or description(spec), tell_of)

    def prepare(self):
        source = self.spec["source"]
        if source in ("steady", *GREEDY_FRAME_RATES):
            return
        if self.element("network"):
            self.element("network").connect("notify::sdp", lambda network, _: (
                self.tell("sdp", text=network.get_property("sdp"))))
        if source not in PICTURES and not self.open_frames():
            return
        self.watch_encoder("encoder", "")
        if self.spec.get("plain"):
            self.watch_encoder("plain-encoder", "plain-")
        self.element("encoder").get_static_pad("src").add_probe(
            Gst.PadProbeType.EVENT_UPSTREAM, self.on_upstream)
        if self.spec.get("picture"):
            self.element("encoder").get_static_pad("sink").add_probe(
                Gst.PadProbeType.BUFFER, self.on_raw)

    def open_frames(self):
        if self.spec["source"] == "file":
            frames = camera.FileFrames(self.spec["file"], self.on_message)
        else:
            frames = camera.SceneFrames()
        if frames.open() is False:
            if not self.code:
                self.fail("The file gives no pictures.", "",
                          self.spec["file"])
            return False
        self.camera = camera.Camera(self.element("camera"), frames)
        return True

    def on_raw(self, pad, info):
        self.last = (info.get_buffer(), pad.get_current_caps())
        return Gst.PadProbeReturn.OK

    def watch_encoder(self, name, prefix):
        """Tells of its frames, in events with that prefix."""
        reference = None
        if self.spec.get("reference"):
            reference = pictures.Reference(
                CODECS[self.spec["encoder"]].decoder,
                lambda picture: self.tell(
                    prefix + "reference", picture=picture))
            self.references.append(reference)
        self.element(name).get_static_pad("src").add_probe(
            Gst.PadProbeType.BUFFER, self.on_encoded, prefix, reference)

    def on_encoded(self, pad, info, prefix, reference):
        buffer = info.get_buffer()
        if reference:
            reference.push(buffer, pad.get_current_caps())
        self.tell(prefix + "encoded", bytes=buffer.get_size(), key=not
                  buffer.has_flags(Gst.BufferFlags.DELTA_UNIT))
        return Gst.PadProbeReturn.OK

    def on_upstream(self, _pad, info):
        if info.get_event().has_name("GstForceKeyUnit"):
            self.tell("keyframe-request")
        return Gst.PadProbeReturn.OK

    def played(self):
        if self.camera:
            self.camera.start()

    def commands(self):
        return {**super().commands(), "collide": self.collide}

    def collide(self):
        """What tfrcsink tells the payloader when somebody else is found to
        use its SSRC: it takes another one."""
        pad = self.element("payloader").get_static_pad("src")
        ssrc = pad.get_current_caps()[0]["ssrc"]
        pad.send_event(Gst.Event.new_custom(
            Gst.EventType.CUSTOM_UPSTREAM, Gst.Structure.from_string(
                f"GstRTPCollision, ssrc=(uint){ssrc}")[0]))
        return False

    def finish(self):
        if self.camera:
            self.camera.stop()
        for reference in self.references:
            reference.stop()
        self.write_picture(self.spec.get("picture"), self.last)


if __name__ == "__main__":
    sys.exit(Sender(json.loads(sys.argv[1])).run())
