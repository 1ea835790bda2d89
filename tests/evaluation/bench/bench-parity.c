/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What parity does for a large group, in virtual time: 1000 receivers get the
 * same packets, each with losses of its own.  A frame is whole if all its packets
 * came or were computed in time.  Prints the table of docs/results/repair.md. */

#include <gst/rtp/rtp.h>
#include <stdio.h>

#include "base/rng.h"
#include "bins/parity.h"
#include "send/parity.h"

#define RECEIVERS 1000
#define SECONDS 10
#define FRAMES (30 * SECONDS)
#define FRAME_TIME (TFRC_SECOND / 30)
#define MOST_PER_FRAME 4
/* What is computed later than so many frames is of no use. */
#define IN_TIME 10
#define PAYLOAD_SIZE 1000
#define SSRC 1
#define MAX_AGE TFRC_SECOND

typedef struct
{
  const gchar *name;
  gdouble enter; /* a burst begins, per packet */
  gdouble leave; /* it ends; 1 = of one packet */
  guint per_frame;
} Loss;

typedef struct
{
  GstBuffer *buffer;
  gboolean parity;
} Packet;

static const Loss losses[] = {
  { "1 %", 0.01, 1, 4 }, { "3 %", 0.03, 1, 4 },
  { "3 %, 2 packets a frame", 0.03, 1, 2 },
  { "bursts", 0.0051, 0.25, 4 }, /* 2 %, in the mean 4 packets */
};
static const guint percentages[] = { 0, 5, 12, 17, 22, 29, 50, 100 };

static GstBuffer *
make_media (guint n, guint per_frame)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PAYLOAD_SIZE, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_ssrc (&rtp, SSRC);
  gst_rtp_buffer_set_seq (&rtp, (guint16) n);
  gst_rtp_buffer_set_timestamp (&rtp, 3000 * (n / per_frame));
  memset (gst_rtp_buffer_get_payload (&rtp), (gint) n, PAYLOAD_SIZE);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static void
add_packet (GPtrArray *packets, GstBuffer *buffer, gboolean parity)
{
  Packet *packet = g_new (Packet, 1);

  *packet = (Packet) { buffer, parity };
  g_ptr_array_add (packets, packet);
}

static void
free_packet (gpointer data)
{
  Packet *packet = data;

  gst_buffer_unref (packet->buffer);
  g_free (packet);
}

/* What leaves, in its order. */
static GPtrArray *
make_packets (guint percentage, guint per_frame)
{
  GPtrArray *packets = g_ptr_array_new_with_free_func (free_packet);
  TfrcFecEncoder *encoder = tfrc_fec_encoder_new ();

  tfrc_fec_encoder_set_percentage (encoder, percentage);
  for (guint i = 0; i < FRAMES * per_frame; i++) {
    TfrcTime now = TFRC_SECOND + i * FRAME_TIME / per_frame;
    GstBuffer *buffer = make_media (i, per_frame);
    TfrcQueueItem item = {
      .object = GST_MINI_OBJECT_CAST (buffer),
      .size = (guint) gst_buffer_get_size (buffer),
      .seq = (guint16) i,
    };

    add_packet (packets, buffer, FALSE);
    tfrc_fec_encoder_on_sent (encoder, &item, now);
    while (tfrc_fec_encoder_pop (encoder, &item, MAX_AGE, now))
      add_packet (packets, GST_BUFFER_CAST (item.object), TRUE);
  }
  tfrc_fec_encoder_free (encoder);
  return packets;
}

static void
note_computed (TfrcFecDecoder *decoder, gboolean *there, guint oldest)
{
  GstBuffer *buffer;

  while ((buffer = tfrc_fec_decoder_poll (decoder)) != NULL) {
    guint8 header[4];

    gst_buffer_extract (buffer, 0, header, sizeof (header));
    there[GST_READ_UINT16_BE (header + 2)] |= GST_READ_UINT16_BE (header + 2)
        >= oldest;
    gst_buffer_unref (buffer);
  }
}

/* How many frames are whole. */
static guint
receive (const GPtrArray *packets, const Loss *loss, TfrcRng *rng)
{
  TfrcFecDecoder *decoder = tfrc_fec_decoder_new ();
  gboolean there[FRAMES * MOST_PER_FRAME] = { FALSE };
  gboolean lossy = FALSE;
  guint whole = 0, next = 0;

  for (guint i = 0; i < packets->len; i++) {
    const Packet *packet = g_ptr_array_index (packets, i);
    guint n = packet->parity ? 0 : next++;

    lossy = (lossy && tfrc_rng_uniform (rng) > loss->leave)
        || tfrc_rng_uniform (rng) <= loss->enter;
    if (lossy)
      continue;
    if (packet->parity) {
      tfrc_fec_decoder_on_parity (decoder, packet->buffer);
    } else {
      TfrcRtpHeader header;

      there[n] = TRUE;
      tfrc_rtp_header_read (&header, packet->buffer);
      tfrc_fec_decoder_on_packet (decoder, packet->buffer, &header);
    }
    note_computed (decoder, there,
        next - MIN (next, IN_TIME * loss->per_frame));
  }
  for (guint i = 0; i < FRAMES; i++) {
    gboolean complete = TRUE;

    for (guint k = 0; k < loss->per_frame; k++)
      complete &= there[i * loss->per_frame + k];
    whole += complete;
  }
  tfrc_fec_decoder_free (decoder);
  return whole;
}

static void
measure (const Loss *loss, guint percentage)
{
  GPtrArray *packets = make_packets (percentage, loss->per_frame);
  guint64 whole_frames = 0;
  guint all = 0, most = 0;

  for (guint i = 0; i < RECEIVERS; i++) {
    TfrcRng rng;
    guint whole;

    tfrc_rng_init (&rng, 1, i);
    whole = receive (packets, loss, &rng);
    whole_frames += whole;
    all += whole == FRAMES;
    most += whole >= FRAMES * 99 / 100;
  }
  printf ("| %s | %u %% | %.2f %% | %.1f %% | %.1f %% |\n", loss->name,
      percentage, 100.0 * (gdouble) whole_frames / (RECEIVERS * FRAMES),
      100.0 * all / RECEIVERS, 100.0 * most / RECEIVERS);
  fflush (stdout);
  g_ptr_array_unref (packets);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  printf ("| loss | parity | frames whole | receivers with all of %u s | with "
          "99 %% |\n|---|--:|--:|--:|--:|\n",
      SECONDS);
  for (guint i = 0; i < G_N_ELEMENTS (losses); i++)
    for (guint k = 0; k < G_N_ELEMENTS (percentages); k++)
      measure (&losses[i], percentages[k]);
  return 0;
}
