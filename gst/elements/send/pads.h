/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pads of rtptfrcsend: their templates, which of them belong together,
 * and what they answer to queries.  What goes through them is the element's
 * business. */
#pragma once

#include <gst/gst.h>

typedef struct
{
  GstPad *sink;
  GstPad *src;
  GstPad *rtcp_sink;
  GstPad *rtcp_src;
} TfrcSendPads;

/* Adds the templates to an element class. */
void tfrc_send_pads_install (GstElementClass *klass);

/* Adds the pads to an element, which owns them. */
void tfrc_send_pads_init (TfrcSendPads *self, GstElement *element);

/* Makes one more pad for packets, which is not added yet. */
GstPad *tfrc_send_pads_make_sink (const TfrcSendPads *self,
    GstPadTemplate *template, const gchar *name);

/* The latency at the source pad, with packets that wait `queue_time` at most. */
gboolean tfrc_send_pads_query_latency (const TfrcSendPads *self,
    GstClockTime queue_time, GstQuery *query);
