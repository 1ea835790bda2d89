/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender-based variant of RFC 5348 section 7: a receiver reports which packets
 * arrived and when, and here, beside the sender, is the rest of a TFRC receiver.
 *
 * It is the TfrcReceiver itself that each reported arrival goes to, under the time
 * that the other end's clock showed; so losses, loss events, p and X_recv are those
 * that a receiver of TFRC there would have found, and each report that it would have
 * sent meanwhile comes out, late by the time that the arrivals took to be reported.
 * That time is in their t_delay, where the format tells when the report was made,
 * and so it is no part of R: R is the path's, as the equation and loss events ask
 * for.  Only the nofeedback timer has to wait for reports, see
 * tfrc_sender_set_report_delay ().  Where the format does not tell, R includes the
 * wait of the newest packet of a report, which is one interval of packets at most.
 *
 * What a report that got lost would have told is not known: its packets take part
 * neither as arrived nor as lost.  They leave no hole, since the receiver's
 * sequence numbers are given anew to the packets that are known of.
 *
 *   tfrc_sender_based_begin_report ()
 *   for each packet in it: tfrc_sender_based_on_packet (), then
 *       tfrc_sender_based_poll_feedback () until there is none
 *   tfrc_sender_based_end_report (), and the same
 */
#pragma once

#include "tfrc/receiver.h"

typedef struct
{
  TfrcReceiverConfig receiver;
  bool l4s; /* packets leave as ECT(1), a mark is no loss; default false */
} TfrcSenderBasedConfig;

#ifndef TFRC_SENT_LENGTH
#define TFRC_SENT_LENGTH 16384 /* packets remembered in all, a power of 2 */
#endif

typedef struct
{
  TfrcSeq number; /* counts the packets of its stream from 1; 0 = none */
  uint64_t older; /* index of a packet with the same hash; 0 = none */
  TfrcTime sent_at;
  TfrcExtension extension;
  uint32_t size;
  uint64_t bytes; /* of its stream, with it */
  uint32_t ssrc;  /* by which ... */
  uint16_t seq;   /* ... it is reported */
  bool arrived;   /* was reported to have */

  /* The same, where it has a number of the transport, too. */
  bool transport_arrived;
  uint16_t transport_seq;
  TfrcSeq transport_number;
} TfrcSentPacket;

/* What is numbered together: an SSRC, or the transport. */
typedef struct
{
  uint32_t ssrc;
  uint64_t since;   /* index of its first packet */
  TfrcTime sent_at; /* of the newest packet */
  uint16_t seq;     /* by which it is reported */
  TfrcSeq newest;   /* its number */
  uint64_t bytes;   /* up to it */
  TfrcSeq covered;  /* newest number of which reports told anything; 0 = none */
  TfrcSeq skipped;  /* of which nothing was told, until now */
  TfrcSeq skipped_before; /* lower numbers have lost their place */
} TfrcSentStream;

typedef struct
{
  uint64_t reports;            /* accepted */
  uint64_t reports_foreign;    /* of another receiver, refused */
  uint64_t packets_unknown;    /* reported, but not sent, or too long ago */
  uint64_t packets_unreported; /* reports of them got lost */
  uint64_t clock_corrections;  /* the receiver's clock was too far from ours */
} TfrcSenderBasedCounters;

typedef struct
{
  TfrcSenderBasedConfig config;
  TfrcReceiver receiver;
  TfrcSentStream streams[TFRC_MAX_STREAMS];
  uint32_t n_streams;
  uint64_t n_sent; /* index of the newest packet, counted from 1 */
  TfrcSentPacket sent[TFRC_SENT_LENGTH]; /* by index */
  uint64_t newest_of[TFRC_SENT_LENGTH];  /* index, by hash */
  uint64_t numbered[TFRC_SENT_LENGTH];   /* the same, by transport_seq */
  TfrcSenderBasedCounters counters;
  uint64_t losses_reported; /* of the receiver's */

  /* Of the newest report. */
  bool has_report;
  uint32_t reporter_ssrc;
  TfrcTime reported_at; /* arrival */
  TfrcDuration clock;   /* as it was in it */
  TfrcTime clock_at;    /* the same, unwrapped, from our clock's origin */
  uint8_t count;
  bool counted;

  /* Of the present report. */
  TfrcTime now;
  TfrcTime made_at;        /* as clock_at */
  TfrcDuration resolution; /* of its times */
  bool contiguous;         /* nothing got lost between the last one and this */
  TfrcDuration longest;    /* time that a packet waited to be reported */
  TfrcTime newest_sent_at; /* of the packets that arrived; 0 = none */

  TfrcTime echo_sent_at;     /* the packet that the receiver would echo */
  TfrcDuration report_delay; /* bounded and smoothed maximum of `longest` */
} TfrcSenderBased;

/* Of the receiver's settings those for reports on the wire are off. */
TfrcSenderBasedConfig tfrc_sender_based_config_default (void);

void tfrc_sender_based_init (TfrcSenderBased *self,
    const TfrcSenderBasedConfig *config);

/* Forgets what reports told, as if another receiver would begin; counters and what
 * was sent stay. */
void tfrc_sender_based_forget (TfrcSenderBased *self);

/* A packet of `size` bytes leaves now with `extension`, of which the receiver will tell
 * under `ssrc` and `seq`; 0 is the ssrc of the transport's numbers, which are always
 * remembered, as are those of TFRC_MAX_STREAMS in all.  A stream beyond that takes the
 * place of one that was silent for half a second, or stays unknown: false. */
bool tfrc_sender_based_on_sent (TfrcSenderBased *self, uint32_t ssrc,
    uint16_t seq, uint32_t size, const TfrcExtension *extension, TfrcTime now);

/* The packet that was handed in last has this number of the transport, too. */
void tfrc_sender_based_on_numbered (TfrcSenderBased *self, uint16_t seq);

/* The newest packet of `ssrc`, of that `seq`, has not left after all: the next one has
 * its number.  No report has told of it. */
void tfrc_sender_based_take_back (TfrcSenderBased *self, uint32_t ssrc,
    uint16_t seq);

/* What left under that number; NULL: nothing, or too long ago. */
const TfrcSentPacket *tfrc_sender_based_find_sent (const TfrcSenderBased *self,
    uint32_t ssrc, uint16_t seq);

/* Of that SSRC; 0: none is known. */
uint64_t tfrc_sender_based_get_sent_bytes (const TfrcSenderBased *self,
    uint32_t ssrc);

/* TFRC_OK; TFRC_FOREIGN: not of the receiver that is heard, and counted: what is in
 * it must not be handed in.  Another one is heard once that has been silent for half
 * a second or four times the delay of its reports. */
TfrcResult tfrc_sender_based_begin_report (TfrcSenderBased *self,
    const TfrcPacketReport *report, TfrcTime now);

/* Whether the receiver that is heard was not silent for as long. */
bool tfrc_sender_based_hears (const TfrcSenderBased *self, TfrcTime now);

/* Takes the time of a few lookups, however much is missing.  If it is the first that
 * tells when the packet arrived: what was sent, for who measures delays besides
 * (delay/delay-meter.h), at an arrival of receiver.now; else NULL. */
const TfrcSentPacket *tfrc_sender_based_on_packet (TfrcSenderBased *self,
    const TfrcReportedPacket *packet);

/* All packets of the report were handed in. */
void tfrc_sender_based_end_report (TfrcSenderBased *self);

/* What a receiver of TFRC would have reported; for
 * tfrc_checked_sender_on_feedback () at the report's arrival. */
bool tfrc_sender_based_poll_feedback (TfrcSenderBased *self,
    TfrcFeedback *feedback);

/* An SSRC of which packets are lost, once or more for each loss; false: no other. */
bool tfrc_sender_based_poll_lost (TfrcSenderBased *self, uint32_t *ssrc);

/* How long packets wait until they are reported, 500 ms at most: for
 * tfrc_sender_set_report_delay (). */
TfrcDuration tfrc_sender_based_get_report_delay (const TfrcSenderBased *self);
