/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The three pads of rtptfrcreceive: their templates, which of them belong
 * together, and the latency of reports.  What happens at them is the element's
 * business. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstPad *sink;
  GstPad *src;
  GstPad *rtcp_src;
} TfrcReceivePads;

/* Adds the templates to an element class. */
void tfrc_receive_pads_install (GstElementClass *klass);

/* Adds the pads to an element, which owns them. */
void tfrc_receive_pads_init (TfrcReceivePads *self, GstElement *element);

G_END_DECLS
