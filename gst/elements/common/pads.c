/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adds pads and joins them. */

#include "common/pads.h"

static GstIterator *iterate_partner (GstPad *pad, GstObject *parent);

GstPad *
tfrc_pads_add (GstElement *element, GstStaticPadTemplate *template)
{
  GstPad *pad = gst_pad_new_from_static_template (template,
      template->name_template);

  gst_pad_set_iterate_internal_links_function (pad, iterate_partner);
  gst_element_add_pad (element, pad);
  return pad;
}

void
tfrc_pads_join (GstPad *sink, GstPad *src)
{
  gst_pad_set_element_private (sink, src);
  gst_pad_set_element_private (src, sink);
}

static GstIterator *
iterate_partner (GstPad *pad, GstObject *parent)
{
  GstPad *partner = gst_pad_get_element_private (pad);
  GValue value = G_VALUE_INIT;
  GstIterator *iterator;

  if (!partner)
    return NULL;
  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, partner);
  iterator = gst_iterator_new_single (GST_TYPE_PAD, &value);
  g_value_unset (&value);
  return iterator;
}
