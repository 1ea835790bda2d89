/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcreceive in a harness at a time that only the test moves, fed with
 * packets of one H.264 stream. */
#pragma once

#include <gio/gio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>

#include "tfmcc-wire.h"
#include "tfrc-wire.h"

#define EXTENSION_ID 3
#define VIDEO_SSRC 0x11112222
/* So short that its parts are no shorter: one report per RTT. */
#define RTT (20 * TFRC_MILLISECOND)
#define PAYLOAD_SIZE 100
/* Header 12, extension header 4, element 1 + 7, payload. */
#define PACKET_SIZE (12 + 4 + 8 + PAYLOAD_SIZE)
#define VIDEO_CAPS \
  "application/x-rtp, media=video, clock-rate=90000, " \
  "encoding-name=H264, payload=96"
#define EXTENSION_CAPS VIDEO_CAPS ", extmap-3=" TFRC_WIRE_EXTENSION_URI

#define GROUP_CAPS VIDEO_CAPS ", extmap-3=" TFMCC_WIRE_EXTENSION_URI
/* Header 12, extension header 4, element 1 + 8 filled up to 12, payload. */
#define GROUP_PACKET_SIZE (12 + 4 + 12 + PAYLOAD_SIZE)

/* Two first bytes of H.264 payloads. */
extern const guint8 fixture_idr[2];
extern const guint8 fixture_slice[2];

/* The element with both its outputs. */
typedef struct
{
  GstTestClock *clock;
  GstElement *element;
  GstHarness *rtp;
  GstHarness *rtcp;
  guint16 seq;
  guint8 extension_id; /* 0 = packets have none */
  TfrcDuration rtt;    /* that the extensions carry */
  const guint8 *payload;
  GSocketAddress *home; /* of the sender */
  GSocketAddress *away; /* of somebody else */
} Fixture;

/* Playing, at 1 s, with these caps on the sink pad; its RTCP SSRC is
 * 0xAABBCCDD. */
void fixture_init (Fixture *self, const gchar *caps);
void fixture_clear (Fixture *self);

TfrcTime fixture_get_time (Fixture *self);

/* Time goes on to `at`; whoever waits until then has been woken. */
void fixture_advance_to (Fixture *self, TfrcTime at);

/* The task sleeps until its next deadline, which is returned. */
TfrcTime fixture_wait_for_sleep (Fixture *self);

/* Wakes the task at its next deadline. */
void fixture_crank (Fixture *self);

/* The next packet of the stream, one frame of itself. */
GstBuffer *fixture_make_packet (Fixture *self);

/* The same with an extension of TFMCC, whose send time is the present. */
GstBuffer *fixture_make_group_packet (Fixture *self,
    const TfmccExtension *extension);

/* Pushes one packet, which comes out as the very same buffer. */
void fixture_push_packet (Fixture *self);

/* The last packet of a report is a feedback, from the element's SSRC. */
void fixture_read_feedback (GstBuffer *buffer, gsize prefix_size,
    TfrcFeedback *feedback);

/* The next report is a feedback alone. */
void fixture_pull_feedback (Fixture *self, TfrcFeedback *feedback);

/* The next report is a PLI for the video stream. */
void fixture_pull_key_frame_request (Fixture *self);

/* A guint64 of the stats. */
guint64 fixture_get_counter (Fixture *self, const gchar *name);
