/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "video-group.h"

#define REPORT_SIZE 28

void
video_group_start (VideoGroup *self, TfmccSenderConfig config)
{
  memset (self, 0, sizeof *self);
  config.min_rate = tfrc_rate_from_bits (VIDEO_GROUP_MIN_BITRATE);
  tfmcc_send_flow_init (&self->flow, &config);
  tfrc_encoder_target_limiter_reset (&self->limiter,
      MAX (VIDEO_GROUP_MIN_BITRATE, tfrc_rate_to_bits (config.start_rate)));
}

void
video_group_stop (VideoGroup *self)
{
  for (guint i = 0; i < self->n_members; i++) {
    link_model_free (self->members[i].forward);
    link_model_free (self->members[i].back);
  }
}

void
video_group_join (VideoGroup *self, TfmccReceiverConfig config,
    const LinkConfig *link, guint64 seed)
{
  VideoGroupMember *member = &self->members[self->n_members];
  LinkConfig back;

  config.ssrc = ++self->n_members;
  tfmcc_receiver_init (&member->receiver, &config);
  link_config_init (&back);
  back.delay = link->delay;
  member->back = link_model_new (&back, seed, 0);
  member->forward = link_model_new (link, seed + 1, 0);
}

static void
receive (VideoGroup *self, VideoGroupMember *member, TfrcTime now)
{
  TfmccReport *report = &self->reports[self->n_reports % VIDEO_GROUP_RING];
  LinkOutput output;

  while (link_model_poll (member->forward, &output, now)) {
    guint i = output.id % VIDEO_GROUP_RING;
    TfrcDataPacket packet = {
      .ssrc = 1, .seq = (guint16) output.id, .size = self->sizes[i]
    };

    tfmcc_receiver_on_packet (&member->receiver, &packet, &self->extensions[i],
        now);
  }
  tfmcc_receiver_on_deadline (&member->receiver, now);
  if (tfmcc_receiver_poll_report (&member->receiver, report, now))
    link_model_enqueue (member->back, REPORT_SIZE, self->n_reports++, now);
  while (link_model_poll (member->back, &output, now))
    tfmcc_send_flow_on_report (&self->flow,
        &self->reports[output.id % VIDEO_GROUP_RING], 0, NULL, now);
}

void
video_group_receive (VideoGroup *self, TfrcTime now)
{
  for (guint i = 0; i < self->n_members; i++)
    receive (self, &self->members[i], now);
  tfmcc_send_flow_on_deadline (&self->flow, now);
}

void
video_group_control_encoder (VideoGroup *self, guint64 queued_bytes,
    TfrcTime now)
{
  const TfrcEncoderSettings settings = {
    .min_bitrate = VIDEO_GROUP_MIN_BITRATE
  };
  TfrcEncoderFlow flow = {
    .allowed_bitrate =
        tfrc_rate_to_bits (tfmcc_sender_get_rate (&self->flow.sender, now)),
    .overhead = 1.0,
    .queued_bytes = queued_bytes,
  };

  tfrc_encoder_target_limiter_pass (&self->limiter,
      tfrc_encoder_target_request (&settings,
          tfrc_encoder_target_from_flow (&flow), 1),
      now);
}

void
video_group_send (VideoGroup *self, guint size, gboolean more_waits,
    guint n_members, TfrcTime now)
{
  guint32 id = self->n_packets++;
  guint i = id % VIDEO_GROUP_RING;
  TfrcExtensionBytes bytes;

  self->sizes[i] = size;
  tfmcc_send_flow_charge (&self->flow, size, more_waits, &bytes, now);
  if (!tfmcc_wire_read_extension (&self->extensions[i], bytes.data, bytes.size))
    g_assert_not_reached ();
  for (guint member = 0; member < n_members; member++)
    link_model_enqueue (self->members[member].forward, size, id, now);
}
