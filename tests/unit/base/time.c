/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether two timestamps are of the same clock. */
#include <check.h>

#include "base/units.h"
#include "check-suite.h"

#define JITTER (2 * S)

/* 5 s pass here; the remote clock wraps meanwhile, or is half way. */
static const struct
{
  int64_t ahead_us;
  bool agrees;
} clocks[] = {
  { 0, true },
  { 2000000, true },
  { -2000000, true },
  { 2000001, false },
  { -2000001, false },
  { 0x7FFFFFFF, false },
  { 0x80000000, false },
};

START_TEST (timestamps_of_one_clock_advance_as_ours)
{
  static const uint32_t starts[] = { 0, 123456789, 0x7FFFFF00, 0xFFFFFF00 };

  for (unsigned i = 0; i < sizeof starts / sizeof starts[0]; i++)
    ck_assert (tfrc_clock_agrees (starts[i], 100 * S,
                   starts[i] + 5000000 + (uint32_t) clocks[_i].ahead_us,
                   105 * S, JITTER)
        == clocks[_i].agrees);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-time");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, timestamps_of_one_clock_advance_as_ours, 0,
      sizeof clocks / sizeof clocks[0]);
  return run_check_suite (suite);
}
