/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the main function of every program of libcheck ends with. */
#pragma once

#include <check.h>
#include <stdlib.h>

#include "units.h"

/* Runs and frees `suite`.  Returns the program's exit status. */
static inline int
run_check_suite (Suite *suite)
{
  SRunner *runner = srunner_create (suite);
  int n_failed;

  srunner_run_all (runner, CK_ENV);
  n_failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
