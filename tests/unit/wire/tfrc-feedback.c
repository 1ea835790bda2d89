/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The feedback packet, written and read, and stepping through compound RTCP. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check-suite.h"
#include "tfrc-wire.h"

#define SENDER_SSRC 0xDEADBEEF
#define MEDIA_SSRC 0x01020304

/* Header 82 CD 00 06, then both SSRCs: common to all packets below. */
static const uint8_t prefix[12] = { 0x82, 0xCD, 0x00, 0x06, 0xDE, 0xAD, 0xBE,
  0xEF, 0x01, 0x02, 0x03, 0x04 };

static const struct
{
  uint32_t echo_time_us;
  TfrcDuration echo_delay;
  double receive_rate;
  double p;
  uint8_t fci[16];
} goldens[] = {
  /* A first report: only the echo is known. */
  { 0x00112233, 0, 0.0, 0.0, { 0x00, 0x11, 0x22, 0x33 } },
  /* 1.5 ms = 1500 us = 0x5DC; 250000 bytes/s = 0x3D090;
   * 0.01 * (2^32 - 1) = 42949672.95 = 0x028F5C29. */
  { 0xFFFFFFFF, 1500 * TFRC_MICROSECOND, 250000.0, 0.01,
      { 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0x05, 0xDC, 0, 0x03, 0xD0, 0x90, 0x02,
          0x8F, 0x5C, 0x29 } },
  /* Values above 0 stay above 0. */
  { 0, 0, 1e-300, 1e-300, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1 } },
  { 0, 499, 0.4, 1.0 / 4294967295.0,
      { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1 } },
  /* Rounds to the nearest: 500 ns, 1.5 bytes/s; half of 2^32 - 1 is 2147483647.5. */
  { 0, 500, 1.5, 0.5, { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0x80, 0, 0, 0 } },
  { 0, 0, 1.49, 1.0,
      { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF } },
  /* The largest values, and larger ones. */
  { 0, 4294967295 * TFRC_MICROSECOND, 4294967295.0, 0.0,
      { 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF } },
  { 0, 4294967296 * TFRC_MICROSECOND, 4294967296.0, 1.0000001,
      { 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
          0xFF, 0xFF } },
  { 0, TFRC_TIME_NONE, INFINITY, INFINITY,
      { 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
          0xFF, 0xFF } },
  /* NaN is written as 0. */
  { 0, 0, -1.0, -0.5, { 0 } },
  { 0, 0, NAN, NAN, { 0 } },
};

static TfrcFeedback
plain_feedback (void)
{
  TfrcFeedback feedback = { MEDIA_SSRC, 7, 8000, 9.0, 0.5 };

  return feedback;
}

/* A packet with arbitrary fields and a length field of `words`. */
static size_t
put_packet (uint8_t *data, uint8_t packet_type, uint8_t count, uint16_t words)
{
  size_t size = 4 * ((size_t) words + 1);

  memset (data, 0, size);
  tfrc_wire_write_rtcp_header (data, count, packet_type, size);
  return size;
}

static TfrcWireKind
read_kind (const uint8_t *data, size_t size, size_t *packet_size)
{
  TfrcFeedback feedback;
  uint32_t ssrc;

  return tfrc_wire_read_rtcp (data, size, packet_size, &feedback, &ssrc);
}

START_TEST (writes_golden_bytes)
{
  TfrcFeedback feedback = { MEDIA_SSRC, goldens[_i].echo_time_us,
    goldens[_i].echo_delay, goldens[_i].receive_rate, goldens[_i].p };
  uint8_t data[TFRC_WIRE_FEEDBACK_SIZE + 1];

  data[TFRC_WIRE_FEEDBACK_SIZE] = 0xA5;
  tfrc_wire_write_feedback (data, &feedback, SENDER_SSRC);
  ck_assert_mem_eq (data, prefix, sizeof prefix);
  ck_assert_mem_eq (data + sizeof prefix, goldens[_i].fci,
      sizeof goldens[_i].fci);
  ck_assert_uint_eq (data[TFRC_WIRE_FEEDBACK_SIZE], 0xA5);
}

END_TEST
/* 60 ms = 0xEA60 us, 187500 bytes/s = 0x2DC6C, 2^31 / (2^32 - 1). */
START_TEST (reads_golden_bytes)
{
  static const uint8_t data[TFRC_WIRE_FEEDBACK_SIZE] = { 0x82, 0xCD, 0x00, 0x06,
    0xDE, 0xAD, 0xBE, 0xEF, 0x01, 0x02, 0x03, 0x04, 0x80, 0x00, 0x00, 0x01,
    0x00, 0x00, 0xEA, 0x60, 0x00, 0x02, 0xDC, 0x6C, 0x80, 0x00, 0x00, 0x00 };
  TfrcFeedback feedback;
  uint32_t ssrc;
  size_t packet_size;

  ck_assert_int_eq (tfrc_wire_read_rtcp (data, sizeof data, &packet_size,
                        &feedback, &ssrc),
      TFRC_WIRE_FEEDBACK);
  ck_assert_uint_eq (packet_size, TFRC_WIRE_FEEDBACK_SIZE);
  ck_assert_uint_eq (ssrc, SENDER_SSRC);
  ck_assert_uint_eq (feedback.media_ssrc, MEDIA_SSRC);
  ck_assert_uint_eq (feedback.echo_time_us, 0x80000001);
  ck_assert_uint_eq (feedback.echo_delay, 60 * TFRC_MILLISECOND);
  ck_assert_double_eq (feedback.receive_rate, 187500.0);
  ck_assert_double_eq (feedback.loss_event_rate, 2147483648.0 / 4294967295.0);
}

END_TEST
/* Farstream 0.2 (fs-rtp-tfrc.c) sends its report after the reception report and
 * CNAME of its rtpsession: echo 50 ms = 0xC350 us after its first packet, 1.5 ms
 * ago, 125000 bytes/s = 0x1E848, p = 0.01 as 0.01 * 4294967295 rounded down,
 * 0x028F5C29, where we round up. */
static const uint8_t farstream[] = {
  /* RR with a block */
  0x81, 0xC9, 0x00, 0x07, 0xDE, 0xAD, 0xBE, 0xEF, 0x01, 0x02, 0x03, 0x04, 0x00,
  0x00, 0x00, 0x00, 0x00, 0x00, 0x12, 0x34, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00,
  0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
  /* SDES, CNAME "a@b" */
  0x81, 0xCA, 0x00, 0x03, 0xDE, 0xAD, 0xBE, 0xEF, 0x01, 0x03, 0x61, 0x40, 0x62,
  0x00, 0x00, 0x00,
  /* RTPFB, FMT 2 */
  0x82, 0xCD, 0x00, 0x06, 0xDE, 0xAD, 0xBE, 0xEF, 0x01, 0x02, 0x03, 0x04, 0x00,
  0x00, 0xC3, 0x50, 0x00, 0x00, 0x05, 0xDC, 0x00, 0x01, 0xE8, 0x48, 0x02, 0x8F,
  0x5C, 0x28
};

START_TEST (reads_a_report_of_farstream)
{
  TfrcFeedback feedback;
  size_t offset = 0, packet_size;
  uint32_t ssrc = 0;

  for (unsigned i = 0; i < 3; i++) {
    ck_assert_int_eq (tfrc_wire_read_rtcp (farstream + offset,
                          sizeof farstream - offset, &packet_size, &feedback,
                          &ssrc),
        i < 2 ? TFRC_WIRE_FOREIGN : TFRC_WIRE_FEEDBACK);
    offset += packet_size;
  }
  ck_assert_uint_eq (offset, sizeof farstream);
  ck_assert_uint_eq (ssrc, SENDER_SSRC);
  ck_assert_uint_eq (feedback.media_ssrc, MEDIA_SSRC);
  ck_assert_uint_eq (feedback.echo_time_us, 50000);
  ck_assert_uint_eq (feedback.echo_delay, 1500 * TFRC_MICROSECOND);
  ck_assert_double_eq (feedback.receive_rate, 125000.0);
  ck_assert_double_eq (feedback.loss_event_rate, 42949672.0 / 4294967295.0);
}

END_TEST
/* Farstream accepts RTPFB of FMT 2 and 7 words, and reads p as a fraction of 2^32 -
 * 1. */
START_TEST (farstream_reads_our_report)
{
  const TfrcFeedback feedback = { MEDIA_SSRC, 50000, 1500 * TFRC_MICROSECOND,
    125000.0, 0.01 };
  uint8_t expected[TFRC_WIRE_FEEDBACK_SIZE], data[TFRC_WIRE_FEEDBACK_SIZE];

  memcpy (expected, farstream + sizeof farstream - sizeof expected,
      sizeof expected);
  expected[sizeof expected - 1]++;
  tfrc_wire_write_feedback (data, &feedback, SENDER_SSRC);
  ck_assert_mem_eq (data, expected, sizeof data);
}

END_TEST
START_TEST (p_of_one_is_exactly_one)
{
  TfrcFeedback feedback = plain_feedback ();
  uint8_t data[TFRC_WIRE_FEEDBACK_SIZE];
  uint32_t ssrc;
  size_t packet_size;

  feedback.loss_event_rate = 1.0;
  tfrc_wire_write_feedback (data, &feedback, SENDER_SSRC);
  feedback.loss_event_rate = 0.0;
  ck_assert_int_eq (tfrc_wire_read_rtcp (data, sizeof data, &packet_size,
                        &feedback, &ssrc),
      TFRC_WIRE_FEEDBACK);
  ck_assert_double_eq (feedback.loss_event_rate, 1.0);
}

END_TEST
START_TEST (every_truncation_is_malformed)
{
  TfrcFeedback feedback = plain_feedback ();
  uint8_t data[TFRC_WIRE_FEEDBACK_SIZE];
  uint8_t *exact;
  size_t size, packet_size;

  tfrc_wire_write_feedback (data, &feedback, SENDER_SSRC);
  for (size = 0; size < sizeof data; size++) {
    /* In memory of exactly that size, for the address sanitizer. */
    exact = malloc (size + 1);
    memcpy (exact + 1, data, size);
    packet_size = 99;
    ck_assert_int_eq (read_kind (exact + 1, size, &packet_size),
        TFRC_WIRE_MALFORMED);
    ck_assert_uint_eq (packet_size, 0);
    free (exact);
  }
}

END_TEST
/* Only packets of 28 bytes are ours, whatever their length field says. */
START_TEST (another_length_is_bad_feedback)
{
  uint8_t data[64];
  uint16_t words;
  size_t size, packet_size;

  for (words = 0; words <= 15; words++) {
    if (words == 6)
      continue;
    size = put_packet (data, 205, 2, words);
    ck_assert_int_eq (read_kind (data, size, &packet_size),
        TFRC_WIRE_BAD_FEEDBACK);
    ck_assert_uint_eq (packet_size, size);
  }
}

END_TEST
/* Not ours: a negative acknowledgement, TMMBR, a PSFB, an SR. */
START_TEST (other_packets_are_foreign)
{
  uint8_t data[28];
  int type, count;
  size_t packet_size;

  for (type = 0; type < 256; type++) {
    for (count = 0; count < 32; count++) {
      put_packet (data, (uint8_t) type, (uint8_t) count, 6);
      ck_assert_int_eq (read_kind (data, sizeof data, &packet_size),
          type == 205 && count == 2 ? TFRC_WIRE_FEEDBACK : TFRC_WIRE_FOREIGN);
      ck_assert_uint_eq (packet_size, 28);
    }
  }
}

END_TEST
START_TEST (another_version_is_malformed)
{
  TfrcFeedback feedback = plain_feedback ();
  uint8_t data[TFRC_WIRE_FEEDBACK_SIZE];
  size_t packet_size;
  unsigned version;

  tfrc_wire_write_feedback (data, &feedback, SENDER_SSRC);
  for (version = 0; version < 4; version++) {
    data[0] = (uint8_t) (version << 6 | (data[0] & 0x3F));
    ck_assert_int_eq (read_kind (data, sizeof data, &packet_size),
        version == 2 ? TFRC_WIRE_FEEDBACK : TFRC_WIRE_MALFORMED);
  }
}

END_TEST
/* RFC 3550 section 6.4.1: whole words, counted by the last octet, in the last
 * packet only.  28 bytes and 4 of padding are still ours. */
START_TEST (padding_is_counted)
{
  static const struct
  {
    uint16_t words;
    uint8_t padding;
    TfrcWireKind kind;
  } cases[] = {
    { 7, 4, TFRC_WIRE_FEEDBACK }, { 8, 8, TFRC_WIRE_FEEDBACK },
    { 7, 8, TFRC_WIRE_BAD_FEEDBACK }, { 6, 4, TFRC_WIRE_BAD_FEEDBACK },
    { 6, 24, TFRC_WIRE_BAD_FEEDBACK },
    { 6, 28, TFRC_WIRE_MALFORMED }, /* would cover the header, too */
    { 7, 0, TFRC_WIRE_MALFORMED }, { 7, 3, TFRC_WIRE_MALFORMED },
    { 7, 252, TFRC_WIRE_MALFORMED },
    { 0, 4, TFRC_WIRE_MALFORMED }, /* no room for any padding */
  };
  uint8_t data[64];
  size_t size, packet_size;
  unsigned i;

  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    size = put_packet (data, 205, 2, cases[i].words);
    data[0] |= 0x20;
    if (size > 4)
      data[size - 1] = cases[i].padding;
    ck_assert_msg (read_kind (data, size, &packet_size) == cases[i].kind,
        "case %u", i);
  }
}

END_TEST
/* libwebrtc pads transport-wide feedback (FMT 15) to a whole word with 1 to 3
 * bytes, and sets the padding bit. */
START_TEST (padding_of_transport_wide_feedback_need_not_be_whole_words)
{
  uint8_t data[64];
  size_t size = put_packet (data, 205, 15, 7), packet_size;

  data[0] |= 0x20;
  for (uint8_t padding = 0; padding < 64; padding++) {
    data[size - 1] = padding;
    ck_assert_int_eq (read_kind (data, size, &packet_size),
        padding > 0 && padding <= size - 4 ? TFRC_WIRE_FOREIGN
                                           : TFRC_WIRE_MALFORMED);
  }
}

END_TEST
START_TEST (padding_in_front_of_another_packet_is_malformed)
{
  uint8_t data[64];
  size_t size, packet_size;

  size = put_packet (data, 205, 2, 7);
  data[0] |= 0x20;
  data[size - 1] = 4;
  ck_assert_int_eq (read_kind (data, size, &packet_size), TFRC_WIRE_FEEDBACK);
  ck_assert_int_eq (read_kind (data, size + 4, &packet_size),
      TFRC_WIRE_MALFORMED);
  ck_assert_uint_eq (packet_size, 0);
}

END_TEST
/* Compound packets, written as a string: S an SR with one block, R an empty
 * RR, D an SDES, B a BYE, F our feedback (its echo counts up), X feedback of
 * another length, ! bytes that are no RTCP. */
static const struct
{
  const char *packets;
  unsigned n_feedback;
  unsigned n_bad;
  bool malformed;
} compounds[] = {
  { "F", 1, 0, false },
  { "RDF", 1, 0, false },
  { "SDF", 1, 0, false },
  { "FRD", 1, 0, false },
  { "FFF", 3, 0, false },
  { "SDFFB", 2, 0, false },
  { "RDXF", 1, 1, false },
  { "SDB", 0, 0, false },
  { "RF!F", 1, 0, true },
  { "!F", 0, 0, true },
};

static size_t
put_compound (uint8_t *data, const char *packets)
{
  TfrcFeedback feedback = plain_feedback ();
  size_t size = 0;

  feedback.echo_time_us = 0;
  for (; *packets != '\0'; packets++) {
    switch (*packets) {
      case 'S':
        size += put_packet (data + size, 200, 1, 12);
        break;
      case 'R':
        size += put_packet (data + size, 201, 0, 1);
        break;
      case 'D':
        size += put_packet (data + size, 202, 1, 4);
        break;
      case 'B':
        size += put_packet (data + size, 203, 1, 1);
        break;
      case 'X':
        size += put_packet (data + size, 205, 2, 5);
        break;
      case 'F':
        tfrc_wire_write_feedback (data + size, &feedback, SENDER_SSRC);
        feedback.echo_time_us++;
        size += TFRC_WIRE_FEEDBACK_SIZE;
        break;
      default:
        memset (data + size, 0x11, 8);
        size += 8;
        break;
    }
  }
  return size;
}

START_TEST (a_compound_is_walked_to_its_end)
{
  uint8_t data[512];
  size_t size = put_compound (data, compounds[_i].packets);
  size_t offset = 0, packet_size;
  unsigned n_feedback = 0, n_bad = 0;
  bool malformed = false;
  TfrcFeedback feedback;
  TfrcWireKind kind;
  uint32_t ssrc;

  while (offset < size && !malformed) {
    kind = tfrc_wire_read_rtcp (data + offset, size - offset, &packet_size,
        &feedback, &ssrc);
    if (kind == TFRC_WIRE_FEEDBACK) {
      ck_assert_uint_eq (feedback.echo_time_us, n_feedback);
      n_feedback++;
    } else if (kind == TFRC_WIRE_BAD_FEEDBACK) {
      n_bad++;
    }
    malformed = kind == TFRC_WIRE_MALFORMED;
    offset += packet_size;
  }
  ck_assert_uint_eq (n_feedback, compounds[_i].n_feedback);
  ck_assert_uint_eq (n_bad, compounds[_i].n_bad);
  ck_assert_int_eq (malformed, compounds[_i].malformed);
  if (!malformed)
    ck_assert_uint_eq (offset, size);
}

END_TEST
/* Random bytes, half of them made to look like our packet at the start: no crash,
 * no read past the end (each in memory of its own size), and all accepted values
 * are in range. */
START_TEST (random_bytes_are_survived)
{
  TfrcRng rng;
  TfrcFeedback feedback;
  uint32_t ssrc, media_ssrc;
  size_t size, packet_size, i;
  unsigned round, n_accepted = 0;
  uint8_t *data;
  TfrcWireKind kind;

  tfrc_rng_init (&rng, 4711, (uint64_t) _i);
  for (round = 0; round < 20000; round++) {
    size = tfrc_rng_next (&rng) % 64;
    data = malloc (size + 1);
    for (i = 0; i < size; i++)
      data[i] = (uint8_t) tfrc_rng_next (&rng);
    if (size >= 4 && tfrc_rng_next (&rng) % 2) {
      data[0] = (uint8_t) (0x82 | (data[0] & 0x20));
      data[1] = 205;
      data[2] = 0;
      data[3] &= 0x0F;
    }
    kind = tfrc_wire_read_rtcp (data, size, &packet_size, &feedback, &ssrc);
    ck_assert_uint_le (packet_size, size);
    if (kind == TFRC_WIRE_MALFORMED) {
      ck_assert_uint_eq (packet_size, 0);
    } else {
      ck_assert_uint_ge (packet_size, 4);
      ck_assert_uint_eq (packet_size % 4, 0);
      tfrc_wire_read_pli (data, packet_size, &media_ssrc);
    }
    if (kind == TFRC_WIRE_FEEDBACK) {
      n_accepted++;
      ck_assert (feedback.loss_event_rate >= 0.0
          && feedback.loss_event_rate <= 1.0);
      ck_assert (feedback.receive_rate >= 0.0
          && feedback.receive_rate <= 4294967295.0);
      ck_assert_uint_le (feedback.echo_delay, 4294967295 * TFRC_MICROSECOND);
    }
    free (data);
  }
  /* Otherwise the loop would see nothing but headers. */
  ck_assert_uint_gt (n_accepted, 50);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-wire-feedback");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, writes_golden_bytes, 0,
      sizeof goldens / sizeof goldens[0]);
  tcase_add_test (tcase, reads_golden_bytes);
  tcase_add_test (tcase, reads_a_report_of_farstream);
  tcase_add_test (tcase, farstream_reads_our_report);
  tcase_add_test (tcase, p_of_one_is_exactly_one);
  tcase_add_test (tcase, every_truncation_is_malformed);
  tcase_add_test (tcase, another_length_is_bad_feedback);
  tcase_add_test (tcase, other_packets_are_foreign);
  tcase_add_test (tcase, another_version_is_malformed);
  tcase_add_test (tcase, padding_is_counted);
  tcase_add_test (tcase,
      padding_of_transport_wide_feedback_need_not_be_whole_words);
  tcase_add_test (tcase, padding_in_front_of_another_packet_is_malformed);
  tcase_add_loop_test (tcase, a_compound_is_walked_to_its_end, 0,
      sizeof compounds / sizeof compounds[0]);
  tcase_add_loop_test (tcase, random_bytes_are_survived, 0, 4);
  return run_check_suite (suite);
}
