/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/receivers.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

/* The slowest receiver is replaced only by one of less than this part of its rate. */
#define LESS 0.95
/* If there are too many, each is kept for at least this long. */
#define TURN TFRC_SECOND
/* How long a new receiver may send no valid report. */
#define FIRST_REPORT (5 * TFRC_SECOND)

static void
remove_at (TfrcSendReceivers *self, guint i)
{
  g_free (self->items[i]);
  self->items[i] = self->items[--self->n];
}

void
tfrc_send_receivers_clear (TfrcSendReceivers *self)
{
  while (self->n > 0)
    remove_at (self, 0);
}

void
tfrc_send_receivers_on_sent (TfrcSendReceivers *self, const TfrcSentRtp *packet,
    TfrcDuration rtt, TfrcTime now)
{
  for (guint i = 0; i < self->n; i++) {
    TfrcSendReceiver *receiver = self->items[i];
    /* No backlog: packets do not wait for this sender's rate. */
    TfrcExtension sent = tfrc_checked_sender_on_sent (&receiver->checked,
        packet->size, FALSE, now);

    /* Unlike a flow that begins, this one may fill a link with its first packets: without
     * an RTT each loss would be an event. */
    if (sent.rtt == 0)
      sent.rtt = rtt;
    if (packet->ends_frame)
      tfrc_checked_sender_on_frame_end (&receiver->checked, now);
    tfrc_packet_feedback_on_sent (&receiver->packet_feedback, packet, &sent,
        now);
  }
}

void
tfrc_send_receivers_take_back (TfrcSendReceivers *self, guint n)
{
  for (guint i = 0; i < self->n; i++)
    tfrc_packet_feedback_take_back (&self->items[i]->packet_feedback, n);
}

static TfrcRate
get_rate (const TfrcCheckedSender *checked)
{
  return tfrc_sender_get_send_rate (&checked->sender);
}

/* `n`: there is none. */
static guint
find (const TfrcSendReceivers *self, guint32 ssrc)
{
  guint i = 0;

  while (i < self->n && self->items[i]->ssrc != ssrc)
    i++;
  return i;
}

static gboolean
takes_less (const TfrcSendReceiver *self, const TfrcSendReceiver *other)
{
  return get_rate (&self->checked) < get_rate (&other->checked);
}

/* If there are too many, removes the receiver of the highest rate among those kept for
 * long enough. */
static void
make_room (TfrcSendReceivers *self, TfrcTime now)
{
  guint most = self->n;

  for (guint i = 0; i < self->n; i++)
    if (tfrc_time_since (self->items[i]->since, now) >= TURN
        && (most == self->n || takes_less (self->items[most], self->items[i])))
      most = i;
  if (self->n == TFRC_SEND_RECEIVERS_MAX && most < self->n)
    remove_at (self, most);
}

/* If there are too many, they get their turn in the order of their SSRCs: whose report comes
 * first when one is removed would be the same few each time, as all report regularly.  The
 * next one is known when it reports a second time, and so has everybody else. */
static gboolean
has_turn (TfrcSendReceivers *self, guint32 ssrc, TfrcTime now)
{
  gboolean expired = tfrc_time_since (self->next_at, now) >= TURN;
  gboolean known = !expired && ssrc == self->next;

  if (self->n < TFRC_SEND_RECEIVERS_MAX)
    return TRUE;
  if (expired || ssrc - self->last - 1 <= self->next - self->last - 1) {
    self->next = ssrc;
    self->next_at = now;
  }
  return known;
}

/* NULL: there are too many. */
static TfrcSendReceiver *
add (TfrcSendReceivers *self, TfrcSendReceiver *slowest, guint32 ssrc,
    TfrcTime now)
{
  TfrcSendReceiver *receiver;

  if (!has_turn (self, ssrc, now))
    return NULL;
  make_room (self, now);
  if (self->n == TFRC_SEND_RECEIVERS_MAX)
    return NULL;
  self->last = ssrc;
  self->next_at = 0;
  receiver = self->items[self->n++] = g_new (TfrcSendReceiver, 1);
  receiver->ssrc = ssrc;
  receiver->since = now;
  receiver->checked = slowest->checked;
  receiver->checked.wanted_rate = 0;
  tfrc_checked_sender_begin_path (&receiver->checked);
  tfrc_sender_set_start_rate (&receiver->checked.sender,
      get_rate (&slowest->checked));
  tfrc_encoder_rate_init (&receiver->encoder_rate);
  tfrc_packet_feedback_start (&receiver->packet_feedback,
      &receiver->checked.sender.config,
      slowest->packet_feedback.based.config.l4s);
  receiver->packet_feedback.n_numbered = slowest->packet_feedback.n_numbered;
  GST_INFO ("one more receiver: ssrc=%08x receivers=%u", ssrc, self->n + 1);
  return receiver;
}

static TfrcResult
give (TfrcSendReceiver *self, const TfrcFeedback *feedback, TfrcTime now)
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
tfrc_send_receivers_on_report (TfrcSendReceivers *self,
    TfrcSendReceiver *slowest, TfrcPacketFeedbackReader *reader, TfrcTime now)
{
  guint32 ssrc = reader->report.reporter_ssrc;
  guint i = find (self, ssrc);
  TfrcSendReceiver *receiver = i < self->n
      ? self->items[i]
      : add (self, slowest, ssrc, now);
  TfrcResult result = TFRC_DUPLICATE;
  TfrcFeedback feedback;

  if (receiver == NULL)
    return TFRC_FOREIGN;
  /* A new receiver's first reports are about packets sent before it was added. */
  if (tfrc_packet_feedback_begin_report (&receiver->packet_feedback, reader,
          now)
      != TFRC_OK)
    return TFRC_DUPLICATE;
  slowest->packet_feedback.based.counters.reports++;
  tfrc_checked_sender_on_deadline (&receiver->checked, now);
  while (tfrc_packet_feedback_poll_feedback (&receiver->packet_feedback, reader,
      &feedback))
    if (give (receiver, &feedback, now) == TFRC_OK)
      result = TFRC_OK;
  tfrc_packet_feedback_end_report (&receiver->packet_feedback,
      &receiver->checked, now);
  return result;
}

static gboolean
has_reported (const TfrcSendReceiver *receiver)
{
  return tfrc_rtt_is_known (&receiver->checked.sender.rtt);
}

/* Pacing continues from the packets sent at the rate of the one before, and so do the
 * counters. */
static void
keep (TfrcSendReceiver *slowest, const TfrcSendReceiver *before)
{
  TfrcCheckedSender *checked = &slowest->checked;

  checked->sender.pacer = before->checked.sender.pacer;
  checked->sender.counters = before->checked.sender.counters;
  checked->counters = before->checked.counters;
  checked->probing.counters = before->checked.probing.counters;
  checked->wanted_rate = before->checked.wanted_rate;
  slowest->packet_feedback.based.counters =
      before->packet_feedback.based.counters;
  slowest->packet_feedback.ecn = before->packet_feedback.ecn;
}

/* The i-th becomes the slowest, and that takes its place. */
static void
exchange (TfrcSendReceivers *self, guint i, TfrcSendReceiver **slowest,
    TfrcTime now)
{
  TfrcSendReceiver *before = *slowest;

  before->ssrc = before->packet_feedback.based.reporter_ssrc;
  before->since = now;
  *slowest = self->items[i];
  self->items[i] = before;
  keep (*slowest, before);
  before->checked.wanted_rate = 0;
}

static gboolean
is_gone (const TfrcSendReceiver *receiver, TfrcTime now)
{
  return has_reported (receiver)
      ? !tfrc_sender_based_has_receiver (&receiver->packet_feedback.based, now)
      : tfrc_time_since (receiver->since, now) >= FIRST_REPORT;
}

/* `n`: none of them has reported. */
static guint
find_slowest (const TfrcSendReceivers *self)
{
  guint found = self->n;

  for (guint i = 0; i < self->n; i++)
    if (has_reported (self->items[i])
        && (found == self->n
            || takes_less (self->items[i], self->items[found])))
      found = i;
  return found;
}

gboolean
tfrc_send_receivers_choose (TfrcSendReceivers *self, TfrcSendReceiver **slowest,
    gboolean gone, TfrcTime now)
{
  const TfrcSendReceiver *before = *slowest;
  guint found;

  for (guint i = self->n; i-- > 0;)
    if (is_gone (self->items[i], now))
      remove_at (self, i);
  found = find_slowest (self);
  gone |= !tfrc_sender_based_has_receiver (&before->packet_feedback.based, now);
  if (found == self->n
      || (!gone
          && get_rate (&self->items[found]->checked)
              >= LESS * get_rate (&before->checked)))
    return FALSE;
  GST_INFO ("another receiver takes less: ssrc=%08x rate_bytes_s=%.0f "
            "ssrc_before=%08x rate_before_bytes_s=%.0f receivers=%u",
      self->items[found]->ssrc, get_rate (&self->items[found]->checked),
      before->packet_feedback.based.reporter_ssrc, get_rate (&before->checked),
      self->n + 1);
  exchange (self, found, slowest, now);
  if (gone)
    remove_at (self, found);
  return TRUE;
}

gboolean
tfrc_send_receivers_poll_lost (TfrcSendReceivers *self, guint32 *ssrc)
{
  for (guint i = 0; i < self->n; i++)
    if (tfrc_sender_based_poll_lost (&self->items[i]->packet_feedback.based,
            ssrc))
      return TRUE;
  return FALSE;
}

gboolean
tfrc_send_receivers_on_bye (TfrcSendReceivers *self, guint32 ssrc)
{
  guint i = find (self, ssrc);

  if (i == self->n)
    return FALSE;
  remove_at (self, i);
  return TRUE;
}
