/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A pad probe that no packet passes by: each meets it once, whether it comes
 * alone or in a list.  A list goes on as its packets, one after the other, so
 * that what is done with one holds for that one alone; GStreamer does the same
 * in front of an element that takes no lists.  The flow of the first packet
 * that is not OK ends the list and is the list's. */
#pragma once

#include <gst/gst.h>

/* `on_packet` gets a buffer, and may do and return what the callback of a probe
 * for GST_PAD_PROBE_TYPE_BUFFER may.  The id is that of the probe. */
gulong tfrc_packet_probe_add (GstPad *pad, GstPadProbeCallback on_packet,
    gpointer user_data, GDestroyNotify notify);
