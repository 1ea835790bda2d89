/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Our RTP header extension and its id: RFC 8285 for the format; RFC 8285 section 5 and
 * GStreamer's extmap-N caps fields for the negotiation. */

#include "receive/extension-reader.h"

#include <string.h>

#include "tfmcc-wire.h"
#include "tfrc-wire.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_receive_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_receive_debug

/* How far a timestamp may deviate from arrivals: the path's delay varies by less, and any
 * other value is within it by chance in one of a thousand cases. */
#define MAX_DEVIATION_US (2 * G_USEC_PER_SEC)
#define PACKETS_TO_LEARN 3

void
tfrc_extension_reader_init (TfrcExtensionReader *self, GstElement *owner,
    GstTfrcMode mode)
{
  *self = (TfrcExtensionReader) { .owner = owner, .mode = mode };
}

void
tfrc_extension_reader_set_id (TfrcExtensionReader *self, guint id)
{
  if (self->configured != id)
    self->given_mode = GST_TFRC_MODE_AUTO;
  self->configured = id;
}

void
tfrc_extension_reader_add_caps (TfrcExtensionReader *self, const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  guint tfrc = tfrc_extmap_find_id (structure, TFRC_WIRE_EXTENSION_URI);
  guint tfmcc = tfrc_extmap_find_id (structure, TFMCC_WIRE_EXTENSION_URI);

  if (tfrc != 0)
    self->caps_ids[GST_TFRC_MODE_TFRC] = tfrc;
  if (tfmcc != 0)
    self->caps_ids[GST_TFRC_MODE_TFMCC] = tfmcc;
}

void
tfrc_extension_reader_forget (TfrcExtensionReader *self)
{
  self->given_mode = GST_TFRC_MODE_AUTO;
  self->learnt = self->on_trial = 0;
  memset (self->candidates, 0, sizeof (self->candidates));
}

GstTfrcMode
tfrc_extension_reader_get_mode (const TfrcExtensionReader *self)
{
  if (self->mode != GST_TFRC_MODE_AUTO)
    return self->mode;
  if (self->caps_ids[GST_TFRC_MODE_TFMCC] != 0)
    return GST_TFRC_MODE_TFMCC;
  return self->caps_ids[GST_TFRC_MODE_TFRC] != 0
      ? GST_TFRC_MODE_TFRC
      : GST_TFRC_MODE_AUTO;
}

/* The id by the property or the caps. */
static guint
get_given_id (const TfrcExtensionReader *self)
{
  return self->configured != 0
      ? self->configured
      : self->caps_ids[tfrc_extension_reader_get_mode (self)];
}

guint
tfrc_extension_reader_get_id (const TfrcExtensionReader *self)
{
  guint id = get_given_id (self);

  if (id != 0)
    return id;
  return self->learnt != 0 ? self->learnt : self->on_trial;
}

/* The mode by the property or the caps; else, for an id given without mode, that of the
 * first element with it. */
static GstTfrcMode
get_mode (const TfrcExtensionReader *self)
{
  GstTfrcMode mode = tfrc_extension_reader_get_mode (self);

  return mode == GST_TFRC_MODE_AUTO ? self->given_mode : mode;
}

/* The two have different sizes, so an element is never both. */
static TfrcExtensionResult
read_element (const TfrcRtpPacket *packet, guint id, GstTfrcMode mode,
    TfrcPacketExtension *extension)
{
  guint size;
  const guint8 *data = tfrc_header_extension_find (&packet->extension, id,
      &size);

  if (!data)
    return TFRC_EXTENSION_NONE;
  if (mode != GST_TFRC_MODE_TFMCC
      && tfrc_wire_read_extension (&extension->tfrc, data, size))
    extension->mode = GST_TFRC_MODE_TFRC;
  else if (mode != GST_TFRC_MODE_TFRC
      && tfmcc_wire_read_extension (&extension->tfmcc, data, size))
    extension->mode = GST_TFRC_MODE_TFMCC;
  else
    return TFRC_EXTENSION_MALFORMED;
  return TFRC_EXTENSION_FOUND;
}

static guint32
get_send_time_us (const TfrcPacketExtension *extension)
{
  return extension->mode == GST_TFRC_MODE_TFRC
      ? extension->tfrc.send_time_us
      : extension->tfmcc.send_time_us;
}

/* Finds or adds a candidate; it replaces the one not seen for longest. */
static TfrcExtensionCandidate *
find_candidate (TfrcExtensionReader *self, guint id, GstTfrcMode mode,
    TfrcTime now)
{
  TfrcExtensionCandidate *candidate = &self->candidates[0];

  for (guint i = 0; i < TFRC_EXTENSION_CANDIDATES; i++) {
    TfrcExtensionCandidate *other = &self->candidates[i];

    if (other->id == id && other->mode == mode) {
      other->seen_at = now;
      return other;
    }
    if (candidate->id != 0
        && (other->id == 0 || other->seen_at < candidate->seen_at))
      candidate = other;
  }
  *candidate =
      (TfrcExtensionCandidate) { .id = id, .mode = mode, .seen_at = now };
  return candidate;
}

/* FALSE: the timestamp does not keep pace, and the packet counts as a first one. */
static gboolean
check_candidate (TfrcExtensionCandidate *self, guint32 send_time_us,
    TfrcTime now)
{
  if (self->packets > 0) {
    guint32 arrival_us = (guint32) (tfrc_time_since (self->first_at, now)
        / TFRC_MICROSECOND);
    gint32 deviation_us = (gint32) (send_time_us - self->first_us - arrival_us);

    if (ABS ((gint64) deviation_us) <= MAX_DEVIATION_US) {
      self->packets++;
      return TRUE;
    }
  }
  self->rejected |= self->packets > 0;
  self->packets = 1;
  self->first_us = send_time_us;
  self->first_at = now;
  return !self->rejected;
}

/* In a burst a constant keeps pace, too, so the timestamp must have increased. */
static gboolean
has_kept_pace (const TfrcExtensionCandidate *self, guint32 send_time_us)
{
  return self->packets >= PACKETS_TO_LEARN
      && (gint32) (send_time_us - self->first_us) > 0;
}

/* Of two that keep pace the last one is of this hop: a relay that has not removed that of
 * the hop before adds its own behind it. */
static TfrcExtensionResult
learn (TfrcExtensionReader *self, const TfrcRtpPacket *packet,
    TfrcPacketExtension *extension, TfrcTime now)
{
  guint most = tfrc_header_extension_get_max_id (&packet->extension);
  guint n_elements = 0, trial = 0, size;
  const guint8 *last = NULL;
  TfrcPacketExtension learnt = { 0 };
  gboolean rejected = FALSE;

  for (guint id = 1; id <= most; id++) {
    TfrcExtensionCandidate *candidate;
    TfrcPacketExtension read;

    if (read_element (packet, id, tfrc_extension_reader_get_mode (self), &read)
        != TFRC_EXTENSION_FOUND)
      continue;
    candidate = find_candidate (self, id, read.mode, now);
    n_elements++;
    if (!check_candidate (candidate, get_send_time_us (&read), now)) {
      rejected |= id == self->on_trial;
      continue;
    }
    if (has_kept_pace (candidate, get_send_time_us (&read))) {
      const guint8 *data = tfrc_header_extension_find (&packet->extension, id,
          &size);

      if (data > last) {
        last = data;
        learnt = read;
        self->learnt = id;
      }
      continue;
    }
    if (!candidate->rejected
        && (self->learnt == 0 || self->learnt_mode == read.mode)) {
      trial = id;
      *extension = read;
    }
  }
  if (last != NULL) {
    self->learnt_mode = learnt.mode;
    self->on_trial = 0;
    memset (self->candidates, 0, sizeof (self->candidates));
    *extension = learnt;
    return TFRC_EXTENSION_FOUND;
  }
  if (rejected) {
    self->on_trial = 0;
    return TFRC_EXTENSION_REJECTED;
  }
  if (n_elements != 1 || trial == 0)
    return TFRC_EXTENSION_NONE;
  self->on_trial = trial;
  return TFRC_EXTENSION_FOUND;
}

static TfrcExtensionResult
read_or_learn (TfrcExtensionReader *self, const TfrcRtpPacket *packet,
    TfrcPacketExtension *extension, TfrcTime now)
{
  guint id = get_given_id (self);
  TfrcExtensionResult result;

  if (id != 0) {
    result = read_element (packet, id, get_mode (self), extension);
    if (result == TFRC_EXTENSION_FOUND)
      self->given_mode = extension->mode;
    return result;
  }
  if (self->learnt != 0) {
    result = read_element (packet, self->learnt, self->learnt_mode, extension);
    if (result != TFRC_EXTENSION_NONE)
      return result;
  }
  return learn (self, packet, extension, now);
}

TfrcExtensionResult
tfrc_extension_reader_read (TfrcExtensionReader *self,
    const TfrcRtpPacket *packet, TfrcPacketExtension *extension, TfrcTime now)
{
  TfrcExtensionResult result = read_or_learn (self, packet, extension, now);
  const guint32 ssrc = packet->header.ssrc;
  const guint seq = packet->header.seq;

  switch (result) {
    case TFRC_EXTENSION_FOUND:
      break;
    case TFRC_EXTENSION_MALFORMED:
      if (self->malformed++ == 0)
        GST_WARNING_OBJECT (self->owner,
            "event=malformed-extension id=%u ssrc=%08x seq=%u (said once)",
            tfrc_extension_reader_get_id (self), ssrc, seq);
      break;
    case TFRC_EXTENSION_REJECTED:
      if (self->rejected++ == 0)
        GST_WARNING_OBJECT (self->owner,
            "event=foreign-extension ssrc=%08x seq=%u (said once)", ssrc, seq);
      break;
    case TFRC_EXTENSION_NONE:
      if (!self->warned_of_no_extension)
        GST_WARNING_OBJECT (self->owner,
            "event=no-extension ssrc=%08x seq=%u: "
            "no feedback on such packets (said once)",
            ssrc, seq);
      self->warned_of_no_extension = TRUE;
      break;
  }
  return result;
}

TfrcExtensionResult
tfrc_extension_reader_peek (const TfrcExtensionReader *self,
    const TfrcRtpPacket *packet, TfrcPacketExtension *extension)
{
  guint id = tfrc_extension_reader_get_id (self);
  GstTfrcMode mode = get_given_id (self) == 0 && self->learnt != 0
      ? self->learnt_mode
      : get_mode (self);

  return read_element (packet, id, mode, extension);
}
