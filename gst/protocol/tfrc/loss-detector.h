/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets are lost, RFC 5348 section 5.1, and when they would have
 * arrived (5.2).
 *
 * Every SSRC of the flow is unwrapped and checked on its own; all share one
 * count of packets, the flow position: a received packet and each hole in
 * front of it take the next positions.  With one SSRC positions advance as
 * its sequence numbers do.
 *
 * A hole is lost once TFRC_NDUPACK later packets of its SSRC have arrived and
 * the path's reordering has had its time (tfrc/reordering.h); in a sparse stream
 * also once that many later packets of the flow and one RTT have passed.  More
 * than TFRC_MAX_WAITING holes of an SSRC do not wait: the oldest is lost.  A packet that comes after its hole was declared lost is
 * reported by tfrc_loss_detector_poll_repair ().  A marked packet (ECN-CE)
 * is a loss at its arrival.
 *
 * Packets of more SSRCs than there are places for take no position, until one of
 * the others was silent for half a second: what their SSRCs lose is not known, so
 * the others are a sample of the flow.
 *
 * After every call that takes `now`, and after removing a stream, poll first
 * the repair, then all losses. */
#pragma once

#include "base/streams.h"
#include "tfrc/packet.h"
#include "tfrc/stream.h"

typedef struct
{
  TfrcFlow flow;
  TfrcTime now;
  uint16_t n_streams;
  uint16_t newest; /* index of the stream of the last packet */
  uint16_t n_pending;
  bool has_repair;
  /* The holes of a stream that went, and the mark of the packet. */
  TfrcLossRun pending[TFRC_MAX_WAITING + 1];
  uint32_t pending_ssrc;
  uint32_t lost_ssrc;     /* of the newest loss that was polled */
  TfrcSeq repair;         /* position of the packet that came after all */
  uint64_t stream_resets; /* an SSRC jumped to other sequence numbers */
  TfrcStream streams[TFRC_MAX_STREAMS]; /* untouched from n_streams on */
} TfrcLossDetector;

/* `adaptive`: reordering is learnt; false: TFRC_NDUPACK alone decides.
 * `outages`: losses over an outage lie at its beginning. */
void tfrc_loss_detector_init (TfrcLossDetector *self, bool adaptive,
    bool outages);

/* `now` not before the last one; `rtt` is R, 0 while not known. */
TfrcArrival tfrc_loss_detector_on_packet (TfrcLossDetector *self,
    const TfrcDataPacket *packet, TfrcDuration rtt, TfrcTime now);

/* Whether packets of that SSRC have come, and it has a place. */
bool tfrc_loss_detector_knows (const TfrcLossDetector *self, uint32_t ssrc);

/* When time alone makes a hole lost; TFRC_TIME_NONE: never. */
TfrcTime tfrc_loss_detector_next_deadline (const TfrcLossDetector *self);
void tfrc_loss_detector_on_deadline (TfrcLossDetector *self, TfrcTime now);

/* The position whose loss is to be taken back, at most one per packet. */
bool tfrc_loss_detector_poll_repair (TfrcLossDetector *self, TfrcSeq *position);

bool tfrc_loss_detector_poll_loss (TfrcLossDetector *self, TfrcLossRun *run);

/* The SSRC has left.  Its holes are declared lost: whoever leaves sends
 * nothing more, and forgetting losses is the unsafe side. */
void tfrc_loss_detector_remove_stream (TfrcLossDetector *self, uint32_t ssrc);
