# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is wrong, in one sentence that says what to do."""

import glob
import os
import re

import gi

gi.require_version("GstSdp", "1.0")
from gi.repository import Gst, GstSdp  # noqa: E402

from live.codecs import CODECS  # noqa: E402

PACKAGES = "tests/support/install-packages.sh desktop run"


def of_choice(choice):
    """What is seen before a start, or None."""
    codec = CODECS[choice.encoder]
    for element in (codec.encoder.split()[0], codec.decoder):
        if Gst.ElementFactory.find(element) is None:
            return (f"There is no {element} here: install it with {PACKAGES}, "
                    "or choose another encoder.")
    if choice.source == "camera" and not glob.glob("/dev/video*"):
        return ("There is no camera, no /dev/video*: plug one in, or choose "
                "another source.")
    if choice.source == "screen" and not os.environ.get("DISPLAY"):
        return ("Only the screen of an X display can be sent: start an X "
                "session, or choose another source.")
    if choice.form == "send" and not choice.host:
        return ("Where to? Write the name or address of the other machine "
                "below, and press Connect.")
    if choice.form == "receive" and choice.sdp:
        return of_sdp(choice.sdp)
    if choice.source == "file" and not os.access(choice.file or "", os.R_OK):
        return (f"The file {choice.file} cannot be read: choose another one.")
    return None


def of_sdp(text):
    result, sdp = GstSdp.SDPMessage.new_from_text(text)
    if result != GstSdp.SDPResult.OK or not sdp.medias_len():
        return ("What was pasted is no SDP with a stream: copy the whole text "
                "of the sender's window, from v=0 on.")
    if encoder_of(text) is None:
        return ("The SDP has no video that is decoded here: choose one of "
                f"{', '.join(sorted(CODECS))} at the sender.")
    return None


def encoder_of(sdp):
    """The name of a codec for the stream of an SDP, or None."""
    names = re.findall(r"a=rtpmap:\d+ ([^/\s]+)/90000", sdp)
    return next((name for name, codec in CODECS.items()
                 if codec.encoding_name in names), None)


def of_error(error, choice):
    """What a session ended with."""
    if "Address already in use" in error:
        return (f"Port {choice.port} is taken: choose another one, or end the "
                "program that has it (ss -lunp names it).")
    if "/dev/video" in error or "v4l2" in error:
        return ("The camera gives no pictures: end the program that uses it, "
                f"or choose another source ({error}).")
    if re.search("no element|not negotiated|missing", error):
        return f"{error}: install what is missing with {PACKAGES}."
    return f"The stream ended: {error}."
