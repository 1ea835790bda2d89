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
  gboolean ect;
} Answer;

void
tfrc_send_ecn_init (TfrcSendEcn *self, GstElement *owner)
{
  self->owner = owner;
  g_mutex_init (&self->lock);
  tfrc_ecn_check_init (&self->check, FALSE);
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
    "blocked" };

  return check->state == TFRC_ECN_FAILED
      ? failures[check->failure]
      : states[check->state];
}

static Answer
get_answer (const TfrcEcnCheck *check)
{
  return (Answer) { check->state, get_text (check),
    tfrc_ecn_check_is_ect (check) };
}

void
tfrc_send_ecn_start (TfrcSendEcn *self, gboolean wanted)
{
  Answer before, after;

  g_mutex_lock (&self->lock);
  before = get_answer (&self->check);
  tfrc_ecn_check_init (&self->check, wanted);
  after = get_answer (&self->check);
  g_mutex_unlock (&self->lock);
  /* Who follows it may have another socket now. */
  if (before.ect || after.ect)
    g_object_notify (G_OBJECT (self->owner), "ect");
}

gboolean
tfrc_send_ecn_is_ect (TfrcSendEcn *self)
{
  gboolean ect;

  g_mutex_lock (&self->lock);
  ect = tfrc_ecn_check_is_ect (&self->check);
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
    guint n_summaries, gboolean feedback, TfrcTime now)
{
  Answer before, after;

  g_mutex_lock (&self->lock);
  before = get_answer (&self->check);
  for (guint i = 0; i < n_summaries; i++)
    tfrc_ecn_check_on_summary (&self->check, &summaries[i]);
  if (feedback)
    tfrc_ecn_check_on_feedback (&self->check, now);
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
  tfrc_stats_set (stats, "ecn-ce", self->check.ce);
  g_mutex_unlock (&self->lock);
}
