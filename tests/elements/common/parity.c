/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parity from the sender's half to the receiver's, and to and from the elements
 * of GStreamer that have the same format. */

#include "common/repair-types.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <string.h>

#include "base/units.h"
#include "common/stats.h"
#include "bins/parity.h"
#include "send/parity.h"

#define SSRC 0x11112222
#define TYPE 96
#define FEC_TYPE 63 /* of 96 */
#define MAX_AGE (200 * TFRC_MILLISECOND)
#define MAX_PACKETS 64

static GstBuffer *packets[MAX_PACKETS]; /* by number, from `first_seq` */
static guint16 first_seq;
static TfrcTime now;

/* Every third packet ends a frame. */
static GstBuffer *
make_packet (guint32 ssrc, guint16 seq, guint payload_size)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (payload_size, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint8 *payload;
  guint i;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
  gst_rtp_buffer_set_payload_type (&rtp, TYPE);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_set_timestamp (&rtp, 3000u * (seq / 3u));
  gst_rtp_buffer_set_marker (&rtp, seq % 3 == 2);
  payload = gst_rtp_buffer_get_payload (&rtp);
  for (i = 0; i < payload_size; i++)
    payload[i] = (guint8) (seq * 31 + i * 7);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static void
send (TfrcFecEncoder *encoder, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  TfrcQueueItem item = {
    .object = GST_MINI_OBJECT_CAST (buffer),
    .size = (guint) gst_buffer_get_size (buffer),
  };

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  item.seq = gst_rtp_buffer_get_seq (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  tfrc_fec_encoder_on_sent (encoder, &item, now);
}

static GstBuffer *
pop (TfrcFecEncoder *encoder)
{
  TfrcQueueItem item;

  if (!tfrc_fec_encoder_pop (encoder, &item, MAX_AGE, now))
    return NULL;
  fail_unless_equals_int (item.repaired_ssrc, SSRC);
  fail_unless (tfrc_repair_has_ssrc (encoder->streams, item.ssrc));
  fail_unless_equals_int (gst_buffer_get_size (GST_BUFFER_CAST (item.object)),
      item.size);
  return GST_BUFFER_CAST (item.object);
}

static TfrcFecEncoder *
start (guint percentage)
{
  TfrcFecEncoder *encoder = tfrc_fec_encoder_new ();

  tfrc_fec_encoder_set_percentage (encoder, percentage);
  now = 0;
  return encoder;
}

/* Makes packets[0] to packets[n - 1] and sends them. */
static void
send_packets (TfrcFecEncoder *encoder, guint n, guint16 first,
    guint (*get_size) (guint i))
{
  guint i;

  first_seq = first;
  for (i = 0; i < n; i++) {
    packets[i] = make_packet (SSRC, (guint16) (first + i), get_size (i));
    send (encoder, packets[i]);
  }
}

static void
free_packets (void)
{
  guint i;

  for (i = 0; i < MAX_PACKETS; i++)
    gst_clear_buffer (&packets[i]);
}

static guint
equal_size (guint i)
{
  return 500;
}

/* 700, 0, 250, 500: the longest is not the last, one is empty. */
static guint
unequal_size (guint i)
{
  static const guint sizes[] = { 700, 0, 250, 500 };

  return sizes[i % G_N_ELEMENTS (sizes)];
}

static void
assert_same (GstBuffer *recovered, GstBuffer *original)
{
  gsize size = gst_buffer_get_size (original);
  GstMapInfo map;

  fail_unless (recovered != NULL);
  fail_unless_equals_int (gst_buffer_get_size (recovered), size);
  gst_buffer_map (original, &map, GST_MAP_READ);
  fail_unless (gst_buffer_memcmp (recovered, 0, map.data, size) == 0);
  gst_buffer_unmap (original, &map);
  gst_buffer_unref (recovered);
}

/* A receiver that knows the stream. */
static void
give (TfrcFecDecoder *decoder, GstBuffer *packet)
{
  TfrcRtpHeader header;

  fail_unless (tfrc_rtp_header_read (&header, packet));
  tfrc_fec_decoder_on_packet (decoder, packet, &header);
}

static TfrcFecDecoder *
start_decoder (GstBuffer *parity)
{
  TfrcFecDecoder *decoder = tfrc_fec_decoder_new ();

  tfrc_fec_decoder_on_parity (decoder, parity);
  return decoder;
}

/* Three packets of 512 bytes at 40 % have paid 614 for parity of
 * 12 + 20 + 500. */
GST_START_TEST (parity_names_its_stream_and_its_packets)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  TfrcFecEncoder *encoder = start (40);
  TfrcWireParity header;
  GstBuffer *parity;

  send_packets (encoder, 3, 65534, equal_size);
  fail_unless_equals_int (gst_queue_array_get_length (encoder->waiting), 1);
  parity = pop (encoder);
  fail_unless (gst_rtp_buffer_map (parity, GST_MAP_READ, &rtp));
  fail_unless_equals_int (gst_rtp_buffer_get_payload_type (&rtp), FEC_TYPE);
  fail_if (gst_rtp_buffer_get_ssrc (&rtp) == SSRC);
  fail_unless_equals_int (gst_rtp_buffer_get_csrc_count (&rtp), 1);
  fail_unless_equals_int (gst_rtp_buffer_get_csrc (&rtp, 0), SSRC);
  fail_unless_equals_int (gst_rtp_buffer_get_payload_len (&rtp), 16 + 500);
  fail_unless (tfrc_wire_read_parity (gst_rtp_buffer_get_payload (&rtp),
      gst_rtp_buffer_get_payload_len (&rtp), &header));
  gst_rtp_buffer_unmap (&rtp);
  fail_unless_equals_int (header.first, 65534);
  fail_unless_equals_int (header.stride, 1);
  fail_unless_equals_int (header.count, 3);
  gst_buffer_unref (parity);
  free_packets ();
  tfrc_fec_encoder_free (encoder);
}

GST_END_TEST;

GST_START_TEST (whichever_packet_is_lost_is_computed)
{
  guint lost, i;

  for (lost = 0; lost < 4; lost++) {
    TfrcFecEncoder *encoder = start (50);
    GstBuffer *parity;
    TfrcFecDecoder *decoder;

    /* 712 + 12 + 262 + 512 = 1498; half of it is more than 732. */
    send_packets (encoder, 4, 65534, unequal_size);
    parity = pop (encoder);
    fail_unless (parity != NULL);
    decoder = start_decoder (parity);
    tfrc_fec_decoder_on_parity (decoder, parity);
    for (i = 0; i < 4; i++)
      if (i != lost)
        give (decoder, packets[i]);
    assert_same (tfrc_fec_decoder_poll (decoder), packets[lost]);
    fail_unless (tfrc_fec_decoder_poll (decoder) == NULL);
    fail_unless_equals_uint64 (decoder->n_recovered, 1);
    gst_buffer_unref (parity);
    free_packets ();
    tfrc_fec_decoder_free (decoder);
    tfrc_fec_encoder_free (encoder);
  }
}

GST_END_TEST;

GST_START_TEST (of_two_lost_packets_one_that_is_late_gives_the_other)
{
  TfrcFecEncoder *encoder = start (30);
  TfrcFecDecoder *decoder;
  GstBuffer *parity;

  send_packets (encoder, 4, 10, equal_size);
  parity = pop (encoder);
  decoder = start_decoder (parity);
  give (decoder, packets[1]);
  give (decoder, packets[3]);
  tfrc_fec_decoder_on_parity (decoder, parity);
  fail_unless (tfrc_fec_decoder_poll (decoder) == NULL);
  give (decoder, packets[0]);
  assert_same (tfrc_fec_decoder_poll (decoder), packets[2]);
  gst_buffer_unref (parity);
  free_packets ();
  tfrc_fec_decoder_free (decoder);
  tfrc_fec_encoder_free (encoder);
}

GST_END_TEST;

/* 1000 packets of 512 bytes: 12 % of them are 61440 bytes, and parity of 532
 * bytes fits 115 times. */
GST_START_TEST (parity_takes_its_share_of_the_bytes)
{
  TfrcFecEncoder *encoder = start (12);
  GstStructure *stats = tfrc_stats_new (TFRC_STATS_SEND);
  guint64 bytes;
  GstBuffer *parity;
  guint n = 0, i;

  for (i = 0; i < 1000; i++) {
    GstBuffer *buffer = make_packet (SSRC, (guint16) i, 500);

    send (encoder, buffer);
    gst_buffer_unref (buffer);
    while ((parity = pop (encoder)) != NULL) {
      gst_buffer_unref (parity);
      n++;
    }
  }
  fail_unless_equals_int (n, 115);
  tfrc_fec_encoder_set_stats (encoder, stats);
  fail_unless (gst_structure_get_uint64 (stats, "fec-bytes", &bytes));
  fail_unless_equals_uint64 (bytes, 115 * 532);
  gst_structure_free (stats);
  tfrc_fec_encoder_free (encoder);
}

GST_END_TEST;

/* Packets[0] to packets[59], and the parity that they are followed by, but for two that
 * are lost.  Returns the largest stride. */
static guint
send_sixty (TfrcFecDecoder *decoder, TfrcDuration interval, guint lost,
    guint also_lost)
{
  TfrcFecEncoder *encoder = start (40);
  guint stride = 0, i;

  for (i = 0; i < 60; i++) {
    GstBuffer *parity;

    now += interval;
    packets[i] = make_packet (SSRC, (guint16) (65510 + i), 500);
    send (encoder, packets[i]);
    if (i != lost && i != also_lost)
      give (decoder, packets[i]);
    while ((parity = pop (encoder)) != NULL) {
      GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
      TfrcWireParity header;

      fail_unless (gst_rtp_buffer_map (parity, GST_MAP_READ, &rtp));
      fail_unless (tfrc_wire_read_parity (gst_rtp_buffer_get_payload (&rtp),
          gst_rtp_buffer_get_payload_len (&rtp), &header));
      gst_rtp_buffer_unmap (&rtp);
      stride = MAX (stride, header.stride);
      tfrc_fec_decoder_on_parity (decoder, parity);
      gst_buffer_unref (parity);
    }
  }
  tfrc_fec_encoder_free (encoder);
  return stride;
}

/* Any two that follow each other, also where the numbers wrap, of 125 packets a
 * second. */
GST_START_TEST (of_two_that_a_row_misses_columns_give_one)
{
  guint lost;

  for (lost = 15; lost < 40; lost++) {
    TfrcFecDecoder *decoder = tfrc_fec_decoder_new ();
    GstBuffer *recovered;

    fail_unless_equals_int (send_sixty (decoder, 8 * TFRC_MILLISECOND, lost,
                                lost + 1),
        4);
    fail_unless_equals_uint64 (decoder->n_recovered, 2);
    while ((recovered = tfrc_fec_decoder_poll (decoder)) != NULL) {
      GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
      guint16 seq;

      gst_rtp_buffer_map (recovered, GST_MAP_READ, &rtp);
      seq = gst_rtp_buffer_get_seq (&rtp);
      gst_rtp_buffer_unmap (&rtp);
      assert_same (recovered, packets[(guint16) (seq - 65510)]);
    }
    free_packets ();
    tfrc_fec_decoder_free (decoder);
  }
}

GST_END_TEST;

/* A column of ten packets a second would take a second. */
GST_START_TEST (a_slow_stream_has_rows_alone)
{
  TfrcFecDecoder *decoder = tfrc_fec_decoder_new ();

  fail_unless_equals_int (send_sixty (decoder, 100 * TFRC_MILLISECOND, 20, 40),
      1);
  fail_unless_equals_uint64 (decoder->n_recovered, 2);
  free_packets ();
  tfrc_fec_decoder_free (decoder);
}

GST_END_TEST;

/* Other payload types, and with a share of nothing all. */
GST_START_TEST (what_has_no_parity)
{
  TfrcFecEncoder *encoder = start (100);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *buffer = make_packet (SSRC, 1, 500);
  guint i;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, FEC_TYPE);
  gst_rtp_buffer_unmap (&rtp);
  for (i = 0; i < 10; i++)
    send (encoder, buffer);
  gst_buffer_unref (buffer);
  tfrc_fec_encoder_set_percentage (encoder, 0);
  send_packets (encoder, 10, 0, equal_size);
  fail_unless_equals_int (gst_queue_array_get_length (encoder->waiting), 0);
  free_packets ();
  tfrc_fec_encoder_free (encoder);
}

GST_END_TEST;

/* A receiver that sdp told what 63 means would take it for another stream. */
GST_START_TEST (a_stream_whose_parity_type_is_taken_has_none)
{
  TfrcFecEncoder *encoder = start (100);
  GstBuffer *other = make_packet (SSRC + 1, 1, 500);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (other, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, FEC_TYPE);
  gst_rtp_buffer_unmap (&rtp);
  send (encoder, other);
  send_packets (encoder, 10, 0, equal_size);
  fail_unless_equals_int (gst_queue_array_get_length (encoder->waiting), 0);
  gst_buffer_unref (other);
  free_packets ();
  tfrc_fec_encoder_free (encoder);
}

GST_END_TEST;

/* Its own parity takes none of its types. */
GST_START_TEST (parity_that_left_leaves_its_type_free)
{
  TfrcFecEncoder *encoder = start (100);
  GstBuffer *parity;
  guint i;

  for (i = 0; i < 3; i++) {
    send_packets (encoder, 4, (guint16) (4 * i), equal_size);
    parity = pop (encoder);
    fail_unless (parity != NULL, "%u", i);
    send (encoder, parity);
    gst_buffer_unref (parity);
    free_packets ();
  }
  tfrc_fec_encoder_free (encoder);
}

GST_END_TEST;

/* Packets of 712, 112 + 24 and 112 bytes: the first two have paid for parity of
 * 712 + 20, but the second one's header would make that 24 longer. */
GST_START_TEST (parity_is_no_longer_than_the_longest_packet_allows)
{
  static const guint8 extension[16] = { 0 };
  static const guint sizes[] = { 700, 100, 100 };
  TfrcFecEncoder *encoder = start (90);
  GstBuffer *parity;
  guint i;

  for (i = 0; i < 3; i++) {
    GstBuffer *buffer = make_packet (SSRC, (guint16) i, sizes[i]);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    fail_unless_equals_int (gst_queue_array_get_length (encoder->waiting), 0);
    gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
    if (i == 1)
      gst_rtp_buffer_add_extension_onebyte_header (&rtp, 3, extension,
          sizeof (extension));
    gst_rtp_buffer_unmap (&rtp);
    send (encoder, buffer);
    gst_buffer_unref (buffer);
  }
  parity = pop (encoder);
  fail_unless (parity != NULL);
  fail_unless_equals_int (gst_buffer_get_size (parity), 712 + 20);
  gst_buffer_unref (parity);
  tfrc_fec_encoder_free (encoder);
}

GST_END_TEST;

/* Packets of 112 bytes would have parity of 132 each. */
GST_START_TEST (parity_above_the_mtu_is_not_made)
{
  for (guint max_size = 131; max_size <= 132; max_size++) {
    TfrcFecEncoder *encoder = start (100);

    tfrc_fec_encoder_start (encoder, max_size);
    tfrc_fec_encoder_set_percentage (encoder, 200);
    for (guint i = 0; i < 10; i++) {
      GstBuffer *buffer = make_packet (SSRC, (guint16) i, 100);

      send (encoder, buffer);
      gst_buffer_unref (buffer);
    }
    fail_unless_equals_int (gst_queue_array_get_length (encoder->waiting),
        max_size < 132 ? 0 : 10);
    tfrc_fec_encoder_free (encoder);
  }
}

GST_END_TEST;

/* Half of a group is not added to half of another one. */
GST_START_TEST (a_jump_of_the_numbers_begins_anew)
{
  TfrcFecEncoder *encoder = start (30);
  TfrcFecDecoder *decoder;
  GstBuffer *parity, *stray = make_packet (SSRC, 1, 500);

  send (encoder, stray);
  send_packets (encoder, 3, 40, equal_size);
  parity = pop (encoder);
  decoder = start_decoder (parity);
  tfrc_fec_decoder_on_parity (decoder, parity);
  give (decoder, packets[0]);
  give (decoder, packets[2]);
  assert_same (tfrc_fec_decoder_poll (decoder), packets[1]);
  gst_buffer_unref (parity);
  gst_buffer_unref (stray);
  free_packets ();
  tfrc_fec_decoder_free (decoder);
  tfrc_fec_encoder_free (encoder);
}

GST_END_TEST;

/* The same packet, as if of the stream next to it. */
static GstBuffer *
make_other_parity (GstBuffer *parity)
{
  GstBuffer *other = gst_buffer_copy_deep (parity);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (other, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_csrc (&rtp, 0, SSRC + 1);
  gst_rtp_buffer_unmap (&rtp);
  return other;
}

/* Of packets 0 to 3 two are lost, and then the sender makes parity of another stream
 * alone.  When the numbers come round, three packets that have these now are not added
 * to it. */
GST_START_TEST (parity_is_of_no_use_after_the_numbers_wrapped)
{
  TfrcFecEncoder *encoder = start (30);
  TfrcFecDecoder *decoder;
  GstBuffer *parity, *other;
  guint i;

  send_packets (encoder, 4, 0, equal_size);
  parity = pop (encoder);
  other = make_other_parity (parity);
  decoder = start_decoder (parity);
  give (decoder, packets[0]);
  for (i = 4; i < 65536 + 3; i++) {
    GstBuffer *buffer = make_packet (SSRC, (guint16) i, 10);

    give (decoder, buffer);
    if (i % 1000 == 0)
      tfrc_fec_decoder_on_parity (decoder, other);
    gst_buffer_unref (buffer);
  }
  fail_unless (tfrc_fec_decoder_poll (decoder) == NULL);
  gst_buffer_unref (other);
  gst_buffer_unref (parity);
  free_packets ();
  tfrc_fec_decoder_free (decoder);
  tfrc_fec_encoder_free (encoder);
}

GST_END_TEST;

/* Three packets came before it, of which it is. */
GST_START_TEST (the_first_parity_computes_what_was_lost_before_it)
{
  TfrcFecEncoder *encoder = start (20);
  TfrcFecDecoder *decoder = tfrc_fec_decoder_new ();
  GstBuffer *parity;
  guint i;

  /* Six packets of 512 bytes have paid 614 for 532. */
  send_packets (encoder, 6, 65533, equal_size);
  parity = pop (encoder);
  for (i = 0; i < 6; i++)
    if (i != 4)
      give (decoder, packets[i]);
  fail_if (tfrc_fec_decoder_is_active (decoder));
  tfrc_fec_decoder_on_parity (decoder, parity);
  assert_same (tfrc_fec_decoder_poll (decoder), packets[4]);
  gst_buffer_unref (parity);
  free_packets ();
  tfrc_fec_decoder_free (decoder);
  tfrc_fec_encoder_free (encoder);
}

GST_END_TEST;

/* A jitter buffer sets timestamps, and would have to copy each. */
GST_START_TEST (packets_without_parity_stay_writable)
{
  TfrcFecDecoder *decoder = tfrc_fec_decoder_new ();
  GstBuffer *packet = make_packet (SSRC, 1, 500);

  give (decoder, packet);
  fail_unless (gst_buffer_is_writable (packet));
  gst_buffer_unref (packet);
  tfrc_fec_decoder_free (decoder);
}

GST_END_TEST;

/* Makes three packets, and has the decoder know their parity. */
static void
protect (TfrcFecDecoder *decoder, guint32 ssrc, guint16 first,
    GstBuffer *sent[3])
{
  TfrcFecEncoder *encoder = start (40);
  TfrcQueueItem item;
  guint i;

  for (i = 0; i < 3; i++) {
    sent[i] = make_packet (ssrc, (guint16) (first + i), 500);
    send (encoder, sent[i]);
  }
  fail_unless (tfrc_fec_encoder_pop (encoder, &item, MAX_AGE, 0));
  tfrc_fec_decoder_on_parity (decoder, GST_BUFFER_CAST (item.object));
  gst_mini_object_unref (item.object);
  tfrc_fec_encoder_free (encoder);
}

/* Of each the second packet is lost; one of them restarts again and again. */
GST_START_TEST (as_many_streams_as_a_sender_repairs_are_repaired)
{
  TfrcFecDecoder *decoder = tfrc_fec_decoder_new ();
  GstBuffer *sent[TFRC_MAX_STREAMS][3];
  guint round, i, k;

  for (round = 0; round < 10; round++) {
    for (i = 0; i < TFRC_MAX_STREAMS; i++)
      protect (decoder, i == 0 ? SSRC + round : i, (guint16) (3 * round),
          sent[i]);
    for (i = 0; i < TFRC_MAX_STREAMS; i++)
      give (decoder, sent[i][0]);
    for (i = 0; i < TFRC_MAX_STREAMS; i++) {
      give (decoder, sent[i][2]);
      assert_same (tfrc_fec_decoder_poll (decoder), sent[i][1]);
    }
    for (i = 0; i < TFRC_MAX_STREAMS; i++)
      for (k = 0; k < 3; k++)
        gst_buffer_unref (sent[i][k]);
  }
  tfrc_fec_decoder_free (decoder);
}

GST_END_TEST;

/* The SSRC and number of the parity of a packet, and none else. */
static guint32
get_parity (TfrcFecEncoder *encoder, guint32 ssrc, guint16 first,
    guint16 *number)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  TfrcQueueItem item;

  for (guint16 i = 0; i < 2; i++) {
    GstBuffer *buffer = make_packet (ssrc, (guint16) (first + i), 500);

    send (encoder, buffer);
    gst_buffer_unref (buffer);
  }
  fail_unless (tfrc_fec_encoder_pop (encoder, &item, MAX_AGE, 0));
  fail_unless (gst_rtp_buffer_map (GST_BUFFER_CAST (item.object), GST_MAP_READ,
      &rtp));
  *number = gst_rtp_buffer_get_seq (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  gst_mini_object_unref (item.object);
  fail_unless_equals_int (gst_queue_array_get_length (encoder->waiting), 0);
  return item.ssrc;
}

/* As many others as there may be send in between. */
GST_START_TEST (a_stream_that_comes_back_has_its_numbers_again)
{
  TfrcFecEncoder *encoder = start (60);
  guint16 before, after;
  guint32 fec_ssrc = get_parity (encoder, SSRC, 100, &before);

  for (guint32 i = 1; i < TFRC_QUEUE_MAX_STREAMS; i++)
    get_parity (encoder, SSRC + i, 1, &after);
  fail_unless (get_parity (encoder, SSRC, 102, &after) == fec_ssrc);
  fail_unless_equals_int (after, (guint16) (before + 1));
  tfrc_fec_encoder_free (encoder);
}

GST_END_TEST;

/* 64 streams of 512 packets of 9 kB each would be 300 MB, and one that makes room is
 * 4.6 MB; who sends little keeps what it has, and what is larger than any frame is not
 * kept at all. */
GST_START_TEST (so_many_bytes_are_kept_and_no_more)
{
  TfrcFecDecoder *decoder = tfrc_fec_decoder_new ();
  GstBuffer *sent[3], *live[3], *packet;
  guint i, k;

  for (i = 0; i < TFRC_MAX_STREAMS - 1; i++) {
    protect (decoder, i, 0, sent);
    for (k = 0; k < 3; k++)
      gst_buffer_unref (sent[k]);
  }
  protect (decoder, SSRC, 0, live);
  for (k = 3; k < 512; k++) {
    for (i = 0; i < TFRC_MAX_STREAMS - 1; i++) {
      packet = make_packet (i, (guint16) k, 9000);
      give (decoder, packet);
      gst_buffer_unref (packet);
    }
    /* So that parity is expected still. */
    protect (decoder, 0, 1000, sent);
    for (i = 0; i < 3; i++)
      gst_buffer_unref (sent[i]);
    give (decoder, live[0]);
    fail_unless (decoder->bytes <= 32 * 1024 * 1024);
  }
  fail_unless (decoder->bytes > 24 * 1024 * 1024);
  give (decoder, live[2]);
  assert_same (tfrc_fec_decoder_poll (decoder), live[1]);
  for (k = 0; k < 3; k++)
    gst_buffer_unref (live[k]);
  tfrc_fec_decoder_free (decoder);

  decoder = tfrc_fec_decoder_new ();
  protect (decoder, SSRC, 0, live);
  for (k = 0; k < 3; k++)
    gst_buffer_unref (live[k]);
  i = (guint) decoder->bytes;
  packet = make_packet (SSRC, 4, 60000);
  give (decoder, packet);
  gst_buffer_unref (packet);
  assert_equals_int (decoder->bytes, i);
  tfrc_fec_decoder_free (decoder);
}

GST_END_TEST;

/* Parity of another stream does not help it: 300 packets of that one, a packet of
 * parity, four times and more. */
GST_START_TEST (a_stream_without_parity_goes)
{
  TfrcFecDecoder *decoder = tfrc_fec_decoder_new ();
  GstBuffer *sent[3], *packet;
  gsize most = 0;
  guint i, k;

  protect (decoder, 1, 0, sent);
  for (k = 0; k < 3; k++)
    gst_buffer_unref (sent[k]);
  for (i = 0; i < 5; i++) {
    most = MAX (most, decoder->bytes);
    protect (decoder, SSRC, (guint16) (3 * i), sent);
    for (k = 0; k < 3; k++)
      gst_buffer_unref (sent[k]);
    for (k = 0; k < 300; k++) {
      packet = make_packet (1, (guint16) (300 * i + k), 500);
      give (decoder, packet);
      gst_buffer_unref (packet);
    }
  }
  /* The 1025th has ended it. */
  fail_unless (decoder->bytes < most / 2);
  tfrc_fec_decoder_free (decoder);
}

GST_END_TEST;

/* The sender has stopped it, or another one sends. */
GST_START_TEST (without_parity_for_1024_packets_none_is_expected)
{
  TfrcFecEncoder *encoder = start (30);
  TfrcFecDecoder *decoder = tfrc_fec_decoder_new ();
  GstBuffer *parity;
  guint i;

  send_packets (encoder, 4, 0, equal_size);
  parity = pop (encoder);
  fail_if (tfrc_fec_decoder_is_active (decoder));
  for (i = 0; i < 3 * 1024; i++) {
    if (i == 0 || i == 1000)
      tfrc_fec_decoder_on_parity (decoder, parity);
    fail_unless_equals_int (tfrc_fec_decoder_is_active (decoder),
        i < 1000 + 1024);
    give (decoder, packets[0]);
  }
  ASSERT_MINI_OBJECT_REFCOUNT (packets[0], "packet", 1);
  tfrc_fec_decoder_on_parity (decoder, parity);
  fail_unless (tfrc_fec_decoder_is_active (decoder));
  fail_unless_equals_uint64 (decoder->n_received, 3);
  gst_buffer_unref (parity);
  free_packets ();
  tfrc_fec_decoder_free (decoder);
  tfrc_fec_encoder_free (encoder);
}

GST_END_TEST;

GST_START_TEST (parity_that_waited_too_long_is_dropped)
{
  TfrcFecEncoder *encoder = start (40);
  TfrcQueueItem item;

  send_packets (encoder, 3, 0, equal_size);
  fail_if (tfrc_fec_encoder_pop (encoder, &item, MAX_AGE, MAX_AGE + 1));
  fail_unless_equals_int (gst_queue_array_get_length (encoder->waiting), 0);
  free_packets ();
  tfrc_fec_encoder_free (encoder);
}

GST_END_TEST;

/* Lengths that say more than there is, parity of many packets and many streams:
 * nothing comes of it. */
GST_START_TEST (forged_parity_gives_nothing)
{
  TfrcFecDecoder *decoder = tfrc_fec_decoder_new ();
  TfrcWireParity header = { .stride = 255, .count = 255, .length = 60000 };
  guint i;

  for (i = 0; i < 5000; i++) {
    GstBuffer *buffer = gst_rtp_buffer_new_allocate (16, 0, 1);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    GstBuffer *packet = make_packet (i % 40, (guint16) i, 10);

    header.first = (guint16) i;
    if (i % 2)
      header.stride = header.count = 1;
    gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
    gst_rtp_buffer_set_csrc (&rtp, 0, i % 40);
    tfrc_wire_write_parity (gst_rtp_buffer_get_payload (&rtp), &header);
    gst_rtp_buffer_unmap (&rtp);
    tfrc_fec_decoder_on_parity (decoder, buffer);
    give (decoder, packet);
    gst_buffer_unref (buffer);
    gst_buffer_unref (packet);
  }
  fail_unless (tfrc_fec_decoder_poll (decoder) == NULL);
  tfrc_fec_decoder_free (decoder);
}

GST_END_TEST;

/* Sends packets[0] to packets[n - 1] but for one through rtpst2022-1-fecdec. */
GST_START_TEST (rtpst2022_1_fecdec_reads_our_parity)
{
  GstHarness *media = gst_harness_new ("rtpst2022-1-fecdec");
  GstHarness *fec = gst_harness_new_with_element (media->element, "fec_0",
      NULL);
  TfrcFecEncoder *encoder = start (40);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *recovered;

  gst_harness_set_src_caps_str (media, "application/x-rtp");
  gst_harness_set_src_caps_str (fec, "application/x-rtp");
  send_packets (encoder, 3, 7, equal_size);
  gst_harness_push (media, gst_buffer_ref (packets[0]));
  gst_harness_push (media, gst_buffer_ref (packets[2]));
  gst_buffer_unref (gst_harness_pull (media));
  gst_buffer_unref (gst_harness_pull (media));
  gst_harness_push (fec, pop (encoder));
  recovered = gst_buffer_make_writable (gst_harness_pull (media));
  /* It knows streams by their ports. */
  gst_rtp_buffer_map (recovered, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, SSRC);
  gst_rtp_buffer_unmap (&rtp);
  assert_same (recovered, packets[1]);
  free_packets ();
  tfrc_fec_encoder_free (encoder);
  gst_harness_teardown (fec);
  gst_harness_teardown (media);
}

GST_END_TEST;

static void
on_pad_added (GstElement *element, GstPad *pad, GstHarness *rows)
{
  if (g_str_equal (GST_PAD_NAME (pad), "fec_1"))
    gst_harness_add_element_src_pad (rows, pad);
}

/* The CSRC is ours. */
GST_START_TEST (the_parity_of_rtpst2022_1_fecenc_is_read)
{
  GstElement *element = gst_element_factory_make ("rtpst2022-1-fecenc", NULL);
  GstRTPBuffer from = GST_RTP_BUFFER_INIT, to = GST_RTP_BUFFER_INIT;
  GstHarness *media, *rows = gst_harness_new_empty ();
  TfrcFecDecoder *decoder = tfrc_fec_decoder_new ();
  GstBuffer *parity, *ours;
  guint i;

  g_object_set (element, "columns", 4, "rows", 4, "enable-column-fec", FALSE,
      NULL);
  g_signal_connect (element, "pad-added", G_CALLBACK (on_pad_added), rows);
  media = gst_harness_new_with_element (element, "sink", "src");
  gst_harness_set_src_caps_str (media, "application/x-rtp");
  for (i = 0; i < 4; i++) {
    packets[i] = make_packet (0, (guint16) (i + 3), unequal_size (i));
    gst_harness_push (media, gst_buffer_ref (packets[i]));
  }
  parity = gst_harness_pull (rows);
  gst_rtp_buffer_map (parity, GST_MAP_READ, &from);
  ours = gst_rtp_buffer_new_allocate (gst_rtp_buffer_get_payload_len (&from), 0,
      1);
  gst_rtp_buffer_map (ours, GST_MAP_READWRITE, &to);
  gst_rtp_buffer_set_marker (&to, gst_rtp_buffer_get_marker (&from));
  memcpy (gst_rtp_buffer_get_payload (&to), gst_rtp_buffer_get_payload (&from),
      gst_rtp_buffer_get_payload_len (&from));
  gst_rtp_buffer_unmap (&to);
  gst_rtp_buffer_unmap (&from);
  tfrc_fec_decoder_on_parity (decoder, ours);
  for (i = 0; i < 4; i++)
    if (i != 2)
      give (decoder, packets[i]);
  assert_same (tfrc_fec_decoder_poll (decoder), packets[2]);
  gst_buffer_unref (parity);
  gst_buffer_unref (ours);
  free_packets ();
  tfrc_fec_decoder_free (decoder);
  gst_harness_teardown (rows);
  gst_harness_teardown (media);
  gst_object_unref (element);
}

GST_END_TEST;

static Suite *
fec_suite (void)
{
  Suite *suite = suite_create ("fec");
  TCase *tc = tcase_create ("parity");

  tcase_add_test (tc, parity_names_its_stream_and_its_packets);
  tcase_add_test (tc, whichever_packet_is_lost_is_computed);
  tcase_add_test (tc, of_two_lost_packets_one_that_is_late_gives_the_other);
  tcase_add_test (tc, parity_takes_its_share_of_the_bytes);
  tcase_add_test (tc, of_two_that_a_row_misses_columns_give_one);
  tcase_add_test (tc, a_slow_stream_has_rows_alone);
  tcase_add_test (tc, what_has_no_parity);
  tcase_add_test (tc, a_stream_whose_parity_type_is_taken_has_none);
  tcase_add_test (tc, parity_that_left_leaves_its_type_free);
  tcase_add_test (tc, parity_is_no_longer_than_the_longest_packet_allows);
  tcase_add_test (tc, parity_is_of_no_use_after_the_numbers_wrapped);
  tcase_add_test (tc, the_first_parity_computes_what_was_lost_before_it);
  tcase_add_test (tc, packets_without_parity_stay_writable);
  tcase_add_test (tc, as_many_streams_as_a_sender_repairs_are_repaired);
  tcase_add_test (tc, a_stream_that_comes_back_has_its_numbers_again);
  tcase_add_test (tc, so_many_bytes_are_kept_and_no_more);
  tcase_add_test (tc, a_stream_without_parity_goes);
  tcase_add_test (tc, without_parity_for_1024_packets_none_is_expected);
  tcase_add_test (tc, parity_above_the_mtu_is_not_made);
  tcase_add_test (tc, a_jump_of_the_numbers_begins_anew);
  tcase_add_test (tc, parity_that_waited_too_long_is_dropped);
  tcase_add_test (tc, forged_parity_gives_nothing);
  tcase_add_test (tc, rtpst2022_1_fecdec_reads_our_parity);
  tcase_add_test (tc, the_parity_of_rtpst2022_1_fecenc_is_read);
  suite_add_tcase (suite, tc);
  return suite;
}

GST_CHECK_MAIN (fec);
