/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcsend between two harnesses, under a test clock: what its tests
 * share. */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/rtp/rtp.h>

#include "tfrc-wire.h"

#define SEND_ID 14 /* of the header extension, by default */
#define SSRC 0x11112222
#define RECEIVER_SSRC 0x99998888
#define VIDEO_CAPS \
  "application/x-rtp, media=video, clock-rate=90000, " \
  "encoding-name=VP8, payload=96, ssrc=(uint)286335522" /* SSRC */
#define PAYLOAD_SIZE 414
/* Header 12, extension header 4, element 1 + 7, payload. */
#define PACKET_SIZE (12 + 4 + 8 + PAYLOAD_SIZE)
#define START TFRC_SECOND
#define RTT (100 * TFRC_MILLISECOND)
/* W_init / R = max (2 x 1400, 4380) / 0.1 s = 43800 bytes/s (RFC 5348 section
 * 4.2), at which a packet of 438 bytes takes 10 ms. */
#define PACKET_TIME (10 * TFRC_MILLISECOND)

/* The element with both its flows, at a time that only the test moves. */
typedef struct
{
  GstTestClock *clock;
  GstElement *element;
  GstBus *bus; /* of the element */
  GstHarness *rtp;
  GstHarness *rtcp;
  guint16 seq;
} SendFixture;

/* What the test reads of a packet that left. */
typedef struct
{
  guint16 seq;
  guint32 timestamp;
  gboolean has_extension;
  TfrcExtension extension;
} SendPacket;

void send_fixture_init (SendFixture *self);

/* `caps` NULL: without a sink pad. */
void send_fixture_start (SendFixture *self, const gchar *caps);

void send_fixture_clear (SendFixture *self);

/* Goes through all deadlines of the task until `at`, and waits until it sleeps
 * beyond. */
void send_fixture_run_until (SendFixture *self, TfrcTime at);

/* A VP8 packet that begins no key frame, of SSRC. */
GstBuffer *send_fixture_make_packet (guint16 seq, guint32 timestamp,
    guint payload_size);

/* Each packet is a frame of its own. */
void send_fixture_push_packets (SendFixture *self, guint n);

/* One packet more, which begins a frame. */
void send_fixture_push_frame (SendFixture *self, gboolean key);

SendPacket send_fixture_read_packet (GstBuffer *buffer, guint id);

SendPacket send_fixture_pull_packet (SendFixture *self);

/* The newest of all that have left; they are gone then. */
SendPacket send_fixture_pull_all (SendFixture *self);

/* A report that echoes `packet` and came at once. */
void send_fixture_make_feedback (guint8 data[TFRC_WIRE_FEEDBACK_SIZE],
    const SendPacket *packet, guint32 media_ssrc);

void send_fixture_push_rtcp (SendFixture *self, const guint8 *data, gsize size);

void send_fixture_push_feedback (SendFixture *self,
    const TfrcFeedback *feedback);

/* Sends the first packet at START and reports it one RTT later. */
SendPacket send_fixture_start_flow (SendFixture *self);

guint64 send_fixture_get_stat (SendFixture *self, const gchar *name);
gdouble send_fixture_get_rate (SendFixture *self, const gchar *name);

/* Of a field of the statistics that is a word. */
void send_fixture_assert_state (SendFixture *self, const gchar *name,
    const gchar *state);
