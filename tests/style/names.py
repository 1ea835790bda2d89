#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether a newcomer finds a thing by the names of folders and files alone.

Each question has the words under which somebody who knows the field, but not
this code, would look.  Exactly one file of gst/ (a header and its source count
as one) has all of them in its path, or one with fewer words than the others, and
the function that does it is there."""

import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]

# question -> (words, file, function)
QUESTIONS = {
    "where is a frame dropped?":
        ("send queue", "gst/elements/send/queue", "tfrc_queue_trim"),
    "where is p computed?":
        ("loss intervals", "gst/protocol/tfrc/loss-intervals",
         "tfrc_loss_intervals_get_loss_event_rate"),
    "where is the encoder's bitrate property set?":
        ("encoder property", "gst/elements/encoder/property",
         "tfrc_encoder_property_set"),
    "where is the nofeedback timer?":
        ("protocol tfrc sender", "gst/protocol/tfrc/sender",
         "tfrc_sender_on_deadline"),
    "where is a packet's number changed?":
        ("send stream", "gst/elements/send/stream",
         "tfrc_send_stream_renumber"),
    "where is a report of TFRC believed or not?":
        ("checks tfrc sender", "gst/protocol/checks/tfrc-sender",
         "tfrc_feedback_check_judge"),
    "... and one of a member of a group?":
        ("checks tfmcc reports", "gst/protocol/checks/tfmcc-reports",
         "tfmcc_report_check_on_report"),
    "where is known which streams are at EOS?":
        ("send sink pad", "gst/elements/send/sink-pad",
         "tfrc_send_pads_are_at_eos"),
    "where does the encoder's bitrate come from?":
        ("encoder target", "gst/elements/encoder/target",
         "tfrc_encoder_target_from_flow"),
    "where is a report encrypted?":
        ("net srtp", "gst/elements/net/srtp",
         "tfrc_srtp_encoder_new"),
    "where is the current limiting receiver (CLR) chosen?":
        ("tfmcc clr", "gst/protocol/tfmcc/clr",
         "tfmcc_clr_choice_on_report"),
}


def words(path):
    return set(re.split(r"[/.-]", str(path).lower()))


def findings(files):
    for question, (wanted, place, function) in QUESTIONS.items():
        found = {path.with_suffix("") for path in files
                 if set(wanted.split()) <= words(path)}
        fewest = min((len(words(path)) for path in found), default=0)
        found = {path for path in found if len(words(path)) == fewest}
        if found != {pathlib.Path(place)}:
            names = ", ".join(sorted(map(str, found))) or "nothing"
            yield f"{question} '{wanted}' finds {names}, not {place} alone"
        source = TOP / f"{place}.c"
        # At the start of a line, as definitions are.
        if not source.exists() or not re.search(
                rf"^{function} \(", source.read_text(), re.MULTILINE):
            yield f"{question} no function {function} in {place}.c"


def main():
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(TOP), "ls-files", "gst"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    if listing.returncode:
        print(f"SKIP: {listing.stderr.strip()}")
        return 77
    found = list(findings([
        pathlib.Path(name) for name in listing.stdout.split("\n")
        if name.endswith((".c", ".h"))]))
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
