/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets are lost, RFC 5348 section 5.1, and when they would have
 * arrived (5.2).
 *
 * Every SSRC of the flow is unwrapped and checked on its own; all share one
 * count of packets, the flow position: a received packet and each hole in
 * front of it take the next positions.  With one SSRC positions advance as
 * its sequence numbers do.
 *
 * A hole is lost once TFRC_NDUPACK later packets of its SSRC have arrived; in
 * a sparse stream also once that many later packets of the flow and one RTT
 * have passed.  A packet that comes after its hole was declared lost is
 * reported by tfrc_loss_detector_poll_repair (). */
#pragma once

#include "tfrc-packet.h"
#include "tfrc-seq.h"

#define TFRC_NDUPACK 3          /* RFC 5348 section 5.1 */
#define TFRC_MAX_STREAMS 8      /* SSRCs; the longest silent one makes room */
#define TFRC_MAX_HOLES 64       /* per SSRC; the oldest is declared lost */

/* Consecutive lost packets, or one marked packet. */
typedef struct
{
  TfrcSeq first;                /* flow position */
  uint32_t count;
  TfrcTime first_at;            /* T_loss of the first */
  TfrcDuration spacing;         /* T_loss of one to that of the next */
} TfrcLossRun;
