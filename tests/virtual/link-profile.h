/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Link profiles: text files that describe both directions of a link.
 *
 *   # What kind of link this is: the first comment line is its description.
 *   rate_kbit_s 2000            # the rest of a line behind # is a comment
 *   delay_ms 25
 *   queue_ms 100
 *   at 40% rate_kbit_s 500
 *
 * One `key value` per line; the unit is in the key.  docs/demo.md has all keys and their
 * defaults.
 *
 * `at TIME rate_kbit_s N` (or back_rate_kbit_s) is a step of the schedule, in
 * order of time.  TIME is seconds since the start of the run (`at 20`), a share
 * of its length (`at 40%`), or both (`at 40%+5`: 5 s after that).  Shares fit
 * a schedule to runs of any length, sums keep the length of an outage. */
#pragma once

#include "link-model.h"

/* What shares of the run refer to when nobody knows how long it will be. */
#define LINK_PROFILE_SECONDS 60.0
#define LINK_PROFILE_ERROR_SIZE 256

typedef struct
{
  char description[160];
  LinkConfig forward;
  LinkConfig back;
  size_t overhead;      /* [bytes] per packet */
  size_t mtu;           /* [bytes]; 0: no bound */
  LinkTrace *traces[2]; /* of both, or NULL; models refer to them */
} LinkProfile;

/* `run_seconds` <= 0: not known.  False: `error` says file, line, key, why, and
 * there is nothing to clear. */
bool link_profile_load (LinkProfile *self, const char *path, double run_seconds,
    char error[LINK_PROFILE_ERROR_SIZE]);

void link_profile_clear (LinkProfile *self);

/* One `key value` line at run time, no `at` and no `trace`.  A new rate ends the
 * schedule or the trace of its direction. */
bool link_profile_change (LinkProfile *self, const char *line,
    char error[LINK_PROFILE_ERROR_SIZE]);
