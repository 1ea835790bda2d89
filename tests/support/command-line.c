/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See the header. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "command-line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void
command_line_refuse (const char *format, const char *what)
{
  fprintf (stderr, "%s: ", program_invocation_short_name);
  fprintf (stderr, format, what);
  fputc ('\n', stderr);
  exit (EXIT_USAGE);
}

double
command_line_parse_number (const char *option, const char *text, double max)
{
  char *end;
  double number = strtod (text, &end);

  if (end == text || *end != '\0' || !(number >= 0.0 && number <= max)) {
    fprintf (stderr, "%s: %s: '%s' is no number\n",
        program_invocation_short_name, option, text);
    exit (EXIT_USAGE);
  }
  return number;
}
