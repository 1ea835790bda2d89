# SPDX-License-Identifier: LGPL-2.1-or-later
"""The bytes that an attacker sends: RTP, RTCP, and UDP over IPv4 from any
address.  Formats as in docs/protocol.md."""

import socket
import struct

PAYLOAD_TYPE = 96
# A slice of a picture that never was.
PAYLOAD = b"\x41" + 60 * b"\xa5"
ONE = 0xffffffff                # p = 1, and the largest X_recv
PLI, BYE, SDES, SR, RR = 206, 203, 202, 200, 201
# What SRTCP appends: E flag and index, authentication tag.
SRTCP_TRAILER = struct.pack(">I", 0x80000001) + 10 * b"\x5a"
SRTP_TAG = 10 * b"\x5a"


def rtp(ssrc, seq, timestamp, send_time_us, rtt_us=50000, extension_id=1):
    """A packet of the stream, with the header extension of tfrcsink."""
    element = struct.pack(
        ">II", extension_id << 28 | 6 << 24 | rtt_us & 0xffffff,
        send_time_us & 0xffffffff)
    return struct.pack(
        ">BBHIIHH", 0x90, PAYLOAD_TYPE, seq & 0xffff,
        timestamp & 0xffffffff, ssrc, 0xbede, 2) + element + PAYLOAD


def feedback(ssrc, media_ssrc, echo_us, receive_rate, p):
    """`receive_rate` [bytes/s]; `p`: ONE is 1."""
    return struct.pack(">BBHIIIIII", 0x82, 205, 6, ssrc, media_ssrc,
                       echo_us & 0xffffffff, 0, receive_rate, p)


def key_frame_request(ssrc, media_ssrc):
    return struct.pack(">BBHII", 0x81, PLI, 2, ssrc, media_ssrc)


def sender_report(ssrc):
    return struct.pack(">BBHIQIII", 0x80, SR, 6, ssrc, 0, 0, 0, 0)


def receiver_report(ssrc):
    return struct.pack(">BBHI", 0x80, RR, 1, ssrc)


def description(ssrc):
    """SDES with a CNAME of two letters."""
    return struct.pack(">BBHIBB2sI", 0x81, SDES, 3, ssrc, 1, 2, b"xy", 0)


def bye(ssrc):
    return receiver_report(ssrc) + struct.pack(">BBHI", 0x81, BYE, 1, ssrc)


def datagram(source, destination, payload):
    """IPv4 packet for a raw socket; the kernel adds length and checksum of
    IP, and UDP over IPv4 needs none."""
    udp = struct.pack(">HHHH", source[1], destination[1], 8 + len(payload),
                      0)
    header = struct.pack(
        ">BBHHHBBH4s4s", 0x45, 0, 0, 0, 0, 64, socket.IPPROTO_UDP, 0,
        socket.inet_aton(source[0]), socket.inet_aton(destination[0]))
    return header + udp + payload


class Heard:
    """What somebody knows who reads the packets between two hosts."""

    def __init__(self, sender, receiver):
        self.sender = sender        # (address, port)
        self.receiver = receiver
        self.ssrc = None            # of the stream
        self.seq = 0
        self.timestamp = 0
        self.extension_id = 1
        self.send_time_us = 0
        self.heard_at = 0
        self.report_ssrc = None     # of the receiver
        self.data = b""             # the newest RTP, as it was
        self.report = b""           # the newest RTCP

    def take(self, packet, now):
        """An IPv4 packet."""
        if len(packet) < 36 or packet[9] != socket.IPPROTO_UDP:
            return
        size = (packet[0] & 15) * 4
        ports = struct.unpack(">HH", packet[size:size + 4])
        source = (socket.inet_ntoa(packet[12:16]), ports[0])
        payload = packet[size + 8:]
        is_rtcp = 192 <= payload[1] <= 223
        if source == self.sender and not is_rtcp:
            self._take_data(payload, now)
        elif source == self.receiver and is_rtcp:
            self.report_ssrc, = struct.unpack(">I", payload[4:8])
            self.report = payload

    def _take_data(self, data, now):
        if len(data) < 24 or not data[0] & 0x10:
            return
        _, _, self.seq, self.timestamp, self.ssrc = struct.unpack(
            ">BBHII", data[:12])
        self.extension_id = data[16] >> 4
        self.send_time_us, = struct.unpack(">I", data[20:24])
        self.heard_at = now
        self.data = data
