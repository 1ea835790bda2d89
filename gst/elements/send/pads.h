/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The four pads of rtptfrcsend: their templates, and which of them belong
 * together.  What happens at them is the element's business. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

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

G_END_DECLS
