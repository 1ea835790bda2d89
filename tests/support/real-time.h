/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Clock, waiting and the end of programs that run simulated links in real
 * time.  One thread only. */
#pragma once

#include <poll.h>
#include <stdbool.h>

#include "base/units.h"

/* CLOCK_MONOTONIC [ns]. */
TfrcTime real_time_now (void);

/* From now on SIGTERM and SIGINT arrive inside real_time_wait only, so that
 * none is missed, and waits end within microseconds. */
void real_time_prepare (void);

/* Did one of them arrive? */
bool real_time_is_over (void);

/* Until `deadline` or until a descriptor has something, but not before
 * `earliest`; false for a signal. */
bool real_time_wait (TfrcTime earliest, TfrcTime deadline, struct pollfd *fds,
    nfds_t n_fds);
