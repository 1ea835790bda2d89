#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints which size of pictures looks best at which bitrate, by encoder: a clip
encoded at parts of its size, enlarged again and compared with itself (VMAF, and
SSIM; in brackets the kbit/s that were made), which is what gsttfrcvideoscale.c goes by; and which
width tfrcvideoscale chooses.

    tests/evaluation/bench/picture_sizes.py [--frame-rates] [--encoder NAME]... [CLIP]

With --frame-rates the steps of maintain-resolution and balanced, which leave out pictures:
each that is left out is shown as the one before it, and counts so.

The clip is the real one of the tests (1280x720, 5 s); ffmpeg with libvmaf comes
out of a wheel."""

import argparse
from fractions import Fraction
import pathlib
import re
import sys
import tempfile

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GObject, Gst  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[3]
SUPPORT = TOP / "tests" / "support"
sys.path.insert(0, str(SUPPORT))

import quality  # noqa: E402
from quality import FFMPEG, run  # noqa: E402

BUILD = TOP / "build"
CLIP = BUILD / "clip" / "bigbuckbunny.mp4"

# As docs/encoders.md has them for live video; the bitrate in kbit/s.
ENCODERS = {
    "x264": "x264enc tune=zerolatency key-int-max=300 vbv-buf-capacity=67 "
            "bitrate={0} ! h264parse",
    "x264-ultrafast": "x264enc tune=zerolatency speed-preset=ultrafast "
                      "key-int-max=300 vbv-buf-capacity=67 bitrate={0} "
                      "! h264parse",
    "x265": "x265enc tune=zerolatency speed-preset=superfast "
            "key-int-max=300 bitrate={0} ! h265parse",
    "vp8": "vp8enc deadline=1 cpu-used=8 end-usage=cbr keyframe-max-dist=300 "
           "target-bitrate={0}000",
    "vp9": "vp9enc deadline=1 cpu-used=8 end-usage=cbr keyframe-max-dist=300 "
           "target-bitrate={0}000",
}
MEDIA_TYPES = {"x264": "video/x-h264", "x265": "video/x-h265",
               "vp8": "video/x-vp8", "vp9": "video/x-vp9"}
# Of the width and of the frame rate, as in gsttfrcvideoscale.c.
FULL = Fraction(1)
PARTS = [(Fraction(size), FULL) for size in ("1", "3/4", "1/2", "3/8", "1/4")]
RATE_PARTS = [(FULL, Fraction(rate)) for rate in ("1", "2/3", "1/2", "1/3", "1/4")
              ] + [(Fraction(size), Fraction("1/2"))
                   for size in ("1/2", "3/8", "1/4")]
KBITS = (64, 100, 150, 250, 400, 700, 1200, 2000)


def encode(source, file, encoder, picture, kbits):
    width, height, rate = picture
    launch = (f"filesrc location={source} ! y4mdec ! videorate drop-only=true ! "
              f"videoscale ! video/x-raw,width={width},height={height},"
              f"framerate={rate.numerator}/{rate.denominator} ! "
              f"{ENCODERS[encoder].format(kbits)} ! matroskamux ! "
              f"filesink location={file}")
    run("gst-launch-1.0", "-q", *launch.split())


def compare(source, file, picture, every):
    """Of one picture in so many: VMAF and SSIM of what a viewer sees who shows it at the source's size, and
    the kbit/s that the encoder made of it."""
    width, height, rate = picture
    vmaf, ssim, text = quality.compare(
        ["-i", file], ["-i", source],
        (f"fps={rate},scale={width}:{height}:flags=bilinear", "null"), every)
    hours, minutes, seconds = re.search(
        r"Duration: (\d+):(\d+):([\d.]+)", text).groups()
    seconds = float(seconds) + 60 * int(minutes) + 3600 * int(hours)
    return vmaf, ssim, file.stat().st_size * 8e-3 / seconds


def choose(encoder, picture, degradation, kbits):
    """What tfrcvideoscale has come to after a second of frames."""
    width, height, rate = picture
    pipeline = Gst.parse_launch(
        f"videotestsrc num-buffers=40 ! video/x-raw,width={width},"
        f"height={height},framerate={rate.numerator}/{rate.denominator} ! "
        f"tfrcvideoscale name=scale degradation={degradation} passive=true ! "
        "fakesink name=sink")
    told = Gst.Structure.new_empty("tfrc-encoder-bitrate")
    told.set_value("bitrate", GObject.Value(GObject.TYPE_UINT64, kbits * 1000))
    told.set_value("media-type", MEDIA_TYPES[encoder.split("-")[0]])
    pipeline.set_state(Gst.State.PAUSED)
    pipeline.get_state(Gst.CLOCK_TIME_NONE)
    pipeline.get_by_name("sink").get_static_pad("sink").push_event(
        Gst.Event.new_custom(Gst.EventType.CUSTOM_UPSTREAM, told))
    pipeline.set_state(Gst.State.PLAYING)
    chosen = picture
    while True:
        message = pipeline.get_bus().timed_pop_filtered(
            10 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR
            | Gst.MessageType.ELEMENT)
        if message is None or message.type != Gst.MessageType.ELEMENT:
            break
        if message.has_name("tfrc-picture-size"):
            fields = message.get_structure()
            _, numerator, denominator = fields.get_fraction("framerate")
            chosen = (fields.get_value("width"), fields.get_value("height"),
                      Fraction(numerator, denominator))
    pipeline.set_state(Gst.State.NULL)
    return name(chosen)


def name(picture):
    width, height, rate = picture
    return f"{width}x{height}, {float(rate):.4g}/s"


def measure(source, whole, encoder, parts, modes, every, folder):
    width, height, rate = whole
    pictures = [(int(width * size), int(height * size), rate * part)
                for size, part in parts]
    print(f"| {encoder}, kbit/s | " + " | ".join(map(name, pictures))
          + " | " + " | ".join(modes) + " |")
    print("|---" * (len(parts) + len(modes) + 1) + "|")
    for kbits in KBITS:
        row = []
        for picture in pictures:
            file = folder / "encoded.mkv"
            encode(source, file, encoder, picture, kbits)
            row.append(compare(source, file, whole, every))
        best = max(vmaf for vmaf, _, _ in row)
        print(f"| {kbits} | " + " | ".join(
            f"{'**' * (vmaf == best)}{vmaf:.1f}{'**' * (vmaf == best)}, "
            f"{ssim:.3f} ({made:.0f})" for vmaf, ssim, made in row)
            + " | " + " | ".join(choose(encoder, whole, mode, kbits)
                                 for mode in modes) + " |", flush=True)
    print()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clip", nargs="?", type=pathlib.Path, default=CLIP)
    parser.add_argument("--encoder", action="append", choices=ENCODERS)
    parser.add_argument("--frame-rates", action="store_true")
    options = parser.parse_args()
    Gst.init(None)
    Gst.Registry.get().scan_path(str(BUILD / "gst" / "elements"))
    if options.clip == CLIP:
        run(SUPPORT / "fetch-clip.sh", BUILD)
    quality.fetch_ffmpeg()
    # Where pictures are left out those that are shown again count as well.
    parts, modes, every = (
        (RATE_PARTS, ["maintain-resolution", "balanced"], 1)
        if options.frame_rates else (PARTS, ["maintain-framerate"], 2))
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        source = folder / "source.y4m"
        found = re.search(r" (\d+)x(\d+)[, ].* ([\d.]+) fps", run(
            FFMPEG, "-i", options.clip, "-an", "-pix_fmt", "yuv420p", source))
        whole = int(found[1]), int(found[2]), Fraction(found[3])
        for encoder in options.encoder or ENCODERS:
            measure(source, whole, encoder, parts, modes, every,
                    folder)


if __name__ == "__main__":
    try:
        main()
    except quality.QualityError as error:
        sys.exit(str(error))
