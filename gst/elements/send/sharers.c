/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/sharers.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

/* The ruler is replaced only by a receiver of less than this part of its rate. */
#define LESS 0.95
/* If there are too many, each is kept for at least this long. */
#define TURN TFRC_SECOND
/* How long a new receiver may send no valid report. */
#define FIRST_REPORT (5 * TFRC_SECOND)

static void
remove_at (TfrcSharers *self, guint i)
{
  g_free (self->sharers[i]);
  self->sharers[i] = self->sharers[--self->n];
}

void
tfrc_sharers_clear (TfrcSharers *self)
{
  while (self->n > 0)
    remove_at (self, 0);
}

void
tfrc_sharers_on_sent (TfrcSharers *self, const TfrcSentRtp *packet,
    TfrcTime now)
{
  for (guint i = 0; i < self->n; i++) {
    TfrcSharer *sharer = self->sharers[i];
    /* No backlog: packets do not wait for this sender's rate. */
    TfrcExtension sent = tfrc_checked_sender_on_sent (&sharer->checked,
        packet->size, FALSE, now);

    if (packet->ends_frame)
      tfrc_checked_sender_on_frame_end (&sharer->checked, now);
    tfrc_packet_feedback_on_sent (&sharer->packet_feedback, packet, &sent, now);
  }
}

void
tfrc_sharers_take_back (TfrcSharers *self, guint n)
{
  for (guint i = 0; i < self->n; i++)
    tfrc_packet_feedback_take_back (&self->sharers[i]->packet_feedback, n);
}

static TfrcRate
get_rate (const TfrcCheckedSender *checked)
{
  return tfrc_sender_get_send_rate (&checked->sender);
}

static TfrcSharer *
find (TfrcSharers *self, guint32 ssrc)
{
  for (guint i = 0; i < self->n; i++)
    if (self->sharers[i]->ssrc == ssrc)
      return self->sharers[i];
  return NULL;
}

static gboolean
takes_less (const TfrcSharer *self, const TfrcSharer *other)
{
  return get_rate (&self->checked) < get_rate (&other->checked);
}

/* If there are too many, removes the receiver of the highest rate among those kept for
 * long enough. */
static void
make_room (TfrcSharers *self, TfrcTime now)
{
  guint most = self->n;

  for (guint i = 0; i < self->n; i++)
    if (tfrc_time_since (self->sharers[i]->since, now) >= TURN
        && (most == self->n
            || takes_less (self->sharers[most], self->sharers[i])))
      most = i;
  if (self->n == TFRC_SHARERS_MAX && most < self->n)
    remove_at (self, most);
}

/* NULL: there are too many. */
static TfrcSharer *
add (TfrcSharers *self, TfrcSharer *ruler, guint32 ssrc, TfrcTime now)
{
  TfrcSharer *sharer;

  make_room (self, now);
  if (self->n == TFRC_SHARERS_MAX)
    return NULL;
  sharer = self->sharers[self->n++] = g_new (TfrcSharer, 1);
  sharer->ssrc = ssrc;
  sharer->since = now;
  sharer->checked = ruler->checked;
  sharer->checked.wanted_rate = 0;
  tfrc_checked_sender_begin_path (&sharer->checked);
  tfrc_sender_set_start_rate (&sharer->checked.sender,
      get_rate (&ruler->checked));
  tfrc_encoder_rate_init (&sharer->encoder_rate);
  tfrc_packet_feedback_start (&sharer->packet_feedback,
      &sharer->checked.sender.config, ruler->packet_feedback.based.config.l4s);
  sharer->packet_feedback.n_numbered = ruler->packet_feedback.n_numbered;
  GST_INFO ("one more receiver: ssrc=%08x receivers=%u", ssrc, self->n + 1);
  return sharer;
}

static TfrcResult
give (TfrcSharer *self, const TfrcFeedback *feedback, TfrcTime now)
{
  TfrcResult result;

  tfrc_sender_set_report_delay (&self->checked.sender,
      tfrc_sender_based_get_report_delay (&self->packet_feedback.based));
  tfrc_encoder_rate_advance (&self->encoder_rate, &self->checked.sender, now);
  result = tfrc_checked_sender_on_feedback (&self->checked, feedback, now);
  if (result == TFRC_OK)
    tfrc_encoder_rate_on_report (&self->encoder_rate, &self->checked.sender,
        now);
  return result;
}

TfrcResult
tfrc_sharers_on_report (TfrcSharers *self, TfrcSharer *ruler,
    TfrcPacketFeedbackReader *reader, TfrcTime now)
{
  guint32 ssrc = reader->report.reporter_ssrc;
  TfrcSharer *sharer = find (self, ssrc);
  TfrcResult result = TFRC_DUPLICATE;
  TfrcFeedback feedback;

  if (sharer == NULL)
    sharer = add (self, ruler, ssrc, now);
  if (sharer == NULL) {
    ruler->packet_feedback.based.counters.reports_foreign++;
    return TFRC_FOREIGN;
  }
  /* A new receiver's first reports are about packets sent before it was added. */
  if (tfrc_packet_feedback_begin_report (&sharer->packet_feedback, reader, now)
      != TFRC_OK)
    return TFRC_DUPLICATE;
  ruler->packet_feedback.based.counters.reports++;
  tfrc_checked_sender_on_deadline (&sharer->checked, now);
  while (tfrc_packet_feedback_poll_feedback (&sharer->packet_feedback, reader,
      &feedback))
    if (give (sharer, &feedback, now) == TFRC_OK)
      result = TFRC_OK;
  tfrc_packet_feedback_end_report (&sharer->packet_feedback, &sharer->checked,
      now);
  return result;
}

static gboolean
has_reported (const TfrcSharer *sharer)
{
  return tfrc_rtt_is_known (&sharer->checked.sender.rtt);
}

/* Pacing continues from the packets sent at the old ruler's rate, and so do the
 * counters. */
static void
keep (TfrcSharer *ruler, const TfrcSharer *before)
{
  TfrcCheckedSender *checked = &ruler->checked;

  checked->sender.pacer = before->checked.sender.pacer;
  checked->sender.counters = before->checked.sender.counters;
  checked->counters = before->checked.counters;
  checked->probing.counters = before->checked.probing.counters;
  checked->wanted_rate = before->checked.wanted_rate;
  ruler->packet_feedback.based.counters =
      before->packet_feedback.based.counters;
  ruler->packet_feedback.ecn = before->packet_feedback.ecn;
}

/* The sharer becomes the ruler; returns the old one, as a sharer. */
static TfrcSharer *
exchange (TfrcSharer *sharer, TfrcSharer *ruler, TfrcTime now)
{
  TfrcSharer *before = g_memdup2 (ruler, sizeof *ruler);

  before->ssrc = ruler->packet_feedback.based.reporter_ssrc;
  before->since = now;
  *ruler = *sharer;
  keep (ruler, before);
  before->checked.wanted_rate = 0;
  g_free (sharer);
  return before;
}

static gboolean
is_gone (const TfrcSharer *sharer, TfrcTime now)
{
  return has_reported (sharer)
      ? !tfrc_sender_based_hears (&sharer->packet_feedback.based, now)
      : tfrc_time_since (sharer->since, now) >= FIRST_REPORT;
}

/* -1: none of them has reported. */
static gint
find_least (const TfrcSharers *self)
{
  gint least = -1;

  for (guint i = 0; i < self->n; i++)
    if (has_reported (self->sharers[i])
        && (least < 0 || takes_less (self->sharers[i], self->sharers[least])))
      least = (gint) i;
  return least;
}

gboolean
tfrc_sharers_choose (TfrcSharers *self, TfrcSharer *ruler, gboolean gone,
    TfrcTime now)
{
  gint least;

  for (guint i = self->n; i-- > 0;)
    if (is_gone (self->sharers[i], now))
      remove_at (self, i);
  least = find_least (self);
  gone |= !tfrc_sender_based_hears (&ruler->packet_feedback.based, now);
  if (least < 0
      || (!gone
          && get_rate (&self->sharers[least]->checked)
              >= LESS * get_rate (&ruler->checked)))
    return FALSE;
  GST_INFO ("another receiver takes less: ssrc=%08x rate_bytes_s=%.0f "
            "ssrc_before=%08x rate_before_bytes_s=%.0f receivers=%u",
      self->sharers[least]->ssrc, get_rate (&self->sharers[least]->checked),
      ruler->packet_feedback.based.reporter_ssrc, get_rate (&ruler->checked),
      self->n + 1);
  self->sharers[least] = exchange (self->sharers[least], ruler, now);
  if (gone)
    remove_at (self, (guint) least);
  return TRUE;
}

gboolean
tfrc_sharers_poll_lost (TfrcSharers *self, guint32 *ssrc)
{
  for (guint i = 0; i < self->n; i++)
    if (tfrc_sender_based_poll_lost (&self->sharers[i]->packet_feedback.based,
            ssrc))
      return TRUE;
  return FALSE;
}

gboolean
tfrc_sharers_on_bye (TfrcSharers *self, guint32 ssrc)
{
  for (guint i = 0; i < self->n; i++) {
    if (self->sharers[i]->ssrc != ssrc)
      continue;
    remove_at (self, i);
    return TRUE;
  }
  return FALSE;
}
