/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport-wide feedback, written and read
 * (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1). */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check-suite.h"
#include "tfrc-wire-packet-feedback.h"
#include "wire/expect-rtcp.h"

#define TICK TFRC_WIRE_TWCC_TICK
#define REFERENCE (256 * TICK) /* 64 ms */
#define MAX_PACKETS 65536

/* An arrival in ticks after the reference time; NONE: missing. */
#define NONE INT64_MIN

typedef struct
{
  uint16_t seq;
  uint16_t missing;
  int64_t ticks;
} Expected;

/* From the rtpsession of GStreamer 1.22: 31 packets missing after a lost one, and a
 * delta of 1443 ticks: chunks d400 (01 01 00...), 001a (26 missing), e000 (10). */
static const uint8_t gst_hole[] = { 0x8f, 0xcd, 0x00, 0x07, 0x6a, 0x98, 0xae,
  0x93, 0x11, 0x22, 0x33, 0x44, 0x00, 0x16, 0x00, 0x22, 0x00, 0x00, 0x0b, 0x07,
  0xd4, 0x00, 0x00, 0x1a, 0xe0, 0x00, 0x43, 0x35, 0x05, 0xa6, 0x00, 0x00 };
static const Expected gst_hole_packets[] = { { 22, 0, 0x43 },
  { 23, 0, 0x43 + 0x35 }, { 55, 31, 0x43 + 0x35 + 0x5a6 } };

/* From the same: the second packet arrived 25 ticks before the first. */
static const uint8_t gst_negative[] = { 0x8f, 0xcd, 0x00, 0x06, 0xc1, 0x6e,
  0x6f, 0x2a, 0x11, 0x22, 0x33, 0x44, 0xff, 0xdc, 0x00, 0x04, 0x00, 0x00, 0x00,
  0x00, 0xd8, 0x80, 0x1b, 0xff, 0xe7, 0x01, 0xa6, 0x00 };
static const Expected gst_negative_packets[] = { { 0xffdc, 0, 27 },
  { 0xffdd, 0, 2 }, { 0xffdf, 1, 424 } };

/* From the same: 9 packets, up to number 0xffff. */
static const uint8_t gst_gap[] = { 0x8f, 0xcd, 0x00, 0x06, 0xa5, 0x0c, 0xe7,
  0xfa, 0x11, 0x22, 0x33, 0x44, 0xff, 0xf7, 0x00, 0x09, 0x00, 0x00, 0x05, 0x03,
  0xa3, 0xe0, 0x28, 0xac, 0x37, 0x32, 0x2a, 0x29 };
static const Expected gst_gap_packets[] = { { 0xfff7, 0, 40 },
  { 0xfffb, 3, 212 }, { 0xfffc, 0, 267 }, { 0xfffd, 0, 317 },
  { 0xfffe, 0, 359 }, { 0xffff, 0, 400 } };

/* From Chromium: a run of 9, and one byte of padding, counted by the padding bit. */
static const uint8_t chromium[] = { 0xaf, 0xcd, 0x00, 0x07, 0x00, 0x00, 0x00,
  0x01, 0xdd, 0x58, 0x6e, 0xb6, 0x00, 0x01, 0x00, 0x09, 0x5e, 0x91, 0x10, 0x00,
  0x20, 0x09, 0x1c, 0x0c, 0x2c, 0x38, 0x00, 0x04, 0x00, 0x08, 0x18, 0x01 };
static const Expected chromium_packets[] = { { 1, 0, 28 }, { 2, 0, 40 },
  { 3, 0, 84 }, { 4, 0, 140 }, { 5, 0, 140 }, { 6, 0, 144 }, { 7, 0, 144 },
  { 8, 0, 152 }, { 9, 0, 176 } };

/* By hand: three packets missing and none after them; no delta. */
static const uint8_t all_missing[] = { 0x8f, 0xcd, 0x00, 0x05, 0, 0, 0, 1, 0, 0,
  0, 2, 0x00, 0x64, 0x00, 0x03, 0x00, 0x00, 0x01, 0xff, 0x00, 0x03, 0x00,
  0x00 };
static const Expected all_missing_packets[] = { { 102, 2, NONE } };

/* By hand: from 0xffff on, across the wrap: a run of 2 large deltas, the largest
 * and the smallest, then a vector with two missing. */
static const uint8_t extremes[] = { 0x8f, 0xcd, 0x00, 0x06, 0, 0, 0, 1, 0, 0, 0,
  2, 0xff, 0xff, 0x00, 0x04, 0xff, 0xff, 0xff, 0x00, 0x40, 0x02, 0x80, 0x00,
  0x7f, 0xff, 0x80, 0x00 };
static const Expected extremes_packets[] = { { 0xffff, 0, 32767 }, { 0, 0, -1 },
  { 2, 1, NONE } };

#define GOLDEN(name, reference, count, written) \
  { name, sizeof name, name##_packets, \
    sizeof name##_packets / sizeof name##_packets[0], reference, count, \
    written }
static const struct
{
  const uint8_t *data;
  size_t size;
  const Expected *packets;
  size_t n;
  uint32_t reference;
  uint8_t count;
  bool written; /* we write the same bytes */
} goldens[] = {
  GOLDEN (gst_hole, 11, 7, false),
  GOLDEN (gst_negative, 0, 0, true),
  GOLDEN (gst_gap, 5, 3, true),
  GOLDEN (chromium, 0x5e9110, 0, false),
  GOLDEN (all_missing, 1, 255, false),
  GOLDEN (extremes, 0xffffff, 0, false),
};
#define N_GOLDENS ((int) (sizeof goldens / sizeof goldens[0]))

static TfrcReportedPacket packets[MAX_PACKETS], read_packets[MAX_PACKETS];
static uint8_t written[4 * 65536];

static TfrcWireKind
begin (TfrcWireTwccReader *reader, const uint8_t *data, size_t size,
    TfrcPacketReport *report)
{
  expect_foreign_rtcp (data, size);
  return tfrc_wire_begin_twcc (reader, data, size, report);
}

static size_t
read_all (const uint8_t *data, size_t size, TfrcPacketReport *report)
{
  TfrcWireTwccReader reader;
  size_t n = 0;

  ck_assert_int_eq (begin (&reader, data, size, report), TFRC_WIRE_FEEDBACK);
  while (tfrc_wire_next_twcc (&reader, &read_packets[n]))
    n++;
  return n;
}

START_TEST (reads_what_others_wrote)
{
  uint64_t period = (1ull << 24) * REFERENCE;
  int64_t newest = 0;
  TfrcPacketReport report;
  size_t n = read_all (goldens[_i].data, goldens[_i].size, &report);

  ck_assert_uint_eq (n, goldens[_i].n);
  for (size_t i = 0; i < n; i++) {
    if (goldens[_i].packets[i].ticks > newest)
      newest = goldens[_i].packets[i].ticks;
  }
  ck_assert_uint_eq (report.reporter_ssrc,
      (uint32_t) goldens[_i].data[4] << 24 | goldens[_i].data[5] << 16
          | goldens[_i].data[6] << 8 | goldens[_i].data[7]);
  ck_assert (report.counted);
  ck_assert_uint_eq (report.count, goldens[_i].count);
  ck_assert_uint_eq (report.clock_period, period);
  ck_assert_uint_eq (report.clock,
      (goldens[_i].reference * REFERENCE + (uint64_t) newest * TICK) % period);
  for (size_t i = 0; i < n; i++) {
    const Expected *expected = &goldens[_i].packets[i];

    ck_assert_uint_eq (read_packets[i].ssrc, 0);
    ck_assert_uint_eq (read_packets[i].seq, expected->seq);
    ck_assert_uint_eq (read_packets[i].missing, expected->missing);
    ck_assert (read_packets[i].arrived == (expected->ticks != NONE));
    ck_assert (read_packets[i].has_time == (expected->ticks != NONE));
    ck_assert_uint_eq (read_packets[i].ecn, 0);
    if (expected->ticks != NONE)
      ck_assert_uint_eq (read_packets[i].age,
          (uint64_t) (newest - expected->ticks) * TICK);
  }
}

END_TEST
/* Our writer gives the bytes of GStreamer where GStreamer uses the same chunks. */
START_TEST (writes_what_others_wrote)
{
  TfrcPacketReport report;
  size_t n = read_all (goldens[_i].data, goldens[_i].size, &report), n_written;
  size_t size = tfrc_wire_write_twcc (written, sizeof written, &report,
      0x11223344, read_packets, n, &n_written);

  ck_assert_uint_eq (n_written, n);
  if (!goldens[_i].written)
    return;
  ck_assert_uint_eq (size, goldens[_i].size);
  ck_assert_mem_eq (written, goldens[_i].data, size);
}

END_TEST
/* Every shorter length, in whole words as in RTCP, from memory of exactly that
 * size, so that a sanitizer sees a byte too many. */
START_TEST (truncated_packets_are_refused)
{
  for (size_t size = 4; size < goldens[_i].size; size += 4) {
    uint8_t *data = malloc (size);
    TfrcWireTwccReader reader;
    TfrcPacketReport report;

    memcpy (data, goldens[_i].data, size);
    data[0] &= 0xDF;
    data[3] = (uint8_t) (size / 4 - 1);
    /* The part cut off may have been padding only. */
    if (begin (&reader, data, size, &report) != TFRC_WIRE_BAD_FEEDBACK)
      ck_assert (goldens[_i].data == all_missing && size == 24);
    free (data);
  }
}

END_TEST
START_TEST (what_cannot_be_is_refused)
{
  static const struct
  {
    const char *what;
    uint8_t offset;
    uint8_t byte;
  } changes[] = {
    { "a symbol that is reserved", 24, 0xf0 },
    { "a run of it", 20, 0x7f },
    { "more numbers than symbols", 14, 0x01 },
    { "more large deltas than there is room", 22, 0x5f },
  };
  uint8_t data[sizeof gst_hole];
  TfrcWireTwccReader reader;
  TfrcPacketReport report;

  memcpy (data, gst_hole, sizeof data);
  data[changes[_i].offset] = changes[_i].byte;
  ck_assert_msg (begin (&reader, data, sizeof data, &report)
          == TFRC_WIRE_BAD_FEEDBACK,
      "%s", changes[_i].what);
}

END_TEST
START_TEST (other_packets_are_foreign)
{
  uint8_t data[sizeof gst_hole];
  TfrcWireTwccReader reader;
  TfrcPacketReport report;

  memcpy (data, gst_hole, sizeof data);
  data[0] = 0x8b;
  ck_assert_int_eq (begin (&reader, data, sizeof data, &report),
      TFRC_WIRE_FOREIGN);
  data[0] = 0x8f;
  data[1] = 206;
  ck_assert_int_eq (begin (&reader, data, sizeof data, &report),
      TFRC_WIRE_FOREIGN);
}

END_TEST
/* Nine chunks of at most 8191 say that 65,535 packets are missing. */
START_TEST (a_report_of_65535_missing_packets_is_one_step)
{
  uint8_t data[40] = { 0x8f, 0xcd, 0, 9 };
  TfrcPacketReport report;

  data[12] = 0x80;
  data[14] = data[15] = 0xff;
  for (size_t i = 0; i < 9; i++) {
    data[20 + 2 * i] = 0x1f;
    data[21 + 2 * i] = 0xff;
  }
  ck_assert_uint_eq (read_all (data, sizeof data, &report), 1);
  ck_assert_uint_eq (read_packets[0].missing, 65534);
  ck_assert_uint_eq (read_packets[0].seq, 0x7ffe);
  ck_assert (!read_packets[0].arrived);
}

END_TEST
/* One packet each 10 ms across the wraps of both the sequence number and the clock;
 * 65,536 do not fit into a report. */
START_TEST (a_report_of_65535_arrivals_is_written_and_read)
{
  TfrcPacketReport report = { .reporter_ssrc = 1, .counted = true, .count = 9 };
  TfrcPacketReport again;
  size_t n_written, size;

  report.clock = 320 * TFRC_SECOND;
  for (size_t i = 0; i < MAX_PACKETS; i++)
    packets[i] = (TfrcReportedPacket) {
      .seq = (uint16_t) (60000 + i),
      .arrived = true,
      .has_time = true,
      .age = (MAX_PACKETS - 1 - i) * 10 * TFRC_MILLISECOND,
    };
  size = tfrc_wire_write_twcc (written, sizeof written, &report, 2, packets,
      MAX_PACKETS, &n_written);
  /* Header, nine runs, one byte per delta, padded to a whole word. */
  ck_assert_uint_eq (n_written, 65535);
  ck_assert_uint_eq (size, (20 + 2 * 9 + 65535 + 3) / 4 * 4);
  ck_assert_uint_eq (read_all (written, size, &again), 65535);
  ck_assert_uint_eq (again.clock, report.clock - 10 * TFRC_MILLISECOND);
  for (size_t i = 0; i < 65535; i++) {
    ck_assert_uint_eq (read_packets[i].seq, packets[i].seq);
    ck_assert_uint_eq (read_packets[i].age,
        packets[i].age - 10 * TFRC_MILLISECOND);
  }
}

END_TEST
static size_t
make_packets (TfrcRng *rng, TfrcPacketReport *report)
{
  size_t n = 1 + tfrc_rng_next (rng) % 60;
  uint16_t seq = (uint16_t) tfrc_rng_next (rng);
  TfrcDuration age = (200 + tfrc_rng_next (rng) % 100) * TFRC_SECOND;
  uint32_t holes = tfrc_rng_next (rng) % 3, slow = tfrc_rng_next (rng) % 3;

  *report = (TfrcPacketReport) {
    .reporter_ssrc = tfrc_rng_next (rng),
    .counted = true,
    .count = (uint8_t) tfrc_rng_next (rng),
    .clock = tfrc_rng_next (rng) % 600 * TFRC_SECOND,
  };
  for (size_t i = 0; i < n; i++) {
    uint32_t missing = holes > 0 && tfrc_rng_next (rng) % 8 == 0
        ? tfrc_rng_next (rng) % (holes == 1 ? 5 : 300)
        : 0;
    uint32_t ticks = tfrc_rng_next (rng)
        % (slow == 2 && tfrc_rng_next (rng) % 4 == 0 ? 3000 : 200);

    seq = (uint16_t) (seq + missing + 1);
    age -= slow == 1 && tfrc_rng_next (rng) % 8 == 0 ? 0 : ticks * TICK;
    if (slow == 1 && tfrc_rng_next (rng) % 8 == 0)
      age += 20 * TICK;
    packets[i] = (TfrcReportedPacket) {
      .seq = seq,
      .missing = (uint16_t) missing,
      .arrived = true,
      .has_time = true,
      .age = age,
    };
  }
  return n;
}

/* Whatever is written into however little room can be read back, with the same
 * differences between arrival times. */
START_TEST (what_is_written_is_read)
{
  TfrcRng rng;

  tfrc_rng_init (&rng, 5, 0);
  for (int round = 0; round < 3000; round++) {
    TfrcPacketReport report, again;
    size_t n = make_packets (&rng, &report), n_written;
    size_t room = round % 2 == 0 ? sizeof written : tfrc_rng_next (&rng) % 80;
    size_t size = tfrc_wire_write_twcc (written, room, &report, 7, packets, n,
        &n_written);
    TfrcDuration shift;

    ck_assert_uint_le (size, room);
    ck_assert (round % 2 == 1 || n_written == n);
    if (n_written == 0)
      continue;
    ck_assert_uint_eq (read_all (written, size, &again), n_written);
    ck_assert_uint_eq (again.reporter_ssrc, report.reporter_ssrc);
    ck_assert_uint_eq (again.count, report.count);
    shift = packets[0].age - read_packets[0].age;
    for (size_t i = 0; i < n_written; i++) {
      ck_assert_uint_eq (read_packets[i].age + shift, packets[i].age);
      read_packets[i].age = packets[i].age;
      ck_assert_mem_eq (&read_packets[i], &packets[i], sizeof packets[i]);
    }
    ck_assert_uint_eq ((again.clock + shift + again.clock_period - report.clock)
            % again.clock_period,
        0);
  }
}

END_TEST
/* 8191.75 ms are 32767 ticks: the next packet needs a report of its own. */
START_TEST (a_delta_that_is_too_long_ends_a_report)
{
  TfrcPacketReport report = { .clock = 100 * TFRC_SECOND };
  size_t n_written;

  for (int i = 0; i < 3; i++)
    packets[i] = (TfrcReportedPacket) {
      .seq = (uint16_t) i, .arrived = true, .has_time = true
    };
  packets[0].age = 2 * 32767 * TICK + 1 * TICK;
  packets[1].age = 32767 * TICK + 1 * TICK;
  tfrc_wire_write_twcc (written, sizeof written, &report, 0, packets, 3,
      &n_written);
  ck_assert_uint_eq (n_written, 2);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-wire-twcc");
  TCase *tc = tcase_create ("bytes");

  tcase_add_loop_test (tc, reads_what_others_wrote, 0, N_GOLDENS);
  tcase_add_loop_test (tc, writes_what_others_wrote, 0, N_GOLDENS);
  tcase_add_loop_test (tc, truncated_packets_are_refused, 0, N_GOLDENS);
  tcase_add_loop_test (tc, what_cannot_be_is_refused, 0, 4);
  tcase_add_test (tc, other_packets_are_foreign);
  tcase_add_test (tc, a_report_of_65535_missing_packets_is_one_step);
  tcase_add_test (tc, a_report_of_65535_arrivals_is_written_and_read);
  tcase_add_test (tc, what_is_written_is_read);
  tcase_add_test (tc, a_delta_that_is_too_long_ends_a_report);
  suite_add_tcase (suite, tc);
  return run_check_suite (suite);
}
