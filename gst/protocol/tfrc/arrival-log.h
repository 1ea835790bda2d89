/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receiver of the sender-based variant of RFC 5348 section 7: keeps which packets
 * arrived, and when, until they are reported (RFC 8888, or transport-wide
 * feedback).  The sender's part is tfrc/sender-based.h.
 *
 *   tfrc_arrival_log_on_packet () for each packet
 *   at tfrc_arrival_log_next_deadline (), while that is not after now:
 *     tfrc_arrival_log_peek (), and for those of its packets that
 *     went into a report tfrc_arrival_log_on_reported ()
 */
#pragma once

#include <stddef.h>

#include "base/units.h"
#include "tfrc/packet.h"

/* Packets kept per stream, a power of 2.  A packet further than this from the
 * newest is not of the same stream.  Once half of them are unreported, a report is
 * due at once. */
#define TFRC_ARRIVAL_LOG_LENGTH 512

typedef struct
{
  /* Between reports, unless `share` needs a longer one. */
  TfrcDuration interval;
  TfrcDuration max_interval; /* longest interval, whatever share reports take */
  double share; /* limit for reports, as a share of received bytes; 0 = none */
} TfrcArrivalLogConfig;

typedef struct
{
  TfrcTime at;
  uint32_t number; /* low bits of the TfrcSeq */
  uint8_t ecn;     /* ECN field, 0 to 3, RFC 3168 */
  bool arrived;
} TfrcLoggedArrival;

/* Packets numbered together: an SSRC, or transport-wide sequence numbers. */
typedef struct
{
  uint32_t ssrc;
  TfrcTime newest_at;
  TfrcSeqUnwrapper seq; /* `highest` is the newest packet that arrived */
  TfrcSeq next;         /* lowest number not yet reported; 0 = none */
  TfrcSeq reported;     /* highest number reported */
  bool strays;          /* the previous packet was far from the newest */
  uint16_t after_stray; /* sequence number that would follow it */
  TfrcLoggedArrival packets[TFRC_ARRIVAL_LOG_LENGTH]; /* indexed by number */
} TfrcArrivalStream;

typedef struct
{
  TfrcArrivalLogConfig config;
  TfrcArrivalStream streams[TFRC_MAX_STREAMS];
  uint32_t n_streams;
  /* When all arrivals had been reported; TFRC_TIME_NONE: never. */
  TfrcTime reported_at;
  uint64_t reported_bytes; /* size of the reports that this took */
  uint64_t report_bytes;   /* size of reports since then */
  uint64_t bytes;          /* received since then */
} TfrcArrivalLog;

/* Reports every 50 ms, or as much less often as 5 % of the received bytes require,
 * but at least every 250 ms. */
TfrcArrivalLogConfig tfrc_arrival_log_config_default (void);

void tfrc_arrival_log_init (TfrcArrivalLog *self,
    const TfrcArrivalLogConfig *config);

/* Forgets everything but the config and the counter. */
void tfrc_arrival_log_forget (TfrcArrivalLog *self);

/* A packet of `size` bytes arrived.  If it arrives twice, the first arrival time
 * counts, and any CE mark (RFC 8888 section 3.1).  `ssrc` 0: `seq` is a
 * transport-wide sequence number.  `ecn`: its ECN field, 0 if not known.  SSRCs
 * beyond TFRC_MAX_STREAMS are not reported until one of the others has been silent
 * for half a second. */
void tfrc_arrival_log_on_packet (TfrcArrivalLog *self, uint32_t ssrc,
    uint16_t seq, uint32_t size, uint8_t ecn, TfrcTime now);

/* When a report is due; TFRC_TIME_NONE: there is nothing to report. */
TfrcTime tfrc_arrival_log_next_deadline (const TfrcArrivalLog *self);

/* Gets at most `max` packets for a report made now; returns how many.  Those of an
 * SSRC follow its last report without leaving a number out (seq, missing).  If a
 * packet arrived late, everything from it on is reported again (RFC 8888 section
 * 3.1). */
size_t tfrc_arrival_log_peek (const TfrcArrivalLog *self,
    TfrcReportedPacket *packets, size_t max, TfrcTime now);

/* The first `n` packets from tfrc_arrival_log_peek are in a report that takes
 * `size` bytes on the wire. */
void tfrc_arrival_log_on_reported (TfrcArrivalLog *self,
    const TfrcReportedPacket *packets, size_t n, uint32_t size, TfrcTime now);
