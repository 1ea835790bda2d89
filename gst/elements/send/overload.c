/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/overload.h"

#include "encoder/upstream.h"

/* An overload ends after this time in which nothing exceeds the rate. */
#define END_TIME TFRC_SECOND

void
tfrc_overload_start (TfrcOverload *self)
{
  *self = (TfrcOverload) {
    .since = TFRC_TIME_NONE,
    .posted_at = TFRC_TIME_NONE,
  };
}

/* The rate of those sources; sets the pad of the one that makes most. */
static gdouble
add_rates (const TfrcQueue *queue, const GPtrArray *inputs, GstPad **pad)
{
  gdouble sum = 0.0, most = 0.0;

  for (guint i = 0; i < inputs->len; i++) {
    const TfrcSendInput *input = g_ptr_array_index (inputs, i);
    const TfrcSendStream *stream;
    gdouble rate = 0.0;

    if (input->follows || !input->live || tfrc_send_input_can_wait (input))
      continue;
    for (guint k = 0; (stream = tfrc_queue_get_stream (queue, k)) != NULL; k++)
      rate += stream->input == input ? stream->rate : 0.0;
    if (rate > most)
      *pad = input->pad;
    most = MAX (most, rate);
    sum += rate;
  }
  return sum;
}

static void
begin (TfrcOverload *self, const TfrcQueue *queue, TfrcTime now)
{
  self->since = self->measured_at = now;
  self->seconds = self->came_in = self->allowed = 0.0;
  self->dropped = queue->counters.packets_dropped;
  self->posted = FALSE;
}

static gboolean
is_due (const TfrcOverload *self, TfrcTime now)
{
  return self->posted_at == TFRC_TIME_NONE
      || tfrc_time_since (self->posted_at, now)
      >= (self->posted ? TFRC_OVERLOAD_INTERVAL : TFRC_OVERLOAD_LEAST_INTERVAL);
}

gboolean
tfrc_overload_on_measured (TfrcOverload *self, const TfrcQueue *queue,
    const GPtrArray *inputs, TfrcRate allowed, TfrcTime now,
    TfrcOverloadMessage *message)
{
  GstPad *pad = NULL;
  gdouble rate = add_rates (queue, inputs, &pad), seconds;
  gboolean is_over = allowed > 0.0 && rate > allowed;

  if (self->since != TFRC_TIME_NONE
      && tfrc_time_since (self->over_at, now) >= END_TIME)
    self->since = TFRC_TIME_NONE;
  if (is_over)
    self->over_at = now;
  if (self->since == TFRC_TIME_NONE) {
    if (is_over)
      begin (self, queue, now);
    return FALSE;
  }
  seconds = tfrc_duration_to_seconds (tfrc_time_since (self->measured_at, now));
  self->measured_at = now;
  if (allowed > 0.0) {
    self->seconds += seconds;
    self->came_in += rate * seconds;
    self->allowed += allowed * seconds;
  }
  message->n_dropped = queue->counters.packets_dropped - self->dropped;
  if (!is_over || tfrc_time_since (self->since, now) < TFRC_OVERLOAD_TIME
      || self->came_in <= self->allowed || message->n_dropped == 0
      || !is_due (self, now))
    return FALSE;
  self->posted = TRUE;
  self->posted_at = now;
  message->pad = pad != NULL ? gst_object_ref (pad) : NULL;
  message->rate = rate;
  message->allowed = self->allowed / self->seconds;
  return TRUE;
}

/* What the user can do. */
static gchar *
advise (GstPad *pad, gboolean controlled, gboolean fixed)
{
  g_autoptr (GstElement) encoder = NULL;

  if (fixed)
    return g_strdup ("set start-bitrate, if the network can carry it, or make "
                     "the source slower");
  if (!controlled)
    return g_strdup ("encoder-control is false, so set the source's bitrate "
                     "when notify::bitrate tells what may be sent");
  encoder = pad != NULL ? tfrc_encoder_find_upstream (pad) : NULL;
  if (encoder != NULL)
    return g_strdup_printf ("the encoder %s has no bitrate that can be set "
                            "now; encoder-bitrate-property names one, or set "
                            "its quality lower",
        GST_OBJECT_NAME (encoder));
  return g_strdup ("there is no encoder upstream to set; set the source's "
                   "bitrate when notify::bitrate tells what may be sent, or "
                   "encode its pictures again");
}

void
tfrc_overload_post (TfrcOverloadMessage *self, GstElement *element,
    gboolean controlled, gboolean fixed)
{
  g_autofree gchar *advice = advise (self->pad, controlled, fixed);
  const gchar *name = self->pad != NULL ? GST_OBJECT_NAME (self->pad) : "";
  guint64 bitrate = tfrc_rate_to_bits (self->rate);
  guint64 allowed = tfrc_rate_to_bits (self->allowed);

  GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, WRITE,
      ("Packets of pad %s are dropped, and will be: its source makes "
       "%" G_GUINT64_FORMAT " bits/s, and %" G_GUINT64_FORMAT
       " bits/s may be sent: %s.",
          name, bitrate, allowed, advice),
      ("%" G_GUINT64_FORMAT " packets dropped", self->n_dropped),
      ("pad", G_TYPE_STRING, name, "source-bitrate", G_TYPE_UINT64, bitrate,
          "allowed-bitrate", G_TYPE_UINT64, allowed, "packets-dropped",
          G_TYPE_UINT64, self->n_dropped, NULL));
  gst_clear_object (&self->pad);
}
