/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Congestion control feedback, written and read (RFC 8888 section 3.1). */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check-suite.h"
#include "tfrc-wire-packet-feedback.h"
#include "tfrc/sender-based.h"
#include "wire/expect-rtcp.h"

#define MAX_PACKETS 20000
/* 1/1024 s, rounded down to a nanosecond. */
#define OFFSET(n) ((n) * TFRC_SECOND / 1024)

/* Two streams.  Of the first, 0xfffe arrived 512/1024 s before the report with CE,
 * 0xffff is missing, 0 arrived at the time of the report with ECT(0), then padding.
 * Of the second, 7 arrived longer ago than can be expressed, 8 at an unknown time,
 * 9 and 10 are missing.  The report timestamp is 0x1234 s and a half. */
static const uint8_t golden[] = { 0x8b, 0xcd, 0x00, 0x0a, 0xde, 0xad, 0xbe,
  0xef, 0x01, 0x02, 0x03, 0x04, 0xff, 0xfe, 0x00, 0x03, 0xe2, 0x00, 0x00, 0x00,
  0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00, 0x07, 0x00, 0x04, 0x9f,
  0xfe, 0xbf, 0xff, 0x00, 0x00, 0x00, 0x00, 0x12, 0x34, 0x80, 0x00 };
static const TfrcReportedPacket golden_packets[] = {
  { .ssrc = 0x01020304,
      .seq = 0xfffe,
      .arrived = true,
      .has_time = true,
      .ecn = 3,
      .age = TFRC_SECOND / 2 },
  { .ssrc = 0x01020304,
      .seq = 0,
      .missing = 1,
      .arrived = true,
      .has_time = true,
      .ecn = 2 },
  { .ssrc = 5, .seq = 7, .arrived = true },
  { .ssrc = 5, .seq = 8, .arrived = true, .ecn = 1 },
  { .ssrc = 5, .seq = 10, .missing = 1 },
};
#define N_GOLDEN (sizeof golden_packets / sizeof golden_packets[0])

static TfrcReportedPacket packets[MAX_PACKETS], read_packets[MAX_PACKETS];
static uint8_t written[4 * 65536];

static TfrcWireKind
begin (TfrcWireCcfbReader *reader, const uint8_t *data, size_t size,
    TfrcPacketReport *report)
{
  expect_foreign_rtcp (data, size);
  return tfrc_wire_begin_ccfb (reader, data, size, report);
}

static size_t
read_all (const uint8_t *data, size_t size, TfrcPacketReport *report)
{
  TfrcWireCcfbReader reader;
  size_t n = 0;

  ck_assert_int_eq (begin (&reader, data, size, report), TFRC_WIRE_FEEDBACK);
  while (tfrc_wire_next_ccfb (&reader, &read_packets[n]))
    n++;
  return n;
}

static void
expect_packet (const TfrcReportedPacket *actual,
    const TfrcReportedPacket *expected)
{
  ck_assert_uint_eq (actual->ssrc, expected->ssrc);
  ck_assert_uint_eq (actual->seq, expected->seq);
  ck_assert_uint_eq (actual->missing, expected->missing);
  ck_assert (actual->arrived == expected->arrived);
  ck_assert (actual->has_time == expected->has_time);
  ck_assert_uint_eq (actual->ecn, expected->ecn);
  ck_assert_uint_eq (actual->age, expected->age);
}

/* In the order the writer expects: by SSRC, from `first` on. */
static void
sort_by_stream (TfrcReportedPacket *list, size_t n, uint32_t first)
{
  for (size_t i = 1; i < n; i++) {
    TfrcReportedPacket packet = list[i];
    size_t at = i;

    for (; at > 0 && list[at - 1].ssrc - first > packet.ssrc - first; at--)
      list[at] = list[at - 1];
    list[at] = packet;
  }
}

START_TEST (reads_the_bytes_of_the_rfc)
{
  TfrcPacketReport report;

  ck_assert_uint_eq (read_all (golden, sizeof golden, &report), N_GOLDEN);
  ck_assert_uint_eq (report.reporter_ssrc, 0xDEADBEEF);
  ck_assert (!report.counted);
  ck_assert_uint_eq (report.clock, 0x1234 * TFRC_SECOND + TFRC_SECOND / 2);
  ck_assert_uint_eq (report.clock_period, 65536 * TFRC_SECOND);
  sort_by_stream (read_packets, N_GOLDEN, golden_packets[0].ssrc);
  for (size_t i = 0; i < N_GOLDEN; i++)
    expect_packet (&read_packets[i], &golden_packets[i]);
}

END_TEST
/* Packet 7 needs an age here: "longer ago" was read as no arrival time. */
START_TEST (writes_the_bytes_of_the_rfc)
{
  TfrcPacketReport report = {
    .reporter_ssrc = 0xDEADBEEF,
    .clock = 0x1234 * TFRC_SECOND + TFRC_SECOND / 2,
  };
  TfrcReportedPacket all[N_GOLDEN];
  size_t n_written;

  memcpy (all, golden_packets, sizeof all);
  /* 8190/1024 s: one more than can be expressed. */
  all[2].has_time = true;
  all[2].age = OFFSET (8190);
  ck_assert_uint_eq (tfrc_wire_write_ccfb (written, sizeof written, &report,
                         all, N_GOLDEN, &n_written),
      sizeof golden);
  ck_assert_uint_eq (n_written, N_GOLDEN);
  ck_assert_mem_eq (written, golden, sizeof golden);
}

END_TEST
START_TEST (truncated_packets_are_refused)
{
  for (size_t size = 4; size < sizeof golden; size += 4) {
    uint8_t *data = malloc (size);
    TfrcWireCcfbReader reader;
    TfrcPacketReport report;

    memcpy (data, golden, size);
    data[3] = (uint8_t) (size / 4 - 1);
    /* 12 bytes are an empty report; 28 bytes end after the first stream. */
    ck_assert_int_eq (begin (&reader, data, size, &report),
        size == 12 || size == 28 ? TFRC_WIRE_FEEDBACK : TFRC_WIRE_BAD_FEEDBACK);
    free (data);
  }
}

END_TEST
START_TEST (padding_is_no_part_of_it)
{
  uint8_t data[sizeof golden + 8] = { 0 };
  TfrcPacketReport report;

  memcpy (data, golden, sizeof golden);
  data[0] |= 0x20;
  data[3] += 2;
  data[sizeof data - 1] = 8;
  ck_assert_uint_eq (read_all (data, sizeof data, &report), N_GOLDEN);
  ck_assert_uint_eq (report.clock, 0x1234 * TFRC_SECOND + TFRC_SECOND / 2);
}

END_TEST
START_TEST (other_packets_are_foreign)
{
  uint8_t data[sizeof golden];
  TfrcWireCcfbReader reader;
  TfrcPacketReport report;

  memcpy (data, golden, sizeof data);
  data[0] = 0x8f;
  ck_assert_int_eq (begin (&reader, data, sizeof data, &report),
      TFRC_WIRE_FOREIGN);
}

END_TEST
/* RFC 8888 section 3.1: at most a quarter of the sequence number space. */
START_TEST (a_stream_has_16384_numbers_at_most)
{
  TfrcPacketReport report = { .clock = 0 }, again;
  TfrcWireCcfbReader reader;
  size_t n_written, size;

  for (size_t i = 0; i < MAX_PACKETS; i++)
    packets[i] = (TfrcReportedPacket) { .ssrc = 1,
      .seq = (uint16_t) (i + 60000),
      .arrived = true,
      .has_time = true,
      .age = OFFSET (i % 8190) };
  size = tfrc_wire_write_ccfb (written, sizeof written, &report, packets,
      MAX_PACKETS, &n_written);
  ck_assert_uint_eq (n_written, 16384);
  ck_assert_uint_eq (size, 8 + 8 + 2 * 16384 + 4);
  ck_assert_uint_eq (read_all (written, size, &again), 16384);
  for (size_t i = 0; i < n_written; i++)
    expect_packet (&read_packets[i], &packets[i]);

  memset (written, 0, 8 + 8 + 2 * 16386 + 4);
  memcpy (written, (const uint8_t[]) { 0x8b, 0xcd, 0x20, 0x05 }, 4);
  written[14] = 0x40;
  written[15] = 0x01;
  ck_assert_int_eq (begin (&reader, written, 8 + 8 + 2 * 16386 + 4, &again),
      TFRC_WIRE_BAD_FEEDBACK);
}

END_TEST
/* Packets of stream 1 arrived 30, 10 and 20 units before the report; of stream 2 at
 * 25 and 5 with a hole between, and the last is missing; of stream 3 at 40 and at
 * an unknown time.  A second report block of stream 1 has to wait. */
START_TEST (packets_of_several_streams_come_by_age)
{
  static const TfrcReportedPacket in[] = {
    { .ssrc = 1, .seq = 1, .arrived = 1, .has_time = 1, .age = OFFSET (30) },
    { .ssrc = 1, .seq = 2, .arrived = 1, .has_time = 1, .age = OFFSET (10) },
    { .ssrc = 1, .seq = 3, .arrived = 1, .has_time = 1, .age = OFFSET (20) },
    { .ssrc = 2, .seq = 7, .arrived = 1, .has_time = 1, .age = OFFSET (25) },
    { .ssrc = 2,
        .seq = 9,
        .missing = 1,
        .arrived = 1,
        .has_time = 1,
        .age = OFFSET (5) },
    { .ssrc = 2, .seq = 10 },
    { .ssrc = 3, .seq = 4, .arrived = 1, .has_time = 1, .age = OFFSET (40) },
    { .ssrc = 3, .seq = 5, .arrived = 1 },
    { .ssrc = 1, .seq = 4, .arrived = 1, .has_time = 1, .age = OFFSET (50) },
  };
  static const size_t order[] = { 6, 7, 0, 3, 1, 2, 4, 5, 8 };
  const size_t n = sizeof in / sizeof in[0];
  const TfrcPacketReport report = { .reporter_ssrc = 9 };
  TfrcPacketReport again;
  size_t n_written;
  size_t size = tfrc_wire_write_ccfb (written, sizeof written, &report, in, n,
      &n_written);

  ck_assert_uint_eq (n_written, n);
  ck_assert_uint_eq (read_all (written, size, &again), n);
  for (size_t i = 0; i < n; i++)
    expect_packet (&read_packets[i], &in[order[i]]);
}

END_TEST
/* One RTCP packet per stream, all of one report: they are read as if they were one
 * packet.  A packet with another report timestamp, of another receiver or of
 * another type does not belong to the report. */
START_TEST (packets_of_one_report_are_read_as_one)
{
  static const TfrcReportedPacket in[] = {
    { .ssrc = 1, .seq = 1, .arrived = 1, .has_time = 1, .age = OFFSET (30) },
    { .ssrc = 1, .seq = 2, .arrived = 1, .has_time = 1, .age = OFFSET (10) },
    { .ssrc = 2, .seq = 7, .arrived = 1, .has_time = 1, .age = OFFSET (40) },
    { .ssrc = 2, .seq = 8, .arrived = 1, .has_time = 1, .age = OFFSET (20) },
  };
  static const size_t order[] = { 2, 0, 3, 1 };
  TfrcPacketReport report = { .reporter_ssrc = 9, .clock = TFRC_SECOND };
  TfrcWireCcfbReader reader;
  TfrcReportedPacket packet;
  TfrcPacketReport again;
  size_t size, n_written;
  uint8_t *second;

  size = tfrc_wire_write_ccfb (written, 1000, &report, in, 2, &n_written);
  second = written + size;
  ck_assert_int_eq (begin (&reader, written, size, &again), TFRC_WIRE_FEEDBACK);
  report.reporter_ssrc = 8;
  size = tfrc_wire_write_ccfb (second, 1000, &report, in + 2, 2, &n_written);
  ck_assert (!tfrc_wire_join_ccfb (&reader, second, size, &again));
  report.reporter_ssrc = 9;
  report.clock = 2 * TFRC_SECOND;
  size = tfrc_wire_write_ccfb (second, 1000, &report, in + 2, 2, &n_written);
  ck_assert (!tfrc_wire_join_ccfb (&reader, second, size, &again));
  report.clock = TFRC_SECOND;
  size = tfrc_wire_write_ccfb (second, 1000, &report, in + 2, 2, &n_written);
  second[0]++;
  ck_assert (!tfrc_wire_join_ccfb (&reader, second, size, &again));
  second[0]--;
  ck_assert (tfrc_wire_join_ccfb (&reader, second, size, &again));
  for (size_t i = 0; i < 4; i++) {
    ck_assert (tfrc_wire_next_ccfb (&reader, &packet));
    expect_packet (&packet, &in[order[i]]);
  }
  ck_assert (!tfrc_wire_next_ccfb (&reader, &packet));
}

END_TEST
/* 1000 packets of 1000 bytes, one each millisecond, alternating between two
 * streams; the report lists one stream after the other.  R is 50 ms, so the
 * receiver reports every 50 ms an X_recv of 1 MB/s. */
START_TEST (two_streams_arrive_as_one_would)
{
  static TfrcSenderBased based;
  const TfrcSenderBasedConfig config = tfrc_sender_based_config_default ();
  const TfrcPacketReport report = { .reporter_ssrc = 9,
    .clock = 2 * TFRC_SECOND };
  TfrcReportedPacket packet;
  TfrcPacketReport again;
  TfrcWireCcfbReader reader;
  TfrcFeedback feedback;
  size_t size, n_written;
  unsigned n = 0;

  tfrc_sender_based_init (&based, &config);
  for (uint16_t i = 0; i < 1000; i++) {
    TfrcTime at = TFRC_SECOND + i * TFRC_MILLISECOND;
    TfrcExtension extension = { (uint32_t) (at / TFRC_MICROSECOND),
      50 * TFRC_MILLISECOND };

    tfrc_sender_based_on_sent (&based, i % 2, i / 2, 1000, &extension, at);
    packets[i % 2 * 500 + i / 2] = (TfrcReportedPacket) { .ssrc = i % 2,
      .seq = i / 2,
      .arrived = true,
      .has_time = true,
      .age = TFRC_SECOND - i * TFRC_MILLISECOND };
  }
  size = tfrc_wire_write_ccfb (written, sizeof written, &report, packets, 1000,
      &n_written);
  begin (&reader, written, size, &again);
  tfrc_sender_based_begin_report (&based, &again, 2 * TFRC_SECOND);
  while (tfrc_wire_next_ccfb (&reader, &packet)) {
    tfrc_sender_based_on_packet (&based, &packet);
    while (tfrc_sender_based_poll_feedback (&based, &feedback))
      n++;
  }
  /* Every 25 ms, half of R. */
  ck_assert_uint_ge (n, 39);
  ck_assert_uint_le (n, 41);
  ck_assert_double_eq_tol (feedback.receive_rate, 1e6, 0.05e6);
  ck_assert_double_le (feedback.loss_event_rate, 0.0);
}

END_TEST
/* More blocks than are merged at once, each with one packet that is older than that
 * of the block before. */
START_TEST (more_blocks_than_are_open_are_all_read)
{
  const TfrcPacketReport report = { .reporter_ssrc = 9 };
  TfrcPacketReport again;
  size_t size, n_written;

  for (uint32_t i = 0; i < 100; i++)
    packets[i] = (TfrcReportedPacket) { .ssrc = i,
      .seq = (uint16_t) i,
      .arrived = true,
      .has_time = true,
      .age = OFFSET (i) };
  size = tfrc_wire_write_ccfb (written, sizeof written, &report, packets, 100,
      &n_written);
  ck_assert_uint_eq (read_all (written, size, &again), 100);
  for (uint32_t i = 0; i < 100; i++)
    expect_packet (&read_packets[i], &packets[i < 64 ? 63 - i : 163 - i]);
}

END_TEST
static size_t
make_packets (TfrcRng *rng)
{
  size_t n = 1 + tfrc_rng_next (rng) % 40;
  uint32_t ssrc = tfrc_rng_next (rng);
  uint16_t seq = (uint16_t) tfrc_rng_next (rng);

  for (size_t i = 0; i < n; i++) {
    uint32_t missing = tfrc_rng_next (rng) % 4 == 0
        ? tfrc_rng_next (rng) % 9
        : 0;
    bool arrived = true;

    /* The next stream; the previous one may end in a hole. */
    if (tfrc_rng_next (rng) % 8 == 0) {
      if (i > 0 && tfrc_rng_next (rng) % 2 == 0)
        packets[i - 1] = (TfrcReportedPacket) { .ssrc = ssrc,
          .seq = packets[i - 1].seq,
          .missing = packets[i - 1].missing };
      ssrc++;
      seq = (uint16_t) tfrc_rng_next (rng);
    }
    seq = (uint16_t) (seq + missing + 1);
    packets[i] = (TfrcReportedPacket) {
      .ssrc = ssrc,
      .seq = seq,
      .missing = (uint16_t) missing,
      .arrived = arrived,
      .has_time = tfrc_rng_next (rng) % 8 != 0,
      .ecn = tfrc_rng_next (rng) & 3,
    };
    if (packets[i].has_time)
      packets[i].age = OFFSET (tfrc_rng_next (rng) % 8190);
  }
  return n;
}

START_TEST (what_is_written_is_read)
{
  TfrcRng rng;

  tfrc_rng_init (&rng, 5, 0);
  for (int round = 0; round < 3000; round++) {
    TfrcPacketReport again,
        report = {
          .reporter_ssrc = tfrc_rng_next (&rng),
          .clock = (tfrc_rng_next (&rng) * TFRC_SECOND) >> 16,
        };
    size_t n = make_packets (&rng), n_written;
    size_t room = round % 2 == 0 ? sizeof written : tfrc_rng_next (&rng) % 120;
    size_t size = tfrc_wire_write_ccfb (written, room, &report, packets, n,
        &n_written);

    ck_assert_uint_le (size, room);
    ck_assert (round % 2 == 1 || n_written == n);
    if (n_written == 0)
      continue;
    ck_assert_uint_eq (read_all (written, size, &again), n_written);
    ck_assert_uint_eq (again.reporter_ssrc, report.reporter_ssrc);
    ck_assert_uint_eq (again.clock, report.clock);
    sort_by_stream (read_packets, n_written, packets[0].ssrc);
    for (size_t i = 0; i < n_written; i++)
      expect_packet (&read_packets[i], &packets[i]);
  }
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-wire-ccfb");
  TCase *tc = tcase_create ("bytes");

  tcase_add_test (tc, reads_the_bytes_of_the_rfc);
  tcase_add_test (tc, writes_the_bytes_of_the_rfc);
  tcase_add_test (tc, truncated_packets_are_refused);
  tcase_add_test (tc, padding_is_no_part_of_it);
  tcase_add_test (tc, other_packets_are_foreign);
  tcase_add_test (tc, a_stream_has_16384_numbers_at_most);
  tcase_add_test (tc, packets_of_several_streams_come_by_age);
  tcase_add_test (tc, packets_of_one_report_are_read_as_one);
  tcase_add_test (tc, two_streams_arrive_as_one_would);
  tcase_add_test (tc, more_blocks_than_are_open_are_all_read);
  tcase_add_test (tc, what_is_written_is_read);
  suite_add_tcase (suite, tc);
  return run_check_suite (suite);
}
