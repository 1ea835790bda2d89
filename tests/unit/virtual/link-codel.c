/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CoDel of 5 and 100 ms (RFC 8289 section 4.4), of a packet each 10 ms. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "link-codel.h"

static const LinkCodelConfig config = { 5 * MS, 100 * MS };

/* When packets that wait for `wait` are dropped, the first n of them [ms]. */
static void
find_drops (TfrcDuration wait, unsigned drops_ms[], unsigned n)
{
  LinkCodel codel = { .count = 0 };
  unsigned found = 0;

  for (unsigned i = 0; i < 1000 && found < n; i++)
    if (link_codel_drops (&codel, &config, wait, (i + 1) * 10 * MS))
      drops_ms[found++] = (i + 1) * 10;
  while (found < n)
    drops_ms[found++] = 0;
}

START_TEST (a_short_queue_loses_nothing)
{
  unsigned drops_ms[1];

  find_drops (5 * MS - 1, drops_ms, 1);
  ck_assert_uint_eq (drops_ms[0], 0);
}

END_TEST
/* The first one when the wait has been too long for an interval; the next ones 100,
 * 100 / sqrt (2) and 100 / sqrt (3) ms later: 110, 210, 281 and 339. */
START_TEST (a_long_queue_loses_more_and_more)
{
  unsigned drops_ms[4];

  find_drops (5 * MS, drops_ms, 4);
  ck_assert_uint_eq (drops_ms[0], 110);
  ck_assert_uint_eq (drops_ms[1], 210);
  ck_assert_uint_eq (drops_ms[2], 290);
  ck_assert_uint_eq (drops_ms[3], 340);
}

END_TEST
/* One short wait is enough, and the interval begins anew. */
START_TEST (a_queue_that_was_short_once_begins_anew)
{
  LinkCodel codel = { .count = 0 };

  for (unsigned i = 1; i <= 10; i++)
    ck_assert (!link_codel_drops (&codel, &config, 5 * MS, i * 10 * MS));
  ck_assert (!link_codel_drops (&codel, &config, 0, 110 * MS));
  for (unsigned i = 12; i < 22; i++)
    ck_assert (!link_codel_drops (&codel, &config, 5 * MS, i * 10 * MS));
  ck_assert (link_codel_drops (&codel, &config, 5 * MS, 220 * MS));
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("link-codel");
  TCase *tc = tcase_create ("general");

  tcase_add_test (tc, a_short_queue_loses_nothing);
  tcase_add_test (tc, a_long_queue_loses_more_and_more);
  tcase_add_test (tc, a_queue_that_was_short_once_begins_anew);
  suite_add_tcase (suite, tc);
  return run_check_suite (suite);
}
