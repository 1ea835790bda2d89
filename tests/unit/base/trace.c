/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The column table of traces. */
#include <check.h>
#include <string.h>

#include "base/trace.h"
#include "check-suite.h"

static const TfrcTraceColumn *columns;
static size_t n_columns;

static const TfrcTraceColumn *
find (const char *name)
{
  for (size_t i = 0; i < n_columns; i++) {
    if (strcmp (columns[i].name, name) == 0)
      return &columns[i];
  }
  ck_abort_msg ("no column %s", name);
  return NULL;
}

START_TEST (every_field_has_one_column)
{
  bool seen[sizeof (TfrcTrace) / 8] = { false };

  columns = tfrc_trace_get_columns (&n_columns);
  /* All fields have 8 bytes, so there must be as many columns as fields. */
  ck_assert_uint_eq (n_columns, sizeof (TfrcTrace) / 8);
  for (size_t i = 0; i < n_columns; i++) {
    ck_assert_uint_eq (columns[i].offset % 8, 0);
    ck_assert_uint_lt (columns[i].offset, sizeof (TfrcTrace));
    ck_assert (!seen[columns[i].offset / 8]);
    seen[columns[i].offset / 8] = true;
  }
}

END_TEST
START_TEST (names_are_unique_and_kebab_case)
{
  columns = tfrc_trace_get_columns (&n_columns);
  for (size_t i = 0; i < n_columns; i++) {
    const char *name = columns[i].name;

    ck_assert_uint_eq (strspn (name, "abcdefghijklmnopqrstuvwxyz-"),
        strlen (name));
    ck_assert_ptr_eq (find (name), &columns[i]);
    ck_assert_ptr_nonnull (columns[i].unit);
    ck_assert_uint_gt (strlen (columns[i].description), 10);
    ck_assert_uint_ne (columns[i].sides, 0);
    ck_assert_uint_eq (columns[i].sides
            & ~(unsigned) (TFRC_TRACE_SENDER | TFRC_TRACE_RECEIVER),
        0);
    /* Instants and durations have their unit in the name. */
    if (strcmp (columns[i].unit, "ns") == 0)
      ck_assert_str_eq (name + strlen (name) - 3, "-ns");
  }
}

END_TEST
#define CHECK_COLUMN(name, field, number) \
  do { \
    TfrcTrace one = { 0 }; \
    one.field = number; \
    ck_assert_double_eq (tfrc_trace_get_value (&one, find (name)), number); \
    ck_assert_int_eq (find (name)->type, \
        _Generic (one.field, \
            double: TFRC_TRACE_DOUBLE, \
            uint64_t: TFRC_TRACE_UINT64)); \
    n_checked++; \
  } while (0)
START_TEST (every_column_reads_its_field)
{
  size_t n_checked = 0;

  columns = tfrc_trace_get_columns (&n_columns);
  CHECK_COLUMN ("time-ns", at, 1);
  CHECK_COLUMN ("allowed-rate", allowed_rate, 2.5);
  CHECK_COLUMN ("instant-rate", instant_rate, 3.5);
  CHECK_COLUMN ("equation-rate", equation_rate, 4.5);
  CHECK_COLUMN ("receive-limit", receive_limit, 5.5);
  CHECK_COLUMN ("receive-rate", receive_rate, 6.5);
  CHECK_COLUMN ("loss-event-rate", loss_event_rate, 0.25);
  CHECK_COLUMN ("rtt-ns", rtt, 9);
  CHECK_COLUMN ("rtt-sample-ns", rtt_sample, 10);
  CHECK_COLUMN ("rto-ns", rto, 11);
  CHECK_COLUMN ("segment-size", segment_size, 12.5);
  CHECK_COLUMN ("state", state, 3);
  CHECK_COLUMN ("data-limited", data_limited, 1);
  CHECK_COLUMN ("discount", discount, 0.5);
  CHECK_COLUMN ("packets", packets, 16);
  CHECK_COLUMN ("bytes", bytes, 17);
  CHECK_COLUMN ("packets-lost", packets_lost, 18);
  CHECK_COLUMN ("packets-marked", packets_marked, 19);
  CHECK_COLUMN ("packets-duplicate", packets_duplicate, 20);
  CHECK_COLUMN ("packets-late", packets_late, 21);
  CHECK_COLUMN ("packets-unproven", packets_unproven, 22);
  CHECK_COLUMN ("packets-unstamped", packets_without_extension, 23);
  CHECK_COLUMN ("loss-events", loss_events, 24);
  CHECK_COLUMN ("sender-restarts", sender_restarts, 25);
  CHECK_COLUMN ("stream-resets", stream_resets, 26);
  CHECK_COLUMN ("feedback", feedback, 27);
  CHECK_COLUMN ("feedback-stale", feedback_stale, 28);
  CHECK_COLUMN ("feedback-invalid", feedback_invalid, 29);
  CHECK_COLUMN ("feedback-clamped", feedback_clamped, 30);
  CHECK_COLUMN ("nofeedback-expiries", nofeedback_expiries, 33);
  CHECK_COLUMN ("send-limit", send_limit, 34.5);
  CHECK_COLUMN ("queue-delay-ns", queue_delay, 35);
  CHECK_COLUMN ("queue-target-ns", queue_target, 36);
  CHECK_COLUMN ("base-rtt-ns", base_rtt, 37);
  CHECK_COLUMN ("delay-state", delay_state, 4);
  CHECK_COLUMN ("delay-reports", delay_reports, 39);
  CHECK_COLUMN ("delay-drains", delay_drains, 40);
  CHECK_COLUMN ("delay-probes", delay_probes, 41);
  CHECK_COLUMN ("delay-competitions", delay_competitions, 42);
  CHECK_COLUMN ("delay-clock-steps", delay_clock_steps, 44);
  CHECK_COLUMN ("delay-impossible", delay_impossible, 45);
  CHECK_COLUMN ("delay-mark-cuts", delay_mark_cuts, 46);
  ck_assert_uint_eq (n_checked, n_columns);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-trace");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, every_field_has_one_column);
  tcase_add_test (tcase, names_are_unique_and_kebab_case);
  tcase_add_test (tcase, every_column_reads_its_field);
  return run_check_suite (suite);
}
