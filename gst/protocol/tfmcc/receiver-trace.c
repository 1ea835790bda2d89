/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver of TFMCC shows of itself, in the columns of TFRC's. */
#include "tfmcc/receiver.h"

void
tfmcc_receiver_get_trace (const TfmccReceiver *self, TfrcTrace *trace,
    TfrcTime now)
{
  TfmccReceiverCounters counters = tfmcc_receiver_get_counters (self);
  double p = tfmcc_receiver_get_loss_event_rate (self);

  trace->at = now;
  trace->receive_rate = tfmcc_receiver_get_receive_rate (self);
  trace->loss_event_rate = p;
  trace->mean_loss_interval = p > 0.0 ? 1.0 / p : 0.0;
  trace->rtt = tfmcc_rtt_is_measured (&self->rtt)
      ? tfmcc_rtt_get (&self->rtt)
      : 0;
  trace->segment_size = tfrc_segment_size_get (&self->segment_size);
  trace->discount = tfrc_loss_history_get_discount (&self->history,
      tfrc_loss_detector_get_highest (&self->detector));
  trace->packets = counters.packets;
  trace->bytes = counters.bytes;
  trace->packets_lost = counters.packets_lost;
  trace->packets_marked = counters.packets_marked;
  trace->packets_duplicate = counters.packets_duplicate;
  trace->packets_late = counters.packets_late;
  trace->packets_unproven = counters.packets_unproven;
  trace->packets_unstamped = counters.packets_unstamped;
  trace->loss_events = counters.loss_events;
  trace->sender_restarts = counters.sender_restarts;
  trace->stream_resets = counters.stream_resets;
  trace->feedback = counters.reports;
}
