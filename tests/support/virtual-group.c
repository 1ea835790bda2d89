/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "virtual-group.h"

#include <assert.h>
#include <stdlib.h>

#define RING 65536              /* packets and reports under way */
#define REPORT_SIZE 28
#define MEDIA_SSRC 0xFEEDu

typedef struct
{
  bool present;                 /* gets data and reports */
  TfmccReceiver receiver;
  LinkModel *forward;
  LinkModel *back;
} Member;

struct _VirtualGroup
{
  GroupConfig config;
  TfmccSender sender;
  Member *members[GROUP_MAX_RECEIVERS];
  unsigned n_members;
  TfrcTime now;
  bool paused;

  TfrcDataPacket data[RING];
  TfmccStamp stamps[RING];
  TfmccReport reports[RING];
  uint32_t next_data;
  uint32_t next_report;
  uint16_t seq;
};

static TfrcTime get_next_event (const VirtualGroup *self);
static void send_packet (VirtualGroup *self);
static void deliver (VirtualGroup *self, Member *member);
static void send_reports (VirtualGroup *self, Member *member);

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

VirtualGroup *
group_new (const GroupConfig *config)
{
  VirtualGroup *self = calloc (1, sizeof *self);

  assert (self != NULL);
  self->config = *config;
  tfmcc_sender_init (&self->sender, &config->sender);
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

unsigned
group_join (VirtualGroup *self, const GroupPath *path)
{
  TfmccReceiverConfig config = self->config.receiver;
  Member *member = calloc (1, sizeof *member);
  unsigned number = self->n_members;

  assert (member != NULL && number < GROUP_MAX_RECEIVERS);
  config.ssrc = number + 1;
  config.seed = self->config.seed * GROUP_MAX_RECEIVERS + number;
  config.timestamp_offset_us = number * 0x12345678u;
  tfmcc_receiver_init (&member->receiver, &config);
  member->forward = link_model_new (&path->forward, 2 * config.seed, self->now);
  member->back = link_model_new (&path->back, 2 * config.seed + 1, self->now);
  member->present = true;
  self->members[self->n_members++] = member;
  return number;
}

void
group_leave (VirtualGroup *self, unsigned receiver)
{
  Member *member = self->members[receiver];

  tfmcc_receiver_leave (&member->receiver, self->now);
  send_reports (self, member);
  member->present = false;
}

void
group_kill (VirtualGroup *self, unsigned receiver)
{
  self->members[receiver]->present = false;
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
    if (!self->paused && tfmcc_sender_next_send_at (&self->sender) <= self->now)
      send_packet (self);
  }
  self->now = until;
}

void
group_set_paused (VirtualGroup *self, bool paused)
{
  self->paused = paused;
}

TfrcRate
group_run_rate (VirtualGroup *self, TfrcTime until)
{
  uint64_t before = tfmcc_sender_get_counters (&self->sender).bytes;
  TfrcTime start = self->now;

  group_run (self, until);
  return tfrc_rate_of ((double)
      (tfmcc_sender_get_counters (&self->sender).bytes - before),
      until - start);
}

const TfmccSender *
group_get_sender (const VirtualGroup *self)
{
  return &self->sender;
}

const TfmccReceiver *
group_get_receiver (const VirtualGroup *self, unsigned receiver)
{
  return &self->members[receiver]->receiver;
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

  return clr == NULL ? -1 : (int) clr->ssrc - 1;
}

static TfrcTime
get_next_event (const VirtualGroup *self)
{
  TfrcTime at = tfmcc_sender_next_deadline (&self->sender);

  if (!self->paused)
    at = tfrc_time_min (at, tfmcc_sender_next_send_at (&self->sender));
  for (unsigned i = 0; i < self->n_members; i++) {
    const Member *member = self->members[i];

    at = tfrc_time_min (at, link_model_next_deadline (member->forward));
    at = tfrc_time_min (at, link_model_next_deadline (member->back));
    if (member->present)
      at = tfrc_time_min (at, tfmcc_receiver_next_deadline (&member->receiver));
  }
  return at;
}

static void
send_packet (VirtualGroup *self)
{
  uint32_t id = self->next_data++ % RING;

  self->data[id] = (TfrcDataPacket) {
    .ssrc = MEDIA_SSRC,
    .seq = self->seq++,
    .size = self->config.packet_size,
  };
  self->stamps[id] = tfmcc_sender_on_sent (&self->sender,
      self->config.packet_size, true, self->now);
  for (unsigned i = 0; i < self->n_members; i++)
    link_model_enqueue (self->members[i]->forward, self->config.packet_size,
        id, self->now);
}

static void
deliver (VirtualGroup *self, Member *member)
{
  LinkOutput output;

  while (link_model_poll (member->forward, &output, self->now)) {
    if (output.fate == LINK_DELIVERED && member->present)
      tfmcc_receiver_on_packet (&member->receiver, &self->data[output.id],
          &self->stamps[output.id], self->now);
  }
  if (member->present) {
    if (tfmcc_receiver_next_deadline (&member->receiver) <= self->now)
      tfmcc_receiver_on_deadline (&member->receiver, self->now);
    send_reports (self, member);
  }
  while (link_model_poll (member->back, &output, self->now)) {
    if (output.fate == LINK_DELIVERED)
      tfmcc_sender_on_report (&self->sender, &self->reports[output.id],
          self->now);
  }
}

static void
send_reports (VirtualGroup *self, Member *member)
{
  uint32_t id = self->next_report % RING;

  if (tfmcc_receiver_poll_report (&member->receiver, &self->reports[id],
          self->now)) {
    self->next_report++;
    link_model_enqueue (member->back, REPORT_SIZE, id, self->now);
  }
}
