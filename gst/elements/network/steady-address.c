/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replaces the address of packets that come from where the sender is. */

#include "network/steady-address.h"

#include <gst/net/net.h>

#include "common/packet-probe.h"
#include "receive/source-address.h"

struct _TfrcSteadyAddress
{
  GstRtpTfrcReceive *receive;
  GstPad *sinkpad;
  gulong probe;
  GSocketAddress *shown; /* the sender's first; of the streaming thread */
};

static GstPadProbeReturn on_rtp (GstPad *pad, GstPadProbeInfo *info,
    gpointer user_data);

TfrcSteadyAddress *
tfrc_steady_address_new (GstRtpTfrcReceive *receive, GstPad *sinkpad)
{
  TfrcSteadyAddress *self = g_new0 (TfrcSteadyAddress, 1);

  self->receive = receive;
  self->sinkpad = gst_object_ref (sinkpad);
  self->probe = tfrc_packet_probe_add (sinkpad, on_rtp, self, NULL);
  return self;
}

void
tfrc_steady_address_free (TfrcSteadyAddress *self)
{
  if (!self)
    return;
  gst_pad_remove_probe (self->sinkpad, self->probe);
  gst_object_unref (self->sinkpad);
  g_clear_object (&self->shown);
  g_free (self);
}

static GstPadProbeReturn
on_rtp (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcSteadyAddress *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  GSocketAddress *source =
      gst_rtp_tfrc_receive_get_source_address (self->receive);

  if (meta && source && tfrc_source_address_equal (meta->addr, source)) {
    if (!self->shown)
      self->shown = g_object_ref (source);
    if (!tfrc_source_address_equal (source, self->shown)) {
      info->data = buffer = gst_buffer_make_writable (buffer);
      meta = gst_buffer_get_net_address_meta (buffer);
      g_set_object (&meta->addr, self->shown);
    }
  }
  g_clear_object (&source);
  return GST_PAD_PROBE_OK;
}
