/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver of RFC 5348 section 6: hands packets to the loss detector, its
 * losses to the history, and says when to report what.
 *
 * One call in (tfrc_receiver_on_packet or tfrc_receiver_on_deadline), then
 * tfrc_receiver_poll_feedback until it has none, then read
 * tfrc_receiver_next_deadline. */
#pragma once

#include "tfrc-loss-history.h"
#include "tfrc-receive-rate.h"
#include "tfrc-trace.h"

typedef struct
{
  uint32_t history_length;      /* n, 2 to 256; default 8 */
  bool history_discounting;     /* RFC 5348 section 5.5; default true */
  double discount_threshold;    /* (0, 1]; default 0.25 */
  /* Share of the flow that reports may take before their interval grows,
   * RFC 3550 section 6.2; default 0.05.  0 = no limit. */
  double feedback_share;
  uint32_t feedback_size;       /* one report on the wire [bytes]; default 56 */
} TfrcReceiverConfig;

typedef struct
{
  uint64_t packets;             /* accepted */
  uint64_t bytes;
  uint64_t packets_lost;        /* declared lost and not repaired */
  uint64_t packets_marked;      /* ECN-CE */
  uint64_t packets_duplicate;
  uint64_t packets_late;        /* arrived after they were declared lost */
  uint64_t packets_unstamped;   /* without our header extension */
  uint64_t loss_events;
  uint64_t feedback;            /* reports handed out */
  uint64_t feedback_over_share; /* of these, beyond feedback_share */
  uint64_t sender_restarts;
  uint64_t stream_resets;       /* an SSRC jumped to other sequence numbers */
} TfrcReceiverCounters;

typedef struct TfrcReceiver TfrcReceiver;

TfrcReceiverConfig tfrc_receiver_config_default (void);

/* Values out of range are clamped. */
void tfrc_receiver_init (TfrcReceiver * self, const TfrcReceiverConfig * config);

/* A data packet at its arrival. TFRC_DUPLICATE: counted, no other effect. */
TfrcResult tfrc_receiver_on_packet (TfrcReceiver * self,
    const TfrcDataPacket * packet, TfrcTime now);

/* The feedback timer; TFRC_TIME_NONE before the first packet with an RTT. */
TfrcTime tfrc_receiver_next_deadline (const TfrcReceiver * self);
void tfrc_receiver_on_deadline (TfrcReceiver * self, TfrcTime now);

/* The report that is due, made for `now`; false when none is. */
bool tfrc_receiver_poll_feedback (TfrcReceiver * self, TfrcFeedback * feedback,
    TfrcTime now);

/* The SSRC has left (BYE): its holes are no longer waited for. */
void tfrc_receiver_remove_stream (TfrcReceiver * self, uint32_t ssrc);

TfrcReceiverCounters tfrc_receiver_get_counters (const TfrcReceiver * self);
void tfrc_receiver_get_trace (const TfrcReceiver * self, TfrcTrace * trace,
    TfrcTime now);
