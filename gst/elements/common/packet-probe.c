/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Takes lists apart at the pad, where the packets meet the probe again. */

#include "common/packet-probe.h"

typedef struct
{
  GstPadProbeCallback on_packet;
  gpointer user_data;
  GDestroyNotify notify;
} PacketProbe;

typedef struct
{
  GstPad *pad;
  GstFlowReturn flow; /* of the last packet */
} Passage;

static gboolean
pass_on (GstBuffer **buffer, guint index, gpointer user_data)
{
  Passage *passage = user_data;
  GstBuffer *taken = g_steal_pointer (buffer);

  if (passage->flow != GST_FLOW_OK)
    gst_buffer_unref (taken);
  else if (GST_PAD_IS_SRC (passage->pad))
    passage->flow = gst_pad_push (passage->pad, taken);
  else
    passage->flow = gst_pad_chain (passage->pad, taken);
  return TRUE;
}

static GstPadProbeReturn
split_list (GstPad *pad, GstPadProbeInfo *info)
{
  /* Out of a list of ours alone the packets are writable, too. */
  GstBufferList *list =
      gst_buffer_list_make_writable (GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  Passage passage = { pad, GST_FLOW_OK };

  gst_buffer_list_foreach (list, pass_on, &passage);
  gst_buffer_list_unref (list);
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = passage.flow;
  return GST_PAD_PROBE_HANDLED;
}

static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  const PacketProbe *self = user_data;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    return split_list (pad, info);
  return self->on_packet (pad, info, self->user_data);
}

static void
packet_probe_free (gpointer data)
{
  PacketProbe *self = data;

  if (self->notify)
    self->notify (self->user_data);
  g_free (self);
}

gulong
tfrc_packet_probe_add (GstPad *pad, GstPadProbeCallback on_packet,
    gpointer user_data, GDestroyNotify notify)
{
  PacketProbe *self = g_new (PacketProbe, 1);

  *self = (PacketProbe) { on_packet, user_data, notify };
  return gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_data, self,
      packet_probe_free);
}
