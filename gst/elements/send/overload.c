/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/overload.h"

#include <math.h>

#include "encoder/upstream.h"

/* An overload ends after this time in which nothing exceeds the rate. */
#define END_TIME TFRC_SECOND

/* The mean must be exceeded by this factor: the drains of delay control take 3 % from a
 * source that is as fast as the path. */
#define MARGIN 1.05

/* What may be sent grows while it exceeds its mean over this time [s] by that factor. */
#define GROWTH_TIME 2.0

void
tfrc_overload_start (TfrcOverload *self)
{
  *self = (TfrcOverload) {
    .since = TFRC_TIME_NONE,
    .posted_at = TFRC_TIME_NONE,
  };
}

/* Sets the number of pads of those sources, and the pad of the one that produces most.
 * Returns the rate of all. */
static gdouble
add_rates (const GPtrArray *inputs, GstPad **pad, guint *n_pads)
{
  gdouble sum = 0.0, most = 0.0;

  *n_pads = 0;
  for (guint i = 0; i < inputs->len; i++) {
    const TfrcSendInput *input = g_ptr_array_index (inputs, i);

    if (input->follows || tfrc_send_input_can_wait (input))
      continue;
    if (input->rate > most)
      *pad = input->pad;
    most = MAX (most, input->rate);
    sum += input->rate;
    *n_pads += input->rate >= 1.0; /* a smoothed rate never gets to 0 */
  }
  return sum;
}

static gboolean
must_warn (const TfrcOverload *self, TfrcRate allowed, guint64 n_dropped,
    TfrcTime now)
{
  return tfrc_time_since (self->since, now) >= TFRC_OVERLOAD_TIME
      && self->came_in > MARGIN * self->allowed
      && allowed <= MARGIN * self->recent && n_dropped > 0
      && (self->posted_at == TFRC_TIME_NONE
          || tfrc_time_since (self->posted_at, now) >= (self->posted
                     ? TFRC_OVERLOAD_INTERVAL
                     : TFRC_OVERLOAD_LEAST_INTERVAL));
}

gboolean
tfrc_overload_on_measured (TfrcOverload *self, const TfrcQueue *queue,
    const GPtrArray *inputs, TfrcRate allowed, TfrcTime now,
    TfrcOverloadMessage *message)
{
  GstPad *pad = NULL;
  gdouble rate = add_rates (inputs, &pad, &message->n_pads), seconds;
  gboolean is_over = allowed > 0.0 && rate > allowed;

  if (self->since != TFRC_TIME_NONE
      && tfrc_time_since (self->over_at, now) >= END_TIME)
    self->since = TFRC_TIME_NONE;
  if (is_over)
    self->over_at = now;
  if (self->since == TFRC_TIME_NONE) {
    if (is_over)
      *self = (TfrcOverload) {
        .since = now,
        .measured_at = now,
        .over_at = now,
        .recent = allowed,
        .dropped = queue->counters.packets_dropped,
        .posted_at = self->posted_at,
      };
    return FALSE;
  }
  seconds = tfrc_duration_to_seconds (tfrc_time_since (self->measured_at, now));
  self->measured_at = now;
  if (allowed > 0.0) {
    self->seconds += seconds;
    self->came_in += rate * seconds;
    self->allowed += allowed * seconds;
    self->recent += -expm1 (-seconds / GROWTH_TIME) * (allowed - self->recent);
  }
  message->n_dropped = queue->counters.packets_dropped - self->dropped;
  if (!is_over || !must_warn (self, allowed, message->n_dropped, now))
    return FALSE;
  self->posted = TRUE;
  self->posted_at = now;
  message->pad = gst_object_ref (pad);
  message->rate = self->came_in / self->seconds;
  message->allowed = self->allowed / self->seconds;
  return TRUE;
}

/* What the user can do. */
static gchar *
advise (GstPad *pad, gboolean controlled, gboolean fixed)
{
  g_autoptr (GstElement) encoder = NULL;

  if (fixed)
    return g_strdup ("Set a higher start-bitrate if the network can carry it, "
                     "or lower the source's bitrate.");
  if (!controlled)
    return g_strdup ("As encoder-control is false, set the source's bitrate "
                     "whenever notify::bitrate tells what may be sent.");
  encoder = tfrc_encoder_find_upstream (pad);
  if (encoder != NULL)
    return g_strdup_printf ("The encoder %s has no bitrate that can be set "
                            "while it runs. Name one with "
                            "encoder-bitrate-property, or lower the encoder's "
                            "quality.",
        GST_OBJECT_NAME (encoder));
  return g_strdup ("There is no encoder upstream to set. Set the source's "
                   "bitrate whenever notify::bitrate tells what may be sent, "
                   "or encode its pictures again.");
}

static gchar *
name_sources (const TfrcOverloadMessage *self)
{
  return self->n_pads == 1
      ? g_strdup_printf ("Packets of pad %s are being dropped: its source "
                         "produces",
            GST_OBJECT_NAME (self->pad))
      : g_strdup_printf ("Packets are being dropped: the sources of %u pads, "
                         "above all that of pad %s, produce",
            self->n_pads, GST_OBJECT_NAME (self->pad));
}

void
tfrc_overload_post (TfrcOverloadMessage *self, GstElement *element,
    gboolean controlled, gboolean fixed)
{
  g_autofree gchar *sources = name_sources (self);
  g_autofree gchar *advice = advise (self->pad, controlled, fixed);
  guint64 bitrate = tfrc_rate_to_bits (self->rate);
  guint64 allowed = tfrc_rate_to_bits (self->allowed);

  GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, WRITE,
      ("%s%s %" G_GUINT64_FORMAT " bits/s, but only %" G_GUINT64_FORMAT
       " bits/s may be sent. %s",
          sources, self->repaired ? ", with repair," : "", bitrate, allowed,
          advice),
      ("%" G_GUINT64_FORMAT " packets dropped", self->n_dropped),
      ("pad", G_TYPE_STRING, GST_OBJECT_NAME (self->pad), "source-bitrate",
          G_TYPE_UINT64, bitrate, "allowed-bitrate", G_TYPE_UINT64, allowed,
          "packets-dropped", G_TYPE_UINT64, self->n_dropped, NULL));
  gst_clear_object (&self->pad);
}
