/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wire format of TFMCC: both short floats, the header extension and the report,
 * each written and read against golden bytes. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "check-suite.h"
#include "tfmcc-wire.h"
#include "tfrc-wire.h"

static const struct
{
  double bits;
  uint16_t code;
} rates[] = {
  { 8e3, 0x320 },
  { 64e3, 0x4A0 },
  { 128e3, 0x520 },
  { 1e6, 0x69C },
  { 1.5e6, 0x6EA },
  { 10e6, 0x843 },
  { 1e9, 0xB98 },
  /* The ends of the ranges, and values beyond them. */
  { 100.0, 0x000 },
  { 99.9, 0x000 },
  { 0.0, 0x000 },
  { -1.0, 0x000 },
  { 1e15, 0xFFE },
  { (double) NAN, 0x000 },
  { (double) INFINITY, 0xFFF },
};

START_TEST (rates_have_these_codes)
{
  ck_assert_uint_eq (tfmcc_wire_rate_to_code (rates[_i].bits / 8.0),
      rates[_i].code);
}

END_TEST
START_TEST (every_rate_code_comes_back)
{
  for (uint16_t code = 0; code <= 0xFFF; code++) {
    TfrcRate rate = tfmcc_wire_rate_from_code (code);

    ck_assert_uint_eq (tfmcc_wire_rate_to_code (rate), code);
    if (code == 0 || code == 0xFFF)
      continue;
    /* Rates are rounded down: slightly less gives the previous code. */
    ck_assert_uint_eq (tfmcc_wire_rate_to_code (rate * (1.0 - 1e-9)), code - 1);
    ck_assert_double_le (rate, 1.0079 * tfmcc_wire_rate_from_code (code - 1));
  }
  /* 998400 bit/s. */
  ck_assert_double_eq (tfmcc_wire_rate_from_code (0x69C), 124800.0);
}

END_TEST static const struct
{
  TfrcDuration rtt;
  uint8_t code;
  TfrcDuration decoded;
} rtts[] = {
  { 1 * MS, 0x00, 1 * MS },
  { 10 * MS, 0x34, 10 * MS },
  { 50 * MS, 0x59, 50 * MS },
  { 60 * MS, 0x5E, 60 * MS },
  { 100 * MS, 0x69, 100 * MS },
  { 140 * MS, 0x72, 144 * MS },
  { 500 * MS, 0x90, 512 * MS },
  { 1000 * MS, 0xA0, 1024 * MS },
  { 8000 * MS, 0xD0, 8192 * MS },
  { 0, 0x00, 1 * MS },
  { 63488 * MS, 0xFF, 63488 * MS },
  { 99999 * MS, 0xFF, 63488 * MS },
  { TFRC_TIME_NONE, 0xFF, 63488 * MS },
  /* A mantissa that rounds up to full carries: 1.97 ms becomes 2 ms. */
  { 1970000, 0x10, 2 * MS },
};

START_TEST (rtts_have_these_codes)
{
  ck_assert_uint_eq (tfmcc_wire_rtt_to_code (rtts[_i].rtt), rtts[_i].code);
  ck_assert_uint_eq (tfmcc_wire_rtt_from_code (rtts[_i].code),
      rtts[_i].decoded);
}

END_TEST
START_TEST (every_rtt_code_comes_back)
{
  for (unsigned code = 0; code <= 0xFF; code++) {
    TfrcDuration rtt = tfmcc_wire_rtt_from_code ((uint8_t) code);

    ck_assert_uint_eq (tfmcc_wire_rtt_to_code (rtt), code);
    if (code < 0xFF)
      ck_assert_uint_eq (tfmcc_wire_rtt_to_code (rtt + 1), code + 1);
  }
}

END_TEST static const struct
{
  TfmccExtension extension;
  size_t size;
  uint8_t bytes[16];
} extensions[] = {
  { { .suppression_rate = 187500.0,
        .max_rtt = 500 * MS,
        .round = 7,
        .send_time_us = 0x00112232,
        .few_receivers = true,
        .has_echo = true,
        .echo = { 0xDEADBEEF, 0x01020304, true } },
      16,
      { 0xC6, 0xEA, 0x90, 0x07, 0x00, 0x11, 0x22, 0x33, 0xDE, 0xAD, 0xBE, 0xEF,
          0x01, 0x02, 0x03, 0x04 } },
  { { .suppression_rate = (double) INFINITY,
        .max_rtt = 500 * MS,
        .round = 7,
        .send_time_us = 0x00112232 },
      8, { 0x0F, 0xFF, 0x90, 0x07, 0x00, 0x11, 0x22, 0x32 } },
  { { .suppression_rate = (double) INFINITY,
        .max_rtt = 1 * MS,
        .slow_start = true,
        .application_limited = true,
        .has_echo = true },
      16, { 0x7F, 0xFF, 0x00, 0x00 } },
};

START_TEST (extensions_have_these_bytes)
{
  uint8_t data[TFMCC_WIRE_EXTENSION_MAX] = { 0 };
  TfmccExtension extension;

  ck_assert_uint_eq (tfmcc_wire_write_extension (data,
                         &extensions[_i].extension),
      extensions[_i].size);
  ck_assert_mem_eq (data, extensions[_i].bytes, extensions[_i].size);
  ck_assert (tfmcc_wire_read_extension (&extension, data, extensions[_i].size));
  ck_assert_uint_eq (extension.round, extensions[_i].extension.round);
  ck_assert_uint_eq (extension.send_time_us,
      extensions[_i].extension.send_time_us);
  ck_assert (extension.slow_start == extensions[_i].extension.slow_start);
  ck_assert (extension.application_limited
      == extensions[_i].extension.application_limited);
  ck_assert (extension.few_receivers == extensions[_i].extension.few_receivers);
  ck_assert (extension.has_echo == extensions[_i].extension.has_echo);
  ck_assert (extension.echo.is_clr == extensions[_i].extension.echo.is_clr);
  ck_assert_uint_eq (extension.echo.ssrc, extensions[_i].extension.echo.ssrc);
  ck_assert_uint_eq (extension.echo.report_time_us,
      extensions[_i].extension.echo.report_time_us);
  ck_assert_uint_eq (tfmcc_wire_rate_to_code (extension.suppression_rate),
      tfmcc_wire_rate_to_code (extensions[_i].extension.suppression_rate));
}

END_TEST
/* Half of all microsecond values have no exact code. */
START_TEST (send_times_are_rounded_down_to_two_microseconds)
{
  TfmccExtension extension = { .max_rtt = MS, .send_time_us = 7 };
  uint8_t data[TFMCC_WIRE_EXTENSION_MAX];

  tfmcc_wire_write_extension (data, &extension);
  ck_assert (tfmcc_wire_read_extension (&extension, data, 8));
  ck_assert_uint_eq (extension.send_time_us, 6);
  ck_assert (!extension.few_receivers);
}

END_TEST
START_TEST (extensions_of_another_size_are_refused)
{
  TfmccExtension extension;

  for (unsigned i = 0; i < 3; i++) {
    for (size_t size = 0; size <= 16; size++)
      ck_assert (tfmcc_wire_read_extension (&extension, extensions[i].bytes,
                     size)
          == (size == extensions[i].size));
  }
}

END_TEST static const TfmccReport report = { .ssrc = 0xDEADBEEF,
  .media_ssrc = 0x01020304,
  .has_rtt = true,
  .has_loss = true,
  .rate = 125000.0,
  .round = 7,
  .report_time_us = 0x11223344,
  .echo_time_us = 0x55667788 };

static const uint8_t report_bytes[28] = { 0x8F, 0xCE, 0x00, 0x06, 0xDE, 0xAD,
  0xBE, 0xEF, 0x01, 0x02, 0x03, 0x04, 'T', 'F', 'M', 'C', 0xC6, 0x9C, 0x07,
  0x10, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 };

/* The walk over a compound must accept it, too. */
static TfmccWireKind
read_report (const uint8_t *data, size_t size, TfmccReport *read,
    bool *has_diagnostics, TfmccDiagnostics *diagnostics)
{
  TfrcFeedback feedback;
  size_t packet_size;
  uint32_t ssrc;

  ck_assert_int_eq (tfrc_wire_read_rtcp (data, size, &packet_size, &feedback,
                        &ssrc),
      TFRC_WIRE_FOREIGN);
  return tfmcc_wire_read_report (data, packet_size, read, has_diagnostics,
      diagnostics);
}

START_TEST (reports_have_these_bytes)
{
  uint8_t data[TFMCC_WIRE_REPORT_MAX];
  TfmccReport read;
  TfmccDiagnostics diagnostics;
  bool has_diagnostics;

  ck_assert_uint_eq (tfmcc_wire_write_report (data, &report, NULL), 28);
  ck_assert_mem_eq (data, report_bytes, 28);
  ck_assert_int_eq (read_report (data, 28, &read, &has_diagnostics,
                        &diagnostics),
      TFMCC_WIRE_REPORT);
  ck_assert (!has_diagnostics);
  ck_assert_uint_eq (read.ssrc, report.ssrc);
  ck_assert_uint_eq (read.media_ssrc, report.media_ssrc);
  ck_assert (read.has_rtt && read.has_loss && !read.leaving);
  ck_assert_double_eq (read.rate, 124800.0);
  ck_assert_uint_eq (read.round, 7);
  ck_assert_uint_eq (read.report_time_us, 0x11223344);
  ck_assert_uint_eq (read.echo_time_us, 0x55667788);
}

END_TEST
START_TEST (reports_may_carry_diagnostics)
{
  /* 0.5 of 2^32 - 1 is 2147483647.5; 60 ms are 0xEA60 us. */
  static const uint8_t tail[8] = { 0x80, 0, 0, 0, 0, 0, 0xEA, 0x60 };
  TfmccDiagnostics given = { .loss_event_rate = 0.5, .rtt = 60 * MS }, read;
  uint8_t data[TFMCC_WIRE_REPORT_MAX];
  TfmccReport read_report_;
  bool has_diagnostics;

  ck_assert_uint_eq (tfmcc_wire_write_report (data, &report, &given), 36);
  ck_assert_uint_eq (data[3], 8);
  ck_assert_uint_eq (data[16], 0xD6);
  ck_assert_mem_eq (data + 28, tail, 8);
  ck_assert_int_eq (read_report (data, 36, &read_report_, &has_diagnostics,
                        &read),
      TFMCC_WIRE_REPORT);
  ck_assert (has_diagnostics);
  ck_assert_double_eq_tol (read.loss_event_rate, 0.5, 1e-9);
  ck_assert_uint_eq (read.rtt, 60 * MS);
  ck_assert_int_eq (read_report (data, 36, &read_report_, &has_diagnostics,
                        NULL),
      TFMCC_WIRE_REPORT);
  ck_assert (has_diagnostics);
}

END_TEST
/* A changed byte, and what the packet then counts as. */
static const struct
{
  unsigned place;
  uint8_t value;
  TfmccWireKind kind;
} changes[] = {
  { 0, 0x8E, TFMCC_WIRE_FOREIGN }, /* another FMT */
  { 1, 205, TFMCC_WIRE_FOREIGN },
  { 12, 'R', TFMCC_WIRE_FOREIGN }, /* another magic */
  { 15, 'c', TFMCC_WIRE_FOREIGN },
  { 19, 0x20, TFMCC_WIRE_BAD_REPORT }, /* version 2 */
  { 19, 0x00, TFMCC_WIRE_BAD_REPORT },
  { 19, 0x1F, TFMCC_WIRE_REPORT }, /* reserved bits are ignored */
  /* The flag says there are diagnostics, but there are none. */
  { 16, 0xD6, TFMCC_WIRE_BAD_REPORT },
};

START_TEST (other_packets_are_told_apart)
{
  uint8_t data[TFMCC_WIRE_REPORT_SIZE];
  TfmccReport read;
  TfmccDiagnostics diagnostics;
  bool has_diagnostics;

  memcpy (data, report_bytes, sizeof data);
  data[changes[_i].place] = changes[_i].value;
  ck_assert_int_eq (tfmcc_wire_read_report (data, sizeof data, &read,
                        &has_diagnostics, &diagnostics),
      changes[_i].kind);
}

END_TEST
START_TEST (a_report_without_a_rate_is_bad)
{
  uint8_t data[TFMCC_WIRE_REPORT_SIZE];
  TfmccReport read;
  TfmccDiagnostics diagnostics;
  bool has_diagnostics;

  memcpy (data, report_bytes, sizeof data);
  data[16] = 0xCF;
  data[17] = 0xFF;
  ck_assert_int_eq (tfmcc_wire_read_report (data, sizeof data, &read,
                        &has_diagnostics, &diagnostics),
      TFMCC_WIRE_BAD_REPORT);
}

END_TEST
START_TEST (reports_of_another_length_are_bad)
{
  uint8_t data[64] = { 0 };
  TfmccReport read;
  TfmccDiagnostics diagnostics;
  bool has_diagnostics;

  memcpy (data, report_bytes, sizeof report_bytes);
  for (size_t size = 16; size <= sizeof data; size += 4)
    ck_assert_int_eq (tfmcc_wire_read_report (data, size, &read,
                          &has_diagnostics, &diagnostics),
        size == 28 ? TFMCC_WIRE_REPORT : TFMCC_WIRE_BAD_REPORT);
  ck_assert_int_eq (tfmcc_wire_read_report (data, 12, &read, &has_diagnostics,
                        &diagnostics),
      TFMCC_WIRE_FOREIGN);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-wire");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, rates_have_these_codes, 0,
      sizeof rates / sizeof rates[0]);
  tcase_add_test (tcase, every_rate_code_comes_back);
  tcase_add_loop_test (tcase, rtts_have_these_codes, 0,
      sizeof rtts / sizeof rtts[0]);
  tcase_add_test (tcase, every_rtt_code_comes_back);
  tcase_add_loop_test (tcase, extensions_have_these_bytes, 0,
      sizeof extensions / sizeof extensions[0]);
  tcase_add_test (tcase, send_times_are_rounded_down_to_two_microseconds);
  tcase_add_test (tcase, extensions_of_another_size_are_refused);
  tcase_add_test (tcase, reports_have_these_bytes);
  tcase_add_test (tcase, reports_may_carry_diagnostics);
  tcase_add_loop_test (tcase, other_packets_are_told_apart, 0,
      sizeof changes / sizeof changes[0]);
  tcase_add_test (tcase, a_report_without_a_rate_is_bad);
  tcase_add_test (tcase, reports_of_another_length_are_bad);
  return run_check_suite (suite);
}
