/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "group-core.h"

#include "checks/tfmcc-packets.h"

#include <stdlib.h>
#include <sys/mman.h>

#define CACHE_LINE 64
#define HUGE_PAGE (2 << 20)

typedef struct
{
  TfmccPacketCheck check;
  TfmccReceiver receiver;
} Member;

struct _GroupCore
{
  Member members[1]; /* as many as were asked for */
};

GroupCore *
group_core_new (size_t n)
{
  size_t size = n * sizeof (Member);
  void *self;

  size = (size / HUGE_PAGE + 1) * HUGE_PAGE;
  self = aligned_alloc (HUGE_PAGE, size);
  if (self == NULL)
    abort ();
  /* Each receiver has a page of its own otherwise: most of the time of a packet
   * went into finding pages. */
  madvise (self, size, MADV_HUGEPAGE);
  return self;
}

void
group_core_free (GroupCore *self)
{
  free (self);
}

size_t
group_core_get_size (void)
{
  return sizeof (Member);
}

uint32_t
group_core_get_max_history (void)
{
  return TFRC_MAX_HISTORY;
}

void
group_core_init (GroupCore *self, size_t receiver,
    const TfmccReceiverConfig *config)
{
  tfmcc_receiver_init (&self->members[receiver].receiver, config);
  self->members[receiver].check = (TfmccPacketCheck) { 0 };
}

static void
finish (TfmccReceiver *self, GroupOutcome *outcome, TfrcTime now)
{
  outcome->has_report = tfmcc_receiver_poll_report (self, &outcome->report,
      now);
  outcome->deadline = tfmcc_receiver_next_deadline (self);
}

void
group_core_on_packet (GroupCore *self, size_t receiver,
    const TfrcDataPacket *packet, const TfmccExtension *extension,
    GroupOutcome *outcome, TfrcTime now)
{
  TfmccReceiver *one = &self->members[receiver].receiver;

  tfmcc_packet_check_on_packet (&self->members[receiver].check, one, packet,
      extension, now);
  finish (one, outcome, now);
}

void
group_core_set_synchronised (GroupCore *self, size_t receiver,
    TfrcDuration one_way_delay, TfrcDuration error)
{
  tfmcc_rtt_set_synchronised (&self->members[receiver].receiver.rtt,
      one_way_delay, error, 0);
}

void
group_core_on_deadline (GroupCore *self, size_t receiver, GroupOutcome *outcome,
    TfrcTime now)
{
  TfmccReceiver *one = &self->members[receiver].receiver;

  tfmcc_receiver_on_deadline (one, now);
  finish (one, outcome, now);
}

void
group_core_leave (GroupCore *self, size_t receiver, GroupOutcome *outcome,
    TfrcTime now)
{
  TfmccReceiver *one = &self->members[receiver].receiver;

  tfmcc_receiver_leave (one, now);
  finish (one, outcome, now);
}

TfrcRate
group_core_get_rate (const GroupCore *self, size_t receiver)
{
  return tfmcc_receiver_get_rate (&self->members[receiver].receiver);
}

bool
group_core_has_rtt (const GroupCore *self, size_t receiver)
{
  return tfmcc_rtt_is_measured (&self->members[receiver].receiver.rtt);
}

GroupState
group_core_get_state (const GroupCore *self, size_t receiver)
{
  const TfmccReceiver *one = &self->members[receiver].receiver;

  return (GroupState) {
    .rate = tfmcc_receiver_get_rate (one),
    .rtt = tfmcc_rtt_get (&one->rtt),
    .loss_event_rate = tfmcc_receiver_get_loss_event_rate (one),
    .has_rtt = tfmcc_rtt_is_measured (&one->rtt),
    .has_loss = one->has_loss,
    .counters = tfmcc_receiver_get_counters (one),
  };
}

/* All lines of a receiver that a packet without losses touches. */
void
group_core_expect (const GroupCore *self, size_t receiver)
{
  const TfmccReceiver *one = &self->members[receiver].receiver;
  const char *end = (const char *) (one + 1);

  __builtin_prefetch (&self->members[receiver].check, 1);
  __builtin_prefetch (&one->config, 1);
  __builtin_prefetch (&one->detector.flow, 1);
  __builtin_prefetch (&one->detector.streams[0], 1);
  __builtin_prefetch (&one->detector.streams[0].newest_at, 1);
  __builtin_prefetch (&one->detector.n_streams, 1);
  __builtin_prefetch (&one->detector.has_repair, 1);
  __builtin_prefetch (&one->history.now.intervals.events, 1);
  for (const char *line = (const char *) &one->arrivals.log.head; line < end;
      line += CACHE_LINE)
    __builtin_prefetch (line, 1);
  __builtin_prefetch (end - 1, 1);
}

void
group_core_expect_log (const GroupCore *self, size_t receiver)
{
  const TfrcByteLog *log = &self->members[receiver].receiver.arrivals.log;

  __builtin_prefetch (&log->entries[log->head], 1);
  __builtin_prefetch (&log->entries[log->head + 1], 1);
}
