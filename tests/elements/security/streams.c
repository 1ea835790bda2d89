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
  fail_unless (tfrc_srtp_streams_on_authentic (&streams, 1000, TRUE));
  for (ssrc = 1; ssrc <= 32; ssrc++)
    add (ssrc);
  add (32);
  assert_equals_int (forgotten->len, 0);
  add (33);
  assert_equals_int (forgotten->len, 32);
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
    add (ssrc);
    fail_unless (tfrc_srtp_streams_on_authentic (&streams, ssrc, TRUE));
  }
  fail_if (tfrc_srtp_streams_on_authentic (&streams, 1, TRUE));
  add (513);
  assert_equals_int (forgotten->len, 1);
  assert_equals_int (g_array_index (forgotten, guint32, 0), 2);
}

GST_END_TEST;

/* SRTCP has an index of its own (RFC 3711 section 3.4): it proves the key. */
GST_START_TEST (rtp_alone_proves_the_counter)
{
  TfrcSrtpStream *stream = add (1);

  tfrc_srtp_streams_on_authentic (&streams, 1, TRUE);
  fail_unless (stream->authentic);
  fail_if (stream->proven);
  tfrc_srtp_streams_on_authentic (&streams, 1, FALSE);
  fail_unless (stream->proven);
}

GST_END_TEST;

/* 0 with each packet, and then the counter that is its turn. */
GST_START_TEST (a_trial_goes_on_where_the_last_one_ended)
{
  TfrcSrtpStream *stream = add (1);

  tfrc_srtp_stream_begin_trial (stream);
  assert_equals_int (stream->roc, 0);
  tfrc_srtp_stream_try_next (stream);
  assert_equals_int (stream->roc, 1);
  tfrc_srtp_stream_try_next (stream);
  assert_equals_int (stream->roc, 2);
  tfrc_srtp_stream_begin_trial (stream);
  assert_equals_int (stream->roc, 0);
  tfrc_srtp_stream_try_next (stream);
  assert_equals_int (stream->roc, 2);

  stream->roc = 65535;
  tfrc_srtp_stream_try_next (stream);
  assert_equals_int (stream->roc, 1);
}

GST_END_TEST;

GST_START_TEST (a_proven_counter_stays)
{
  TfrcSrtpStream *stream = add (1);

  stream->roc = 7;
  tfrc_srtp_streams_on_authentic (&streams, 1, FALSE);
  tfrc_srtp_stream_begin_trial (stream);
  tfrc_srtp_stream_try_next (stream);
  assert_equals_int (stream->roc, 7);
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
  tcase_add_test (tcase, a_proven_counter_stays);
  return suite;
}

GST_CHECK_MAIN (tfrcsrtpstreams);
