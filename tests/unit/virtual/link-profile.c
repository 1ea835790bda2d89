/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Link profiles: every key, schedules of any length of run, and what the
 * error says. */
#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check-suite.h"
#include "link-profile.h"

static char path[64];
static char trace_path[64];
static char error[LINK_PROFILE_ERROR_SIZE];
static LinkProfile profile;

static void
setup (void)
{
  strcpy (path, "/tmp/link-profile-XXXXXX");
  close (mkstemp (path));
  strcpy (trace_path, "/tmp/link-trace-XXXXXX");
  close (mkstemp (trace_path));
  memset (&profile, 0, sizeof profile);
}

static void
teardown (void)
{
  link_profile_clear (&profile);
  unlink (trace_path);
  unlink (path);
}

static void
write_file (const char *name, const char *text)
{
  FILE *file = fopen (name, "w");

  ck_assert_ptr_nonnull (file);
  fputs (text, file);
  fclose (file);
}

static bool
load (const char *text, double run_seconds)
{
  write_file (path, text);
  return link_profile_load (&profile, path, run_seconds, error);
}

START_TEST (every_key_is_read)
{
  ck_assert_msg (
      load ("# A link \n# Another comment\n\n"
            "rate_kbit_s 2000 # comment\n"
            "\tqueue_ms 100\n"
            "queue_bytes 3000\r\n"
            "delay_ms 12.5\n"
            "queue_packets 7\nred_min_ms 5\nred_max_ms 15\nred_share 0.02\n"
            "red_weight 0.5\necn 1\nramp_min_ms 0.8\nramp_max_ms 1.2\n"
            "jitter_ms 3\njitter_reorders 1\nloss 0.01\nge_enter 0.1\n"
            "ge_leave 0.2\nge_loss 0.3\nduplicate 0.4\nreorder 0.5\n"
            "reorder_delay_ms 7\nrepeat_s 10\noverhead_bytes 28\n"
            "mtu_bytes 1280\n"
            "back_rate_kbit_s 64\nback_ecn 1\nback_delay_ms 2\nback_loss 1e-3",
          0),
      "%s", error);
  ck_assert_str_eq (profile.description, "A link ");
  ck_assert_double_eq (profile.forward.rate, 250000.0);
  ck_assert_uint_eq (profile.forward.queue_limit, 100 * TFRC_MILLISECOND);
  ck_assert_uint_eq (profile.forward.queue_limit_bytes, 3000);
  ck_assert_uint_eq (profile.forward.queue_limit_packets, 7);
  ck_assert_uint_eq (profile.forward.red.min, 5 * TFRC_MILLISECOND);
  ck_assert_uint_eq (profile.forward.red.max, 15 * TFRC_MILLISECOND);
  ck_assert_double_eq (profile.forward.red.share, 0.02);
  ck_assert_double_eq (profile.forward.red.weight, 0.5);
  ck_assert_uint_eq (profile.forward.ramp_min, 800 * TFRC_MICROSECOND);
  ck_assert_uint_eq (profile.forward.ramp_max, 1200 * TFRC_MICROSECOND);
  ck_assert (profile.forward.ecn);
  ck_assert_uint_eq (profile.forward.delay, 12500 * TFRC_MICROSECOND);
  ck_assert_uint_eq (profile.forward.jitter, 3 * TFRC_MILLISECOND);
  ck_assert (profile.forward.jitter_reorders);
  ck_assert_double_eq (profile.forward.loss, 0.01);
  ck_assert_double_eq (profile.forward.ge_enter, 0.1);
  ck_assert_double_eq (profile.forward.ge_leave, 0.2);
  ck_assert_double_eq (profile.forward.ge_loss, 0.3);
  ck_assert_double_eq (profile.forward.duplicate, 0.4);
  ck_assert_double_eq (profile.forward.reorder, 0.5);
  ck_assert_uint_eq (profile.forward.reorder_delay, 7 * TFRC_MILLISECOND);
  ck_assert_uint_eq (profile.forward.repeat, 10 * TFRC_SECOND);
  ck_assert_uint_eq (profile.overhead, 28);
  ck_assert_uint_eq (profile.mtu, 1280);
  ck_assert_double_eq (profile.back.rate, 8000.0);
  ck_assert_uint_eq (profile.back.delay, 2 * TFRC_MILLISECOND);
  ck_assert_double_eq (profile.back.loss, 0.001);
  ck_assert (profile.back.ecn);
  ck_assert_uint_eq (profile.back.red.max, 0);
  ck_assert_double_eq (profile.back.red.share, 0.1);
}

END_TEST
START_TEST (what_is_not_given_does_not_limit)
{
  ck_assert (load ("delay_ms 25\n", 0));
  ck_assert_str_eq (profile.description, "");
  ck_assert (isinf (profile.forward.rate));
  ck_assert (isinf (profile.back.rate));
  ck_assert_uint_eq (profile.forward.queue_limit, TFRC_TIME_NONE);
  ck_assert_uint_eq (profile.forward.queue_limit_bytes, LINK_UNLIMITED_BYTES);
  ck_assert_uint_eq (profile.back.delay, 25 * TFRC_MILLISECOND);
  ck_assert_double_eq (profile.back.loss, 0.0);
}

END_TEST
/* 40 % of 60, of 20, and of the 60 s taken where the length is not known. */
START_TEST (a_schedule_fits_its_run)
{
  static const double run_seconds[] = { 60.0, 20.0, 0.0 };
  static const double starts[] = { 24.0, 8.0, 24.0 };
  unsigned i;

  for (i = 0; i < 3; i++) {
    ck_assert_msg (
        load ("rate_kbit_s 2000\nat 2.5 rate_kbit_s 1000\n"
              "at 40% rate_kbit_s 0\nat 40%+5 rate_kbit_s unlimited\n"
              "at 25% back_rate_kbit_s 8\n",
            run_seconds[i]),
        "%s", error);
    ck_assert_uint_eq (profile.forward.n_steps, 3);
    ck_assert_uint_eq (profile.forward.steps[0].at, 2500 * TFRC_MILLISECOND);
    ck_assert_double_eq (profile.forward.steps[0].rate, 125000.0);
    ck_assert_uint_eq (profile.forward.steps[1].at,
        (TfrcTime) starts[i] * TFRC_SECOND);
    ck_assert_double_eq (profile.forward.steps[1].rate, 0.0);
    ck_assert_uint_eq (profile.forward.steps[2].at,
        ((TfrcTime) starts[i] + 5) * TFRC_SECOND);
    ck_assert (isinf (profile.forward.steps[2].rate));
    ck_assert_uint_eq (profile.back.n_steps, 1);
    ck_assert_double_eq (profile.back.steps[0].rate, 1000.0);
  }
}

END_TEST static const struct
{
  const char *text;
  const char *message; /* behind the file's name */
} mistakes[] = {
  { "rate_kbits 5\n", ":1: rate_kbits: no such key" },
  { "# x\n\nback_overhead_bytes 5\n", ":3: back_overhead_bytes: no such key" },
  { "delay_ms\n", ":1: delay_ms: value missing" },
  { "delay_ms 5 6\n", ":1: delay_ms: one value only" },
  { "delay_ms 5\ndelay_ms 5\n", ":2: delay_ms: given twice" },
  { "delay_ms 5ms\n", ":1: delay_ms: '5ms' is no number" },
  { "delay_ms 0x10\n", ":1: delay_ms: '0x10' is no number" },
  { "delay_ms nan\n", ":1: delay_ms: 'nan' is no number" },
  { "delay_ms -1\n", ":1: delay_ms: -1 is not in 0 to 1e6 ms" },
  { "delay_ms unlimited\n", ":1: delay_ms: cannot be unlimited" },
  { "loss 1%\n", ":1: loss: '1%' is no number" },
  { "loss 1.01\n", ":1: loss: 1.01 is not in 0 to 1" },
  { "jitter_reorders 0.5\n", ":1: jitter_reorders: 0.5 is not in 0 or 1" },
  { "at\n", ":1: at: value missing" },
  { "at 5 rate_kbit_s\n", ":1: at: value missing" },
  { "at 5s rate_kbit_s 1\n", ":1: at: 5s: no time" },
  { "at -5 rate_kbit_s 1\n", ":1: at: -5: no time" },
  { "at 5%5 rate_kbit_s 1\n", ":1: at: 5%5: no time" },
  { "at 5 rate_kbit_s x\n", ":1: rate_kbit_s: 'x' is no number" },
  { "at 5 loss 0.1\n",
      ":1: at: loss: only rate_kbit_s and back_rate_kbit_s change with time" },
  { "at 5 rate_kbit_s 1\nat 4 rate_kbit_s 1\n",
      ":2: at: 4: earlier than the step before" },
  { "repeat_s 5\nat 5 rate_kbit_s 1\n",
      ":2: repeat_s: not after the last step" },
  { "red_min_ms 5\nred_max_ms 5\n", ":2: red_max_ms: not above red_min_ms" },
  { "ramp_min_ms 5\nramp_max_ms 4\n", ":2: ramp_max_ms: below ramp_min_ms" },
  { "back_ge_enter 0.5\n",
      ":1: back_ge_leave: 0, the bad state would never end" },
};

START_TEST (a_mistake_is_named)
{
  char expected[LINK_PROFILE_ERROR_SIZE];

  ck_assert (!load (mistakes[_i].text, 60.0));
  snprintf (expected, sizeof expected, "%s%s", path, mistakes[_i].message);
  ck_assert_str_eq (error, expected);
}

END_TEST
START_TEST (a_file_that_cannot_be_read_is_named)
{
  ck_assert (!link_profile_load (&profile, "/nonexistent/a.link", 60.0, error));
  ck_assert_str_eq (error, "/nonexistent/a.link: No such file or directory");
  ck_assert (!link_profile_load (&profile, "/tmp", 60.0, error));
  ck_assert_str_eq (error, "/tmp:0: Is a directory");
}

END_TEST
START_TEST (too_many_steps_and_too_long_lines_are_refused)
{
  char text[LINK_MAX_STEPS * 24 + 24];
  unsigned i;

  text[0] = '\0';
  for (i = 0; i <= LINK_MAX_STEPS; i++)
    sprintf (text + strlen (text), "at %u rate_kbit_s 1\n", i);
  ck_assert (!load (text, 60.0));
  ck_assert_ptr_nonnull (strstr (error, ":257: at: more than 256 steps"));
  memset (text, ' ', 600);
  text[600] = '\0';
  ck_assert (!load (text, 60.0));
  ck_assert_ptr_nonnull (strstr (error, ":1: line too long"));
}

END_TEST
/* By its own name beside the profile, or by its whole path. */
START_TEST (a_trace_is_found_beside_its_profile)
{
  char text[200];

  write_file (trace_path, "10\n20\n");
  snprintf (text, sizeof text, "trace %s\nback_trace %s\nqueue_bytes 300000\n",
      strrchr (trace_path, '/') + 1, trace_path);
  ck_assert_msg (load (text, 60.0), "%s", error);
  ck_assert_ptr_nonnull (profile.forward.trace);
  ck_assert_uint_eq (profile.forward.trace->n, 2);
  ck_assert_uint_eq (profile.back.trace->times[1], 20 * TFRC_MILLISECOND);
  ck_assert_ptr_ne (profile.forward.trace, profile.back.trace);

  ck_assert (!link_profile_change (&profile, "trace x", error));
  ck_assert_str_eq (error, "trace: not while it runs");
  ck_assert (link_profile_change (&profile, "delay_ms 5", error));
  ck_assert_ptr_nonnull (profile.forward.trace);
  ck_assert (link_profile_change (&profile, "rate_kbit_s 300", error));
  ck_assert_ptr_null (profile.forward.trace);
  ck_assert_ptr_nonnull (profile.back.trace);
}

END_TEST
START_TEST (a_mistake_in_a_trace_is_named)
{
  static const struct
  {
    const char *trace;
    const char *rest; /* of the profile */
    const char *message;
  } cases[] = {
    { "10\n9\n", "", ":1: trace: %s: line 2: earlier than the line before" },
    { "x\n", "", ":1: trace: %s: line 1: 'x' is no time in whole ms" },
    { "10\n", "rate_kbit_s 5\n", ":2: trace: not beside a rate" },
    { "10\n", "at 5 rate_kbit_s 5\n", ":2: trace: not beside a rate" },
    { "10\n", "trace y\n", ":2: trace: given twice" },
  };
  const char *name = strrchr (trace_path, '/') + 1;
  char text[200], expected[LINK_PROFILE_ERROR_SIZE];
  size_t i, length;

  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    write_file (trace_path, cases[i].trace);
    snprintf (text, sizeof text, "trace %s\n%s", name, cases[i].rest);
    ck_assert (!load (text, 60.0));
    length = (size_t) snprintf (expected, sizeof expected, "%s", path);
    snprintf (expected + length, sizeof expected - length, cases[i].message,
        name);
    ck_assert_str_eq (error, expected);
    ck_assert_ptr_null (profile.traces[0]);
  }
  ck_assert (!load ("back_trace none\n", 60.0));
  snprintf (expected, sizeof expected,
      "%s:1: back_trace: none: No such file or directory", path);
  ck_assert_str_eq (error, expected);
}

END_TEST
START_TEST (a_live_change_ends_the_schedule)
{
  ck_assert (load ("rate_kbit_s 2000\nat 5 rate_kbit_s 1000\n"
                   "at 5 back_rate_kbit_s 1000\n",
      60.0));
  ck_assert (link_profile_change (&profile, "loss 0.5\n", error));
  ck_assert_double_eq (profile.forward.loss, 0.5);
  ck_assert_uint_eq (profile.forward.n_steps, 1);
  ck_assert (link_profile_change (&profile, "rate_kbit_s 300", error));
  ck_assert_double_eq (profile.forward.rate, 37500.0);
  ck_assert_uint_eq (profile.forward.n_steps, 0);
  ck_assert_uint_eq (profile.back.n_steps, 1);

  ck_assert (!link_profile_change (&profile, "loss 2", error));
  ck_assert_str_eq (error, "loss: 2 is not in 0 to 1");
  ck_assert (!link_profile_change (&profile, "loss", error));
  ck_assert_str_eq (error, "'loss': expected KEY VALUE");
  ck_assert_double_eq (profile.forward.loss, 0.5);
}

END_TEST
/* The profiles of data/links are correct, described, and bounded: without a
 * bound of the queue a link would show delays for ever and losses never. */
START_TEST (the_profiles_in_the_tree_are_good)
{
  char folder[512], file[1024];
  struct dirent *entry;
  unsigned n = 0;
  DIR *dir;

  snprintf (folder, sizeof folder, "%s/data/links", getenv ("TFRC_SOURCE_DIR"));
  dir = opendir (folder);
  ck_assert_msg (dir != NULL, "%s", folder);
  while ((entry = readdir (dir)) != NULL) {
    if (strstr (entry->d_name, ".link") == NULL)
      continue;
    snprintf (file, sizeof file, "%s/%s", folder, entry->d_name);
    ck_assert_msg (link_profile_load (&profile, file, 60.0, error), "%s",
        error);
    ck_assert_msg (strlen (profile.description) > 10, "%s", file);
    ck_assert_msg (isfinite (profile.forward.rate)
            || profile.forward.trace != NULL,
        "%s", file);
    ck_assert_msg (profile.forward.queue_limit != TFRC_TIME_NONE
            || profile.forward.queue_limit_bytes != LINK_UNLIMITED_BYTES,
        "%s", file);
    link_profile_clear (&profile);
    n++;
  }
  closedir (dir);
  ck_assert_uint_ge (n, 11);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("link-profile");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, every_key_is_read);
  tcase_add_test (tcase, what_is_not_given_does_not_limit);
  tcase_add_test (tcase, a_schedule_fits_its_run);
  tcase_add_loop_test (tcase, a_mistake_is_named, 0,
      sizeof mistakes / sizeof mistakes[0]);
  tcase_add_test (tcase, a_file_that_cannot_be_read_is_named);
  tcase_add_test (tcase, too_many_steps_and_too_long_lines_are_refused);
  tcase_add_test (tcase, a_trace_is_found_beside_its_profile);
  tcase_add_test (tcase, a_mistake_in_a_trace_is_named);
  tcase_add_test (tcase, a_live_change_ends_the_schedule);
  tcase_add_test (tcase, the_profiles_in_the_tree_are_good);
  return run_check_suite (suite);
}
