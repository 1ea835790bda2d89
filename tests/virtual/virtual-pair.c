/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rfc5348.h"
#include "virtual-pair.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "rtp/circuit-breaker.h"

#define RING 65536 /* packets under way, per direction */
#define QUEUE 4096 /* packets that wait for the pacer */
#define REPORT_SIZE 28
/* Of the other kind of reports, whatever is in them. */
#define ARRIVAL_REPORT_SIZE 100
#define CLOCK_PERIOD (60 * TFRC_SECOND)
/* In other frames. */
#define KEY_FRAME 5.0
/* How the encoder smooths X. */
#define RATE_SMOOTHING 0.1

typedef struct
{
  uint32_t size;
  uint64_t frame;
  TfrcTime encoded_at;
} QueuedPacket;

/* A report of the packets from `begin` to before `end`. */
typedef struct
{
  TfrcPacketReport report;
  TfrcTime made_at;
  uint16_t begin, end;
  RtpReportBlock block; /* of a reception report */
} ArrivalReport;

struct _VirtualPair
{
  PairConfig config;
  TfrcCheckedSender sending;
  TfrcCheckedReceiver receiving;
  LinkModel *forward;
  LinkModel *back;
  PairCounters counters;
  TfrcRng rng;
  TfrcTime now;
  bool paused;

  TfrcDataPacket data[RING];
  TfrcTime sent_at[RING];
  TfrcTime encoded_at[RING];
  bool ends_frame[RING];
  TfrcFeedback reports[RING];
  uint32_t next_data;
  uint32_t next_report;
  uint32_t ssrc;
  uint16_t seq;

  QueuedPacket queue[QUEUE];
  uint32_t queue_head;
  uint32_t queue_length;
  uint64_t queue_bytes;
  uint64_t started_frame; /* has left in part; 0 = none */
  TfrcTime next_frame_at;
  TfrcRate smoothed_rate;
  TfrcTime last_loss_event_at;

  TfrcSenderBased sender_based;
  TfrcDelayMeter delays; /* of its reports */
  TfrcReceptionReports reception;
  RtpCircuitBreaker breaker;
  uint32_t n_arrived;
  uint32_t first_seq, highest_seq; /* extended */
  ArrivalReport arrival_reports[RING];
  TfrcTime arrived_at[RING]; /* by sequence number; TFRC_TIME_NONE */
  uint16_t stream_seq[RING]; /* the same: the number in its stream */
  uint16_t next_stream_seq[2];
  TfrcReportedPacket reported[RING];
  TfrcTime next_report_at;
  uint64_t reported_bytes;    /* received by the newest report */
  TfrcDuration clock_forward; /* of the receiver's clock, in reports */
  bool two_reporters;
  bool has_arrivals; /* since the last report */
  uint16_t report_begin, last_begin, report_end;
};

PairConfig
pair_config_default (void)
{
  PairConfig config = { 0 };

  config.sender = tfrc_sender_config_default ();
  config.sender_checks = tfrc_sender_checks_default ();
  config.receiver = tfrc_receiver_config_default ();
  config.receiver_checks = tfrc_receiver_checks_default ();
  config.sender_based = tfrc_sender_based_config_default ();
  config.reception = tfrc_reception_config_default ();
  link_config_init (&config.forward);
  link_config_init (&config.back);
  config.forward.delay = 25 * TFRC_MILLISECOND;
  config.back.delay = 25 * TFRC_MILLISECOND;
  config.seed = 1;
  config.packet_size = 1200;
  config.encoder_max_rate = (double) INFINITY;
  config.drain_time = 500 * TFRC_MILLISECOND;
  config.max_queue_time = 200 * TFRC_MILLISECOND;
  return config;
}

PairConfig
pair_config_of (TfrcRate rate, TfrcDuration rtt)
{
  PairConfig config = pair_config_default ();

  config.forward.rate = rate;
  config.forward.queue_limit = 100 * TFRC_MILLISECOND;
  config.forward.delay = config.back.delay = rtt / 2;
  return config;
}

PairConfig
pair_config_rfc5348 (void)
{
  PairConfig config = pair_config_default ();

  config.sender = tfrc_sender_config_rfc5348 ();
  config.sender_checks = (TfrcSenderChecks) { 0 };
  config.receiver = tfrc_receiver_config_rfc5348 ();
  config.receiver_checks = (TfrcReceiverChecks) { 0 };
  config.sender_based = (TfrcSenderBasedConfig) { .receiver = config.receiver };
  return config;
}

VirtualPair *
pair_new (const PairConfig *config)
{
  VirtualPair *self = calloc (1, sizeof *self);

  assert (self != NULL);
  self->config = *config;
  tfrc_checked_sender_init (&self->sending, &config->sender,
      self->config.sender_checks);
  tfrc_checked_receiver_init (&self->receiving, &config->receiver,
      self->config.receiver_checks);
  self->forward = link_model_new (&config->forward, config->seed,
      config->start_at);
  self->back = link_model_new (&config->back, config->seed + 1,
      config->start_at);
  tfrc_rng_init (&self->rng, config->seed, 0);
  self->ssrc = 1;
  self->now = self->next_frame_at = config->start_at;
  self->last_loss_event_at = TFRC_TIME_NONE;
  tfrc_sender_based_init (&self->sender_based, &config->sender_based);
  self->delays = (TfrcDelayMeter) { 0 };
  tfrc_reception_reports_init (&self->reception, &config->reception);
  rtp_circuit_breaker_init (&self->breaker, false);
  if (config->reception_reports)
    tfrc_sender_set_report_delay (&self->sending.sender,
        tfrc_reception_reports_get_delay (&self->reception));
  self->next_report_at = TFRC_TIME_NONE;
  for (uint32_t i = 0; i < RING; i++)
    self->arrived_at[i] = TFRC_TIME_NONE;
  return self;
}

void
pair_free (VirtualPair *self)
{
  link_model_free (self->forward);
  link_model_free (self->back);
  free (self);
}

static bool
has_data (const VirtualPair *self)
{
  return !self->paused
      && (self->config.frame_interval == 0 || self->queue_length > 0);
}

static TfrcTime
get_receiver_deadline (const VirtualPair *self)
{
  return tfrc_time_sub (tfrc_receiver_next_deadline (&self->receiving.receiver),
      self->config.receiver_ahead);
}

static TfrcTime
get_next_send_at (const VirtualPair *self)
{
  return tfrc_time_max (rtp_circuit_breaker_next_send_at (&self->breaker),
      tfrc_sender_next_send_at (&self->sending.sender));
}

static TfrcTime
get_next_event (const VirtualPair *self)
{
  TfrcTime at = tfrc_checked_sender_next_deadline (&self->sending);

  if (self->config.frame_interval != 0)
    at = tfrc_time_min (at, self->next_frame_at);
  if (has_data (self))
    at = tfrc_time_min (at, get_next_send_at (self));
  at = tfrc_time_min (at, get_receiver_deadline (self));
  at = tfrc_time_min (at, self->next_report_at);
  at = tfrc_time_min (at, link_model_next_deadline (self->forward));
  return tfrc_time_min (at, link_model_next_deadline (self->back));
}

/* What the receiver's clock shows. */
static TfrcTime
there (const VirtualPair *self)
{
  return tfrc_time_add (self->now, self->config.receiver_ahead);
}

static void
pop (VirtualPair *self)
{
  self->queue_bytes -= self->queue[self->queue_head].size;
  self->queue_head = (self->queue_head + 1) % QUEUE;
  self->queue_length--;
}

/* Whole frames that waited for too long, unless they have left in part. */
static void
drop_old_frames (VirtualPair *self)
{
  while (self->queue_length > 0) {
    const QueuedPacket *head = &self->queue[self->queue_head];
    uint64_t frame = head->frame;

    if (frame == self->started_frame
        || self->now - head->encoded_at <= self->config.max_queue_time)
      return;
    while (self->queue_length > 0
        && self->queue[self->queue_head].frame == frame)
      pop (self);
    self->counters.frames_dropped++;
  }
}

/* Of the mean of all frames. */
static double
get_frame_part (const VirtualPair *self)
{
  uint32_t every = self->config.key_frame_every;
  double part;

  if (every == 0)
    return 1.0;
  part = every / (every - 1.0 + KEY_FRAME);
  return self->counters.frames % every == 0 ? KEY_FRAME * part : part;
}

static void
encode_frame (VirtualPair *self)
{
  double seconds = tfrc_duration_to_seconds (self->config.frame_interval);
  TfrcRate rate = tfrc_sender_get_send_rate (&self->sending.sender);
  double bytes;

  self->next_frame_at += self->config.frame_interval;
  if (self->paused)
    return;
  self->smoothed_rate += RATE_SMOOTHING * (rate - self->smoothed_rate);
  rate = fmin (rate, self->smoothed_rate)
      - tfrc_rate_of ((double) self->queue_bytes, self->config.drain_time);
  rate = fmin (rate, self->config.encoder_max_rate);
  rate *= get_frame_part (self);
  /* An encoder has a lowest rate, too. */
  bytes = fmax (rate * seconds, 100.0);

  self->counters.frames++;
  drop_old_frames (self);
  while (bytes >= 1.0 && self->queue_length < QUEUE) {
    uint32_t size = (uint32_t) fmin (bytes, self->config.packet_size);
    uint32_t slot = (self->queue_head + self->queue_length++) % QUEUE;

    self->queue[slot] = (QueuedPacket) {
      .size = size,
      .frame = self->counters.frames,
      .encoded_at = self->now,
    };
    self->queue_bytes += size;
    self->counters.encoded_bytes += size;
    bytes -= size;
  }
}

/* Of the packet with this number. */
static uint32_t
get_stream (const VirtualPair *self, uint16_t seq)
{
  return self->config.aside_every > 0 && seq % self->config.aside_every > 0;
}

static void
note_sent (VirtualPair *self, const TfrcDataPacket *data)
{
  uint32_t stream = get_stream (self, data->seq);

  self->stream_seq[data->seq] = self->config.aside_every > 0
      ? self->next_stream_seq[stream]++
      : data->seq;
  tfrc_sender_based_on_sent (&self->sender_based, self->ssrc + stream,
      self->stream_seq[data->seq], data->size, &data->extension, self->now);
  if (self->config.circuit_breaker)
    rtp_circuit_breaker_on_sent (&self->breaker, self->ssrc + stream,
        (uint32_t) (self->now / MS), data->size, self->now);
  if (self->config.reception_reports
      && tfrc_reception_reports_poll_missed (&self->reception,
          &self->sending.sender, &self->sender_based)) {
    tfrc_sender_set_report_delay (&self->sending.sender,
        tfrc_reception_reports_get_delay (&self->reception));
    tfrc_sender_on_missed_report (&self->sending.sender, self->now);
  }
}

static void
tell_fate (const VirtualPair *self, uint32_t id, TfrcTime arrived_at)
{
  uint32_t newest = self->next_data - 1;
  PairPacket packet = {
    .number = newest - (newest - id) % RING,
    .encoded_at = self->encoded_at[id],
    .sent_at = self->sent_at[id],
    .arrived_at = arrived_at,
    .rtt = self->receiving.receiver.rtt,
  };

  if (self->config.on_fate)
    self->config.on_fate (self->config.fate_data, &packet);
}

/* Loss events of the link itself: losses within one RTT of the first belong
 * together (RFC 5348 section 5.2). */
static void
note_loss (VirtualPair *self)
{
  TfrcDuration rtt = self->config.forward.delay + self->config.back.delay
      + link_model_get_queue_time (self->forward);

  self->counters.link_losses++;
  if (self->last_loss_event_at == TFRC_TIME_NONE
      || self->now - self->last_loss_event_at > rtt) {
    self->counters.link_loss_events++;
    self->last_loss_event_at = self->now;
  }
}

static void
send_packet (VirtualPair *self, uint32_t size, bool backlog, bool ends_frame,
    TfrcTime encoded_at)
{
  uint32_t id = self->next_data++ % RING;
  LinkOutcome outcome;

  self->data[id] = (TfrcDataPacket) {
    .ssrc = self->ssrc,
    .seq = self->seq++,
    .size = size,
    .has_extension = true,
    .extension = tfrc_checked_sender_on_sent (&self->sending, size, backlog,
        self->now),
  };
  if (ends_frame && self->config.frame_interval > 0)
    tfrc_checked_sender_on_frame_end (&self->sending, self->now);
  self->sent_at[id] = self->now;
  self->encoded_at[id] = encoded_at;
  self->ends_frame[id] = ends_frame;
  self->arrived_at[self->data[id].seq] = TFRC_TIME_NONE;
  if (self->config.report_interval > 0)
    note_sent (self, &self->data[id]);
  self->counters.packets++;
  self->counters.bytes += size;
  outcome = self->config.ecn
      ? link_model_enqueue_ect (self->forward, size, id, self->now)
      : link_model_enqueue (self->forward, size, id, self->now);
  self->data[id].congestion_marked = outcome == LINK_MARKED;
  if (outcome != LINK_QUEUED && outcome != LINK_MARKED) {
    note_loss (self);
    tell_fate (self, id, TFRC_TIME_NONE);
  }
}

static void
send_packets (VirtualPair *self)
{
  while (has_data (self) && get_next_send_at (self) <= self->now) {
    if (self->config.frame_interval == 0) {
      send_packet (self, self->config.packet_size, true, true, self->now);
    } else {
      QueuedPacket packet = self->queue[self->queue_head];

      self->started_frame = packet.frame;
      pop (self);
      send_packet (self, packet.size, self->queue_length > 0,
          self->queue_length == 0
              || self->queue[self->queue_head].frame != packet.frame,
          packet.encoded_at);
    }
  }
}

static void
poll_reports (VirtualPair *self)
{
  TfrcFeedback report;

  while (tfrc_receiver_poll_feedback (&self->receiving.receiver, &report,
      there (self))) {
    uint32_t id = self->next_report++ % RING;

    /* The wire has microseconds. */
    report.echo_delay -= report.echo_delay % TFRC_MICROSECOND;
    tfrc_checked_receiver_add_delay (&self->receiving, &report);
    if (report.has_delay && self->config.forge_delay != NULL)
      self->config.forge_delay (&report.delay, self->next_report);
    self->reports[id] = report;
    link_model_enqueue (self->back, REPORT_SIZE, id, self->now);
  }
}

/* The first packet begins the interval. */
static void
note_arrival (VirtualPair *self, uint16_t seq)
{
  if (self->n_arrived == 0) {
    if (self->config.report_bytes == 0 && !self->config.report_frames)
      self->next_report_at = self->now + self->config.report_interval;
    self->report_begin = self->last_begin = self->report_end = seq;
    self->first_seq = self->highest_seq = seq;
  }
  self->n_arrived++;
  if ((int16_t) (seq - (uint16_t) self->highest_seq) > 0)
    self->highest_seq += (uint16_t) (seq - (uint16_t) self->highest_seq);
  self->arrived_at[seq] = there (self);
  self->has_arrivals = true;
  if ((uint16_t) (seq - self->report_end) < RING / 2)
    self->report_end = (uint16_t) (seq + 1);
  if (self->config.report_bytes > 0
      && self->counters.received_bytes - self->reported_bytes
          >= self->config.report_bytes)
    self->next_report_at = self->now;
}

static void
deliver_data (VirtualPair *self)
{
  LinkOutput output;

  while (link_model_poll (self->forward, &output, self->now)) {
    if (output.fate != LINK_DELIVERED) {
      note_loss (self);
      tell_fate (self, output.id, TFRC_TIME_NONE);
      continue;
    }
    tell_fate (self, output.id, self->now);
    self->counters.received_bytes += self->data[output.id].size;
    self->counters.rtt_samples++;
    self->counters.rtt_sum += tfrc_duration_to_seconds (self->now
        - self->sent_at[output.id] + self->config.back.delay);
    if (self->config.report_interval > 0) {
      note_arrival (self, self->data[output.id].seq);
      if (self->config.report_frames && self->ends_frame[output.id])
        self->next_report_at = self->now;
      continue;
    }
    tfrc_checked_receiver_on_packet (&self->receiving, &self->data[output.id],
        there (self));
    poll_reports (self);
  }
}

/* What the report tells of a stream, behind `packets`: returns its end. */
static TfrcReportedPacket *
list_packets (const VirtualPair *self, const ArrivalReport *source,
    uint32_t stream, TfrcTime clock, TfrcReportedPacket *packets)
{
  uint16_t missing = 0;

  for (uint16_t seq = source->begin; seq != source->end; seq++) {
    if (get_stream (self, seq) != stream)
      continue;
    if (self->arrived_at[seq] > source->made_at) {
      missing++;
      continue;
    }
    *packets = (TfrcReportedPacket) { .ssrc = self->ssrc + stream,
      .seq = self->stream_seq[seq],
      .arrived = true,
      .has_time = true,
      .age = clock - self->arrived_at[seq],
      .missing = missing };
    packets->age -= packets->age % source->report.resolution;
    packets++;
    missing = 0;
  }
  return packets;
}

/* As gst/elements/send/packet-feedback.c has it. */
static void
note_reported (VirtualPair *self, const TfrcReportedPacket *packet)
{
  const TfrcSentPacket *sent = tfrc_sender_based_on_packet (&self->sender_based,
      packet);

  if (sent != NULL)
    tfrc_delay_meter_on_packet (&self->delays, sent->extension.send_time_us,
        sent->size, sent->extension.rtt,
        tfrc_sender_based_get_arrival (&self->sender_based));
}

static void
poll_sender_based (VirtualPair *self)
{
  TfrcFeedback feedback;

  while (tfrc_sender_based_poll_feedback (&self->sender_based, &feedback)) {
    tfrc_sender_set_report_delay (&self->sending.sender,
        tfrc_sender_based_get_report_delay (&self->sender_based));
    feedback.has_delay = self->config.receiver_checks.report_delays
        && tfrc_delay_meter_poll (&self->delays, &feedback.delay);
    tfrc_checked_sender_on_feedback (&self->sending, &feedback, self->now);
  }
}

/* The report becomes what gst/wire would make of it: its time, or that of the newest
 * arrival; wraps after a minute; arrivals
 * in steps. */
static void
handle_arrival_report (VirtualPair *self, const ArrivalReport *source,
    uint32_t reporter)
{
  TfrcPacketReport report = source->report;
  TfrcTime clock = self->config.report_timed ? source->made_at : 0;
  TfrcReportedPacket *end = self->reported;
  size_t n;

  for (uint16_t seq = source->begin; seq != source->end; seq++) {
    if (self->arrived_at[seq] <= source->made_at)
      clock = tfrc_time_max (clock, self->arrived_at[seq]);
  }
  report.clock_period = CLOCK_PERIOD;
  report.clock = (clock + self->clock_forward + reporter * CLOCK_PERIOD / 2)
      % CLOCK_PERIOD;
  report.reporter_ssrc += reporter;
  if (tfrc_sender_based_begin_report (&self->sender_based, &report, self->now)
      != TFRC_OK)
    return;
  for (uint32_t i = 0; i < 2; i++)
    end = list_packets (self, source, i, clock, end);
  n = (size_t) (end - self->reported);
  if (self->config.read_report != NULL)
    n = self->config.read_report (&report, self->reported, n);
  for (size_t i = 0; i < n; i++) {
    note_reported (self, &self->reported[i]);
    poll_sender_based (self);
  }
  tfrc_sender_based_end_report (&self->sender_based);
  poll_sender_based (self);
  if (self->sender_based.newest_sent_at > 0)
    tfrc_checked_sender_on_arrivals (&self->sending,
        self->sender_based.newest_sent_at, self->now);
}

static void
handle_reception_report (VirtualPair *self, const RtpReportBlock *block)
{
  TfrcFeedback feedback;

  if (self->config.circuit_breaker) {
    rtp_circuit_breaker_on_report (&self->breaker, block,
        self->sending.sender.rtt.rtt, self->now);
    self->counters.breaker_trips = self->breaker.trips;
    tfrc_sender_set_max_rate (&self->sending.sender, self->breaker.rate_limit);
  }
  if (tfrc_reception_reports_on_blocks (&self->reception, block, 1,
          &self->sending.sender, &self->sender_based, 0, &feedback, self->now)
      != TFRC_OK)
    return;
  tfrc_sender_set_report_delay (&self->sending.sender,
      tfrc_reception_reports_get_delay (&self->reception));
  tfrc_checked_sender_on_feedback (&self->sending, &feedback, self->now);
}

static void
deliver_reports (VirtualPair *self)
{
  LinkOutput output;

  while (link_model_poll (self->back, &output, self->now)) {
    if (output.fate != LINK_DELIVERED)
      continue;
    self->counters.reports++;
    if (self->config.reception_reports) {
      handle_reception_report (self, &self->arrival_reports[output.id].block);
      continue;
    }
    if (self->config.report_interval > 0) {
      handle_arrival_report (self, &self->arrival_reports[output.id], 0);
      if (self->two_reporters)
        handle_arrival_report (self, &self->arrival_reports[output.id], 1);
      continue;
    }
    tfrc_checked_sender_on_feedback (&self->sending, &self->reports[output.id],
        self->now);
  }
}

static void
report_arrivals (VirtualPair *self)
{
  uint32_t id = self->next_report % RING;

  self->reported_bytes = self->counters.received_bytes;
  self->next_report_at = self->config.report_bytes > 0
          || self->config.report_frames
      ? TFRC_TIME_NONE
      : self->next_report_at + self->config.report_interval;
  if (self->config.reception_reports && self->config.report_bytes == 0)
    self->next_report_at +=
        (TfrcDuration) ((tfrc_rng_uniform (&self->rng) - 0.5)
            * (double) self->config.report_interval);
  if (!self->has_arrivals)
    return;
  self->arrival_reports[id] = (ArrivalReport) {
    .made_at = there (self),
    .begin = self->config.reports_overlap ? self->last_begin
                                          : self->report_begin,
    .end = self->report_end,
    .report = { .reporter_ssrc = 9,
        .counted = !self->config.report_timed,
        .count = (uint8_t) self->next_report,
        .resolution = self->config.report_timed ? TFRC_SECOND / 1024
                                                : 250 * TFRC_MICROSECOND },
  };
  self->arrival_reports[id].block = (RtpReportBlock) {
    .reporter_ssrc = 9,
    .media_ssrc = self->ssrc,
    .highest_seq = self->highest_seq,
    .cumulative_lost = (int32_t) (self->highest_seq - self->first_seq + 1
        - self->n_arrived),
  };
  self->next_report++;
  self->last_begin = self->report_begin;
  self->report_begin = self->report_end;
  self->has_arrivals = false;
  link_model_enqueue (self->back, ARRIVAL_REPORT_SIZE, id, self->now);
}

static void
handle_events (VirtualPair *self)
{
  deliver_reports (self);
  deliver_data (self);
  if (self->next_report_at <= self->now)
    report_arrivals (self);
  if (get_receiver_deadline (self) <= self->now) {
    tfrc_receiver_on_deadline (&self->receiving.receiver, there (self));
    poll_reports (self);
    /* Or nothing would move on from here. */
    assert (get_receiver_deadline (self) > self->now);
  }
  if (tfrc_checked_sender_next_deadline (&self->sending) <= self->now) {
    tfrc_checked_sender_on_deadline (&self->sending, self->now);
    assert (tfrc_checked_sender_next_deadline (&self->sending) > self->now);
  }
  if (self->config.frame_interval != 0 && self->next_frame_at <= self->now)
    encode_frame (self);
  send_packets (self);
}

void
pair_run (VirtualPair *self, TfrcTime until)
{
  TfrcTime at;

  while ((at = get_next_event (self)) <= until) {
    self->now = tfrc_time_max (at, self->now);
    handle_events (self);
  }
  self->now = until;
}

void
pair_restart_receiver (VirtualPair *self)
{
  tfrc_checked_receiver_init (&self->receiving, &self->config.receiver,
      self->config.receiver_checks);
}

void
pair_restart_sender (VirtualPair *self)
{
  TfrcSenderConfig config = self->config.sender;

  config.timestamp_offset_us = tfrc_rng_next (&self->rng);
  tfrc_checked_sender_init (&self->sending, &config,
      self->config.sender_checks);
  pair_change_ssrc (self);
}

void
pair_change_ssrc (VirtualPair *self)
{
  self->ssrc++;
  self->seq = (uint16_t) tfrc_rng_next (&self->rng);
}

void
pair_set_paused (VirtualPair *self, bool paused)
{
  self->paused = paused;
}

void
pair_set_forward (VirtualPair *self, const LinkConfig *config)
{
  link_model_set_config (self->forward, config, self->now);
}

void
pair_set_back (VirtualPair *self, const LinkConfig *config)
{
  link_model_set_config (self->back, config, self->now);
}

void
pair_set_encoder_max_rate (VirtualPair *self, TfrcRate rate)
{
  self->config.encoder_max_rate = rate;
}

void
pair_forge_packet (VirtualPair *self, const TfrcDataPacket *packet)
{
  tfrc_checked_receiver_on_packet (&self->receiving, packet, there (self));
  poll_reports (self);
}

void
pair_forge_report (VirtualPair *self, const TfrcFeedback *report)
{
  tfrc_checked_sender_on_feedback (&self->sending, report, self->now);
}

void
pair_add_reporter (VirtualPair *self)
{
  self->two_reporters = true;
}

void
pair_set_report_clock (VirtualPair *self, TfrcDuration forward)
{
  self->clock_forward += forward;
}

const TfrcSender *
pair_get_sender (const VirtualPair *self)
{
  return &self->sending.sender;
}

TfrcSenderCheckCounters
pair_get_check_counters (const VirtualPair *self)
{
  return self->sending.counters;
}

const TfrcDelayControl *
pair_get_delay_control (const VirtualPair *self)
{
  return &self->sending.delay_control;
}

const TfrcReceiver *
pair_get_receiver (const VirtualPair *self)
{
  return &self->receiving.receiver;
}

const TfrcSenderBased *
pair_get_sender_based (const VirtualPair *self)
{
  return &self->sender_based;
}

PairCounters
pair_get_counters (const VirtualPair *self)
{
  return self->counters;
}

uint64_t
pair_get_packets_foreign (const VirtualPair *self)
{
  return self->receiving.packets_foreign;
}

const LinkModel *
pair_get_forward (const VirtualPair *self)
{
  return self->forward;
}

const LinkModel *
pair_get_back (const VirtualPair *self)
{
  return self->back;
}

PairRates
pair_run_bins (VirtualPair *self, TfrcDuration bin, unsigned n)
{
  PairRates rates = { .lowest = (double) INFINITY };
  double sum = 0.0, squares = 0.0;
  unsigned i;

  for (i = 0; i < n; i++) {
    uint64_t before = self->counters.bytes;
    TfrcRate rate;

    pair_run (self, self->now + bin);
    rate = tfrc_rate_of ((double) (self->counters.bytes - before), bin);
    sum += rate;
    squares += rate * rate;
    rates.lowest = fmin (rates.lowest, rate);
    rates.highest = fmax (rates.highest, rate);
  }
  rates.mean = sum / n;
  rates.variation = rates.mean > 0.0
      ? sqrt (fmax (squares / n - rates.mean * rates.mean, 0.0)) / rates.mean
      : 0.0;
  return rates;
}

static TfrcDuration
run_until (VirtualPair *self, TfrcRate rate, bool above, TfrcDuration window,
    TfrcDuration limit)
{
  enum
  {
    STEPS = 20
  };
  uint64_t bytes[STEPS];
  TfrcTime start = self->now;
  unsigned i;

  for (i = 0; self->now - start < limit; i++) {
    uint64_t before = bytes[i % STEPS];
    TfrcRate mean;

    bytes[i % STEPS] = self->counters.bytes;
    mean = i < STEPS
        ? 0.0
        : tfrc_rate_of ((double) (self->counters.bytes - before), window);
    if (i >= STEPS && (above ? mean >= rate : mean <= rate))
      return self->now - start;
    pair_run (self, self->now + window / STEPS);
  }
  return TFRC_TIME_NONE;
}

TfrcDuration
pair_run_until_above (VirtualPair *self, TfrcRate rate, TfrcDuration window,
    TfrcDuration limit)
{
  return run_until (self, rate, true, window, limit);
}

TfrcDuration
pair_run_until_below (VirtualPair *self, TfrcRate rate, TfrcDuration window,
    TfrcDuration limit)
{
  return run_until (self, rate, false, window, limit);
}
