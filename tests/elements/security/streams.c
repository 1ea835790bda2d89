/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which SSRCs are remembered, and in which order roll-over counters are tried. */

#include <gst/check/gstcheck.h>

#include "security/streams.h"

static TfrcSrtpStreams streams;
static GArray *forgotten;

static void
setup (void)
{
  tfrc_srtp_streams_init (&streams);
  forgotten = g_array_new (FALSE, FALSE, sizeof (guint32));
}

static void
teardown (void)
{
  g_array_unref (forgotten);
  tfrc_srtp_streams_clear (&streams);
}

static TfrcSrtpStream *
add (guint32 ssrc)
{
  return tfrc_srtp_streams_find_or_add (&streams, ssrc, forgotten);
}

/* All 32 of them make room for the next: strangers come in floods. */
GST_START_TEST (unknown_ones_are_forgotten_together)
{
  guint32 ssrc;

  add (1000);
  fail_unless (tfrc_srtp_streams_on_authentic (&streams, 1000, TRUE, 1, 0));
  for (ssrc = 1; ssrc <= 32; ssrc++)
    add (ssrc);
  add (32);
  assert_equals_int (forgotten->len, 0);
  add (33);
  assert_equals_int (forgotten->len, 0);
  fail_if (tfrc_srtp_streams_find (&streams, 1));
  fail_unless (tfrc_srtp_streams_find (&streams, 33));
  fail_unless (tfrc_srtp_streams_find (&streams, 1000));
}

GST_END_TEST;

/* 1 is heard again after 2 to 512, so 2 makes room. */
GST_START_TEST (of_authentic_ones_the_most_silent_is_forgotten)
{
  guint32 ssrc;

  for (ssrc = 1; ssrc <= 512; ssrc++) {
    add (ssrc)->given = TRUE;
    fail_unless (tfrc_srtp_streams_on_authentic (&streams, ssrc, TRUE, 1, 0));
  }
  fail_if (tfrc_srtp_streams_on_authentic (&streams, 1, TRUE, 1, 0));
  add (513);
  assert_equals_int (forgotten->len, 1);
  assert_equals_int (g_array_index (forgotten, guint32, 0), 2);
}

GST_END_TEST;

/* SRTCP has an index of its own (RFC 3711 section 3.4): it proves the key. */
GST_START_TEST (rtp_alone_proves_the_counter)
{
  TfrcSrtpStream *stream = add (1);

  tfrc_srtp_streams_on_authentic (&streams, 1, TRUE, 1, 0);
  fail_unless (stream->authentic);
  fail_if (stream->proven);
  tfrc_srtp_streams_on_authentic (&streams, 1, FALSE, 1, 0);
  fail_unless (stream->proven);
}

GST_END_TEST;

/* 0 with each packet, and then the counter that is its turn. */
GST_START_TEST (a_trial_goes_on_where_the_last_one_ended)
{
  TfrcSrtpStream *stream = add (1);

  tfrc_srtp_stream_begin_trial (stream, 0);
  assert_equals_int (stream->roc, 0);
  tfrc_srtp_stream_try_next (stream);
  assert_equals_int (stream->roc, 1);
  tfrc_srtp_stream_try_next (stream);
  assert_equals_int (stream->roc, 2);
  tfrc_srtp_stream_begin_trial (stream, 0);
  assert_equals_int (stream->roc, 0);
  tfrc_srtp_stream_try_next (stream);
  assert_equals_int (stream->roc, 2);

  stream->roc = 65535;
  tfrc_srtp_stream_try_next (stream);
  assert_equals_int (stream->roc, 1);
}

GST_END_TEST;

/* The wrap is crossed both ways: 65530 of counter 5, and the packet in front of
 * it and behind it. */
GST_START_TEST (an_index_is_guessed_from_the_highest)
{
  TfrcSrtpStream *stream = add (1);

  assert_equals_int64 (tfrc_srtp_stream_guess_index (stream, 65530), 65530);
  tfrc_srtp_streams_on_authentic (&streams, 1, FALSE, 5 * 65536 + 65530, 0);
  assert_equals_int (stream->roc, 5);
  assert_equals_int64 (tfrc_srtp_stream_guess_index (stream, 65529),
      5 * 65536 + 65529);
  assert_equals_int64 (tfrc_srtp_stream_guess_index (stream, 3), 6 * 65536 + 3);
}

GST_END_TEST;

/* Of 5 * 65536 + 100 in the run before: 101 may be the next one, 100 is only new
 * with the next counter, as is 65000, which is closer to counter 4. */
GST_START_TEST (a_trial_begins_above_what_earlier_runs_had)
{
  TfrcSrtpStream *stream = add (1);

  tfrc_srtp_streams_on_authentic (&streams, 1, FALSE, 5 * 65536 + 100, 0);
  fail_unless (stream->proven);
  tfrc_srtp_streams_begin_run (&streams);
  fail_if (stream->proven);
  fail_unless (stream->authentic);
  assert_equals_int64 (stream->floor[0], 5 * 65536 + 100);
  tfrc_srtp_stream_begin_trial (stream, 101);
  assert_equals_int (stream->roc, 5);
  tfrc_srtp_stream_try_next (stream);
  assert_equals_int (stream->roc, 6);
  tfrc_srtp_stream_begin_trial (stream, 100);
  assert_equals_int (stream->roc, 6);
  tfrc_srtp_stream_begin_trial (stream, 65000);
  assert_equals_int (stream->roc, 5);
}

GST_END_TEST;

/* srtpdec takes the counter that it was given for that of the first packet, and
 * goes on from there by itself. */
GST_START_TEST (a_counter_misleads_that_was_given_for_reports)
{
  TfrcSrtpStream *stream = add (1);

  fail_if (tfrc_srtp_stream_misleads (stream, 65536 + 1));
  stream->given = TRUE;
  fail_unless (tfrc_srtp_stream_misleads (stream, 65536 + 1));
  fail_if (tfrc_srtp_stream_misleads (stream, 1));
  tfrc_srtp_streams_on_authentic (&streams, 1, FALSE, 65535, 0);
  fail_if (tfrc_srtp_stream_misleads (stream, 65536 + 1));
  fail_unless (tfrc_srtp_stream_misleads (stream, 3 * 65536 + 1));
}

GST_END_TEST;

static GstBuffer *
make_key (guint8 byte)
{
  return gst_buffer_new_memdup (&byte, 1);
}

/* A second after the last good packet, and then once a second. */
GST_START_TEST (a_key_is_asked_for_again_where_nothing_authenticates)
{
  TfrcSrtpStream *stream = add (1);

  fail_if (tfrc_srtp_stream_wants_key (stream, 0));
  tfrc_srtp_streams_on_authentic (&streams, 1, FALSE, 7, 5 * GST_SECOND);
  fail_if (tfrc_srtp_stream_wants_key (stream, 6 * GST_SECOND - 1));
  fail_unless (tfrc_srtp_stream_wants_key (stream, 6 * GST_SECOND));
  fail_if (tfrc_srtp_stream_wants_key (stream, 7 * GST_SECOND - 1));
  fail_unless (tfrc_srtp_stream_wants_key (stream, 7 * GST_SECOND));
  /* In a run of which nothing authenticated: at once. */
  tfrc_srtp_streams_begin_run (&streams);
  fail_unless (tfrc_srtp_stream_wants_key (stream, 7 * GST_SECOND));
}

GST_END_TEST;

GST_START_TEST (another_key_begins_another_stream)
{
  TfrcSrtpStream *stream = add (1);
  GstBuffer *old = make_key (1), *same = make_key (1), *new = make_key (2);

  gst_buffer_replace (&stream->key, old);
  tfrc_srtp_streams_on_authentic (&streams, 1, FALSE, 7, 0);
  tfrc_srtp_streams_renew_key (&streams, stream, same);
  fail_unless (stream->authentic);
  fail_if (stream->proven);
  assert_equals_int64 (stream->highest[0], 7);
  tfrc_srtp_streams_renew_key (&streams, stream, new);
  fail_if (stream->authentic);
  assert_equals_int64 (stream->highest[0], -1);
  assert_equals_int64 (stream->floor[0], -1);
  assert_equals_int (streams.n_unknown, 1);
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
  tcase_add_test (tcase, of_authentic_ones_the_most_silent_is_forgotten);
  tcase_add_test (tcase, rtp_alone_proves_the_counter);
  tcase_add_test (tcase, a_trial_goes_on_where_the_last_one_ended);
  tcase_add_test (tcase, an_index_is_guessed_from_the_highest);
  tcase_add_test (tcase, a_trial_begins_above_what_earlier_runs_had);
  tcase_add_test (tcase, a_counter_misleads_that_was_given_for_reports);
  tcase_add_test (tcase, a_key_is_asked_for_again_where_nothing_authenticates);
  tcase_add_test (tcase, another_key_begins_another_stream);
  return suite;
}

GST_CHECK_MAIN (tfrcsrtpstreams);
