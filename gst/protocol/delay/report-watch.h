/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a report is overdue: a packet is under way for longer than a path that does
 * not stand lets it be; or, where the newest report ended with the end of a frame, as
 * those do that are made once a frame, the end of its frame is.  Then next to nothing
 * is sent, in ever longer intervals, until one comes: what a path that stands would
 * have to let through later is a queue.
 * RFC 5348's nofeedback timer halves X after 4 R, and each packet that trickles
 * through sets it up again.
 *
 * Where the report that ends such a silence shows that packets arrived all the while,
 * it was the way back that stood; then later reports have more time.  Instants and
 * durations [ns]. */
#pragma once

#include <stdbool.h>

#include "base/units.h"

#define TFRC_WATCH_FRAMES 16

typedef struct
{
  /* Sent, of what no report has told of: of ends of frames with by_frames; NONE: there
   * is none. */
  TfrcTime oldest_at;
  TfrcTime overdue_at;  /* its report, or that of the next packet; or NONE */
  TfrcTime reported_at; /* newest report */
  bool overdue;
  double patience; /* 1, or more */
  bool by_frames;  /* reports are made at ends of frames, ... */
  TfrcTime ends[TFRC_WATCH_FRAMES]; /* ... sent then; a ring */
  uint32_t n_ends;                  /* ever */
} TfrcReportWatch;

void tfrc_report_watch_init (TfrcReportWatch *self);

/* A packet leaves.  `due`: within which a path that does not stand has it reported. */
void tfrc_report_watch_on_sent (TfrcReportWatch *self, TfrcDuration due,
    TfrcTime now);

/* The packet that left last ends a frame; `due` as above. */
void tfrc_report_watch_on_frame_end (TfrcReportWatch *self, TfrcDuration due,
    TfrcTime now);

/* The newest packet that was reported was sent `newest_at`. */
void tfrc_report_watch_on_newest (TfrcReportWatch *self, TfrcTime newest_at);

/* A report has come, behind that.  `oldest_at`: when the first packet was sent that it
 * does not tell of, or TFRC_TIME_NONE; `grace`: for the next report at least; `arrived`:
 * packets arrived since the one before as usual. */
void tfrc_report_watch_on_report (TfrcReportWatch *self, TfrcTime oldest_at,
    TfrcDuration due, TfrcDuration grace, bool arrived, TfrcTime now);

/* At overdue_at. */
void tfrc_report_watch_on_deadline (TfrcReportWatch *self, TfrcTime now);

/* What may be sent in packets of `size` bytes; INFINITY: no bound. */
TfrcRate tfrc_report_watch_get_limit (const TfrcReportWatch *self, double size,
    TfrcTime now);
