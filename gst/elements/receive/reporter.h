/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sends what the meter has to say on an RTCP source pad, from the pad's own
 * task: it sleeps until the meter's next deadline and pushes with no lock
 * held.  It also keeps the time of the stats messages.
 *
 * Both go on whatever the pad's push returns.  Not linked: nobody wants the
 * reports.  Flushing: what is downstream is on its way down or up.  EOS from
 * downstream is a warning, and anything worse an element error, each once
 * until a report is taken again.
 *
 * The lock is the owner's and guards the meter too; where a function says so,
 * the caller holds it. */
#pragma once

#include <gst/gst.h>

#include "receive/meter.h"

typedef struct _TfrcReporter TfrcReporter;

/* Tells the application, from the task, with no lock held. */
typedef void (*TfrcReporterOnNews) (GstElement *owner,
    const TfrcReceiveOutput *output);

/* Nothing is referenced, all of it outlives this. */
TfrcReporter *tfrc_reporter_new (GstElement *owner, GstPad *pad, GMutex *lock,
    TfrcMeter *meter, TfrcReporterOnNews on_news);

/* When the task has ended. */
void tfrc_reporter_free (TfrcReporter *self);

/* Starts and ends the task: the pad is (de)activated. `settings` are read
 * with the lock held for as long as the task runs. */
gboolean tfrc_reporter_start (TfrcReporter *self, GstClock *clock,
    const TfrcReceiveSettings *settings);
gboolean tfrc_reporter_stop (TfrcReporter *self);

/* After every call that changes the meter.  Lock held. */
void tfrc_reporter_wake (TfrcReporter *self);

/* The settings have changed.  Lock held. */
void tfrc_reporter_update (TfrcReporter *self);

/* Makes no report while paused: one that waited in a sink for PLAYING would
 * look like a long way back.  Lock held. */
void tfrc_reporter_set_paused (TfrcReporter *self, gboolean paused);

/* The flow has ended: EOS follows the last report.  Lock held. */
void tfrc_reporter_set_eos (TfrcReporter *self);

/* Returns when what is due has been pushed, or after 200 ms: what is downstream
 * may block.  In the task itself, at once.  Lock held, but given up meanwhile. */
void tfrc_reporter_finish (TfrcReporter *self);

/* Whether tfrc_reporter_set_eos() was the last of the two.  Lock held. */
gboolean tfrc_reporter_has_ended (const TfrcReporter *self);

/* What comes in is not at EOS any more: reports may follow one again, for which
 * what is downstream is flushed.  No lock held. */
void tfrc_reporter_resume (TfrcReporter *self);

/* Sets the fields of the reporter.  Lock held. */
void tfrc_reporter_get_stats (const TfrcReporter *self, GstStructure *stats);
