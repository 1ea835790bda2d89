/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See the header. */
#define _GNU_SOURCE /* ppoll */
#include "real-time.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <time.h>

static volatile sig_atomic_t is_over;
static sigset_t unblocked;

static struct timespec
timespec_until (TfrcTime at)
{
  TfrcDuration left = tfrc_time_since (real_time_now (), at);
  struct timespec timeout = { .tv_sec = (time_t) (left / TFRC_SECOND),
    .tv_nsec = (long) (left % TFRC_SECOND) };

  return timeout;
}

static void
on_signal (int number)
{
  is_over = 1;
}

TfrcTime
real_time_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (TfrcTime) now.tv_sec * TFRC_SECOND + (TfrcTime) now.tv_nsec;
}

void
real_time_prepare (void)
{
  struct sigaction action = { .sa_handler = on_signal };
  sigset_t blocked;

  sigemptyset (&blocked);
  sigaddset (&blocked, SIGTERM);
  sigaddset (&blocked, SIGINT);
  sigprocmask (SIG_BLOCK, &blocked, &unblocked);
  sigaction (SIGTERM, &action, NULL);
  sigaction (SIGINT, &action, NULL);
  signal (SIGPIPE, SIG_IGN);
  /* The default is to be late by up to 50 us. */
  prctl (PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

bool
real_time_is_over (void)
{
  return is_over != 0;
}

bool
real_time_wait (TfrcTime earliest, TfrcTime deadline, struct pollfd *fds,
    nfds_t n_fds)
{
  struct timespec pause = timespec_until (earliest);
  struct timespec timeout;

  nanosleep (&pause, NULL);
  timeout = timespec_until (deadline);
  return ppoll (fds, n_fds, &timeout, &unblocked) >= 0;
}
