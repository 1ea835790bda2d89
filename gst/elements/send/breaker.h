/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The circuit breakers of RFC 8083 in the sender: which of what comes in
 * counts, whether they are wanted at all, and what an application hears of
 * them.  No lock. */
#pragma once

#include <gst/gst.h>

#include "rtp/circuit-breaker.h"
#include "send/feedback-filter.h"

/* The breaker tripped, or closed again. */
typedef struct
{
  gboolean tripped;
  TfrcRate rate_limit; /* when it trips: what may leave; 0 = probes */
  const gchar *reason; /* static: of the trip, also when it closes */
  guint32 ssrc;        /* that the trip was about; 0 = all */
  TfrcDuration ceased; /* when it closes */
} TfrcSendBreakerNews;

typedef struct
{
  RtpCircuitBreaker breaker;
  gboolean enabled; /* else it stays closed */
  RtpCircuitBreakerState told;
  guint32 told_ssrc;
  TfrcTime told_at;    /* of the trip that was told */
  TfrcDuration ceased; /* of the trips that are over */
} TfrcSendBreaker;

/* A new flow. */
void tfrc_send_breaker_start (TfrcSendBreaker *self);

/* Closed again, as the path that tripped it is left; counters stay. */
void tfrc_send_breaker_begin_path (TfrcSendBreaker *self);

/* A change of either begins anew, closed.  `group`: the flow is TFMCC's. */
void tfrc_send_breaker_configure (TfrcSendBreaker *self, gboolean enabled,
    gboolean group);

/* More than probes may leave. */
gboolean tfrc_send_breaker_lets_pass (const TfrcSendBreaker *self);

void tfrc_send_breaker_on_sent (TfrcSendBreaker *self, guint32 ssrc,
    guint32 timestamp, guint size, TfrcTime now);

/* The protocol accepted feedback or a report: a recent packet arrived. */
void tfrc_send_breaker_on_feedback (TfrcSendBreaker *self, TfrcTime now);

/* Whatever came in, the report blocks of it; `rtt` 0 = not known. */
void tfrc_send_breaker_on_rtcp (TfrcSendBreaker *self,
    const TfrcFeedbackFilterResult *result, TfrcDuration rtt, TfrcTime now);

/* At once while there are news. */
TfrcTime tfrc_send_breaker_next_deadline (const TfrcSendBreaker *self);

gboolean tfrc_send_breaker_poll_news (TfrcSendBreaker *self,
    TfrcSendBreakerNews *news, TfrcTime now);

/* Posts "rtp-circuit-breaker". */
void tfrc_send_breaker_news_post (const TfrcSendBreakerNews *self,
    GstElement *element);

void tfrc_send_breaker_set_stats (const TfrcSendBreaker *self,
    GstStructure *stats, TfrcTime now);
