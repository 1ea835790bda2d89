/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration of gst/protocol from a flow's parameters: the fields of
 * TfrcSenderConfig and TfrcReceiverConfig, whose defaults hold for what is
 * absent but for four.  Timers of the simulation are exact, so t_gran is 0; the
 * segment size is the size of the flow's packets; the papers' TFRC is Reno's, and
 * knows no fast_return.
 *
 *   max_rate_bit_s, granularity_us, max_credit_ms, probe_interval_ms,
 *   oscillation_damping, self_clocking, self_clocking_factor,
 *   rto_mode ("rfc5348", "tcp" or "scaled"), rto_scale, rto_floor_ms,
 *   rate_scale, packets_per_ack, tcp ("reno" or "cubic"), fast_return
 *   history_length, discounting, discount_threshold
 *   delay_target_ms     0: no delay control, and no delays in reports */
#pragma once

#include "description.h"
#include "protocol.h"

TfrcSenderConfig ReadSenderConfig(const FlowDescription& flow);
TfrcSenderChecks ReadSenderChecks(const FlowDescription& flow);
TfrcReceiverConfig ReadReceiverConfig(const FlowDescription& flow);
