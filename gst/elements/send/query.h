/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rtptfrcsend answers to queries at its RTP pads. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* At the sink pad; a GstPadQueryFunction. */
gboolean tfrc_send_query_sink (GstPad *pad, GstObject *parent, GstQuery *query);

/* The latency at the source pad, with packets that wait `queue_time` at most. */
gboolean tfrc_send_query_latency (GstPad *sinkpad, GstClockTime queue_time,
    GstQuery *query);

G_END_DECLS
