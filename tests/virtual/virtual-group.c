/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "virtual-group.h"

#include <assert.h>
#include <stdlib.h>

#define RING 65536 /* packets and reports under way */
#define REPORT_SIZE 28
#define FIRST_MEDIA_SSRC 0xFEEDu
#define MILLION 1000000

typedef struct
{
  bool present; /* gets data and reports */
  TfmccReceiver receiver;
  TfmccPacketCheck check;
  uint32_t ssrc;
  TfrcDuration ahead; /* its clock, of the sender's, at ... */
  TfrcTime drifts_from;
  int drift_ppm;
  LinkModel *forward;
  LinkModel *back;
} Member;

struct _VirtualGroup
{
  GroupConfig config;
  TfmccSender sender;
  TfmccReportCheck check;
  Member *members[GROUP_MAX_RECEIVERS];
  unsigned n_members;
  TfrcRng rng;
  TfrcTime now;
  bool paused;
  TfrcTime frame_at; /* of a source with a rate: its newest frame, */
  double made;       /* and what of it is not sent [bytes] */

  TfrcDataPacket data[RING];
  TfmccExtension extensions[RING];
  TfmccReport reports[RING];
  uint32_t next_data;
  uint32_t next_report;
  uint32_t media_ssrc;
  uint16_t seq;
};

GroupConfig
group_config_default (void)
{
  return (GroupConfig) {
    .sender = tfmcc_sender_config_default (),
    .receiver = tfmcc_receiver_config_default (),
    .seed = 1,
    .packet_size = 1000,
  };
}

GroupPath
group_path_default (void)
{
  GroupPath path;

  link_config_init (&path.forward);
  link_config_init (&path.back);
  path.forward.delay = 30 * TFRC_MILLISECOND;
  path.back.delay = 30 * TFRC_MILLISECOND;
  return path;
}

GroupPath
group_path_of (TfrcDuration rtt, TfrcRate rate, double loss)
{
  GroupPath path = group_path_default ();

  path.forward.delay = path.back.delay = rtt / 2;
  path.forward.loss = loss;
  if (rate > 0.0) {
    path.forward.rate = rate;
    path.forward.queue_limit = 100 * TFRC_MILLISECOND;
  }
  return path;
}

static void
init_sender (VirtualGroup *self, const TfmccSenderConfig *config)
{
  tfmcc_sender_init (&self->sender, config);
  self->check = (TfmccReportCheck) { 0 };
}

VirtualGroup *
group_new (const GroupConfig *config)
{
  VirtualGroup *self = calloc (1, sizeof *self);

  assert (self != NULL);
  self->config = *config;
  self->now = config->start_at;
  self->media_ssrc = FIRST_MEDIA_SSRC;
  tfrc_rng_init (&self->rng, config->seed, 0);
  init_sender (self, &config->sender);
  return self;
}

void
group_free (VirtualGroup *self)
{
  for (unsigned i = 0; i < self->n_members; i++) {
    link_model_free (self->members[i]->forward);
    link_model_free (self->members[i]->back);
    free (self->members[i]);
  }
  free (self);
}

static void
init_receiver (VirtualGroup *self, unsigned number)
{
  TfmccReceiverConfig config = self->config.receiver;
  Member *member = self->members[number];

  config.ssrc = member->ssrc;
  config.seed = self->config.seed * GROUP_SSRCS + member->ssrc - 1;
  config.timestamp_offset_us = (member->ssrc - 1) * 0x12345678u;
  tfmcc_receiver_init (&member->receiver, &config);
  member->check = (TfmccPacketCheck) { 0 };
  member->present = true;
}

unsigned
group_join (VirtualGroup *self, const GroupPath *path)
{
  Member *member = calloc (1, sizeof *member);
  unsigned number = self->n_members;
  uint64_t seed = self->config.seed * GROUP_SSRCS + number;

  assert (member != NULL && number < GROUP_MAX_RECEIVERS);
  member->ssrc = number + 1;
  member->ahead = (number + 1) * self->config.clock_step;
  member->forward = link_model_new (&path->forward, 2 * seed, self->now);
  member->back = link_model_new (&path->back, 2 * seed + 1, self->now);
  self->members[self->n_members++] = member;
  init_receiver (self, number);
  return number;
}

unsigned
group_join_by (VirtualGroup *self, TfrcDuration rtt, TfrcRate rate, double loss)
{
  GroupPath path = group_path_of (rtt, rate, loss);

  return group_join (self, &path);
}

/* What the receiver's clock shows; it drifts by steps of a millisecond. */
static TfrcTime
there (const VirtualGroup *self, const Member *member)
{
  return tfrc_time_add (self->now, member->ahead)
      + (TfrcTime) ((int64_t) (self->now - member->drifts_from) / MILLION
          * member->drift_ppm);
}

static void
send_reports (VirtualGroup *self, Member *member)
{
  uint32_t id = self->next_report % RING;

  if (tfmcc_receiver_poll_report (&member->receiver, &self->reports[id],
          there (self, member))) {
    self->next_report++;
    link_model_enqueue (member->back, REPORT_SIZE, id, self->now);
  }
}

void
group_leave (VirtualGroup *self, unsigned receiver)
{
  Member *member = self->members[receiver];

  tfmcc_receiver_leave (&member->receiver, there (self, member));
  send_reports (self, member);
  member->present = false;
}

void
group_kill (VirtualGroup *self, unsigned receiver)
{
  self->members[receiver]->present = false;
}

void
group_return (VirtualGroup *self, unsigned receiver)
{
  assert (!self->members[receiver]->present && self->n_members <= GROUP_SSRCS);
  self->members[receiver]->ssrc += GROUP_SSRCS;
  init_receiver (self, receiver);
}

void
group_set_path (VirtualGroup *self, unsigned receiver, const GroupPath *path)
{
  Member *member = self->members[receiver];

  link_model_set_config (member->forward, &path->forward, self->now);
  link_model_set_config (member->back, &path->back, self->now);
}

void
group_set_drift (VirtualGroup *self, unsigned receiver, int ppm)
{
  Member *member = self->members[receiver];

  member->ahead = there (self, member) - self->now;
  member->drifts_from = self->now;
  member->drift_ppm = ppm;
}

void
group_restart_sender (VirtualGroup *self)
{
  TfmccSenderConfig config = self->config.sender;

  config.timestamp_offset_us = tfrc_rng_next (&self->rng);
  init_sender (self, &config);
  self->media_ssrc++;
  self->seq = (uint16_t) tfrc_rng_next (&self->rng);
}

/* In the sender's time; of a clock that drifts up to 2 ms late, so that it has
 * passed there as well. */
static TfrcTime
get_receiver_deadline (const Member *member)
{
  TfrcTime at = tfrc_time_sub (tfmcc_receiver_next_deadline (&member->receiver),
      member->ahead);
  int64_t since = (int64_t) (at - member->drifts_from);

  if (at == TFRC_TIME_NONE || member->drift_ppm == 0)
    return at;
  return member->drifts_from
      + (TfrcTime) ((since / (MILLION + member->drift_ppm) + 2) * MILLION);
}

static TfrcDuration
get_frame_interval (const VirtualGroup *self)
{
  return self->config.frame_interval > 0
      ? self->config.frame_interval
      : tfrc_rate_time_for (self->config.source_rate, self->config.packet_size);
}

/* When the sender may and the source has something. */
static TfrcTime
get_next_send (const VirtualGroup *self)
{
  TfrcTime at = tfmcc_sender_next_send_at (&self->sender);

  if (self->config.source_rate > 0.0 && self->made < self->config.packet_size)
    at = tfrc_time_max (at, self->frame_at + get_frame_interval (self));
  return at;
}

static TfrcTime
get_next_event (const VirtualGroup *self)
{
  TfrcTime at = tfmcc_sender_next_deadline (&self->sender);

  if (!self->paused)
    at = tfrc_time_min (at, get_next_send (self));
  for (unsigned i = 0; i < self->n_members; i++) {
    const Member *member = self->members[i];

    at = tfrc_time_min (at, link_model_next_deadline (member->forward));
    at = tfrc_time_min (at, link_model_next_deadline (member->back));
    if (member->present)
      at = tfrc_time_min (at, get_receiver_deadline (member));
  }
  return at;
}

static void
make_frames (VirtualGroup *self)
{
  TfrcDuration interval = get_frame_interval (self);

  while (self->frame_at + interval <= self->now) {
    self->frame_at += interval;
    /* Less than a packet is made up to one, so that a frame has some. */
    self->made += fmax (tfrc_rate_bytes_in (self->config.source_rate, interval),
        self->config.packet_size);
  }
}

static void
send_packet (VirtualGroup *self)
{
  uint32_t id = self->next_data++ % RING;
  bool backlog = true;

  if (self->config.source_rate > 0.0) {
    make_frames (self);
    self->made -= self->config.packet_size;
    backlog = self->made >= self->config.packet_size;
  }
  self->data[id] = (TfrcDataPacket) {
    .ssrc = self->media_ssrc,
    .seq = self->seq++,
    .size = self->config.packet_size,
  };
  self->extensions[id] = tfmcc_sender_on_sent (&self->sender,
      self->config.packet_size, backlog, self->now);
  for (unsigned i = 0; i < self->n_members; i++)
    link_model_enqueue (self->members[i]->forward, self->config.packet_size, id,
        self->now);
}

static void
deliver (VirtualGroup *self, Member *member)
{
  LinkOutput output;

  while (link_model_poll (member->forward, &output, self->now)) {
    if (output.fate == LINK_DELIVERED && member->present)
      tfmcc_packet_check_on_packet (&member->check, &member->receiver,
          &self->data[output.id], &self->extensions[output.id],
          there (self, member));
  }
  if (member->present) {
    if (get_receiver_deadline (member) <= self->now)
      tfmcc_receiver_on_deadline (&member->receiver, there (self, member));
    send_reports (self, member);
  }
  while (link_model_poll (member->back, &output, self->now)) {
    if (output.fate == LINK_DELIVERED)
      tfmcc_report_check_on_report (&self->check, &self->sender,
          &self->reports[output.id], self->now);
  }
}

void
group_run (VirtualGroup *self, TfrcTime until)
{
  TfrcTime at;

  while ((at = get_next_event (self)) <= until) {
    self->now = tfrc_time_max (at, self->now);
    for (unsigned i = 0; i < self->n_members; i++)
      deliver (self, self->members[i]);
    if (tfmcc_sender_next_deadline (&self->sender) <= self->now)
      tfmcc_sender_on_deadline (&self->sender, self->now);
    if (!self->paused && get_next_send (self) <= self->now)
      send_packet (self);
  }
  self->now = until;
}

void
group_set_paused (VirtualGroup *self, bool paused)
{
  self->paused = paused;
}

void
group_set_source_rate (VirtualGroup *self, TfrcRate rate)
{
  self->config.source_rate = rate;
  self->frame_at = self->now;
  self->made = 0.0;
}

void
group_forge_report (VirtualGroup *self, const TfmccReport *report)
{
  tfmcc_report_check_on_report (&self->check, &self->sender, report, self->now);
}

void
group_forge_packet (VirtualGroup *self, unsigned receiver,
    const TfrcDataPacket *packet, const TfmccExtension *extension)
{
  Member *member = self->members[receiver];

  tfmcc_packet_check_on_packet (&member->check, &member->receiver, packet,
      extension, there (self, member));
}

TfrcRate
group_run_rate (VirtualGroup *self, TfrcTime until)
{
  uint64_t before = tfmcc_sender_get_counters (&self->sender).bytes;
  TfrcTime start = self->now;

  group_run (self, until);
  return tfrc_rate_of ((double) (tfmcc_sender_get_counters (&self->sender).bytes
                           - before),
      until - start);
}

const TfmccSender *
group_get_sender (const VirtualGroup *self)
{
  return &self->sender;
}

TfrcRate
group_get_rate (const VirtualGroup *self, TfrcTime now)
{
  return tfmcc_sender_get_rate (&self->sender, now);
}

const TfmccReceiver *
group_get_receiver (const VirtualGroup *self, unsigned receiver)
{
  return &self->members[receiver]->receiver;
}

const TfmccReportCheck *
group_get_report_check (const VirtualGroup *self)
{
  return &self->check;
}

const TfmccPacketCheck *
group_get_packet_check (const VirtualGroup *self, unsigned receiver)
{
  return &self->members[receiver]->check;
}

const LinkModel *
group_get_forward (const VirtualGroup *self, unsigned receiver)
{
  return self->members[receiver]->forward;
}

bool
group_is_present (const VirtualGroup *self, unsigned receiver)
{
  return self->members[receiver]->present;
}

unsigned
group_get_size (const VirtualGroup *self)
{
  return self->n_members;
}

int
group_get_clr (const VirtualGroup *self)
{
  const TfmccLimiter *clr = tfmcc_sender_get_clr (&self->sender);

  if (clr == NULL)
    return -1;
  return (int) (self->n_members > GROUP_SSRCS ? clr->ssrc - 1
                                              : (clr->ssrc - 1) % GROUP_SSRCS);
}
