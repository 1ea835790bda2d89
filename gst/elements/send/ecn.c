/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The core's answers, as a property, a message and statistics. */

#include "send/ecn.h"

#include "common/stats.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

/* What others are told of the check. */
typedef struct
{
  TfrcEcnState state;
  const gchar *text;
  TfrcEcnCodepoint ect;
} Answer;

void
tfrc_send_ecn_init (TfrcSendEcn *self, GstElement *owner)
{
  self->owner = owner;
  g_mutex_init (&self->lock);
  tfrc_ecn_check_init (&self->check, TFRC_ECN_NOT_ECT);
}

void
tfrc_send_ecn_clear (TfrcSendEcn *self)
{
  g_mutex_clear (&self->lock);
}

static const gchar *
get_text (const TfrcEcnCheck *check)
{
  static const gchar *const states[] = { "off", "testing", "waiting",
    "working" };
  static const gchar *const failures[] = { "failed", "unreported", "bleached",
    "blocked", "marked" };

  return check->state == TFRC_ECN_FAILED
      ? failures[check->failure]
      : states[check->state];
}

static Answer
get_answer (const TfrcEcnCheck *check)
{
  return (Answer) { check->state, get_text (check),
    tfrc_ecn_check_get_ect (check) };
}

void
tfrc_send_ecn_start (TfrcSendEcn *self, TfrcEcnCodepoint ect)
{
  Answer before, after;

  g_mutex_lock (&self->lock);
  before = get_answer (&self->check);
  tfrc_ecn_check_init (&self->check, ect);
  after = get_answer (&self->check);
  g_mutex_unlock (&self->lock);
  /* Who follows it may have another socket now. */
  if (before.ect || after.ect)
    g_object_notify (G_OBJECT (self->owner), "ect");
}

TfrcEcnCodepoint
tfrc_send_ecn_get_ect (TfrcSendEcn *self)
{
  TfrcEcnCodepoint ect;

  g_mutex_lock (&self->lock);
  ect = tfrc_ecn_check_get_ect (&self->check);
  g_mutex_unlock (&self->lock);
  return ect;
}

/* Without a lock.  What works again after nobody was there is no news. */
static void
tell (TfrcSendEcn *self, const Answer *before, const Answer *after)
{
  if (before->state == after->state)
    return;
  GST_INFO_OBJECT (self->owner, "event=ecn state=%s before=%s", after->text,
      before->text);
  if (after->state == TFRC_ECN_FAILED)
    GST_WARNING_OBJECT (self->owner,
        "packets do not leave as ECT any more, since ECN is %s", after->text);
  if (before->ect != after->ect)
    g_object_notify (G_OBJECT (self->owner), "ect");
  if (after->state == TFRC_ECN_WORKING || after->state == TFRC_ECN_FAILED)
    gst_element_post_message (self->owner,
        gst_message_new_element (GST_OBJECT (self->owner),
            gst_structure_new ("tfrc-ecn",
                "state", G_TYPE_STRING, after->text, NULL)));
}

void
tfrc_send_ecn_on_output (TfrcSendEcn *self, gboolean sent, TfrcTime now)
{
  Answer before, after;

  g_mutex_lock (&self->lock);
  before = get_answer (&self->check);
  if (sent)
    tfrc_ecn_check_on_sent (&self->check, now);
  tfrc_ecn_check_on_deadline (&self->check, now);
  after = get_answer (&self->check);
  g_mutex_unlock (&self->lock);
  tell (self, &before, &after);
}

void
tfrc_send_ecn_on_report (TfrcSendEcn *self, const TfrcEcnSummary *summaries,
    guint n_summaries, gboolean feedback, guint *marked, guint *unmarked,
    TfrcTime now)
{
  const TfrcEcnCheck *check = &self->check;
  Answer before, after;

  g_mutex_lock (&self->lock);
  before = get_answer (&self->check);
  *marked = (guint) check->ce;
  *unmarked = (guint) check->ect_1;
  for (guint i = 0; i < n_summaries; i++)
    tfrc_ecn_check_on_summary (&self->check, &summaries[i]);
  if (feedback)
    tfrc_ecn_check_on_feedback (&self->check, now);
  *marked = check->ect == TFRC_ECN_ECT_1 ? (guint) check->ce - *marked : 0;
  *unmarked = (guint) check->ect_1 - *unmarked;
  after = get_answer (&self->check);
  g_mutex_unlock (&self->lock);
  tell (self, &before, &after);
}

void
tfrc_send_ecn_set_stats (TfrcSendEcn *self, GstStructure *stats)
{
  g_mutex_lock (&self->lock);
  tfrc_stats_set (stats, "ecn", get_text (&self->check));
  tfrc_stats_set (stats, "ecn-not-ect", self->check.not_ect);
  tfrc_stats_set (stats, "ecn-ect-0", self->check.ect_0);
  tfrc_stats_set (stats, "ecn-ect-1", self->check.ect_1);
  tfrc_stats_set (stats, "ecn-ce", self->check.ce);
  g_mutex_unlock (&self->lock);
}
