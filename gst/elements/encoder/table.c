/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of known video encoders.
 *
 * "element": property, unit and behaviour seen on the element itself, with
 * the versions of Debian 12 (tests/bench/bench-encoders measures them again).
 * "source": from the property's declaration in GStreamer 1.22 or the
 * element's own source; such hardware was not at hand. */

#include "encoder/table.h"

#define BIT 1
#define KBIT 1000

/* The first match wins: single names before the pattern of their family. */
static const TfrcEncoderEntry entries[] = {
  /* Software. */
  { "x264enc", "bitrate", NULL, KBIT, TRUE },      /* element */
  { "x265enc", "bitrate", NULL, KBIT, TRUE },      /* element */
  { "vp8enc", "target-bitrate", NULL, BIT, TRUE }, /* element */
  { "vp9enc", "target-bitrate", NULL, BIT, TRUE }, /* element */
  /* Follows, but two or three times too high, and not at all with its default
   * max-quantizer=0: element. */
  { "av1enc", "target-bitrate", NULL, KBIT, TRUE },
  /* Logs an error and ignores what is set once it has its format: source. */
  { "svtav1enc", "target-bitrate", NULL, KBIT, FALSE },
  /* Read when its caps come: source. */
  { "rav1enc", "bitrate", NULL, BIT, FALSE },
  /* Stays a third above after a step unless it may skip frames: element. */
  { "openh264enc", "bitrate", NULL, BIT, TRUE },
  { "theoraenc", "bitrate", NULL, KBIT, TRUE }, /* element */
  { "mpeg2enc", "bitrate", NULL, KBIT, FALSE }, /* element */
  /* gst-libav refuses every property once the codec is open, and here the
   * bitrate had no effect before either: element. */
  { "avenc_*", "bitrate", NULL, BIT, FALSE },

  /* Hardware: all from source, of 1.22 and of August 2026.  Where some versions or drivers
   * need a key frame and others do not, it is what they cost at most. */
  { "nvv4l2*", "bitrate", NULL, BIT, TRUE }, /* Jetson, not nvcodec */
  { "nv*enc", "bitrate", NULL, KBIT, TRUE, TFRC_ENCODER_KEY_FRAME },
  { "vaapi*enc", "bitrate", NULL, KBIT, TRUE },
  { "va*enc", "bitrate", NULL, KBIT, TRUE, TFRC_ENCODER_KEY_FRAME },
  { "qsv*enc", "bitrate", NULL, KBIT, TRUE, TFRC_ENCODER_KEY_FRAME },
  { "msdk*enc", "bitrate", NULL, KBIT, TRUE, TFRC_ENCODER_RESTART },
  { "v4l2*enc", "extra-controls", "video_bitrate", BIT, TRUE },
  { "amf*enc", "bitrate", NULL, KBIT, TRUE, TFRC_ENCODER_KEY_FRAME },
  { "mf*enc", "bitrate", NULL, KBIT, TRUE },
  { "vtenc_*", "bitrate", NULL, KBIT, TRUE },
};

/* With their defaults the encoders below average over seconds, or not at all,
 * which a queue of 200 ms cannot hold.  libvpx: in VBR, the default, it neither
 * drops frames nor corrects an overshoot; its buffer of 6 s is a debt of 6 s.
 * theoraenc: in frames, 0 is as many as between two key frames.  */
static const TfrcEncoderTuning tunings[] = {
  { "x264enc", "vbv-buf-capacity", 600, 133, 67, TRUE },
  { "vp?enc", "end-usage", 0, 1, 0, TRUE }, /* vbr -> cbr */
  { "vp?enc", "dropframe-threshold", 0, 30, 0, TRUE },
  { "vp?enc", "buffer-size", 6000, 500, 0, TRUE },
  { "vp?enc", "buffer-optimal-size", 5000, 400, 0, TRUE },
  { "vp?enc", "buffer-initial-size", 4000, 300, 0, TRUE },
  { "openh264enc", "enable-frame-skip", FALSE, TRUE, 0, FALSE },
  { "theoraenc", "rate-buffer", 0, 15, 0, FALSE },
};

static gboolean
matches (const gchar *pattern, const gchar *factory)
{
  return g_pattern_match_simple (pattern, factory);
}

const TfrcEncoderEntry *
tfrc_encoder_table_lookup (const gchar *factory)
{
  for (guint i = 0; i < G_N_ELEMENTS (entries); i++) {
    if (matches (entries[i].factory, factory))
      return &entries[i];
  }
  return NULL;
}

const TfrcEncoderTuning *
tfrc_encoder_table_next_tuning (const gchar *factory,
    const TfrcEncoderTuning *previous)
{
  const TfrcEncoderTuning *end = tunings + G_N_ELEMENTS (tunings);
  const TfrcEncoderTuning *tuning = previous ? previous + 1 : tunings;

  while (tuning < end && !matches (tuning->factory, factory))
    tuning++;
  return tuning < end ? tuning : NULL;
}
