/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detects that a report is overdue: a packet has been in flight for longer than on
 * a path that works, or, if reports are made at the end of frames, the packet that
 * ended a frame has been.  Then next to nothing is sent, at ever longer intervals,
 * until a report arrives: whatever a stalled path has to deliver later is a queue.
 * RFC 5348's nofeedback timer halves X only after 4 R, and is restarted by every
 * report of a packet that trickles through.
 *
 * If the report that ends such a silence shows that packets kept arriving, it was
 * the reverse path that stalled; later reports are then given more time.  Instants
 * and durations [ns]. */
#pragma once

#include <stdbool.h>

#include "base/units.h"

#define TFRC_WATCH_FRAMES 16

typedef struct
{
  /* When the oldest unreported packet was sent, or with by_frames the oldest
   * unreported end of a frame; TFRC_TIME_NONE if there is none. */
  TfrcTime oldest_at;
  /* When its report is overdue, or the next packet may be sent; or TFRC_TIME_NONE. */
  TfrcTime overdue_at;
  TfrcTime reported_at; /* arrival of the newest report */
  bool overdue;
  double timeout_factor; /* of the time that reports are given, at least 1 */
  bool by_frames;        /* reports are made at the end of frames */
  /* Ring of the times at which the packets that ended frames were sent. */
  TfrcTime ends[TFRC_WATCH_FRAMES];
  uint32_t n_ends; /* ever added */
} TfrcReportWatch;

void tfrc_report_watch_init (TfrcReportWatch *self);

/* A packet is sent.  `due`: time within which it is reported on a path that works. */
void tfrc_report_watch_on_sent (TfrcReportWatch *self, TfrcDuration due,
    TfrcTime now);

/* The last packet was the end of a frame; `due` as above. */
void tfrc_report_watch_on_frame_end (TfrcReportWatch *self, TfrcDuration due,
    TfrcTime now);

/* The newest packet reported was sent at `newest_at`. */
void tfrc_report_watch_on_newest (TfrcReportWatch *self, TfrcTime newest_at);

/* A report has arrived, after that call.  `oldest_at`: when the first packet that
 * it does not cover was sent, or TFRC_TIME_NONE; `grace`: least time until the next
 * report is overdue; `arrived`: about as many packets as usual arrived since the
 * previous report. */
void tfrc_report_watch_on_report (TfrcReportWatch *self, TfrcTime oldest_at,
    TfrcDuration due, TfrcDuration grace, bool arrived, TfrcTime now);

/* To be called at overdue_at. */
void tfrc_report_watch_on_deadline (TfrcReportWatch *self, TfrcTime now);

/* Rate limit for packets of `size` bytes; INFINITY: none. */
TfrcRate tfrc_report_watch_get_limit (const TfrcReportWatch *self, double size,
    TfrcTime now);
