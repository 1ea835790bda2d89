/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of the reports that come back the sender follows: all of one format, the
 * best that comes, so that nothing counts twice.
 *
 * A better one takes over at once, a worse one after those before have stopped.
 * No lock, no clock. */
#pragma once

#include <gst/gst.h>

#include "base/time.h"
#include "common/enums.h"

typedef struct
{
  GstRtpTfrcFeedback wanted;
  GstRtpTfrcFeedback current; /* AUTO: none has come */
  TfrcTime heard_at;          /* the newest of the current */
} TfrcFeedbackFormat;

void tfrc_feedback_format_start (TfrcFeedbackFormat *self,
    GstRtpTfrcFeedback wanted);

/* Whether a report of the format counts. */
gboolean tfrc_feedback_format_admits (const TfrcFeedbackFormat *self,
    GstRtpTfrcFeedback format, TfrcTime now);

/* One that does was accepted: from now on its format is followed. */
void tfrc_feedback_format_on_accepted (TfrcFeedbackFormat *self,
    GstRtpTfrcFeedback format, TfrcTime now);

/* Sets "feedback-format". */
void tfrc_feedback_format_set_stats (const TfrcFeedbackFormat *self,
    GstStructure *stats);
