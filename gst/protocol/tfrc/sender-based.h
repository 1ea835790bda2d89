/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender-based variant of RFC 5348 section 7: the receiver only reports which
 * packets arrived and when; the rest of a TFRC receiver runs here, beside the
 * sender.
 *
 * Each reported arrival goes to a TfrcReceiver, at the time it had by the
 * receiver's clock.  So losses, loss events, p and X_recv are those that a TFRC
 * receiver there would have found.  Each report that it would have sent comes out
 * here, late by the time that arrivals waited to be reported.  That wait is in its
 * t_delay if the format says when the report was made, so it is not part of R: R is
 * that of the path, as the equation and loss events need it.  Only the nofeedback
 * timer has to wait for reports, see tfrc_sender_set_report_delay ().  If the
 * format does not say it, R includes the wait of the newest packet in a report, at
 * most one packet interval.
 *
 * If a report is lost, nothing is known of its packets: they count neither as
 * arrived nor as lost.  They leave no hole, since the receiver gets new sequence
 * numbers, of the known packets only.
 *
 *   tfrc_sender_based_begin_report ()
 *   for each packet in it: tfrc_sender_based_on_packet (), then
 *       tfrc_sender_based_poll_feedback () until it returns false
 *   tfrc_sender_based_end_report (), then poll_feedback likewise
 */
#pragma once

#include "tfrc/receiver.h"

typedef struct
{
  TfrcReceiverConfig receiver;
  /* Packets are sent as ECT(1), and a mark is no loss; default false. */
  bool l4s;
} TfrcSenderBasedConfig;

#ifndef TFRC_SENT_LENGTH
#define TFRC_SENT_LENGTH 16384 /* packets kept, of all streams; a power of 2 */
#endif

typedef struct
{
  TfrcSeq number; /* counts the packets of its stream, from 1; 0 = none */
  uint64_t older; /* index of an older packet with the same hash; 0 = none */
  TfrcTime sent_at;
  TfrcExtension extension;
  uint32_t size;
  uint64_t bytes; /* of its stream, up to this packet */
  uint32_t ssrc;  /* SSRC and ... */
  uint16_t seq;   /* ... sequence number by which it is reported */
  bool arrived;   /* reported as arrived */

  /* The same for its transport-wide sequence number, if it has one. */
  bool transport_arrived;
  uint16_t transport_seq;
  TfrcSeq transport_number;
} TfrcSentPacket;

/* Packets numbered together: an SSRC, or transport-wide sequence numbers. */
typedef struct
{
  uint32_t ssrc;
  uint64_t since;   /* index of its first packet */
  TfrcTime sent_at; /* when its newest packet was sent */
  uint16_t seq;     /* sequence number of that packet */
  TfrcSeq newest;   /* number of that packet */
  uint64_t bytes;   /* up to that packet */
  TfrcSeq covered;  /* highest number that a report covered; 0 = none */
  TfrcSeq skipped;  /* numbers that no report covered, so far */
  /* Packets with lower numbers can no longer be placed. */
  TfrcSeq skipped_before;
} TfrcSentStream;

typedef struct
{
  uint64_t reports;         /* accepted */
  uint64_t packets_unknown; /* reported but never sent, or sent too long ago */
} TfrcSenderBasedCounters;

typedef struct
{
  TfrcSenderBasedConfig config;
  TfrcReceiver receiver;
  TfrcSentStream streams[TFRC_MAX_STREAMS];
  uint32_t n_streams;
  uint64_t n_sent; /* index of the newest packet, counted from 1 */
  /* Indexed by index modulo the length. */
  TfrcSentPacket sent[TFRC_SENT_LENGTH];
  /* Index of the newest packet, by hash. */
  uint64_t newest_of[TFRC_SENT_LENGTH];
  /* Index of the newest packet, by transport_seq. */
  uint64_t numbered[TFRC_SENT_LENGTH];
  TfrcSenderBasedCounters counters;
  uint64_t losses_reported; /* of the receiver's losses */

  /* The newest report. */
  bool has_report;
  uint32_t reporter_ssrc;
  TfrcTime reported_at; /* arrival */
  TfrcDuration clock;   /* its receiver clock */
  TfrcTime clock_at; /* that clock, unwrapped, with the origin of ours; wraps */
  TfrcTime clock_excess; /* of that over what it is taken for; wraps */
  uint8_t count;
  bool counted;

  /* The report being read. */
  TfrcTime now;
  TfrcTime made_at;        /* when it was made, as the clock is taken */
  TfrcDuration resolution; /* of its arrival times */
  bool contiguous; /* no report was lost between the previous one and this */
  TfrcDuration longest; /* longest time that a packet waited to be reported */
  TfrcTime newest_sent_at; /* newest of its packets that arrived; 0 = none */

  /* When the packet that the receiver would echo was sent. */
  TfrcTime echo_sent_at;
  TfrcDuration report_delay; /* smoothed and limited maximum of `longest` */
} TfrcSenderBased;

/* Receiver as by tfrc_receiver_config_default (), without L4S. */
TfrcSenderBasedConfig tfrc_sender_based_config_default (void);

void tfrc_sender_based_init (TfrcSenderBased *self,
    const TfrcSenderBasedConfig *config);

/* Forgets everything reported, as if another receiver took over.  Counters and the
 * packets sent are kept. */
void tfrc_sender_based_forget (TfrcSenderBased *self);

/* A packet of `size` bytes is sent now with `extension`, and will be reported by
 * `ssrc` and `seq`; `ssrc` 0 stands for transport-wide sequence numbers.  At most
 * TFRC_MAX_STREAMS SSRCs are tracked, transport-wide numbers always.  A further one
 * takes the place of a stream that has been silent for half a second; if there is
 * none, returns false and the packet is not tracked. */
bool tfrc_sender_based_on_sent (TfrcSenderBased *self, uint32_t ssrc,
    uint16_t seq, uint32_t size, const TfrcExtension *extension, TfrcTime now);

/* The packet passed last also has this transport-wide sequence number. */
void tfrc_sender_based_on_numbered (TfrcSenderBased *self, uint16_t seq);

/* The newest packet of `ssrc`, with that `seq`, was not sent after all, and the
 * next one will have its number.  It must not have been reported. */
void tfrc_sender_based_take_back (TfrcSenderBased *self, uint32_t ssrc,
    uint16_t seq);

/* The packet sent under that number; NULL if there is none, or it was too long ago. */
const TfrcSentPacket *tfrc_sender_based_find_sent (const TfrcSenderBased *self,
    uint32_t ssrc, uint16_t seq);

/* Bytes sent under that SSRC; 0 if it is not tracked. */
uint64_t tfrc_sender_based_get_sent_bytes (const TfrcSenderBased *self,
    uint32_t ssrc);

/* Starts a report.  Returns TFRC_OK, or TFRC_FOREIGN if it is not from the current
 * receiver: it is then counted, and its packets must not be passed in.  Another
 * receiver takes over once the current one has been silent for half a second, or
 * four times the delay of its reports. */
TfrcResult tfrc_sender_based_begin_report (TfrcSenderBased *self,
    const TfrcPacketReport *report, TfrcTime now);

/* Whether the current receiver has not been silent for so long. */
bool tfrc_sender_based_has_receiver (const TfrcSenderBased *self, TfrcTime now);

/* Takes a few lookups, however many packets are missing.  If this is the first
 * report of the packet's arrival time, returns what was sent; else NULL. */
const TfrcSentPacket *tfrc_sender_based_on_packet (TfrcSenderBased *self,
    const TfrcReportedPacket *packet);

/* When the packet that was returned last arrived, by the receiver's clock as it is, for
 * delay/delay-meter.h: it steps where that was set, or stood, and wraps. */
TfrcTime tfrc_sender_based_get_arrival (const TfrcSenderBased *self);

/* All packets of the report have been passed in. */
void tfrc_sender_based_end_report (TfrcSenderBased *self);

/* Gets a report that a TFRC receiver would have sent, to be passed to
 * tfrc_checked_sender_on_feedback () at the arrival of the packet report.  Returns
 * false if there is none. */
bool tfrc_sender_based_poll_feedback (TfrcSenderBased *self,
    TfrcFeedback *feedback);

/* Gets an SSRC that lost packets; one loss may return it several times.  Returns
 * false if there is none. */
bool tfrc_sender_based_poll_lost (TfrcSenderBased *self, uint32_t *ssrc);

/* How long packets wait to be reported, at most 500 ms; for
 * tfrc_sender_set_report_delay (). */
TfrcDuration tfrc_sender_based_get_report_delay (const TfrcSenderBased *self);
