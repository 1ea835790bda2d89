# SPDX-License-Identifier: LGPL-2.1-or-later
"""The video encoders that a session can use, set for low delay, and what
belongs to each: payloader, depayloader, decoder.

No bitrate appears here beyond a harmless start: tfrcsink sets it.  The
group of pictures is long everywhere, because a key frame comes when it is
asked for; x264enc's buffer is left to tfrcsink as well."""

import re
from dataclasses import dataclass


# Frames, of a stream without congestion control.
KEY_INTERVAL = 60


@dataclass(frozen=True)
class Codec:
    encoder: str
    payloader: str
    encoding_name: str
    depayloader: str
    decoder: str
    # How the encoder is told a rate that stays, and to make a key frame now
    # and then by itself: what a stream without congestion control needs.
    bitrate: str
    bitrate_unit: int       # bit/s
    key_interval: str
    # What tfrcsink sets besides.
    buffer: str = ""

    def fixed(self, name, bits_s):
        """The encoder under that name, at that rate."""
        line = self.encoder.replace("name=encoder", f"name={name}")
        for key, value in ((self.bitrate, int(bits_s / self.bitrate_unit)),
                           (self.key_interval, KEY_INTERVAL)):
            line = re.sub(rf"\b{key}=\d+", f"{key}={value}", line)
        return line.replace(f"name={name}", f"name={name} {self.buffer}")


CODECS = {
    "x264": Codec(
        "x264enc name=encoder tune=zerolatency speed-preset=veryfast "
        "key-int-max=300 bitrate=500 ! video/x-h264,profile=main",
        "rtph264pay config-interval=-1 aggregate-mode=zero-latency",
        "H264", "rtph264depay", "avdec_h264",
        "bitrate", 1000, "key-int-max", "vbv-buf-capacity=133"),
    # The threads of its own pool run at nice 10: beside other work they are too
    # late for a live stream.  The buffer is one frame of any bitrate.
    "x265": Codec(
        "x265enc name=encoder tune=zerolatency speed-preset=ultrafast "
        "option-string=pools=none:vbv-bufsize=1 key-int-max=300 bitrate=500",
        "rtph265pay config-interval=-1 aggregate-mode=zero-latency",
        "H265", "rtph265depay", "avdec_h265",
        "bitrate", 1000, "key-int-max"),
    "vp8": Codec(
        "vp8enc name=encoder deadline=1 cpu-used=8 end-usage=cbr "
        "keyframe-max-dist=300 lag-in-frames=0 error-resilient=default "
        "buffer-initial-size=100 buffer-optimal-size=150 buffer-size=250 "
        "dropframe-threshold=30 resize-allowed=false target-bitrate=500000",
        "rtpvp8pay picture-id-mode=15-bit",
        "VP8", "rtpvp8depay", "vp8dec",
        "target-bitrate", 1, "keyframe-max-dist"),
    "vp9": Codec(
        "vp9enc name=encoder deadline=1 cpu-used=8 end-usage=cbr "
        "keyframe-max-dist=300 lag-in-frames=0 error-resilient=default "
        "buffer-initial-size=100 buffer-optimal-size=150 buffer-size=250 "
        "dropframe-threshold=30 row-mt=true target-bitrate=500000",
        "rtpvp9pay picture-id-mode=15-bit",
        "VP9", "rtpvp9depay", "vp9dec",
        "target-bitrate", 1, "keyframe-max-dist"),
    "openh264": Codec(
        "openh264enc name=encoder complexity=low rate-control=bitrate "
        "gop-size=300 bitrate=500000",
        "rtph264pay config-interval=-1 aggregate-mode=zero-latency",
        "H264", "rtph264depay", "avdec_h264",
        "bitrate", 1, "gop-size"),
}
