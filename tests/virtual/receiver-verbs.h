/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tests of TfrcReceiver say and expect: one receiver, packets of VIDEO
 * with 1000 bytes, virtual time.  For one test program each, so static. */
#pragma once

#include <check.h>

#include "tfrc/receiver.h"
#include "units.h"

#define US TFRC_MICROSECOND
#define VIDEO 0x1111
#define AUDIO 0x2222
#define SIZE 1000

static TfrcReceiver receiver;
static TfrcFeedback feedback;

/* Reports once per R, as RFC 5348 has them; D66 has tests of its own. */
static inline void
setup (void)
{
  TfrcReceiverConfig config = tfrc_receiver_config_default ();

  config.fast_return = false;
  tfrc_receiver_init (&receiver, &config);
}

static inline TfrcDataPacket
packet_of (uint16_t seq, TfrcDuration rtt, TfrcTime now)
{
  TfrcDataPacket packet = {
    .ssrc = VIDEO, .seq = seq, .size = SIZE, .has_extension = true
  };

  packet.extension.rtt = rtt;
  packet.extension.send_time_us = (uint32_t) (now / US);
  return packet;
}

static inline TfrcResult
receive (uint16_t seq, TfrcDuration rtt, TfrcTime now)
{
  TfrcDataPacket packet = packet_of (seq, rtt, now);

  return tfrc_receiver_on_packet (&receiver, &packet, now);
}

static inline void
expect_report (TfrcTime now)
{
  ck_assert (tfrc_receiver_poll_feedback (&receiver, &feedback, now));
  ck_assert (!tfrc_receiver_poll_feedback (&receiver, &feedback, now));
}

static inline void
expect_silence (TfrcTime now)
{
  ck_assert (!tfrc_receiver_poll_feedback (&receiver, &feedback, now));
}

static inline void
expect_deadline (TfrcTime deadline)
{
  ck_assert_uint_eq (tfrc_receiver_next_deadline (&receiver), deadline);
}

/* Packets every `spacing` in (from, to], the timer in between served. */
static inline uint16_t
stream (uint16_t seq, TfrcDuration rtt, TfrcDuration spacing, TfrcTime from,
    TfrcTime to)
{
  for (TfrcTime t = from + spacing; t <= to; t += spacing) {
    while (tfrc_receiver_next_deadline (&receiver) < t) {
      TfrcTime deadline = tfrc_receiver_next_deadline (&receiver);

      tfrc_receiver_on_deadline (&receiver, deadline);
      tfrc_receiver_poll_feedback (&receiver, &feedback, deadline);
    }
    ck_assert_int_eq (receive (seq++, rtt, t), TFRC_OK);
    tfrc_receiver_poll_feedback (&receiver, &feedback, t);
  }
  return seq;
}
