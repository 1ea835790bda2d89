/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Verbs of the tests of TFMCC's receiver: packets come, losses, echoes, until a
 * report is due. */
#pragma once

#include <check.h>
#include <math.h>

#include "checks/tfmcc-packets.h"
#include "units.h"

#define SIZE 1000
#define SSRC 7
#define OFFSET_US 0x12345678u
#define MAX_RTT (500 * MS)

static TfmccReceiver receiver;
static TfmccPacketCheck check;
static TfmccExtension extension;
static uint16_t seq;
static TfrcTime now;

static inline void
setup (void)
{
  TfmccReceiverConfig config = tfmcc_receiver_config_default ();

  config.ssrc = SSRC;
  config.timestamp_offset_us = OFFSET_US;
  config.seed = 1;
  tfmcc_receiver_init (&receiver, &config);
  check = (TfmccPacketCheck) { 0 };
  extension = (TfmccExtension) {
    .suppression_rate = TFMCC_NO_SUPPRESSION,
    .max_rtt = MAX_RTT,
  };
  seq = 65500;
  now = 100 * S;
}

/* The next packet arrives `after` the one before, 20 ms after it was sent. */
static inline void
packet_of (uint32_t size, TfrcDuration after)
{
  TfrcDataPacket data = { .ssrc = 1, .seq = seq++, .size = size };

  now += after;
  extension.send_time_us = (uint32_t) ((now - 20 * MS) / TFRC_MICROSECOND);
  ck_assert_int_eq (tfmcc_packet_check_on_packet (&check, &receiver, &data,
                        &extension, now),
      TFRC_OK);
  extension.has_echo = false;
}

static inline void
packet (TfrcDuration after)
{
  packet_of (SIZE, after);
}

static inline void
packets (unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    packet (8 * MS);
}

/* One is lost, and known to be after three more. */
static inline void
lose (void)
{
  seq++;
  now += 8 * MS;
  packets (3);
}

static inline void
echo (bool is_clr, TfrcDuration rtt)
{
  extension.has_echo = true;
  extension.echo = (TfmccEcho) {
    .ssrc = SSRC,
    .report_time_us = (uint32_t) ((now + 8 * MS - rtt) / TFRC_MICROSECOND)
        + OFFSET_US,
    .is_clr = is_clr,
  };
  packet (8 * MS);
}

static inline bool
poll_report (TfmccReport *report)
{
  return tfmcc_receiver_poll_report (&receiver, report, now);
}

/* Packets go on until a report is due, or for `limit`. */
static inline bool
wait_for_report (TfmccReport *report, TfrcDuration limit)
{
  TfrcTime end = now + limit;

  while (now < end) {
    while (tfmcc_receiver_next_deadline (&receiver) <= now + 8 * MS) {
      now = tfrc_time_max (now, tfmcc_receiver_next_deadline (&receiver));
      tfmcc_receiver_on_deadline (&receiver, now);
      if (poll_report (report))
        return true;
    }
    packet (8 * MS);
    if (poll_report (report))
      return true;
  }
  return false;
}
