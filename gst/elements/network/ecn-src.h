/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A live source of datagrams with their ECN bits, which udpsrc does not hand
 * on: what tfrcsrc takes in its place when ECN is wanted.
 *
 * Each buffer is a datagram, with running time, GstNetAddressMeta and, in
 * GstNetControlMessageMeta, a TfrcEcnMessage.  It binds no socket, joins no
 * group and has no timeout: the socket's owner does what is needed.  Not an
 * element that others can make: it has no factory. */
#pragma once

#include <gio/gio.h>
#include <gst/base/gstpushsrc.h>

#define GST_TYPE_TFRC_ECN_SRC (gst_tfrc_ecn_src_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcEcnSrc, gst_tfrc_ecn_src, GST, TFRC_ECN_SRC,
    GstPushSrc)

/* Refers to both; the socket is not closed. */
GstElement *gst_tfrc_ecn_src_new (GSocket *socket, GstCaps *caps);

/* Before it runs: an element message "GstUDPSrcTimeout" comes after each such
 * time [ns] without a datagram; 0 = never. */
void gst_tfrc_ecn_src_set_timeout (GstTfrcEcnSrc *self, GstClockTime timeout);
