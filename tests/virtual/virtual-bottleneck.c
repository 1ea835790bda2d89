/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "virtual-bottleneck.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "tcp-model.h"

#define RING 65536 /* packets under way, per direction */
#define REPORT_SIZE 56
#define LOAD_SIZE 1200
#define FRAME_INTERVAL (TFRC_SECOND / 30)
#define FRAME_VARIATION 0.2
#define KEY_INTERVAL 150
#define KEY_SIZE 4.0 /* of the mean frame */
/* As tests/virtual/virtual-pair.c has it. */
#define DRAIN_TIME (500 * TFRC_MILLISECOND)
#define RATE_SMOOTHING 0.1
#define MOST_WAIT (200 * TFRC_MILLISECOND)
#define MOST_WITHHELD (4 * MOST_WAIT)
/* As gst/elements/encoder has it, and the encoder's buffer of 133 ms. */
#define TOLD_SMOOTHING 0.67 /* 30 ms */
#define TOLD_LAG 0.25
#define TOLD_INTERVAL (100 * TFRC_MILLISECOND)
#define TOLD_FRACTION 0.01
#define USUAL_TIME (40 * TFRC_MILLISECOND)
#define SKIPPED_FRAME 70.0 /* 42 bytes and the headers */
#define PROBE_SIZE 280     /* padding of RFC 3550, 255 bytes at most */
#define FRAMES 64          /* that wait */
#define LEAST_CREDIT TFRC_MILLISECOND /* of l4s, as gst/elements/send has it */
#define PROBE_SSRC (1 + BOTTLENECK_FLOWS) /* of the first flow */
#define LOAD_FLOW BOTTLENECK_FLOWS        /* packets of nobody */
#define CLOCK_START (1000 * TFRC_SECOND)

typedef struct
{
  unsigned flow;
  uint64_t number; /* of TCP */
  bool marked;     /* of l4s */
  TfrcDataPacket packet;
} DataInFlight;

typedef struct
{
  unsigned flow;
  TcpAck ack;
  TfrcFeedback feedback;
  uint32_t marked, unmarked; /* packets, since the report before */
} ReportInFlight;

typedef struct
{
  TfrcTime at;
  double end; /* of all that was encoded [bytes] */
} Frame;

typedef struct
{
  BottleneckFlowConfig config;
  BottleneckCounters counters;
  TfrcCheckedSender sender;
  TfrcCheckedReceiver receiver;
  TcpModel tcp;
  LinkModel *access; /* to the bottleneck */
  uint16_t seq, probe_seq;
  uint32_t marked, unmarked; /* that arrived, of l4s */

  TfrcRng rng;
  TfrcTime next_frame_at;
  uint64_t frames;
  double frame_bytes; /* that wait for the pacer */
  double encoded_bytes;
  Frame waiting[FRAMES]; /* the newest */
  TfrcRate smoothed_rate;
  TfrcRate told_rate;
  TfrcRate encoder_rate;
  TfrcTime told_at;
  TfrcRate recent_rate; /* highest of the last second, decaying */
  TfrcTime recent_rate_at;
} Flow;

struct _VirtualBottleneck
{
  BottleneckConfig config;
  LinkModel *forward;
  LinkModel *back;
  TfrcTime now;
  TfrcTime next_load_at;
  Flow flows[BOTTLENECK_FLOWS];

  DataInFlight data[RING];
  ReportInFlight reports[RING];
  uint32_t next_data;
  uint32_t next_report;
  /* What waits for the end of an aggregate. */
  uint32_t gathered[RING];
  uint32_t gathered_first, gathered_end;
  TfrcTime gathered_at;
};

BottleneckFlowConfig
bottleneck_flow_default (void)
{
  return (BottleneckFlowConfig) {
    .kind = BOTTLENECK_TFRC,
    .stop_at = TFRC_TIME_NONE,
    .packet_size = 1200,
    .packets_per_ack = 2,
    .encoder_max_rate = (double) INFINITY,
    .tcp = tfrc_sender_config_default ().tcp,
  };
}

BottleneckConfig
bottleneck_config_default (void)
{
  BottleneckConfig config = { .seed = 1, .n_flows = 1 };

  link_config_init (&config.forward);
  link_config_init (&config.back);
  config.forward.delay = config.back.delay = 25 * TFRC_MILLISECOND;
  for (unsigned i = 0; i < BOTTLENECK_FLOWS; i++)
    config.flows[i] = bottleneck_flow_default ();
  return config;
}

VirtualBottleneck *
bottleneck_new (const BottleneckConfig *config)
{
  TfrcSenderConfig sender = tfrc_sender_config_default ();
  TfrcReceiverConfig receiver = tfrc_receiver_config_default ();
  LinkConfig access;
  TfrcSenderChecks checks = tfrc_sender_checks_default ();
  VirtualBottleneck *self = calloc (1, sizeof *self);

  assert (self != NULL);
  self->config = *config;
  link_config_init (&access);
  access.jitter = config->access_jitter;
  self->forward = link_model_new (&config->forward, config->seed, 0);
  self->back = link_model_new (&config->back, config->seed + 1, 0);
  self->next_load_at = config->back_load > 0.0 ? 0 : TFRC_TIME_NONE;
  self->gathered_at = TFRC_TIME_NONE;
  for (unsigned i = 0; i < config->n_flows; i++) {
    Flow *flow = &self->flows[i];

    flow->config = config->flows[i];
    flow->access = link_model_new (&access, 100 + 8 * config->seed + i, 0);
    tfrc_rng_init (&flow->rng, config->seed, 100 + i);
    sender.tcp = receiver.tcp = flow->config.tcp;
    sender.max_credit = flow->config.l4s
        ? LEAST_CREDIT
        : tfrc_sender_config_default ().max_credit;
    checks.delay_target = flow->config.delay_target;
    checks.tolerate_loss = flow->config.tolerate_loss;
    tfrc_checked_sender_init (&flow->sender, &sender, checks);
    if (flow->config.probes)
      flow->sender.wanted_rate = flow->config.encoder_max_rate;
    tfrc_checked_receiver_init (&flow->receiver, &receiver,
        (TfrcReceiverChecks) { .report_delays = !flow->config.plain_reports });
    tcp_model_init (&flow->tcp, flow->config.kind == BOTTLENECK_CUBIC,
        flow->config.packets_per_ack, flow->config.start_at);
    flow->next_frame_at = flow->config.encoder
        ? flow->config.start_at
        : TFRC_TIME_NONE;
  }
  return self;
}

void
bottleneck_free (VirtualBottleneck *self)
{
  link_model_free (self->forward);
  link_model_free (self->back);
  for (unsigned i = 0; i < self->config.n_flows; i++)
    link_model_free (self->flows[i].access);
  free (self);
}

void
bottleneck_set_forward (VirtualBottleneck *self, const LinkConfig *config)
{
  link_model_set_config (self->forward, config, self->now);
}

const LinkModel *
bottleneck_get_forward (const VirtualBottleneck *self)
{
  return self->forward;
}

const TfrcSender *
bottleneck_get_sender (const VirtualBottleneck *self, unsigned flow)
{
  return &self->flows[flow].sender.sender;
}

const TfrcDelayControl *
bottleneck_get_delay_control (const VirtualBottleneck *self, unsigned flow)
{
  return &self->flows[flow].sender.delay_control;
}

TfrcDuration
bottleneck_get_frame_wait (const VirtualBottleneck *self, unsigned flow_index)
{
  const Flow *flow = &self->flows[flow_index];
  double gone = flow->encoded_bytes - flow->frame_bytes;
  TfrcDuration wait = 0;

  /* Parts of a byte are sent with the next frame. */
  for (uint64_t i = 0; i < FRAMES && i < flow->frames; i++)
    if (flow->waiting[i].end >= gone + 1.0)
      wait = tfrc_time_max (wait, self->now - flow->waiting[i].at);
  return wait;
}

BottleneckCounters
bottleneck_get_counters (const VirtualBottleneck *self, unsigned flow)
{
  return self->flows[flow].counters;
}

/* What the receiver's clock shows. */
static TfrcTime
there (const VirtualBottleneck *self, const Flow *flow)
{
  return CLOCK_START
      + (TfrcTime) ((double) self->now * (1.0 + flow->config.clock_skew));
}

/* When that clock shows `at`. */
static TfrcTime
here (const Flow *flow, TfrcTime at)
{
  return at == TFRC_TIME_NONE
      ? at
      : (TfrcTime) (ceil ((double) (at - CLOCK_START)
            / (1.0 + flow->config.clock_skew)))
          + 1;
}

static bool
runs (const VirtualBottleneck *self, const Flow *flow)
{
  return self->now >= flow->config.start_at && self->now < flow->config.stop_at;
}

static bool
has_data (const VirtualBottleneck *self, const Flow *flow)
{
  return runs (self, flow)
      && (!flow->config.encoder || flow->frame_bytes >= 1.0);
}

/* Anything that may leave at the pace. */
static bool
may_send (const VirtualBottleneck *self, const Flow *flow)
{
  return has_data (self, flow)
      || (runs (self, flow) && tfrc_probing_is_on (&flow->sender.probing));
}

static TfrcTime
get_flow_deadline (const VirtualBottleneck *self, const Flow *flow)
{
  TfrcTime at;

  if (self->now < flow->config.start_at)
    return flow->config.start_at;
  if (flow->config.kind != BOTTLENECK_TFRC) {
    at = tcp_model_next_ack_at (&flow->tcp);
    return runs (self, flow)
        ? tfrc_time_min (at, tcp_model_next_deadline (&flow->tcp))
        : at;
  }
  at = here (flow, tfrc_receiver_next_deadline (&flow->receiver.receiver));
  at = tfrc_time_min (at, tfrc_checked_sender_next_deadline (&flow->sender));
  if (runs (self, flow))
    at = tfrc_time_min (at, flow->next_frame_at);
  if (may_send (self, flow))
    at = tfrc_time_min (at, tfrc_sender_next_send_at (&flow->sender.sender));
  return at;
}

static TfrcTime
get_next_event (const VirtualBottleneck *self)
{
  TfrcTime at = tfrc_time_min (self->next_load_at, self->gathered_at);

  for (unsigned i = 0; i < self->config.n_flows; i++)
    at = tfrc_time_min (at,
        tfrc_time_min (get_flow_deadline (self, &self->flows[i]),
            link_model_next_deadline (self->flows[i].access)));
  at = tfrc_time_min (at, link_model_next_deadline (self->forward));
  return tfrc_time_min (at, link_model_next_deadline (self->back));
}

/* What drains the pacer comes off. */
static TfrcRate
get_encoder_rate (Flow *flow)
{
  TfrcRate rate = fmin (flow->sender.sender.rate,
      flow->sender.sender.send_limit);

  flow->smoothed_rate += RATE_SMOOTHING * (rate - flow->smoothed_rate);
  return fmin (rate, flow->smoothed_rate)
      - tfrc_rate_of (flow->frame_bytes, DRAIN_TIME);
}

/* Smoothed, less what drains the pacer, seldom, and while a frame is encoded. */
static TfrcRate
get_told_rate (VirtualBottleneck *self, Flow *flow)
{
  TfrcRate rate = tfrc_sender_get_send_rate (&flow->sender.sender);
  double usual;

  flow->smoothed_rate += TOLD_SMOOTHING * (rate - flow->smoothed_rate);
  usual = tfrc_rate_bytes_in (flow->smoothed_rate, USUAL_TIME);
  rate = flow->smoothed_rate
      - tfrc_rate_of (fmax (0.0, flow->frame_bytes - usual), DRAIN_TIME);
  flow->encoder_rate += TOLD_LAG * (flow->told_rate - flow->encoder_rate);
  if (fabs (rate - flow->told_rate) >= TOLD_FRACTION * flow->told_rate
      && self->now - flow->told_at >= TOLD_INTERVAL) {
    flow->told_rate = rate;
    flow->told_at = self->now;
  }
  return flow->encoder_rate;
}

/* As gst/elements/send/pacer.c has it. */
static TfrcDuration
get_most_wait (VirtualBottleneck *self, Flow *flow)
{
  TfrcDuration elapsed = self->now - flow->recent_rate_at;

  flow->recent_rate *= exp (-tfrc_duration_to_seconds (elapsed));
  flow->recent_rate = fmax (flow->recent_rate,
      tfrc_sender_get_pacing_rate (&flow->sender.sender));
  flow->recent_rate_at = self->now;
  if (flow->frame_bytes > tfrc_rate_bytes_in (flow->recent_rate, MOST_WAIT))
    return MOST_WAIT;
  return MOST_WITHHELD;
}

/* All frames but the newest, where one has waited for too long. */
static void
drop_old (VirtualBottleneck *self, Flow *flow)
{
  double gone = flow->encoded_bytes - flow->frame_bytes;
  uint64_t n = 0; /* that wait */

  while (n + 1 < FRAMES && n < flow->frames
      && flow->waiting[(flow->frames - 1 - n) % FRAMES].end >= gone + 1.0)
    n++;
  if (n < 2
      || self->now - flow->waiting[(flow->frames - n) % FRAMES].at
          <= get_most_wait (self, flow))
    return;
  flow->counters.frames_dropped += n - 1;
  flow->frame_bytes = flow->encoded_bytes
      - flow->waiting[(flow->frames - 2) % FRAMES].end;
}

static bool
skips (const VirtualBottleneck *self, const Flow *flow, TfrcRate rate)
{
  return fmax (rate, 0.0) < flow->config.encoder_cliff
      || (self->now >= flow->config.still_from
          && self->now < flow->config.still_until);
}

static void
encode_frame (VirtualBottleneck *self, Flow *flow)
{
  double seconds = tfrc_duration_to_seconds (FRAME_INTERVAL);
  TfrcDuration on = flow->config.on_time;
  TfrcRate rate;
  double bytes;

  flow->next_frame_at += FRAME_INTERVAL;
  if (on != 0 && (self->now - flow->config.start_at) / on % 2 == 1)
    return;
  rate = fmin (flow->config.told ? get_told_rate (self, flow)
                                 : get_encoder_rate (flow),
      flow->config.encoder_max_rate);
  if (flow->config.encoder_part > 0.0)
    rate *= flow->config.encoder_part;
  if (flow->config.drops_old) {
    drop_old (self, flow);
  } else if (flow->frame_bytes > 4.0 * flow->config.packet_size
      && flow->frame_bytes > tfrc_rate_bytes_in (rate, MOST_WAIT)) {
    flow->counters.frames_dropped++;
    return;
  }
  bytes = rate * seconds
      * (1.0 + FRAME_VARIATION * (2.0 * tfrc_rng_uniform (&flow->rng) - 1.0));
  if (flow->frames % KEY_INTERVAL == 0
      && (flow->frames == 0 || !flow->config.told))
    bytes *= KEY_SIZE;
  bytes = skips (self, flow, rate) ? SKIPPED_FRAME : fmax (bytes, 100.0);
  flow->frame_bytes += bytes;
  flow->encoded_bytes += bytes;
  flow->waiting[flow->frames++ % FRAMES] = (Frame) {
    .at = self->now,
    .end = flow->encoded_bytes,
  };
}

static void
count_loss (VirtualBottleneck *self, unsigned flow, LinkOutcome outcome)
{
  if (outcome != LINK_QUEUED && outcome != LINK_MARKED)
    self->flows[flow].counters.lost++;
}

static uint32_t
put_data (VirtualBottleneck *self, unsigned index, uint64_t number,
    const TfrcDataPacket *packet)
{
  uint32_t id = self->next_data++ % RING;

  self->data[id] = (DataInFlight) { index, number, false, *packet };
  self->flows[index].counters.sent_bytes += packet->size;
  link_model_enqueue (self->flows[index].access, packet->size, id, self->now);
  return id;
}

/* What has come to the bottleneck. */
static void
enter (VirtualBottleneck *self, unsigned index)
{
  LinkOutput output;

  while (link_model_poll (self->flows[index].access, &output, self->now)) {
    DataInFlight *data = &self->data[output.id];
    LinkOutcome outcome = self->flows[index].config.l4s
        ? link_model_enqueue_ect (self->forward, data->packet.size, output.id,
              self->now)
        : link_model_enqueue (self->forward, data->packet.size, output.id,
              self->now);

    data->marked = outcome == LINK_MARKED;
    count_loss (self, index, outcome);
  }
}

static void
put_report (VirtualBottleneck *self, const ReportInFlight *report)
{
  uint32_t id = self->next_report++ % RING;

  self->reports[id] = *report;
  link_model_enqueue (self->back, REPORT_SIZE, id, self->now);
}

static void
poll_acks (VirtualBottleneck *self, unsigned index)
{
  ReportInFlight report = { .flow = index };

  while (tcp_model_poll_ack (&self->flows[index].tcp, &report.ack, self->now))
    put_report (self, &report);
}

static void
send_tcp (VirtualBottleneck *self, unsigned index)
{
  Flow *flow = &self->flows[index];
  TfrcDataPacket packet = { .size = flow->config.packet_size };

  poll_acks (self, index);
  if (tcp_model_next_deadline (&flow->tcp) <= self->now)
    tcp_model_on_deadline (&flow->tcp, self->now);
  while (runs (self, flow) && tcp_model_may_send (&flow->tcp))
    put_data (self, index, tcp_model_on_sent (&flow->tcp, self->now), &packet);
}

static void
send_probe (VirtualBottleneck *self, unsigned index)
{
  Flow *flow = &self->flows[index];
  TfrcDataPacket packet = {
    .ssrc = PROBE_SSRC + index,
    .seq = flow->probe_seq++,
    .size = PROBE_SIZE,
    .has_extension = true,
    .extension = tfrc_checked_sender_on_probe_sent (&flow->sender, PROBE_SIZE,
        self->now),
  };

  flow->counters.probe_bytes += PROBE_SIZE;
  if (!flow->config.loses_probes)
    put_data (self, index, 0, &packet);
}

static void
send_tfrc (VirtualBottleneck *self, unsigned index)
{
  Flow *flow = &self->flows[index];

  while (may_send (self, flow)
      && tfrc_sender_next_send_at (&flow->sender.sender) <= self->now) {
    TfrcDataPacket packet = {
      .ssrc = 1 + index,
      .size = flow->config.packet_size,
      .has_extension = true,
    };
    bool backlog = true;

    if (!has_data (self, flow)) {
      send_probe (self, index);
      continue;
    }
    packet.seq = flow->seq++;
    if (flow->config.encoder) {
      packet.size = (uint32_t) fmin (packet.size, flow->frame_bytes);
      flow->frame_bytes -= packet.size;
      backlog = flow->frame_bytes >= 1.0;
    }
    packet.extension = tfrc_checked_sender_on_sent (&flow->sender, packet.size,
        backlog, self->now);
    put_data (self, index, 0, &packet);
  }
}

static void
poll_reports (VirtualBottleneck *self, unsigned index)
{
  Flow *flow = &self->flows[index];
  ReportInFlight report = { .flow = index };

  while (tfrc_receiver_poll_feedback (&flow->receiver.receiver,
      &report.feedback, there (self, flow))) {
    /* The wire has microseconds. */
    report.feedback.echo_delay -= report.feedback.echo_delay % TFRC_MICROSECOND;
    tfrc_checked_receiver_add_delay (&flow->receiver, &report.feedback);
    report.marked = flow->marked;
    report.unmarked = flow->unmarked;
    flow->marked = flow->unmarked = 0;
    put_report (self, &report);
  }
}

static void
receive (VirtualBottleneck *self, uint32_t id)
{
  const DataInFlight *data = &self->data[id];
  Flow *flow = &self->flows[data->flow];
  TfrcDataPacket packet = data->packet;
  TfrcTime now = there (self, flow);

  flow->counters.received_bytes += packet.size;
  if (flow->config.kind != BOTTLENECK_TFRC) {
    tcp_model_on_packet (&flow->tcp, data->number, self->now);
    poll_acks (self, data->flow);
    return;
  }
  tfrc_checked_receiver_on_packet (&flow->receiver, &packet, now);
  if (data->marked)
    flow->marked++;
  else
    flow->unmarked++;
  poll_reports (self, data->flow);
}

static void
deliver_data (VirtualBottleneck *self)
{
  TfrcDuration aggregate = self->config.aggregate;
  LinkOutput output;

  while (link_model_poll (self->forward, &output, self->now)) {
    if (output.fate != LINK_DELIVERED) {
      self->flows[self->data[output.id].flow].counters.lost++;
    } else if (aggregate == 0) {
      receive (self, output.id);
    } else {
      self->gathered[self->gathered_end++ % RING] = output.id;
      if (self->gathered_at == TFRC_TIME_NONE)
        self->gathered_at = (self->now / aggregate + 1) * aggregate;
    }
  }
  if (self->gathered_at > self->now)
    return;
  self->gathered_at = TFRC_TIME_NONE;
  while (self->gathered_first != self->gathered_end)
    receive (self, self->gathered[self->gathered_first++ % RING]);
}

static void
take_report (VirtualBottleneck *self, const ReportInFlight *report)
{
  Flow *flow = &self->flows[report->flow];

  if (flow->config.kind != BOTTLENECK_TFRC)
    tcp_model_on_ack (&flow->tcp, &report->ack, self->now);
  else if (tfrc_checked_sender_on_feedback (&flow->sender, &report->feedback,
               self->now)
          == TFRC_OK
      && flow->config.l4s)
    tfrc_checked_sender_on_marks (&flow->sender, report->marked,
        report->unmarked, self->now);
}

static void
deliver_reports (VirtualBottleneck *self)
{
  LinkOutput output;

  while (link_model_poll (self->back, &output, self->now)) {
    const ReportInFlight *report = &self->reports[output.id];

    if (output.fate == LINK_DELIVERED && report->flow != LOAD_FLOW)
      take_report (self, report);
  }
}

static void
put_load (VirtualBottleneck *self)
{
  uint32_t id = self->next_report++ % RING;

  self->reports[id] = (ReportInFlight) { .flow = LOAD_FLOW };
  link_model_enqueue (self->back, LOAD_SIZE, id, self->now);
  self->next_load_at = tfrc_time_add (self->next_load_at,
      tfrc_rate_time_for (self->config.back_load, LOAD_SIZE));
}

static void
handle_flow (VirtualBottleneck *self, unsigned index)
{
  Flow *flow = &self->flows[index];

  if (flow->config.kind != BOTTLENECK_TFRC) {
    send_tcp (self, index);
    return;
  }
  if (here (flow, tfrc_receiver_next_deadline (&flow->receiver.receiver))
      <= self->now) {
    tfrc_receiver_on_deadline (&flow->receiver.receiver, there (self, flow));
    poll_reports (self, index);
  }
  if (tfrc_checked_sender_next_deadline (&flow->sender) <= self->now)
    tfrc_checked_sender_on_deadline (&flow->sender, self->now);
  while (runs (self, flow) && flow->next_frame_at <= self->now)
    encode_frame (self, flow);
  send_tfrc (self, index);
}

void
bottleneck_run (VirtualBottleneck *self, TfrcTime until)
{
  TfrcTime at;

  while ((at = get_next_event (self)) <= until) {
    self->now = tfrc_time_max (at, self->now);
    deliver_reports (self);
    deliver_data (self);
    while (self->next_load_at <= self->now)
      put_load (self);
    for (unsigned i = 0; i < self->config.n_flows; i++) {
      handle_flow (self, i);
      enter (self, i);
    }
  }
  self->now = until;
}
