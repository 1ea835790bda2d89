/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Payload types of streams that share an RTP session. */

#include "bins/sink-pads.h"

#include <gst/check/gstcheck.h>

#define N 3

/* Fixed and wanted of each stream, and what each is offered. */
static const struct
{
  TfrcPayloadChoice streams[N];
  gint offered[N];
} cases[] = {
  /* At their default, whoever asks first. */
  { { { -1, 96 }, { -1, 96 }, { -1, 96 } }, { -1, 97, 98 } },
  { { { -1, 96 }, { -1, 96 }, { 98, 98 } }, { -1, 97, -1 } },
  { { { -1, 96 }, { 97, 97 }, { -1, 96 } }, { -1, -1, 98 } },
  /* 97 was set: it is not offered to anybody else. */
  { { { -1, 96 }, { -1, 96 }, { -1, 97 } }, { -1, 98, -1 } },
  { { { -1, 97 }, { -1, 96 }, { -1, 96 } }, { -1, -1, 98 } },
  /* What flows stays: the first one came late. */
  { { { -1, 96 }, { 96, 96 }, { 97, 97 } }, { 98, -1, -1 } },
  { { { 96, 96 }, { 96, 96 }, { -1, -1 } }, { 97, 97, -1 } },
  /* Two of PCMU, and one of which nobody knows. */
  { { { -1, 0 }, { -1, 0 }, { -1, -1 } }, { -1, 96, -1 } },
  /* No types: RTP has seven bits for it. */
  { { { -1, 128 }, { -1, 255 }, { -1, 96 } }, { -1, -1, -1 } },
};

GST_START_TEST (each_stream_gets_a_type_of_its_own)
{
  for (gint i = 0; i < N; i++)
    fail_unless_equals_int (tfrc_payload_choice_make (cases[__i__].streams, N,
                                i),
        cases[__i__].offered[i]);
}

GST_END_TEST;

/* 32 have all that there are. */
GST_START_TEST (none_is_left_for_the_last)
{
  const TfrcPayloadChoice stream = { -1, 96 };
  TfrcPayloadChoice streams[33];

  for (gint i = 0; i < 33; i++)
    streams[i] = stream;
  fail_unless_equals_int (tfrc_payload_choice_make (streams, 33, 31), 127);
  fail_unless_equals_int (tfrc_payload_choice_make (streams, 33, 32), -1);
}

GST_END_TEST;

static Suite *
tfrcpayloadchoice_suite (void)
{
  Suite *suite = suite_create ("tfrcpayloadchoice");
  TCase *choice = tcase_create ("choice");

  tcase_add_loop_test (choice, each_stream_gets_a_type_of_its_own, 0,
      G_N_ELEMENTS (cases));
  tcase_add_test (choice, none_is_left_for_the_last);
  suite_add_tcase (suite, choice);
  return suite;
}

GST_CHECK_MAIN (tfrcpayloadchoice);
