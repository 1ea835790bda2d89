/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Traces of delivery opportunities: what counts until when, the repetition, and
 * what the error says. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check-suite.h"
#include "link-trace.h"

static char path[64];
static char error[LINK_TRACE_ERROR_SIZE];
static LinkTrace *trace;

static void
setup (void)
{
  strcpy (path, "/tmp/link-trace-XXXXXX");
  close (mkstemp (path));
  trace = NULL;
}

static void
teardown (void)
{
  link_trace_free (trace);
  unlink (path);
}

static bool
load (const char *text)
{
  FILE *file = fopen (path, "w");

  ck_assert_ptr_nonnull (file);
  fputs (text, file);
  fclose (file);
  trace = link_trace_load (path, error);
  return trace != NULL;
}

/* Four opportunities in 10 ms: 600000 bytes/s.  The one at 10 ms is the last of
 * the first round, and 13 ms the first of the second. */
START_TEST (opportunities_are_counted_over_repetitions)
{
  static const TfrcDuration times[] = { 3, 5, 5, 10, 13, 15, 15, 20, 23 };
  unsigned i;

  ck_assert_msg (load ("3\n5\r\n5\n10"), "%s", error);
  ck_assert_uint_eq (link_trace_length (trace), 10 * MS);
  ck_assert_double_eq_tol (link_trace_mean_rate (trace), 600000.0, 1e-6);
  for (i = 0; i < sizeof times / sizeof times[0]; i++)
    ck_assert_uint_eq (link_trace_time (trace, i), times[i] * MS);
  ck_assert_uint_eq (link_trace_count (trace, 0), 0);
  ck_assert_uint_eq (link_trace_count (trace, 3 * MS - 1), 0);
  ck_assert_uint_eq (link_trace_count (trace, 3 * MS), 1);
  ck_assert_uint_eq (link_trace_count (trace, 5 * MS), 3);
  ck_assert_uint_eq (link_trace_count (trace, 10 * MS - 1), 3);
  ck_assert_uint_eq (link_trace_count (trace, 10 * MS), 4);
  ck_assert_uint_eq (link_trace_count (trace, 25 * MS), 11);
}

END_TEST
/* mm-link's 12 Mbit/s: an opportunity each millisecond. */
START_TEST (one_line_is_a_steady_link)
{
  ck_assert_msg (load ("1\n"), "%s", error);
  ck_assert_double_eq_tol (link_trace_mean_rate (trace), 1500000.0, 1e-6);
  ck_assert_uint_eq (link_trace_count (trace, 7 * MS), 7);
  ck_assert_uint_eq (link_trace_time (trace, 6), 7 * MS);
}

END_TEST static const struct
{
  const char *text;
  const char *message;
} mistakes[] = {
  { "", "no lines in it" },
  { "0\n0\n", "all of it is at 0 ms" },
  { "1\n\n2\n", "line 2: '' is no time in whole ms" },
  { "1\n2.5\n", "line 2: '2.5' is no time in whole ms" },
  { "-1\n", "line 1: '-1' is no time in whole ms" },
  { "# a comment\n", "line 1: '# a comment' is no time in whole ms" },
  { "1000000001\n", "line 1: '1000000001' is no time in whole ms" },
  { "99999999999999999999999\n",
      "line 1: '99999999999999999999' is no time in whole ms" },
  { "5\n4\n", "line 2: earlier than the line before" },
};

START_TEST (a_mistake_is_named)
{
  ck_assert (!load (mistakes[_i].text));
  ck_assert_str_eq (error, mistakes[_i].message);
}

END_TEST
START_TEST (a_file_that_cannot_be_read_is_told)
{
  ck_assert_ptr_null (link_trace_load ("/nonexistent", error));
  ck_assert_str_eq (error, "No such file or directory");
  ck_assert_ptr_null (link_trace_load ("/tmp", error));
  ck_assert_str_eq (error, "Is a directory");
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("link-trace");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, opportunities_are_counted_over_repetitions);
  tcase_add_test (tcase, one_line_is_a_steady_link);
  tcase_add_loop_test (tcase, a_mistake_is_named, 0,
      sizeof mistakes / sizeof mistakes[0]);
  tcase_add_test (tcase, a_file_that_cannot_be_read_is_told);
  return run_check_suite (suite);
}
