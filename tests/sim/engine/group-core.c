/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "group-core.h"

#include <stdlib.h>

struct _GroupCore
{
  TfmccReceiver receivers[1];   /* as many as were asked for */
};

static void finish (TfmccReceiver *self, GroupOutcome * outcome, TfrcTime now);

GroupCore *
group_core_new (size_t n)
{
  GroupCore *self = calloc (n > 0 ? n : 1, sizeof (TfmccReceiver));

  if (self == NULL)
    abort ();
  return self;
}

void
group_core_free (GroupCore * self)
{
  free (self);
}

size_t
group_core_get_size (void)
{
  return sizeof (TfmccReceiver);
}

void
group_core_init (GroupCore * self, size_t receiver,
    const TfmccReceiverConfig *config)
{
  tfmcc_receiver_init (&self->receivers[receiver], config);
}

void
group_core_on_packet (GroupCore * self, size_t receiver,
    const TfrcDataPacket *packet, const TfmccStamp *stamp,
    GroupOutcome * outcome, TfrcTime now)
{
  TfmccReceiver *one = &self->receivers[receiver];

  tfmcc_receiver_on_packet (one, packet, stamp, now);
  finish (one, outcome, now);
}

void
group_core_set_synchronised (GroupCore * self, size_t receiver,
    TfrcDuration one_way_delay, TfrcDuration error)
{
  tfmcc_receiver_set_synchronised (&self->receivers[receiver], one_way_delay,
      error, 0);
}

void
group_core_on_deadline (GroupCore * self, size_t receiver,
    GroupOutcome * outcome, TfrcTime now)
{
  TfmccReceiver *one = &self->receivers[receiver];

  tfmcc_receiver_on_deadline (one, now);
  finish (one, outcome, now);
}

void
group_core_leave (GroupCore * self, size_t receiver,
    GroupOutcome * outcome, TfrcTime now)
{
  TfmccReceiver *one = &self->receivers[receiver];

  tfmcc_receiver_leave (one, now);
  finish (one, outcome, now);
}

TfrcRate
group_core_get_rate (const GroupCore * self, size_t receiver)
{
  return tfmcc_receiver_get_rate (&self->receivers[receiver]);
}

bool
group_core_has_rtt (const GroupCore * self, size_t receiver)
{
  return tfmcc_rtt_is_measured (&self->receivers[receiver].rtt);
}

GroupState
group_core_get_state (const GroupCore * self, size_t receiver)
{
  const TfmccReceiver *one = &self->receivers[receiver];

  return (GroupState) {
  .rate = tfmcc_receiver_get_rate (one),.rtt =
        tfmcc_receiver_get_rtt (one),.loss_event_rate =
        tfmcc_receiver_get_loss_event_rate (one),.has_rtt =
        tfmcc_rtt_is_measured (&one->rtt),.has_loss =
        one->has_loss,.counters = tfmcc_receiver_get_counters (one),};
}

void
group_core_expect (const GroupCore * self, size_t receiver)
{
  const TfmccReceiver *one = &self->receivers[receiver];

  __builtin_prefetch (&one->detector, 1);
  __builtin_prefetch (&one->now, 1);
}

static void
finish (TfmccReceiver *self, GroupOutcome * outcome, TfrcTime now)
{
  outcome->has_report = tfmcc_receiver_poll_report (self, &outcome->report,
      now);
  outcome->deadline = tfmcc_receiver_next_deadline (self);
}
