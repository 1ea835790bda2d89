/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/encoder-shares.h"

/* Interval of updates.  Encoders are set at most ten times a second, and then by a recent
 * rate. */
#define INTERVAL (20 * TFRC_MILLISECOND)

/* After this time without a packet there is nothing to measure. */
#define IDLE_TIME TFRC_SECOND

/* An encoder that makes OVER times its target for OVER_TIME does not follow it. */
#define OVER 1.3
#define OVER_TIME (3 * TFRC_SECOND)

/* Bytes sent for a byte that is encoded, in packets as large as they may be. */
#define FULL_OVERHEAD 1.05

/* A source that makes less than this part of its share is muted. */
#define MUTED 0.01

void
tfrc_send_encoder_shares_start (TfrcSendEncoderShares *self)
{
  *self = (TfrcSendEncoderShares) {
    .due_at = TFRC_TIME_NONE,
    .flow = { .overhead = 1.0 },
  };
}

void
tfrc_send_encoder_shares_on_packet (TfrcSendEncoderShares *self, TfrcTime now)
{
  self->packet_at = now;
  if (self->due_at == TFRC_TIME_NONE)
    self->due_at = now;
}

static gdouble
get_encoded_rate (const TfrcSendInput *input)
{
  return input->encoded != NULL ? input->encoded->rate : 0.0;
}

static gdouble
get_overhead (gdouble rate, gdouble payload_rate)
{
  return payload_rate > 0 ? rate / payload_rate : 1.0;
}

/* The same at a higher rate.  Small packets get larger then, so the rest needs no more
 * than full ones. */
static gdouble
get_overhead_at (gdouble allowed, gdouble rate, gdouble payload_rate)
{
  gdouble more = MAX (allowed - rate, 0.0);

  if (payload_rate <= 0)
    return 1.0;
  return MIN (get_overhead (rate, payload_rate),
      (rate + more) / (payload_rate + more / FULL_OVERHEAD));
}

static guint
get_weight (const TfrcSendInput *input)
{
  return tfrc_priority_get_video_weight (input->priority);
}

static gboolean
is_muted (const TfrcSendInput *input, gdouble fair)
{
  gdouble rate = get_encoded_rate (input);

  /* A new stream has no measured rate yet. */
  return input->encoded == NULL
      || (rate > 0 && tfrc_rate_to_bits (rate) < MUTED * fair);
}

static gdouble
get_own_overhead (const TfrcSendInput *input)
{
  return input->encoded != NULL
      ? get_overhead (input->encoded->rate, input->encoded->payload_rate)
      : 1.0;
}

/* The most that an encoder is given goes by what it makes, if that is less than half of
 * its share.  But half of the share remains its own, as it needs that at once when the
 * picture moves again. */
static TfrcEncoderShare
describe (TfrcSendInput *input, gdouble fair, TfrcTime now)
{
  gdouble overhead = get_own_overhead (input);
  gdouble rate = tfrc_rate_to_bits (get_encoded_rate (input));
  TfrcEncoderShare share = { 0 };

  if (!input->follows || is_muted (input, fair))
    return share;
  share.weight = get_weight (input);
  share.least = input->least * overhead;
  share.most = input->most * overhead;
  if (rate > 0)
    share.most = MIN (share.most, MAX (2 * rate, fair / 2));
  if (rate <= OVER * input->target)
    input->over_since = TFRC_TIME_NONE;
  else if (input->over_since == TFRC_TIME_NONE)
    input->over_since = now;
  else if (tfrc_time_since (input->over_since, now) >= OVER_TIME)
    share.taken = rate;
  return share;
}

/* Gives the input `part` of what the flow may send. */
static void
set_flow (TfrcSendInput *input, const TfrcEncoderFlow *flow, gdouble part)
{
  input->flow = *flow;
  input->flow.overhead = 1.0;
  if (input->encoded != NULL)
    input->flow.overhead =
        get_overhead_at (tfrc_rate_from_bits (flow->allowed_bitrate
                             - MIN (flow->allowed_bitrate, flow->other_bitrate))
                * part,
            input->encoded->rate, input->encoded->payload_rate);
  if (part >= 1.0)
    return;
  input->flow.allowed_bitrate = (guint64) (flow->allowed_bitrate * part);
  input->flow.other_bitrate = (guint64) (flow->other_bitrate * part);
  input->flow.queued_bytes = (guint64) (flow->queued_bytes * part);
}

/* Divides among what the encoders can use first, and what remains then once more among
 * all. */
static void
divide (GPtrArray *inputs, TfrcEncoderShare *shares, gdouble left)
{
  tfrc_encoder_shares_divide (shares, inputs->len, left);
  for (guint i = 0; i < inputs->len; i++) {
    const TfrcSendInput *input = g_ptr_array_index (inputs, i);

    if (!input->follows)
      continue;
    shares[i].weight = get_weight (input);
    shares[i].least = shares[i].target;
    shares[i].most = input->most * get_own_overhead (input);
  }
  tfrc_encoder_shares_divide (shares, inputs->len, left);
}

/* A muted encoder is given half of its share, so that it does not begin with a poor
 * picture; an input that does not follow yet gets what its share would be. */
static void
share_out (const TfrcEncoderFlow *flow, GPtrArray *inputs, TfrcTime now)
{
  g_autofree TfrcEncoderShare *shares = g_new0 (TfrcEncoderShare, inputs->len);
  TfrcEncoderFlow sent = *flow;
  guint weights = 0;
  gdouble left;

  sent.overhead = 1.0;
  left = tfrc_encoder_target_from_flow (&sent);
  for (guint i = 0; i < inputs->len; i++) {
    const TfrcSendInput *input = g_ptr_array_index (inputs, i);

    weights += input->follows ? get_weight (input) : 0;
  }
  for (guint i = 0; i < inputs->len && weights > 0; i++) {
    TfrcSendInput *input = g_ptr_array_index (inputs, i);

    shares[i] = describe (input, left * get_weight (input) / weights, now);
  }
  if (weights > 0)
    divide (inputs, shares, left);
  for (guint i = 0; i < inputs->len; i++) {
    TfrcSendInput *input = g_ptr_array_index (inputs, i);
    gdouble fair = get_weight (input);

    fair /= input->follows ? weights : weights + fair;
    input->target = shares[i].target;
    if (is_muted (input, fair * left))
      input->target = MAX (input->target, fair * left / 2);
    set_flow (input, flow,
        input->follows && left > 0 ? input->target / left : fair);
  }
}

/* Whether the stream is of an encoder that follows the rate, or, if there is no such
 * encoder, any video (the fastest counts). */
static gboolean
may_follow (const TfrcSendStream *stream, gboolean any_follows)
{
  return any_follows ? stream->input != NULL && stream->input->follows
          && tfrc_send_stream_may_be_encoded (stream)
                     : stream->video;
}

static void
note_encoded (TfrcSendStream **encoded, TfrcSendStream *stream)
{
  if (*encoded == NULL || stream->rate >= (*encoded)->rate)
    *encoded = stream;
}

/* Queries the encoders.  TRUE: one of them follows the rate. */
static gboolean
look_at_encoders (GPtrArray *inputs)
{
  gboolean any = FALSE;

  for (guint i = 0; i < inputs->len; i++) {
    TfrcSendInput *input = g_ptr_array_index (inputs, i);

    input->encoded = NULL;
    input->rate = input->video_rate = 0.0;
    if (input->encoder != NULL)
      input->follows = tfrc_encoder_get_range (input->encoder, &input->least,
          &input->most);
    any |= input->follows;
  }
  return any;
}

/* Rates in bytes/s: of all streams, and of those of encoders that follow, with headers
 * and without. */
typedef struct
{
  gdouble all, encoded, payload;
} Rates;

static Rates
measure (const TfrcQueue *queue, GPtrArray *inputs, gboolean any_follows,
    TfrcTime now)
{
  TfrcSendStream *stream, *fastest = NULL;
  Rates rates = { 0 };

  for (guint i = 0; (stream = tfrc_queue_get_stream (queue, i)) != NULL; i++) {
    tfrc_send_stream_measure (stream, now);
    rates.all += stream->rate;
    if (stream->input != NULL) {
      stream->input->rate += stream->rate;
      stream->input->video_rate += stream->video ? stream->rate : 0.0;
    }
    if (!may_follow (stream, any_follows))
      continue;
    note_encoded (&fastest, stream);
    if (stream->input != NULL)
      note_encoded (&stream->input->encoded, stream);
  }
  if (!any_follows && fastest != NULL) {
    rates.encoded = fastest->rate;
    rates.payload = fastest->payload_rate;
  }
  for (guint i = 0; i < inputs->len && any_follows; i++) {
    const TfrcSendInput *input = g_ptr_array_index (inputs, i);

    rates.encoded += get_encoded_rate (input);
    rates.payload += input->encoded != NULL ? input->encoded->payload_rate : 0;
  }
  return rates;
}

/* A source that can wait sends as fast as it is let.  Beside encoders that follow, its
 * video only counts up to its share by weight, and has to wait for the rest, the excess
 * [bytes/s]. */
static TfrcRate
get_excess (GPtrArray *inputs, TfrcRate allowed)
{
  guint weights = 0, followers = 0;
  TfrcRate excess = 0.0;

  for (guint i = 0; i < inputs->len; i++) {
    const TfrcSendInput *input = g_ptr_array_index (inputs, i);

    followers += input->follows;
    if (input->follows || tfrc_send_input_can_wait (input))
      weights += get_weight (input);
  }
  for (guint i = 0; i < inputs->len && followers > 0; i++) {
    const TfrcSendInput *input = g_ptr_array_index (inputs, i);

    if (tfrc_send_input_can_wait (input))
      excess += MAX (0.0,
          input->video_rate - allowed * get_weight (input) / weights);
  }
  return excess;
}

gboolean
tfrc_send_encoder_shares_on_deadline (TfrcSendEncoderShares *self,
    const TfrcQueue *queue, GPtrArray *inputs, TfrcSendFlow *flow,
    gboolean repaired, TfrcTime now)
{
  gboolean any_follows;
  TfrcRate allowed, others;
  Rates rates;

  if (now < self->due_at)
    return FALSE;
  self->due_at = queue->packets == 0
          && tfrc_time_since (self->packet_at, now) >= IDLE_TIME
      ? TFRC_TIME_NONE
      : tfrc_time_add (now, INTERVAL);
  any_follows = look_at_encoders (inputs);
  tfrc_send_flow_set_followed (flow, any_follows);
  rates = measure (queue, inputs, any_follows, now);
  if (!tfrc_send_flow_get_encoder_rate (flow, &allowed, now))
    return FALSE;

  others = rates.all - rates.encoded - get_excess (inputs, allowed);
  self->flow = (TfrcEncoderFlow) {
    .allowed_bitrate = tfrc_rate_to_bits (allowed),
    .other_bitrate = tfrc_rate_to_bits (others),
    .overhead = get_overhead_at (allowed - others, rates.encoded,
        rates.payload),
    .queued_bytes = queue->bytes - queue->can_wait_bytes,
    .repaired = repaired,
  };
  share_out (&self->flow, inputs, now);
  return TRUE;
}
