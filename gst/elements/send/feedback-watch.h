/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks whether reports come back that the protocol accepts, and if not, what
 * comes instead: without reports next to nothing is sent, and somebody has to
 * be told why.
 *
 * That reports are missing is stated after TFRC_FEEDBACK_WATCH_SENDING_TIME of
 * sending: time in which nothing leaves does not count, so an idle or paused
 * sender is no case.  Each state is told once as long as it lasts, then after a
 * minute, and after twice as long each time.  No lock, no clock. */
#pragma once

#include <gst/gst.h>

#include "send/feedback-filter.h"

/* A receiver's rtpsession sends its first regular RTCP after 3.1 s at most
 * (RFC 3550 section 6.3.1). */
#define TFRC_FEEDBACK_WATCH_SENDING_TIME (4 * TFRC_SECOND)

typedef enum
{
  TFRC_FEEDBACK_WATCH_WAITING,   /* nothing is known yet */
  TFRC_FEEDBACK_WATCH_WORKING,   /* reports are accepted */
  TFRC_FEEDBACK_WATCH_SILENT,    /* nothing comes back */
  TFRC_FEEDBACK_WATCH_RTCP_ONLY, /* RTCP does, but no report */
  /* Reports come back and are refused. */
  TFRC_FEEDBACK_WATCH_OTHER_MODE, /* TFMCC's at a sender of TFRC, or vice versa */
  TFRC_FEEDBACK_WATCH_MALFORMED,
  TFRC_FEEDBACK_WATCH_FOREIGN, /* about SSRCs that are not sent from here */
  TFRC_FEEDBACK_WATCH_STALE,   /* older than others, replayed, or too many */
  TFRC_FEEDBACK_WATCH_INVALID, /* they answer nothing that was sent */
  TFRC_FEEDBACK_WATCH_N_STATES
} TfrcFeedbackWatchState;

/* What somebody is to be told. */
typedef struct
{
  TfrcFeedbackWatchState state; /* WORKING: what was told before is over */
  gboolean group;
  TfrcDuration unanswered; /* since the first packet without an answer */
} TfrcFeedbackWatchNews;

typedef struct
{
  gboolean group; /* that nobody is there is no fault */
  TfrcFeedbackWatchState state;
  TfrcTime working_since;
  TfrcTime sent_at;          /* newest packet; TFRC_TIME_NONE = none */
  TfrcTime unanswered_since; /* first packet since the newest answer */
  TfrcDuration sending;      /* time of sending since then */
  TfrcTime came_at[TFRC_FEEDBACK_WATCH_N_STATES]; /* newest sign of a state */
  TfrcTime rtcp_since; /* other RTCP than reports has come alone */

  gboolean due;  /* there are news, to be polled at once */
  gboolean told; /* that reports are missing, since the newest answer */
  TfrcTime told_at[TFRC_FEEDBACK_WATCH_N_STATES]; /* TFRC_TIME_NONE = never */
  TfrcDuration interval;   /* between two tellings of one state */
  TfrcDuration unanswered; /* until the answer that is news */
} TfrcFeedbackWatch;

/* A new flow. */
void tfrc_feedback_watch_start (TfrcFeedbackWatch *self);

/* From now on packets leave again: what was before says nothing. */
void tfrc_feedback_watch_resume (TfrcFeedbackWatch *self);

/* Packets leave.  `round_time`: how long correct receivers may be silent, if it is
 * longer than usual. */
void tfrc_feedback_watch_on_sent (TfrcFeedbackWatch *self, gboolean group,
    TfrcDuration round_time, TfrcTime now);

/* RTCP came in; its reports go to tfrc_feedback_watch_on_report one by one. */
void tfrc_feedback_watch_on_rtcp (TfrcFeedbackWatch *self,
    const TfrcFeedbackFilterResult *result, TfrcTime now);
void tfrc_feedback_watch_on_report (TfrcFeedbackWatch *self, TfrcResult result,
    TfrcTime now);

gboolean tfrc_feedback_watch_poll_news (TfrcFeedbackWatch *self,
    TfrcFeedbackWatchNews *news, TfrcTime now);

/* Posts a warning; where all is well again, or a group has no receiver, an info
 * message.  "feedback-state" (string) is in its details. */
void tfrc_feedback_watch_news_post (const TfrcFeedbackWatchNews *self,
    GstElement *element);

/* Sets "feedback-state". */
void tfrc_feedback_watch_set_stats (const TfrcFeedbackWatch *self,
    GstStructure *stats);
