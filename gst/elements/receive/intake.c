/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the sink pad past the meter to the source pad. */

#include "receive/intake.h"

#include "rtcp/packet.h"

static GstBuffer *measure (const TfrcReceiveIntake *self, GstBuffer *buffer,
    gboolean *moved, TfrcTime now);
static void learn_payload_type (const TfrcReceiveIntake *self, guint8 type);

GstFlowReturn
tfrc_receive_intake_push (const TfrcReceiveIntake *self, GstBuffer *buffer,
    TfrcTime now)
{
  gboolean moved = FALSE;

  g_mutex_lock (self->lock);
  buffer = measure (self, buffer, &moved, now);
  tfrc_reporter_wake (self->reporter);
  g_mutex_unlock (self->lock);

  if (moved)
    g_object_notify (G_OBJECT (self->owner), "source-address");
  return buffer ? gst_pad_push (self->srcpad, buffer) : GST_FLOW_OK;
}

GstFlowReturn
tfrc_receive_intake_push_list (const TfrcReceiveIntake *self,
    GstBufferList *list, TfrcTime now)
{
  gboolean moved = FALSE;
  guint i = 0;

  g_mutex_lock (self->lock);
  while (i < gst_buffer_list_length (list)) {
    GstBuffer *buffer = gst_buffer_list_get (list, i);
    GstBuffer *passed = measure (self, gst_buffer_ref (buffer), &moved, now);

    if (passed == buffer) {
      gst_buffer_unref (passed);
      i++;
      continue;
    }
    list = gst_buffer_list_make_writable (list);
    gst_buffer_list_remove (list, i, 1);
    if (passed)
      gst_buffer_list_insert (list, i++, passed);
  }
  tfrc_reporter_wake (self->reporter);
  g_mutex_unlock (self->lock);

  if (moved)
    g_object_notify (G_OBJECT (self->owner), "source-address");
  if (gst_buffer_list_length (list) == 0) {
    gst_buffer_list_unref (list);
    return GST_FLOW_OK;
  }
  return gst_pad_push_list (self->srcpad, list);
}

/* Takes the buffer and gives back what is to be pushed: the same one, unless
 * it is RTCP that may not pass, or from another sender; NULL = nothing.  Lock
 * held, but given up while the application is asked about a payload type that
 * was not seen before. */
static GstBuffer *
measure (const TfrcReceiveIntake *self, GstBuffer *buffer, gboolean *moved,
    TfrcTime now)
{
  guint8 head[2];
  guint8 type;

  if (gst_buffer_extract (buffer, 0, head, sizeof (head)) < sizeof (head)) {
    tfrc_meter_on_malformed (self->meter, gst_buffer_get_size (buffer));
    return buffer;
  }
  if (tfrc_packet_is_rtcp_byte (head[1]))
    return tfrc_meter_on_rtcp (self->meter, buffer, now);

  type = head[1] & 0x7F;
  if (G_UNLIKELY (tfrc_meter_needs_payload_caps (self->meter, type)))
    learn_payload_type (self, type);
  if (tfrc_meter_on_rtp (self->meter, buffer, moved, now))
    return buffer;
  gst_buffer_unref (buffer);
  return NULL;
}

static void
learn_payload_type (const TfrcReceiveIntake *self, guint8 type)
{
  GstCaps *caps = NULL;

  g_mutex_unlock (self->lock);
  g_signal_emit (self->owner, self->request_pt_map, 0, (guint) type, &caps);
  g_mutex_lock (self->lock);
  tfrc_meter_set_payload_caps (self->meter, type, caps);
  gst_clear_caps (&caps);
}
