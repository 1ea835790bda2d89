/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A competitor that knows losses alone: the window of Reno (RFC 5681, 6582) or
 * CUBIC (RFC 9438) for a greedy source, and nothing else of TCP.
 *
 * It is a model.  Every packet is acknowledged by its own number, as with SACK
 * and without delayed acknowledgements; what is lost is not sent again, since
 * only the load matters; a loss is known when three later packets have arrived,
 * and reduces the window once per window.  CUBIC leaves slow start by the delay of
 * HyStart (RFC 9406 without the conservative phase, as Linux has it).  There is no
 * pacing, no PRR and no other timeout than one second of silence.  Windows in
 * packets. */
#pragma once

#include "base/units.h"

#define TCP_MODEL_WINDOW 4096 /* packets under way at most; a power of two */

typedef struct
{
  bool cubic;
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
  TfrcTime heard_at;

  double last_maximum; /* W_max of CUBIC */
  double reno_window;  /* W_est */
  double cubic_period; /* K [s] */
  TfrcTime epoch_at;   /* TFRC_TIME_NONE: begins with the next packet */

  TfrcDuration least_rtt; /* of all rounds before this one */
  TfrcDuration round_rtt; /* least of this round */
  uint64_t round_end;     /* the round is over when that is acknowledged */
  unsigned round_samples;
} TcpModel;

void tcp_model_init (TcpModel *self, bool cubic, TfrcTime now);

/* Whether the window has room. */
bool tcp_model_may_send (const TcpModel *self);

/* Number of the packet that leaves now. */
uint64_t tcp_model_on_sent (TcpModel *self, TfrcTime now);

/* The acknowledgement of that packet has come. */
void tcp_model_on_ack (TcpModel *self, uint64_t number, TfrcTime now);

/* The timeout of one second. */
TfrcTime tcp_model_next_deadline (const TcpModel *self);
void tcp_model_on_deadline (TcpModel *self, TfrcTime now);
