/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Link profiles: text files that describe both directions of a link.
 *
 *   # What kind of link this is: the first comment line is its description.
 *   rate_kbit_s 2000            # the rest of a line behind # is a comment
 *   delay_ms 25
 *   queue_ms 100
 *   at 40% rate_kbit_s 500
 *
 * One `key value` per line; the unit is in the key:
 *   rate_kbit_s     capacity in 1000 bit/s; 0 = outage; default unlimited
 *   trace           instead of rate_kbit_s, a file of delivery opportunities
 *                   (link-trace.h), relative to the profile
 *   queue_ms        longest wait in the queue, at the rate of the moment;
 *   queue_bytes     ... most bytes in it, and
 *   queue_packets   ... most packets; all three default to unlimited
 *   red_min_ms red_max_ms   RED (link-red.h) by the average wait; no RED unless
 *                   the second is given
 *   red_share red_weight    its max_p and w_q; default 0.1 and 0.002
 *   ecn             0 or 1: RED marks the packets that say they know ECN
 *   ramp_min_ms ramp_max_ms   these are marked by their wait, from none to all
 *                   (link-model.h); not unless the second is given
 *   delay_ms        propagation, one way
 *   jitter_ms       uniform, added to the delay; jitter_reorders 0 or 1
 *   loss            probability that a packet is lost (in the good state)
 *   ge_enter ge_leave ge_loss   Gilbert-Elliott: probabilities per packet to
 *                   enter and leave the bad state, and of loss in it
 *   duplicate       probability that a packet arrives twice
 *   reorder         probability that one is held for reorder_delay_ms longer
 *   overhead_bytes  added to each datagram's payload (both directions)
 *   mtu_bytes       largest IP packet that a router sends over the link; a
 *                   relay of datagrams has none; default 0, all
 *   repeat_s        the schedule starts over after so many seconds
 * The same keys behind `back_` (but for overhead_bytes and mtu_bytes) are the
 * way back. That one has no bound and loses nothing unless told; its delay is
 * delay_ms unless back_delay_ms is given.
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
