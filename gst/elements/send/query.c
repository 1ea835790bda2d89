/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps without our header extension; latency with our queue. */

#include "send/query.h"

#include "send/stamper.h"

gboolean
tfrc_send_query_sink (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *caps, *allowed;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      /* Payloaders are not to make an extension of ours. */
      if (!gst_pad_query_default (pad, parent, query))
        return FALSE;
      gst_query_parse_caps_result (query, &caps);
      caps = tfrc_stamper_strip_caps (gst_caps_copy (caps));
      gst_query_set_caps_result (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      gst_query_parse_accept_caps (query, &caps);
      allowed = gst_pad_query_caps (pad, NULL);
      gst_query_set_accept_caps_result (query,
          gst_caps_can_intersect (caps, allowed));
      gst_caps_unref (allowed);
      return TRUE;
    default:
      /* Nobody waits for the queue to empty, and memory needs no allocator. */
      if (GST_QUERY_IS_SERIALIZED (query))
        return FALSE;
      return gst_pad_query_default (pad, parent, query);
  }
}

gboolean
tfrc_send_query_latency (GstPad *sinkpad, GstClockTime queue_time,
    GstQuery *query)
{
  GstClockTime min, max;
  gboolean live;

  if (!gst_pad_peer_query (sinkpad, query))
    return FALSE;
  /* A packet may leave at once, or after all of the queue's time. */
  gst_query_parse_latency (query, &live, &min, &max);
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += queue_time;
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}
