/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For receivers that send nothing but reception reports (RFC 3550 section 6.4),
 * which give the losses since the previous report, seconds ago.  Converts them to
 * TFRC feedback, for tfrc_checked_sender_on_feedback () (docs/rules.md, D60).
 *
 * R is that of the path, from LSR and DLSR if these can be right; otherwise it
 * includes the wait until the report.  X_recv is what arrived between two reports.
 *
 * Loss events cannot be told from losses.  The reaction takes seconds, and the rate
 * must neither stay above the link nor jump over it.  So p is the fraction lost
 * when a report shows losses, over `loss_time`, since half a second of packets has
 * one loss or none.  It is bounded so that X is at least `decrease` times the
 * receive rate, and at most `increase` times the current X.  X may double up to
 * half of the threshold, the receive rate when X was last lowered (like ssthresh in
 * TCP).  Near the threshold one `increase` takes `near_time`, however many reports
 * arrive; far above it the link must be another one, and X grows up to five times
 * as much per report if reports are rare.  A receiver that reports by bytes, less
 * often than every `near_time`, measures without jitter: there X grows to 1.15 of
 * the threshold, by an `increase` per `near_time`, and if 1.05 of the threshold
 * arrives it is another link.  Before the first loss p is 0: slow start, doubling
 * with each report.
 *
 * A receiver that reports by bytes reports late when the link becomes slower, and
 * does not say when that was.  So a report that is missing after a fifth more bytes
 * than usual halves X, at most three times, until it arrives.
 *
 * The reports of all streams of a receiver count together.  Among several
 * receivers, as the clients of a media shared by an RTSP server, the slowest
 * decides: one is followed until another one's losses would lower X, or it has been
 * silent for two of its intervals.  A receiver that still loses as much at a
 * quarter of the rate, or loses a tenth at a rate below `floor`, does not benefit
 * from what the others give up.  It is ignored while there are others, until it
 * loses half as much.
 *
 * For members of a group that only send reception reports (docs/rules.md, D70), the
 * rate itself is computed in the same way, for tfmcc_sender_set_limit ().  If other
 * members report by TFMCC, there is no start: the limit exists only once a member
 * has lost a twentieth. */
#pragma once

#include "rtp/report-block.h"
#include "tfrc/sender-based.h"
#include "tfrc/sender.h"

typedef struct
{
  /* [0, 1); default 0.85, as in RFC 5348 section 4.3; 0: p is the fraction lost */
  double decrease;
  double increase; /* > 1; default 1.1; INFINITY without near_time: unlimited */
  /* Default 2 s; 0: one `increase` per report everywhere. */
  TfrcDuration near_time;
  TfrcDuration loss_time; /* default 5 s; 0: each report counts alone */
} TfrcReceptionConfig;

/* Number of streams, over all receivers. */
#define TFRC_RECEPTION_STREAMS 128

/* Trial whether a lower rate helps a receiver that loses much. */
typedef struct
{
  TfrcRate rate; /* rate when it started; 0: no trial */
  double lost;   /* fraction lost then, or when it was ignored */
  /* A lower rate has not helped since then; TFRC_TIME_NONE: it has. */
  TfrcTime since;
  bool ignored; /* the receiver is ignored */
} TfrcReceptionTrial;

/* What a receiver has reported about a stream. */
typedef struct
{
  TfrcReceptionTrial trial; /* used only in the first entry of each receiver */
  uint32_t reporter_ssrc;
  uint32_t ssrc;
  TfrcSeq number;         /* number of the newest packet reported, ... */
  uint64_t bytes;         /* ... and the bytes sent up to it */
  int32_t lost;           /* cumulative number of packets lost */
  double recent_expected; /* over the last `loss_time` */
  double recent_lost;
  TfrcTime sent_at;
  TfrcTime reported_at;
  TfrcDuration interval; /* between the last two reports; 0: only one so far */
} TfrcReceptionStream;

typedef struct
{
  TfrcReceptionConfig config;
  TfrcReceptionStream streams[TFRC_RECEPTION_STREAMS];
  uint32_t n_streams;
  uint32_t reporter_ssrc; /* the receiver that is followed */
  /* Least rate for several receivers; default 0; set by the owner. */
  TfrcRate floor;
  /* Receiver ignored last, until it is polled; 0: none. */
  uint32_t ignored_ssrc;
  bool has_report;      /* the followed receiver has reported */
  TfrcTime reported_at; /* its newest report */
  /* Smoothed, bounded maximum of the time between its reports. */
  TfrcDuration interval;
  double bytes; /* smoothed number of bytes that arrive between two of them */
  /* Intervals with about as many bytes, minus those with others. */
  uint32_t n_even;
  uint32_t n_missed;     /* times that X was reduced since its newest report */
  TfrcRate missed_rate;  /* X before that */
  TfrcRate threshold;    /* receive rate when X was last lowered */
  TfrcTime lowered_at;   /* when that was */
  TfrcDuration full_rtt; /* R_sample then, or half of what it was before */
  TfrcRate limit; /* limit for the member that is followed; INFINITY: none */
  uint64_t n_reports; /* accepted */
} TfrcReceptionReports;

TfrcReceptionConfig tfrc_reception_config_default (void);

void tfrc_reception_reports_init (TfrcReceptionReports *self,
    const TfrcReceptionConfig *config);

/* Restarts counting with the next report, e.g. because reports of another kind were
 * followed. */
void tfrc_reception_reports_forget (TfrcReceptionReports *self);

/* The receiver has left: the next one that reports is followed. */
void tfrc_reception_reports_on_bye (TfrcReceptionReports *self,
    uint32_t reporter_ssrc);

/* To be called before its next blocks: the receiver was sent nothing until `at`,
 * like a client of an RTSP server that paused while others continued.  What it
 * misses was not lost. */
void tfrc_reception_reports_on_return (TfrcReceptionReports *self,
    uint32_t reporter_ssrc, TfrcTime at);

/* `n` report blocks of one receiver about our streams.  `sent` knows the packets;
 * `ntp` is the time, by the clock of the SRs, in the format of LSR, 1/65536 s
 * (section 6.4.1).  TFRC_OK: *feedback is to be passed to the sender.
 * TFRC_FOREIGN, TFRC_INVALID: refused, and counted.  TFRC_DUPLICATE: nothing new,
 * too early to tell, the first report to a sender that knows R, or of a receiver
 * faster than the one followed. */
TfrcResult tfrc_reception_reports_on_blocks (TfrcReceptionReports *self,
    const RtpReportBlock *blocks, uint32_t n, const TfrcSender *sender,
    const TfrcSenderBased *sent, uint32_t ntp, TfrcFeedback *feedback,
    TfrcTime now);

/* What is sent to a group. */
typedef struct
{
  const TfrcSenderBased *packets;
  double size; /* mean packet size [bytes] */
  TfrcRate rate;
  TfrcRate least; /* lower bound of the limit */
  /* Upper bound from which the limit grows: X, if nobody reports by TFMCC; else
   * INFINITY. */
  TfrcRate first;
} TfrcGroupSent;

/* `n` report blocks of one member of a group: sets `limit`.  For the rest see
 * above. */
TfrcResult tfrc_reception_reports_on_member (TfrcReceptionReports *self,
    const RtpReportBlock *blocks, uint32_t n, const TfrcGroupSent *sent,
    uint32_t ntp, TfrcTime now);

/* The receiver that is followed counts as gone, as after a BYE, once it has been
 * silent for three of its intervals: at least 15 s, and at most this, since those
 * that report by bytes may be silent for long. */
#define TFRC_MEMBER_TIMEOUT (30 * TFRC_SECOND)
void tfrc_reception_reports_forget_silent (TfrcReceptionReports *self,
    TfrcTime now);

/* Number of receivers whose newest report is not too old. */
uint32_t tfrc_reception_reports_count (const TfrcReceptionReports *self,
    TfrcTime now);

/* Whether the receiver is ignored. */
bool tfrc_reception_reports_is_ignored (const TfrcReceptionReports *self,
    uint32_t reporter_ssrc);

/* Gets a receiver that is ignored from now on.  Returns false if there is none. */
bool tfrc_reception_reports_poll_ignored (TfrcReceptionReports *self,
    uint32_t *reporter_ssrc);

/* To be called after a packet was sent.  Returns true if the receiver reports by
 * bytes, as libavformat does, and would have reported by now: call
 * tfrc_sender_on_missed_report () then, after tfrc_sender_set_report_delay (). */
bool tfrc_reception_reports_poll_missed (TfrcReceptionReports *self,
    const TfrcSender *sender, const TfrcSenderBased *sent);

/* For tfrc_sender_set_report_delay (): the nofeedback timer waits for three
 * reports, as RFC 8083 section 4.1 does. */
TfrcDuration
tfrc_reception_reports_get_delay (const TfrcReceptionReports *self);
