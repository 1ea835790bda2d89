/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP besides TFRC's feedback: PLI, RTCP-SR-REQ, RR and SDES. */
#include <check.h>
#include <string.h>

#include "check-suite.h"
#include "tfrc-wire.h"

START_TEST (writes_and_reads_a_pli)
{
  /* PSFB, FMT 1, length 2: RFC 4585 section 6.3.1. */
  static const uint8_t golden[TFRC_WIRE_PLI_SIZE] = { 0x81, 0xCE, 0x00, 0x02,
    0xDE, 0xAD, 0xBE, 0xEF, 0x01, 0x02, 0x03, 0x04 };
  uint8_t data[TFRC_WIRE_PLI_SIZE];
  uint32_t media_ssrc = 0;

  tfrc_wire_write_pli (data, 0xDEADBEEF, 0x01020304);
  ck_assert_mem_eq (data, golden, sizeof golden);
  ck_assert (tfrc_wire_read_pli (data, sizeof data, &media_ssrc));
  ck_assert_uint_eq (media_ssrc, 0x01020304);
}

END_TEST
START_TEST (other_packets_are_no_pli)
{
  uint8_t data[TFRC_WIRE_PLI_SIZE];
  uint32_t media_ssrc = 42;
  size_t size;
  int fmt;

  for (fmt = 0; fmt < 32; fmt++) {
    tfrc_wire_write_pli (data, 1, 2);
    data[0] = (uint8_t) (0x80 | fmt);
    ck_assert_int_eq (tfrc_wire_read_pli (data, sizeof data, &media_ssrc),
        fmt == 1);
  }
  media_ssrc = 42;
  tfrc_wire_write_pli (data, 1, 2);
  for (size = 0; size < sizeof data; size++)
    ck_assert (!tfrc_wire_read_pli (data, size, &media_ssrc));
  data[1] = 205;
  ck_assert (!tfrc_wire_read_pli (data, sizeof data, &media_ssrc));
  ck_assert_uint_eq (media_ssrc, 42);
}

END_TEST
/* RTPFB, FMT 5 of RFC 6051, also one that is too short to be valid. */
START_TEST (recognises_an_sr_request)
{
  uint8_t data[12] = { 0x85, 0xCD, 0x00, 0x02 };

  ck_assert (tfrc_wire_is_sr_request (data, sizeof data));
  ck_assert (tfrc_wire_is_sr_request (data, 4));
  ck_assert (!tfrc_wire_is_sr_request (data, 3));
  data[0] = 0xA5; /* padded */
  ck_assert (tfrc_wire_is_sr_request (data, sizeof data));
  data[0] = 0x82;
  ck_assert (!tfrc_wire_is_sr_request (data, sizeof data));
  data[0] = 0x85;
  data[1] = 206;
  ck_assert (!tfrc_wire_is_sr_request (data, sizeof data));
}

END_TEST
/* RFC 3550 sections 6.4.1 and 6.4.2: an SR has 20 more bytes before its report
 * blocks.  Whatever is cut off or left out, nothing outside the packet is read. */
START_TEST (reads_the_report_blocks_that_are_there)
{
  /* Fraction lost, 24 bits of cumulative lost, extended highest sequence number,
   * jitter, LSR, DLSR. */
  static const uint8_t block[24] = { 1, 2, 3, 4, 64, 0xFF, 0xFF, 0xFE, 0, 2,
    0xFF, 0xFE, 0, 0, 0, 0, 0x12, 0x34, 0x56, 0x78, 0, 1, 0x80, 0 };
  size_t head = _i == 0 ? 28 : 8;
  uint8_t data[28 + 2 * 24] = { 0x82, (uint8_t) (200 + _i), 0, 0, 9, 8, 7, 6 };
  RtpReportBlock read = { 0 };
  size_t size;

  memcpy (data + head, block, sizeof block);
  memcpy (data + head + 24, block, sizeof block);
  data[head + 24 + 3] = 5;
  ck_assert (tfrc_wire_read_report_block (data, head + 48, 0, &read));
  ck_assert_uint_eq (read.reporter_ssrc, 0x09080706);
  ck_assert_uint_eq (read.media_ssrc, 0x01020304);
  ck_assert_uint_eq (read.fraction_lost, 64);
  ck_assert_uint_eq (read.highest_seq, 0x0002FFFE);
  ck_assert_int_eq (read.cumulative_lost, -2);
  ck_assert_uint_eq (read.last_sender_report, 0x12345678);
  ck_assert_uint_eq (read.delay_since_sender_report, 0x18000);
  ck_assert (tfrc_wire_read_report_block (data, head + 48, 1, &read));
  ck_assert_uint_eq (read.media_ssrc, 0x01020305);
  ck_assert (!tfrc_wire_read_report_block (data, head + 48, 2, &read));
  ck_assert_uint_eq (read.media_ssrc, 0x01020305);

  for (size = 0; size < head + 48; size++) {
    ck_assert_int_eq (tfrc_wire_read_report_block (data, size, 0, &read),
        size >= head + 24);
    ck_assert (!tfrc_wire_read_report_block (data, size, 1, &read));
  }
  data[0] = 0x81;
  ck_assert (!tfrc_wire_read_report_block (data, head + 48, 1, &read));
  data[1] = 202;
  ck_assert (!tfrc_wire_read_report_block (data, head + 48, 0, &read));
}

END_TEST
/* SDES: header 4, SSRC 4, type 1, length 1, text 6 = 16, and a null octet that
 * needs a whole word: 20 bytes, length field 4. */
START_TEST (writes_the_golden_prefix)
{
  static const uint8_t golden[] = { 0x80, 0xC9, 0x00, 0x01, 0xDE, 0xAD, 0xBE,
    0xEF, 0x81, 0xCA, 0x00, 0x04, 0xDE, 0xAD, 0xBE, 0xEF, 0x01, 0x06, 'u', 's',
    'e', 'r', '@', 'h', 0, 0, 0, 0 };
  uint8_t data[sizeof golden];

  ck_assert_uint_eq (tfrc_wire_write_prefix (data, sizeof data, 0xDEADBEEF,
                         "user@h"),
      sizeof golden);
  ck_assert_mem_eq (data, golden, sizeof golden);
}

END_TEST
/* Every length of CNAME: whole words, a null octet at the end, and the walk finds
 * an RR, an SDES and the feedback after them. */
START_TEST (a_full_compound_packet_is_well_formed)
{
  uint8_t data[TFRC_WIRE_PREFIX_MAX + TFRC_WIRE_FEEDBACK_SIZE];
  char cname[TFRC_WIRE_CNAME_MAX + 46];
  TfrcFeedback feedback = { 1, 2, 3, 4.0, 0.5 };
  size_t length, kept, size, offset, packet_size;
  uint32_t ssrc;

  for (length = 0; length < sizeof cname; length++) {
    memset (cname, 'c', length);
    cname[length] = '\0';
    kept = length < TFRC_WIRE_CNAME_MAX ? length : TFRC_WIRE_CNAME_MAX;
    size = tfrc_wire_write_prefix (data, TFRC_WIRE_PREFIX_MAX, 5, cname);
    ck_assert_uint_ge (size, 8 + 10 + kept + 1);
    ck_assert_uint_le (size, 8 + 10 + kept + 4);
    ck_assert_uint_eq (data[17], kept);
    ck_assert_uint_eq (data[size - 1], 0);
    ck_assert_uint_eq (tfrc_wire_write_prefix (data, size - 1, 5, cname), 0);

    tfrc_wire_write_feedback (data + size, &feedback, 5);
    size += TFRC_WIRE_FEEDBACK_SIZE;
    ck_assert_int_eq (tfrc_wire_read_rtcp (data, size, &packet_size, &feedback,
                          &ssrc),
        TFRC_WIRE_FOREIGN);
    ck_assert (tfrc_wire_is_rtcp (data, packet_size, 201, 0));
    offset = packet_size;
    ck_assert_int_eq (tfrc_wire_read_rtcp (data + offset, size - offset,
                          &packet_size, &feedback, &ssrc),
        TFRC_WIRE_FOREIGN);
    ck_assert (tfrc_wire_is_rtcp (data + offset, packet_size, 202, 1));
    offset += packet_size;
    ck_assert_int_eq (tfrc_wire_read_rtcp (data + offset, size - offset,
                          &packet_size, &feedback, &ssrc),
        TFRC_WIRE_FEEDBACK);
    ck_assert_uint_eq (offset + packet_size, size);
  }
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-wire-rtcp");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, writes_and_reads_a_pli);
  tcase_add_test (tcase, other_packets_are_no_pli);
  tcase_add_test (tcase, recognises_an_sr_request);
  tcase_add_loop_test (tcase, reads_the_report_blocks_that_are_there, 0, 2);
  tcase_add_test (tcase, writes_the_golden_prefix);
  tcase_add_test (tcase, a_full_compound_packet_is_well_formed);
  return run_check_suite (suite);
}
