# SPDX-License-Identifier: LGPL-2.1-or-later
"""The forms in which a stream can go over the network: address family, one
port or two, how reports are wrapped, SRTP.  What holds in one has to hold in
all:

    def act(form):
        def run(stage):
            ...
            form.receiver(stage, "receiver", source="greedy").play()
            form.sender(stage, "sender", "receiver", source="greedy").play()
        return run
    runs = {(name, 1): act(form) for name, form in forms.FORMS.items()}
"""

import dataclasses

# AES-128-CM: 16 bytes of key, 14 of salt.
KEY = "5a" * 30
# AES-256-GCM: 32 and 12.
LONG_KEY = "a5" * 44


@dataclasses.dataclass(frozen=True)
class Form:
    """`sink`, `src`: properties of tfrcsink and tfrcsrc."""
    what: str
    version: int = 4
    sink: dict = dataclasses.field(default_factory=dict)
    src: dict = dataclasses.field(default_factory=dict)

    def sender(self, stage, host, to, sink=None, **more):
        """`to`: a host."""
        return stage.sender(host, stage.address(to, self.version),
                            sink={**self.sink, **(sink or {})}, **more)

    def receiver(self, stage, host, src=None, **more):
        return stage.receiver(host, src={**self.src, **(src or {})}, **more)


def _both(what, version=4, src=None, **both):
    """Properties that both ends need, and those of the receiver alone."""
    return Form(what, version, both, {**both, **(src or {})})


FORMS = {
    "plain": _both("IPv4, one port for RTP and RTCP, reports of reduced size"),
    "ipv6": _both("IPv6", version=6),
    "two-ports": _both("RTCP on a port of its own", **{"rtcp-mux": False}),
    "compound": _both("reports in full compound packets",
                      src={"rtptfrcreceive::rtcp-reduced-size": False}),
    "srtp": _both("SRTP, AES-128 in counter mode", **{"srtp-key": KEY}),
    "all": _both("IPv6, RTCP on a port of its own, reports in full compound "
                 "packets, SRTP with AES-256-GCM", version=6,
                 src={"rtptfrcreceive::rtcp-reduced-size": False},
                 **{"rtcp-mux": False, "srtp-key": LONG_KEY,
                    "srtp-cipher": "aes-256-gcm"}),
}
