# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a player offers: the first m-line of video that wants H.264."""

import dataclasses

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
from gi.repository import Gst, GstSdp  # noqa: E402

TRANSPORT_WIDE_CC = ("http://www.ietf.org/id/"
                     "draft-holmer-rmcat-transport-wide-cc-extensions-01")


class OfferError(Exception):
    """Its text is what the player reads."""


@dataclasses.dataclass(frozen=True)
class Offer:
    description: GstSdp.SDPMessage
    m_line: int
    payload_type: int
    # Of the header extension of transport-wide sequence numbers, or None.
    extension_id: str


def read(text):
    """The Offer that a text of SDP is; OfferError if it is none that can be
    answered."""
    result, description = GstSdp.SDPMessage.new_from_text(text)
    if result != GstSdp.SDPResult.OK or not description.medias_len() \
            or description.get_version() != "0":
        raise OfferError("This is no offer in SDP.")
    for m_line in range(description.medias_len()):
        media = description.get_media(m_line)
        if media.get_media() != "video" or not _receives(media):
            continue
        payload_type = _payload_type(media)
        if payload_type is None:
            continue
        for word, what in (("ice-ufrag", "ICE credentials"),
                           ("fingerprint", "key for DTLS")):
            if not media.get_attribute_val(word) \
                    and not description.get_attribute_val(word):
                raise OfferError(f"The offer has no {what} ({word}).")
        return Offer(description, m_line, payload_type, _extension_id(media))
    raise OfferError("The offer has no video to receive as H.264 "
                     "(packetization-mode 1).")


def _receives(media):
    return media.get_port() != 0 and not any(
        media.get_attribute_val(word) is not None
        for word in ("sendonly", "inactive"))


def _payload_type(media):
    """The number of H.264, rather of its constrained baseline profile, which
    every browser decodes; None if there is none."""
    found = {}
    for i in range(media.formats_len()):
        if not media.get_format(i).isdigit():
            continue
        number = int(media.get_format(i))
        caps = media.get_caps_from_media(number)
        if caps is None:
            continue
        # Of GStreamer 1.26 get_structure() is for writing.
        fields = Gst.Structure.from_string(caps.to_string())[0]
        if fields.get_string("encoding-name") == "H264" \
                and fields.get_string("packetization-mode") == "1":
            profile = fields.get_string("profile-level-id") or ""
            found.setdefault(profile[:4].lower() == "42e0", number)
    return found.get(True, found.get(False))


def _extension_id(media):
    i = 0
    while value := media.get_attribute_val_n("extmap", i):
        number, _, uri = value.partition(" ")
        if uri.strip() == TRANSPORT_WIDE_CC:
            return number.partition("/")[0]
        i += 1
    return None
