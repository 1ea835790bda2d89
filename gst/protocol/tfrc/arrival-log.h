/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver of the sender-based variant of RFC 5348 section 7: keeps which packets
 * arrived, and when, until they are reported (RFC 8888, or transport-wide feedback).
 * tfrc/sender-based.h is the other end.
 *
 *   tfrc_arrival_log_on_packet () for each packet
 *   at tfrc_arrival_log_next_deadline (), while that is not after now:
 *     tfrc_arrival_log_peek (), and of what it gave
 *     tfrc_arrival_log_on_reported () what went into a report */
#pragma once

#include <stddef.h>

#include "base/units.h"
#include "tfrc/packet.h"

/* Packets kept of a stream, a power of 2.  One that is further from the newest is of
 * another stream; half of them unreported are reported at once. */
#define TFRC_ARRIVAL_LOG_LENGTH 512

typedef struct
{
  TfrcDuration interval;     /* between reports, where `share` allows it */
  TfrcDuration max_interval; /* reports come as often, whatever they take */
  double share; /* of the bytes that arrive, for reports; 0 = no limit */
} TfrcArrivalLogConfig;

typedef struct
{
  TfrcTime at;
  uint32_t number; /* low bits of the TfrcSeq */
  uint8_t ecn;     /* 0 to 3, RFC 3168 */
  bool arrived;
} TfrcLoggedArrival;

/* What is numbered together: an SSRC, or the transport. */
typedef struct
{
  uint32_t ssrc;
  TfrcTime heard_at;
  TfrcSeqUnwrapper seq; /* its highest is the newest that arrived */
  TfrcSeq next;         /* the lowest that is not reported */
  TfrcSeq reported;     /* the highest that is */
  bool strays;          /* the packet before was far from the newest ... */
  uint16_t after_stray; /* ... and this one would follow on it */
  TfrcLoggedArrival packets[TFRC_ARRIVAL_LOG_LENGTH]; /* by number */
} TfrcArrivalStream;

typedef struct
{
  TfrcArrivalLogConfig config;
  TfrcArrivalStream streams[TFRC_MAX_STREAMS];
  uint32_t n_streams;
  TfrcTime reported_at;    /* all that had arrived; TFRC_TIME_NONE: never */
  uint64_t reported_bytes; /* that this took */
  uint64_t report_bytes;   /* of reports since then */
  uint64_t bytes;          /* that have arrived since then */
  uint64_t
      packets_ignored; /* too far from their stream's newest, or of one too many */
} TfrcArrivalLog;

/* 50 ms, or as much longer as 5 % of the bytes ask for, up to 250 ms. */
TfrcArrivalLogConfig tfrc_arrival_log_config_default (void);

void tfrc_arrival_log_init (TfrcArrivalLog *self,
    const TfrcArrivalLogConfig *config);

/* Forgets all but the config and the counter. */
void tfrc_arrival_log_forget (TfrcArrivalLog *self);

/* A packet of `size` bytes; of one that comes twice the first arrival counts, and any
 * CE mark (RFC 8888 section 3.1).  `ssrc`: 0 = `seq` is a number of the transport.
 * `ecn`: its codepoint, 0 where that is not known.  Of more than TFRC_MAX_STREAMS the
 * others are not reported, until one of the first was silent for half a second. */
void tfrc_arrival_log_on_packet (TfrcArrivalLog *self, uint32_t ssrc,
    uint16_t seq, uint32_t size, uint8_t ecn, TfrcTime now);

/* TFRC_TIME_NONE: there is nothing to report. */
TfrcTime tfrc_arrival_log_next_deadline (const TfrcArrivalLog *self);

/* Packets for a report made now, `max` at most; how many.  From each SSRC's last
 * report on, all of them follow on each other (seq, missing); where one came late,
 * what was reported after it is told again (RFC 8888 section 3.1). */
size_t tfrc_arrival_log_peek (const TfrcArrivalLog *self,
    TfrcReportedPacket *packets, size_t max, TfrcTime now);

/* The first `n` of what tfrc_arrival_log_peek gave are in a report that takes `size`
 * bytes on the wire. */
void tfrc_arrival_log_on_reported (TfrcArrivalLog *self,
    const TfrcReportedPacket *packets, size_t n, uint32_t size, TfrcTime now);
