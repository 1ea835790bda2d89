/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How programs that run a bad link in real time refuse their options. */
#pragma once

#define EXIT_USAGE 2

/* Ends the program with EXIT_USAGE and a line on stderr: its name, and `format`
 * with the one word `what`. */
void command_line_refuse (const char *format, const char *what)
    __attribute__ ((noreturn));

/* The value of `option`, from 0 to `max`; refuses anything else. */
double command_line_parse_number (const char *option, const char *text,
    double max);
