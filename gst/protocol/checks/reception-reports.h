/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver of which nothing is known but its reception reports (RFC 3550 section
 * 6.4): how much was lost since the one before, seconds ago.  Makes feedback of TFRC of
 * them, for tfrc_checked_sender_on_feedback () (docs/rules.md, D60).
 *
 * R is the path's: by LSR and DLSR where they can be true, else up to the wait for
 * the next packet longer.  X_recv is what arrived between two reports.  Loss events
 * cannot be told from losses, and after an answer that takes seconds the rate must
 * neither stay above the link nor jump over it.  So p is the fraction that was lost,
 * by a report that tells of losses over `loss_time`, since half a second of packets has
 * one or none; but none that makes X less than `decrease` times what arrived, nor more
 * than `increase` times X; more than twice X up to half of what arrived when X was last
 * lowered, as TCP has it with ssthresh.  Near that `increase` takes `near_time`, however
 * many reports come meanwhile; far above it is another link: up to five times that where
 * reports are rare.  Where they come by bytes and take longer than `near_time`, a report
 * has no jitter: it is another link once 1.05 of the threshold arrives, and the rate goes
 * to 1.15 of it, by an `increase` per `near_time`, to find that out.  Before that p is 0:
 * slow start, doubling once per report.
 *
 * A receiver that reports by bytes tells of a slower link late, and nothing of when it
 * became that: a report that does not come after a fifth more than they were halves X,
 * thrice at most, until it does.
 *
 * Reports of all streams of a receiver count together.  Of several receivers, as of a
 * media that clients of an RTSP server share, the least rules: one is followed, until
 * another loses so much that X would fall, or it is silent for two of its intervals.
 * One that goes on to lose as much at a quarter of the rate, or a tenth below what the
 * others are to have at least, gains nothing by what the others give up: it does not count
 * while there are others, until it loses half as much.
 *
 * Of members of a group that report by nothing else (docs/rules.md, D70) the rate
 * itself is made, for tfmcc_sender_set_limit (), in the same way.  Where others report it
 * has no start: there is none before a member has lost a twentieth. */
#pragma once

#include "rtp/report-block.h"
#include "tfrc/sender-based.h"
#include "tfrc/sender.h"

typedef struct
{
  double
      decrease; /* [0, 1); default 0.85, as in section 4.3 of RFC 5348; 0: p is
                    * what was lost */
  double increase; /* > 1, default 1.1; INFINITY, and no near_time: no bound */
  TfrcDuration near_time; /* default 2 s; 0: all is `increase` per report */
  TfrcDuration loss_time; /* default 5 s; 0: p is that of each report alone */
} TfrcReceptionConfig;

/* Streams times receivers. */
#define TFRC_RECEPTION_STREAMS 128

/* Whether less helps a receiver that loses much. */
typedef struct
{
  TfrcRate rate;  /* at which it began to; 0: it does not */
  double lost;    /* part of the packets, then, or when it was let go */
  TfrcTime since; /* it has not helped; NONE: it has */
  bool let_go;    /* it does not count */
} TfrcReceptionTrial;

/* What a receiver has told of a stream. */
typedef struct
{
  TfrcReceptionTrial trial; /* of the receiver's oldest stream here alone */
  uint32_t reporter_ssrc;
  uint32_t ssrc;
  TfrcSeq number;         /* of its newest packet that was reported, ... */
  uint64_t bytes;         /* ... up to which so many were sent */
  int32_t lost;           /* cumulative */
  double recent_expected; /* over `loss_time` */
  double recent_lost;
  TfrcTime sent_at;
  TfrcTime reported_at;
  TfrcDuration interval; /* between the last two; 0: there is one */
} TfrcReceptionStream;

typedef struct
{
  uint64_t reports;         /* accepted */
  uint64_t reports_foreign; /* of receivers too many, refused */
  uint64_t reports_invalid; /* of packets that were not sent */
} TfrcReceptionCounters;

typedef struct
{
  TfrcReceptionConfig config;
  TfrcReceptionStream streams[TFRC_RECEPTION_STREAMS];
  uint32_t n_streams;
  uint32_t reporter_ssrc; /* who is followed */
  TfrcRate floor;       /* of what several get; default 0; anybody may set it */
  uint32_t let_go_ssrc; /* who no longer counts, as news; 0: nobody */
  bool has_report;      /* of it, ... */
  TfrcTime reported_at; /* ... the newest */
  TfrcDuration interval; /* between its reports: bounded, smoothed maximum */
  double bytes;          /* that arrive between two of them, smoothed */
  uint32_t n_even;       /* how many more have as many than have not */
  uint32_t n_missed;     /* times that X was reduced since then */
  TfrcRate missed_rate;  /* before that */
  TfrcRate threshold;    /* what arrived when the rate was last lowered, ... */
  TfrcTime lowered_at;   /* ... by the report that came then */
  TfrcRate
      limit; /* what the member takes that is followed; INFINITY: none is */
  TfrcReceptionCounters counters;
} TfrcReceptionReports;

TfrcReceptionConfig tfrc_reception_config_default (void);

void tfrc_reception_reports_init (TfrcReceptionReports *self,
    const TfrcReceptionConfig *config);

/* Other reports are followed, or were: counting begins anew with the next one. */
void tfrc_reception_reports_forget (TfrcReceptionReports *self);

/* That receiver has left: the next one that reports is followed. */
void tfrc_reception_reports_on_bye (TfrcReceptionReports *self,
    uint32_t reporter_ssrc);

/* Before its next blocks: until `at` it was sent nothing, as a client of an RTSP server
 * that paused what it shares with others.  No queue has dropped what it lacks. */
void tfrc_reception_reports_on_return (TfrcReceptionReports *self,
    uint32_t reporter_ssrc, TfrcTime at);

/* The blocks of one receiver about streams of ours, n of them.  `sent` knows the
 * packets; `ntp` is the time of SRs as LSR has it, in 1/65536 s (section 6.4.1).
 * TFRC_OK: *feedback is for the sender.  TFRC_FOREIGN, TFRC_INVALID: refused, and
 * counted.  TFRC_DUPLICATE: nothing new, too early to tell, the first for a sender that
 * knows R, or of a receiver that takes more than the one that is followed. */
TfrcResult tfrc_reception_reports_on_blocks (TfrcReceptionReports *self,
    const RtpReportBlock *blocks, uint32_t n, const TfrcSender *sender,
    const TfrcSenderBased *sent, uint32_t ntp, TfrcFeedback *feedback,
    TfrcTime now);

/* What is sent to a group [bytes/s]. */
typedef struct
{
  const TfrcSenderBased *packets;
  double size; /* of a packet */
  TfrcRate rate;
  TfrcRate least; /* nobody is served with less */
  TfrcRate
      first; /* X, where nobody else reports: the limit rises from there, whatever it
                   * was before; else INFINITY */
} TfrcGroupSent;

/* The blocks of one member of a group: sets `limit`.  The rest is as above. */
TfrcResult tfrc_reception_reports_on_member (TfrcReceptionReports *self,
    const RtpReportBlock *blocks, uint32_t n, const TfrcGroupSent *sent,
    uint32_t ntp, TfrcTime now);

/* Who reports by bytes may be silent for so long; who is followed is gone behind three of
 * its intervals, and 15 s, as if it had said BYE. */
#define TFRC_MEMBER_TIMEOUT (30 * TFRC_SECOND)
void tfrc_reception_reports_forget_silent (TfrcReceptionReports *self,
    TfrcTime now);

/* Receivers that are not silent for longer than one may be. */
uint32_t tfrc_reception_reports_count (const TfrcReceptionReports *self,
    TfrcTime now);

/* Whether it counts no more. */
bool tfrc_reception_reports_is_let_go (const TfrcReceptionReports *self,
    uint32_t reporter_ssrc);

/* One has just been let go. */
bool tfrc_reception_reports_poll_let_go (TfrcReceptionReports *self,
    uint32_t *reporter_ssrc);

/* A packet has left.  True: the receiver reports by bytes, as libavformat's do, and would
 * have by now if they had arrived: for tfrc_sender_on_missed_report (), behind
 * tfrc_sender_set_report_delay (). */
bool tfrc_reception_reports_poll_missed (TfrcReceptionReports *self,
    const TfrcSender *sender, const TfrcSenderBased *sent);

/* For tfrc_sender_set_report_delay (): the nofeedback timer waits for three reports,
 * as RFC 8083 section 4.1 does. */
TfrcDuration
tfrc_reception_reports_get_delay (const TfrcReceptionReports *self);
