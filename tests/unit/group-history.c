/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiled once for each build of the core, which defines GROUP_HISTORY as the name
 * of the function. */
#include "group-history.h"
#include "virtual-group.h"

#define INTERVAL (100 * MS)

static void
join (VirtualGroup *group)
{
  static const struct
  {
    double loss;
    TfrcDuration delay;
    TfrcRate rate;
  } paths[HISTORY_RECEIVERS] = {
    { 0.0, 5 * MS, 0.0 },
    { 0.001, 30 * MS, 0.0 },
    { 0.01, 60 * MS, 0.0 },
    { 0.1, 20 * MS, 0.0 },
    { 0.0, 30 * MS, 125000.0 },
    { 0.02, 150 * MS, 0.0 },
    { 0.05, 10 * MS, 250000.0 },
    { 0.005, 300 * MS, 0.0 },
  };

  for (unsigned i = 0; i < HISTORY_RECEIVERS; i++) {
    GroupPath path = group_path_default ();

    path.forward.loss = paths[i].loss;
    path.forward.delay = path.back.delay = paths[i].delay;
    if (paths[i].rate > 0.0) {
      path.forward.rate = paths[i].rate;
      path.forward.queue_limit = 100 * MS;
    }
    group_join (group, &path);
  }
}

/* The slowest receivers leave, one with a report of it and one without. */
static void
happen (VirtualGroup *group, TfrcTime now)
{
  if (now == 80 * S)
    group_leave (group, 3);
  if (now == 120 * S)
    group_kill (group, 5);
  group_set_paused (group, now >= 180 * S && now < 200 * S);
}

static void
sample (const VirtualGroup *group, GroupSample *sampled, TfrcTime now)
{
  const TfmccSender *sender = group_get_sender (group);

  sampled->rate = tfmcc_sender_get_rate (sender, now);
  sampled->clr = group_get_clr (group);
  sampled->round = sender->round.number;
  for (unsigned i = 0; i < HISTORY_RECEIVERS; i++) {
    const TfmccReceiver *receiver = group_get_receiver (group, i);

    sampled->rates[i] = tfmcc_receiver_get_rate (receiver);
    sampled->rtts[i] = tfmcc_rtt_get (&receiver->rtt);
    sampled->loss_event_rates[i] =
        tfmcc_receiver_get_loss_event_rate (receiver);
    sampled->reports[i] = tfmcc_receiver_get_counters (receiver).reports;
  }
}

void
GROUP_HISTORY (GroupHistory *history)
{
  GroupConfig config = group_config_default ();
  VirtualGroup *group = group_new (&config);

  history->receiver_bytes = sizeof (TfmccReceiver);
  join (group);
  for (unsigned i = 0; i < HISTORY_SAMPLES; i++) {
    TfrcTime now = (i + 1) * INTERVAL;

    happen (group, now);
    group_run (group, now);
    sample (group, &history->samples[i], now);
  }
  group_free (group);
}
