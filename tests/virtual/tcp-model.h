/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A competitor that knows losses alone: the window of Reno (RFC 5681, 6582) or
 * CUBIC (RFC 9438) for a greedy source, and nothing else of TCP.
 *
 * It is a model, of both ends.  Packets are acknowledged by their numbers, as with
 * SACK: as many as packets_per_ack together or the first after 40 ms (delayed
 * acknowledgements, RFC 5681 section 4.2), so that as many leave at once; at once
 * while any is missing.  What is lost is not sent again, since only the load
 * matters; a loss is known when three later packets have arrived, and reduces the
 * window once per window.  CUBIC leaves slow start by the delay of HyStart (RFC 9406
 * without the conservative phase), and windows are whole packets, both as in Linux.
 * There is no pacing, no PRR and no other timeout than one second of silence. */
#pragma once

#include "base/units.h"

#define TCP_MODEL_WINDOW 4096 /* packets under way at most; a power of two */

#define TCP_MODEL_MOST_PER_ACK 2

typedef struct
{
  uint64_t numbers[TCP_MODEL_MOST_PER_ACK]; /* of packets, in their order */
  unsigned n;
} TcpAck;

typedef struct
{
  bool cubic;
  unsigned packets_per_ack;
  double window;    /* cwnd */
  double threshold; /* ssthresh */
  uint64_t next;    /* number of the next packet */
  uint64_t first;   /* oldest that is neither acknowledged nor lost */
  uint64_t highest; /* newest that is acknowledged, plus one */
  uint64_t recover; /* a loss before it belongs to the last reduction */
  uint32_t in_flight;
  bool known[TCP_MODEL_WINDOW]; /* acknowledged or lost */
  TfrcTime sent_at[TCP_MODEL_WINDOW];
  TfrcDuration rtt; /* smoothed; 0 = no sample */
  TfrcDuration fastest_rtt;
  TfrcTime heard_at;

  double acked;        /* packets, since the window grew */
  double last_maximum; /* W_max of CUBIC */
  double origin;       /* that, or the window if it was larger */
  double reno_acked;   /* packets, since W_est grew */
  double reno_window;  /* W_est */
  double cubic_period; /* K [s] */
  TfrcTime epoch_at;   /* TFRC_TIME_NONE: begins with the next packet */

  TfrcDuration least_rtt; /* of all rounds before this one */
  TfrcDuration round_rtt; /* least of this round */
  uint64_t round_end;     /* the round is over when that is acknowledged */
  unsigned round_samples;

  /* Of the receiver. */
  TcpAck delayed;
  TfrcTime ack_at;   /* TFRC_TIME_NONE: nothing to acknowledge */
  uint64_t expected; /* number */
  uint64_t repaired; /* what was lost was sent again in front of this number */
  uint32_t missing;  /* packets that the sender does not know of */
} TcpModel;

/* `packets_per_ack`: 1 or 2. */
void tcp_model_init (TcpModel *self, bool cubic, unsigned packets_per_ack,
    TfrcTime now);

/* Whether the window has room. */
bool tcp_model_may_send (const TcpModel *self);

/* Number of the packet that leaves now. */
uint64_t tcp_model_on_sent (TcpModel *self, TfrcTime now);

/* The receiver has got it.  Then poll. */
void tcp_model_on_packet (TcpModel *self, uint64_t number, TfrcTime now);

/* An acknowledgement that leaves now; and when the next would, if nothing came. */
bool tcp_model_poll_ack (TcpModel *self, TcpAck *ack, TfrcTime now);
TfrcTime tcp_model_next_ack_at (const TcpModel *self);

/* It has come. */
void tcp_model_on_ack (TcpModel *self, const TcpAck *ack, TfrcTime now);

/* The timeout of one second. */
TfrcTime tcp_model_next_deadline (const TcpModel *self);
void tcp_model_on_deadline (TcpModel *self, TfrcTime now);
