/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several flows through one link under virtual time: TFRC with and without delay
 * control, and the competitors of tcp-model.h.  Reports and acknowledgements come
 * back over one link as well.
 *
 * A source is greedy, or an encoder of 30 frames/s whose frames vary by a fifth,
 * every 150th of which is four times as large, and which follows the smoothed
 * rate that the flow may send: down at once and up over 300 ms.  One that is told
 * its rate has a key frame at the start alone.  Sizes as the link counts them, rates
 * [bytes/s]. */
#pragma once

#include "delay/delay-control.h"
#include "checks/tfrc-receiver.h"
#include "checks/tfrc-sender.h"
#include "link-model.h"
#include "tfrc/receiver.h"
#include "units.h"

#define BOTTLENECK_FLOWS 32

typedef enum
{
  BOTTLENECK_TFRC,
  BOTTLENECK_RENO,
  BOTTLENECK_CUBIC,
} BottleneckKind;

typedef struct
{
  BottleneckKind kind;
  TfrcTime start_at;
  TfrcTime stop_at; /* TFRC_TIME_NONE = never */
  uint32_t packet_size;
  unsigned packets_per_ack; /* of TCP's receiver: 2, or 1 without delay */
  bool encoder;
  bool told; /* the rate, as gst/elements/encoder does */
  TfrcRate encoder_max_rate;
  TfrcRate encoder_cliff; /* below it frames skip everything, as x264's do */
  /* Nothing moves: such frames, whatever the rate. */
  TfrcTime still_from, still_until;
  bool drops_old;       /* the pacer drops old frames, and not new ones */
  double encoder_part;  /* of what it is told that it makes; 0 = all */
  bool tolerate_loss;   /* TfrcLossTolerance */
  bool probes;          /* for as much as the encoder could make */
  bool loses_probes;    /* none arrives */
  TfrcDuration on_time; /* the encoder pauses as long as it works; 0 = never */
  double clock_skew;    /* of the receiver's clock */
  TfrcTcp tcp;          /* whose rate X is; both ends */
  bool plain_reports;   /* of a receiver that knows RFC 5348 alone */
  bool l4s;             /* packets may be marked, and that is no loss */
  TfrcDuration delay_target; /* of delay control; 0 = none */
} BottleneckFlowConfig;

typedef struct
{
  LinkConfig forward;
  LinkConfig back;
  TfrcRate back_load;         /* of others on the way back */
  TfrcDuration access_jitter; /* of each flow on its way to the bottleneck */
  TfrcDuration aggregate; /* arrivals come together at its multiples; 0 = not */
  uint64_t seed;
  unsigned n_flows;
  BottleneckFlowConfig flows[BOTTLENECK_FLOWS];
} BottleneckConfig;

typedef struct
{
  uint64_t sent_bytes;
  uint64_t received_bytes;
  uint64_t lost; /* packets */
  uint64_t frames_dropped;
  uint64_t probe_bytes; /* sent */
} BottleneckCounters;

typedef struct _VirtualBottleneck VirtualBottleneck;

/* One greedy flow of 1200-byte packets, links without limits, 25 ms each way. */
BottleneckConfig bottleneck_config_default (void);
BottleneckFlowConfig bottleneck_flow_default (void);

VirtualBottleneck *bottleneck_new (const BottleneckConfig *config);
void bottleneck_free (VirtualBottleneck *self);
void bottleneck_run (VirtualBottleneck *self, TfrcTime until);
void bottleneck_set_forward (VirtualBottleneck *self, const LinkConfig *config);

const LinkModel *bottleneck_get_forward (const VirtualBottleneck *self);
const TfrcSender *bottleneck_get_sender (const VirtualBottleneck *self,
    unsigned flow);
const TfrcDelayControl *
bottleneck_get_delay_control (const VirtualBottleneck *self, unsigned flow);
/* How long the oldest frame has been waiting for the pacer. */
TfrcDuration bottleneck_get_frame_wait (const VirtualBottleneck *self,
    unsigned flow);
BottleneckCounters bottleneck_get_counters (const VirtualBottleneck *self,
    unsigned flow);
