/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which streams are remembered, and in which order roll-over counters are
 * tried. */

#include <gst/check/gstcheck.h>

#include "net/srtp.h"

static TfrcSrtpStreams streams;

static void
setup (void)
{
  tfrc_srtp_streams_init (&streams, TFRC_SRTP_KNOWN);
}

static void
teardown (void)
{
  tfrc_srtp_streams_clear (&streams);
}

static TfrcSrtpStream *
find (guint32 ssrc, gboolean rtcp)
{
  TfrcSrtpHeader header = { .ssrc = ssrc, .rtcp = rtcp };

  return tfrc_srtp_streams_find (&streams, &header);
}

static TfrcSrtpStream *
add (guint32 ssrc)
{
  TfrcSrtpHeader header = { .ssrc = ssrc };

  return tfrc_srtp_streams_find_or_add (&streams, &header);
}

/* The counter of a sequence number, by the index that is closest to the highest
 * one and the first above it. */
static guint
guess_roc (TfrcSrtpStream *stream, guint16 seq)
{
  TfrcSrtpHeader header = { .number = seq };

  return (guint) (tfrc_srtp_stream_guess_index (stream, &header) >> 16);
}

static guint
get_next_roc (TfrcSrtpStream *stream, guint16 seq)
{
  TfrcSrtpHeader header = { .number = seq };

  return (guint) (tfrc_srtp_stream_get_next_index (stream, &header) >> 16);
}

/* All 32 of them make room for the next: strangers come in floods. */
GST_START_TEST (unknown_ones_are_forgotten_together)
{
  guint32 ssrc;

  fail_unless (tfrc_srtp_stream_on_authentic (add (1000), 1, 0));
  for (ssrc = 1; ssrc <= 32; ssrc++)
    add (ssrc);
  add (32);
  fail_unless (find (1, FALSE));
  add (33);
  fail_if (find (1, FALSE));
  fail_unless (find (33, FALSE));
  fail_unless (find (1000, FALSE));
}

GST_END_TEST;

/* 1 is heard again after 2 to 128, so 2 makes room. */
GST_START_TEST (of_known_ones_the_most_silent_is_forgotten)
{
  guint32 ssrc;

  for (ssrc = 1; ssrc <= 128; ssrc++)
    fail_unless (tfrc_srtp_stream_on_authentic (add (ssrc), 1, ssrc));
  fail_if (tfrc_srtp_stream_on_authentic (add (1), 1, 129));
  add (129);
  fail_unless (find (1, FALSE));
  fail_if (find (2, FALSE));
  fail_unless (find (3, FALSE));
}

GST_END_TEST;

/* SRTCP has an index of its own (RFC 3711 section 3.4), which says nothing of a
 * roll-over counter. */
GST_START_TEST (rtp_and_rtcp_of_an_ssrc_are_two)
{
  TfrcSrtpHeader header = { .ssrc = 1, .rtcp = TRUE };
  TfrcSrtpStream *rtcp = tfrc_srtp_streams_find_or_add (&streams, &header);

  fail_if (find (1, FALSE));
  tfrc_srtp_stream_on_authentic (rtcp, 70000, 0);
  assert_equals_uint64 (add (1)->good_at, GST_CLOCK_TIME_NONE);
  assert_equals_int (get_next_roc (add (1), 1), 0);
  fail_unless (find (1, TRUE) == rtcp);
}

GST_END_TEST;

/* 0 with each packet, and then the counter that is its turn. */
GST_START_TEST (a_trial_goes_on_where_the_last_one_ended)
{
  TfrcSrtpStream *stream = add (1);

  assert_equals_int (get_next_roc (stream, 0), 0);
  assert_equals_int (tfrc_srtp_stream_try_next (stream, 0, 0), 1);
  assert_equals_int (tfrc_srtp_stream_try_next (stream, 1, 0), 2);
  assert_equals_int (get_next_roc (stream, 0), 0);
  assert_equals_int (tfrc_srtp_stream_try_next (stream, 0, 0), 2);
  assert_equals_int (tfrc_srtp_stream_try_next (stream, 65535, 0), 1);
}

GST_END_TEST;

/* The wrap is crossed both ways: 65530 of counter 5, and the packet in front of
 * it and behind it. */
GST_START_TEST (a_counter_is_guessed_from_the_highest_index)
{
  TfrcSrtpStream *stream = add (1);

  assert_equals_int (guess_roc (stream, 65530), 0);
  tfrc_srtp_stream_on_authentic (stream, 5 * 65536 + 65530, 0);
  assert_equals_int (guess_roc (stream, 65529), 5);
  assert_equals_int (guess_roc (stream, 3), 6);
}

GST_END_TEST;

/* Up to 5 * 65536 + 100: 101 may be the next one, 100 is only new with the next
 * counter, as is 65000, which is closer to counter 4. */
GST_START_TEST (a_trial_begins_above_what_was_there)
{
  TfrcSrtpStream *stream = add (1);

  tfrc_srtp_stream_on_authentic (stream, 5 * 65536 + 100, 0);
  assert_equals_int (get_next_roc (stream, 101), 5);
  assert_equals_int (tfrc_srtp_stream_try_next (stream, 5, 5), 6);
  assert_equals_int (get_next_roc (stream, 100), 6);
  assert_equals_int (get_next_roc (stream, 65000), 5);
  tfrc_srtp_stream_set_context (stream, tfrc_srtp_context_new ());
  assert_equals_int64 (stream->floor, 5 * 65536 + 100);
}

GST_END_TEST;

/* With each packet of a stranger.  Of one that is known once nothing has
 * authenticated for a second, and then once a second. */
GST_START_TEST (a_key_is_asked_for_again_where_nothing_authenticates)
{
  TfrcSrtpStream *stream = add (1);

  fail_unless (tfrc_srtp_stream_needs_resync (stream, 0));
  fail_unless (tfrc_srtp_stream_wants_key (stream, 0));
  fail_unless (tfrc_srtp_stream_wants_key (stream, 0));
  tfrc_srtp_stream_on_authentic (stream, 7, 5 * GST_SECOND);
  fail_if (tfrc_srtp_stream_needs_resync (stream, 6 * GST_SECOND - 1));
  fail_unless (tfrc_srtp_stream_needs_resync (stream, 6 * GST_SECOND));
  fail_unless (tfrc_srtp_stream_wants_key (stream, 6 * GST_SECOND));
  fail_if (tfrc_srtp_stream_wants_key (stream, 7 * GST_SECOND - 1));
  fail_unless (tfrc_srtp_stream_wants_key (stream, 7 * GST_SECOND));
}

GST_END_TEST;

static GstBuffer *
make_key (guint8 byte)
{
  return gst_buffer_new_memdup (&byte, 1);
}

GST_START_TEST (another_key_begins_another_stream)
{
  TfrcSrtpStream *stream = add (1);
  GstBuffer *old = make_key (1), *same = make_key (1), *new = make_key (2);

  tfrc_srtp_stream_set_key (stream, old);
  tfrc_srtp_stream_on_authentic (stream, 7, 0);
  tfrc_srtp_stream_set_key (stream, same);
  tfrc_srtp_stream_set_key (stream, NULL);
  assert_equals_uint64 (stream->good_at, 0);
  assert_equals_int64 (stream->highest, 7);
  tfrc_srtp_stream_set_key (stream, new);
  assert_equals_uint64 (stream->good_at, GST_CLOCK_TIME_NONE);
  assert_equals_int64 (stream->highest, -1);
  assert_equals_int64 (stream->floor, -1);
  gst_buffer_unref (old);
  gst_buffer_unref (same);
  gst_buffer_unref (new);
}

GST_END_TEST;

static Suite *
tfrcsrtpstreams_suite (void)
{
  Suite *suite = suite_create ("tfrcsrtpstreams");
  TCase *tcase = tcase_create ("streams");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, unknown_ones_are_forgotten_together);
  tcase_add_test (tcase, of_known_ones_the_most_silent_is_forgotten);
  tcase_add_test (tcase, rtp_and_rtcp_of_an_ssrc_are_two);
  tcase_add_test (tcase, a_trial_goes_on_where_the_last_one_ended);
  tcase_add_test (tcase, a_counter_is_guessed_from_the_highest_index);
  tcase_add_test (tcase, a_trial_begins_above_what_was_there);
  tcase_add_test (tcase, a_key_is_asked_for_again_where_nothing_authenticates);
  tcase_add_test (tcase, another_key_begins_another_stream);
  return suite;
}

GST_CHECK_MAIN (tfrcsrtpstreams);
