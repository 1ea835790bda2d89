/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gst/gst.h>

#include "receive/gstrtptfrcreceive.h"
#include "send/gstrtptfrcsend.h"
#include "bins/gsttfrcladdersrc.h"
#include "bins/bin.h"
#include "encoder/gsttfrcvideoscale.h"

/* tracer.c */
GType tfrc_tracer_get_type (void);

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean registered = TRUE;

  registered &= GST_ELEMENT_REGISTER (rtptfrcreceive, plugin);
  registered &= GST_ELEMENT_REGISTER (rtptfrcsend, plugin);
  registered &= GST_ELEMENT_REGISTER (tfrcladdersrc, plugin);
  registered &= GST_ELEMENT_REGISTER (tfrcsink, plugin);
  registered &= GST_ELEMENT_REGISTER (tfrcsrc, plugin);
  registered &= GST_ELEMENT_REGISTER (tfrcvideoscale, plugin);
  registered &= gst_tracer_register (plugin, "tfrc", tfrc_tracer_get_type ());
  return registered;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, tfrc,
    "Congestion-controlled RTP: TFRC (RFC 5348), TFMCC (RFC 4654)", plugin_init,
    VERSION, "LGPL", PACKAGE_NAME, PACKAGE_ORIGIN)
