/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender and a receiver of the core, joined by two links, under virtual time:
 * a day passes in seconds, and every run is the same.
 *
 * The source is greedy, or an encoder that makes a frame every frame_interval
 * and follows the allowed rate up to a bound; frames wait for the pacer and are
 * dropped when they have waited for longer than max_queue_time.  Sizes in bytes
 * as the links count them (no IP or UDP headers), rates in bytes/s.
 *
 * With report_interval the receiver is one of another make: it reports which packets
 * arrived, as RFC 8888 or transport-wide feedback do, and the sender does the rest
 * (tfrc/sender-based.h). */
#pragma once

#include "link-model.h"
#include "checks/tfrc-receiver.h"
#include "checks/reception-reports.h"
#include "checks/tfrc-sender.h"
#include "tfrc/sender-based.h"
#include "units.h"

/* What became of a packet. */
typedef struct
{
  uint64_t number; /* from 0 on, as they are sent */
  TfrcTime encoded_at;
  TfrcTime sent_at;
  TfrcTime arrived_at; /* TFRC_TIME_NONE: it is lost */
  TfrcDuration rtt;    /* that the receiver knows of; 0 = none yet */
} PairPacket;

typedef void (*PairFate) (void *data, const PairPacket *packet);

typedef struct
{
  TfrcSenderConfig sender;
  TfrcSenderChecks sender_checks;
  TfrcReceiverConfig receiver;
  TfrcReceiverChecks receiver_checks;
  TfrcSenderBasedConfig sender_based; /* with report_interval */
  LinkConfig forward;
  LinkConfig back;
  uint64_t seed;
  uint32_t packet_size;
  bool ecn;                    /* packets may be marked (LinkConfig.ecn) */
  TfrcDuration frame_interval; /* 0 = greedy */
  TfrcRate encoder_max_rate;
  /* One frame of so many is five others, with as much in all; 0 = all are the same. */
  uint32_t key_frame_every;
  TfrcDuration drain_time; /* the encoder leaves what drains the queue so */
  TfrcDuration max_queue_time;
  PairFate on_fate; /* may be NULL */
  void *fate_data;
  TfrcTime start_at;            /* of the sender's clock; default 0 */
  TfrcDuration receiver_ahead;  /* the receiver's clock, of it; default 0 */
  TfrcDuration report_interval; /* 0 = reports are TFRC's */
  bool report_timed; /* as RFC 8888 has it; false: as transport-wide feedback */
  bool
      report_frames; /* at the end of each frame, as rtpsession does unless told an
                       * interval */
  bool reports_overlap; /* each covers what the one before did, too */
  /* One packet of so many is of an SSRC of its own, of which a report tells first; 0 =
   * none. */
  uint32_t aside_every;
  /* What a reader makes of the report, in its order: how many packets; NULL = what it
   * is told. */
  size_t (*read_report) (const TfrcPacketReport *report,
      TfrcReportedPacket *packets, size_t n);
  /* Reports only say how much arrived, at 0.5 to 1.5 times the interval. */
  bool reception_reports;
  bool circuit_breaker;  /* of RFC 8083, with these reports */
  uint32_t report_bytes; /* or once so much has arrived; 0 = by time */
  TfrcReceptionConfig reception;
  /* What becomes of the delays in report `number`; NULL = nothing. */
  void (*forge_delay) (TfrcDelayReport *delay, uint64_t number);
} PairConfig;

typedef struct
{
  uint64_t packets; /* sent */
  uint64_t bytes;
  uint64_t received_bytes;
  uint64_t reports;        /* that came back */
  uint64_t frames;         /* encoded */
  uint64_t frames_dropped; /* by the pacer's queue */
  uint64_t encoded_bytes;
  uint64_t link_losses;      /* data packets that the link lost */
  uint64_t link_loss_events; /* of these, more than an RTT apart */
  uint64_t breaker_trips;
  uint64_t rtt_samples;
  double rtt_sum; /* true RTT of data packets [s] */
} PairCounters;

typedef struct _VirtualPair VirtualPair;

/* 1200-byte packets, greedy, links without limits, 25 ms each way. */
PairConfig pair_config_default (void);

/* A path of `rate`, `rtt`, and a queue of 100 ms. */
PairConfig pair_config_of (TfrcRate rate, TfrcDuration rtt);

/* The same with all that is not RFC 5348's turned off. */
PairConfig pair_config_rfc5348 (void);

VirtualPair *pair_new (const PairConfig *config);
void pair_free (VirtualPair *self);

/* Lets everything happen up to and including `until`, by the sender's clock. */
void pair_run (VirtualPair *self, TfrcTime until);

/* A new receiver that knows nothing takes over. */
void pair_restart_receiver (VirtualPair *self);

/* The same of the sender: another SSRC, and a first sequence number and offset
 * of timestamps drawn at random. */
void pair_restart_sender (VirtualPair *self);

/* Another SSRC and sequence number of the same sender. */
void pair_change_ssrc (VirtualPair *self);

/* Nothing is sent, as if the encoder had stopped. */
void pair_set_paused (VirtualPair *self, bool paused);

/* The links, from now on. */
void pair_set_forward (VirtualPair *self, const LinkConfig *config);
void pair_set_back (VirtualPair *self, const LinkConfig *config);

/* What the encoder makes at most from now on. */
void pair_set_encoder_max_rate (VirtualPair *self, TfrcRate rate);

/* Somebody else's packet reaches the receiver, or a report the sender. */
void pair_forge_packet (VirtualPair *self, const TfrcDataPacket *packet);
void pair_forge_report (VirtualPair *self, const TfrcFeedback *report);

/* Another receiver, of another clock, reports the same packets from now on, too. */
void pair_add_reporter (VirtualPair *self);

/* The receiver's clock is set: it goes forward by that much, and wraps. */
void pair_set_report_clock (VirtualPair *self, TfrcDuration forward);

const TfrcSender *pair_get_sender (const VirtualPair *self);
TfrcSenderCheckCounters pair_get_check_counters (const VirtualPair *self);
const TfrcDelayControl *pair_get_delay_control (const VirtualPair *self);
const TfrcReceiver *pair_get_receiver (const VirtualPair *self);
const TfrcSenderBased *pair_get_sender_based (const VirtualPair *self);
uint64_t pair_get_packets_foreign (const VirtualPair *self);
PairCounters pair_get_counters (const VirtualPair *self);
const LinkModel *pair_get_forward (const VirtualPair *self);
const LinkModel *pair_get_back (const VirtualPair *self);

/* Rate of what was sent in equal bins, while running from the last `until` to
 * this one. */
typedef struct
{
  TfrcRate mean;
  double variation; /* coefficient of variation over the bins */
  TfrcRate lowest;
  TfrcRate highest;
} PairRates;

PairRates pair_run_bins (VirtualPair *self, TfrcDuration bin, unsigned n);

/* Runs until the mean over `window` of what is sent is at least (at most)
 * `rate`, no longer than `limit`; gives how long that took, or
 * TFRC_TIME_NONE. */
TfrcDuration pair_run_until_above (VirtualPair *self, TfrcRate rate,
    TfrcDuration window, TfrcDuration limit);
TfrcDuration pair_run_until_below (VirtualPair *self, TfrcRate rate,
    TfrcDuration window, TfrcDuration limit);
