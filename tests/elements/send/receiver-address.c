/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver that moves, and who would like to be taken for it. */

#include "send/feedback.h"

#include <gst/net/net.h>

#include "send/fixture.h"

#define NOTHING TFRC_RECEIVER_PROVES_NOTHING
#define WAITS TFRC_RECEIVER_WAITS
#define GETS TFRC_RECEIVER_GETS_PACKETS
#define TIMEOUT TFRC_RECEIVER_ADDRESS_TIMEOUT

static TfrcReceiverAddress receiver;

static gboolean
hear (const gchar *host, TfrcReceiverProof proof, TfrcTime now)
{
  GSocketAddress *from = g_inet_socket_address_new_from_string (host, 5004);
  gboolean moved = tfrc_receiver_address_on_report (&receiver, from, proof, RTT,
      now);

  g_object_unref (from);
  return moved;
}

static void
start_at (const gchar *host)
{
  tfrc_receiver_address_set (&receiver, NULL);
  receiver.moves = receiver.elsewhere = 0;
  /* Who proves nothing, or that it got one packet once, has no place. */
  fail_if (hear ("192.0.2.66", NOTHING, START));
  fail_if (hear ("192.0.2.66", WAITS, START));
  fail_if (hear (host, GETS, START));
  assert_equals_uint64 (receiver.elsewhere, 0);
}

GST_START_TEST (two_proofs_from_elsewhere_behind_a_silence_move_it)
{
  start_at ("192.0.2.1");
  /* While it is heard where it was, and once is no proof. */
  fail_if (hear ("192.0.2.2", GETS, START + 1));
  fail_if (hear ("192.0.2.2", GETS, START + 2));
  fail_if (hear ("192.0.2.1", GETS, START + 3));
  fail_if (hear ("192.0.2.2", WAITS, START + 3 + TIMEOUT));
  fail_unless (hear ("192.0.2.2", WAITS, START + 4 + TIMEOUT));
  assert_equals_uint64 (receiver.moves, 1);
  assert_equals_uint64 (receiver.elsewhere, 4);
  /* And back. */
  fail_if (hear ("192.0.2.1", WAITS, START + 5 + TIMEOUT));
  fail_if (hear ("192.0.2.1", WAITS, START + 6 + TIMEOUT));
  fail_unless (hear ("192.0.2.1", WAITS, START + 4 + 2 * TIMEOUT));
}

GST_END_TEST;

GST_START_TEST (a_report_that_proves_nothing_begins_anew)
{
  start_at ("192.0.2.1");
  for (guint i = 0; i < 1000; i++) {
    fail_if (hear ("192.0.2.2", GETS, START + TIMEOUT + i));
    fail_if (hear ("192.0.2.2", NOTHING, START + TIMEOUT + i));
  }
  assert_equals_uint64 (receiver.moves, 0);
}

GST_END_TEST;

/* Who is nearer to the sender reports before the receiver, whose reports are stale. */
GST_START_TEST (reports_that_were_overtaken_keep_it)
{
  start_at ("192.0.2.1");
  for (guint i = 1; i < 100; i++) {
    fail_if (hear ("192.0.2.2", GETS, START + i * RTT - 2));
    fail_if (hear ("192.0.2.2", GETS, START + i * RTT - 1));
    fail_if (hear ("192.0.2.1", NOTHING, START + i * RTT - 1));
  }
  assert_equals_uint64 (receiver.moves, 0);
}

GST_END_TEST;

GST_START_TEST (many_that_guess_move_nothing)
{
  start_at ("192.0.2.1");
  for (guint i = 0; i < 10000; i++) {
    gchar *host = g_strdup_printf ("198.51.%u.%u", i / 256, i % 256);

    /* One in a hundred has guessed right, once. */
    fail_if (hear (host, i % 100 ? NOTHING : GETS, START + 2 * TIMEOUT + i));
    g_free (host);
  }
  assert_equals_uint64 (receiver.elsewhere, 10000);
  assert_equals_uint64 (receiver.moves, 0);
  fail_if (hear ("192.0.2.1", WAITS, START + 3 * TIMEOUT));
}

GST_END_TEST;

GST_START_TEST (one_that_flaps_moves_once_in_a_while_at_most)
{
  const gchar *const hosts[] = { "192.0.2.1", "192.0.2.2" };

  start_at (hosts[0]);
  /* Packet by packet: it stays. */
  for (guint i = 0; i < 1000; i++)
    fail_if (hear (hosts[i % 2], GETS, START + i * 10 * TFRC_MILLISECOND));
  /* Burst by burst, of 100 ms. */
  for (guint i = 0; i < 1000; i++)
    hear (hosts[i / 10 % 2], GETS, START + (1000 + i) * 10 * TFRC_MILLISECOND);
  assert_equals_uint64 (receiver.moves, 0);
}

GST_END_TEST;

GST_START_TEST (another_target_is_another_receiver)
{
  GSocketAddress *to = g_inet_socket_address_new_from_string ("192.0.2.1",
      5004);

  start_at ("192.0.2.1");
  tfrc_receiver_address_set (&receiver, to);
  fail_if (hear ("192.0.2.2", GETS, START));
  assert_equals_uint64 (receiver.elsewhere, 1);
  tfrc_receiver_address_set (&receiver, NULL);
  fail_if (hear ("192.0.2.2", GETS, START));
  assert_equals_uint64 (receiver.elsewhere, 1);
  g_object_unref (to);
  tfrc_receiver_address_set (&receiver, NULL);
}

GST_END_TEST;

/* As the receiver makes it that echoes `packet`, whose newest packet came so long ago. */
static void
report (SendFixture *f, const gchar *host, const SendPacket *packet,
    TfrcDuration held, TfrcRate receive_rate)
{
  const TfrcFeedback feedback = {
    .media_ssrc = SSRC,
    .echo_time_us = packet->extension.send_time_us,
    .echo_delay = held,
    .receive_rate = receive_rate,
  };
  GSocketAddress *from = g_inet_socket_address_new_from_string (host, 5004);
  guint8 data[TFRC_WIRE_FEEDBACK_SIZE];
  GstBuffer *buffer;

  tfrc_wire_write_feedback (data, &feedback, RECEIVER_SSRC);
  buffer = gst_buffer_new_memdup (data, sizeof data);
  gst_buffer_add_net_address_meta (buffer, from);
  g_object_unref (from);
  assert_equals_int (gst_harness_push (f->rtcp, buffer), GST_FLOW_OK);
}

/* NULL: it was not told of a move. */
static gchar *
pop_told (SendFixture *f)
{
  GstMessage *message;
  gchar *text = NULL;

  while ((message = gst_bus_pop_filtered (f->bus, GST_MESSAGE_ELEMENT))) {
    if (!text && gst_message_has_name (message, "tfrc-receiver-moved"))
      text = gst_structure_to_string (gst_message_get_structure (message));
    gst_message_unref (message);
  }
  return text;
}

static SendPacket
start_flow (SendFixture *f)
{
  SendPacket packet;

  send_fixture_init (f);
  send_fixture_start (f, VIDEO_CAPS);
  send_fixture_push_packets (f, 1);
  packet = send_fixture_pull_packet (f);
  send_fixture_run_until (f, START + RTT);
  report (f, "192.0.2.1", &packet, 0, 0);
  return packet;
}

GST_START_TEST (calls_of_the_receiver_move_it_and_no_rate)
{
  SendFixture f;
  SendPacket packet = start_flow (&f);
  guint64 feedback = send_fixture_get_stat (&f, "feedback");
  gchar *told;

  send_fixture_run_until (&f, START + TFRC_SECOND);
  report (&f, "192.0.2.2", &packet, 800 * TFRC_MILLISECOND, 0);
  fail_unless (pop_told (&f) == NULL);
  send_fixture_run_until (&f, START + TFRC_SECOND + 250 * TFRC_MILLISECOND);
  report (&f, "192.0.2.2", &packet, 1050 * TFRC_MILLISECOND, 0);
  told = pop_told (&f);
  fail_unless (told != NULL);
  fail_unless (strstr (told,
      "old-host=(string)192.0.2.1, old-port=(uint)5004"));
  fail_unless (strstr (told, " host=(string)192.0.2.2, port=(uint)5004"));
  g_free (told);
  assert_equals_uint64 (send_fixture_get_stat (&f, "receiver-moves"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), feedback);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback-stale"), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Calls and reports that were heard are sent again from elsewhere, later and with
 * other echoes, and nobody answers from where the receiver was. */
GST_START_TEST (what_is_replayed_or_made_up_moves_nothing)
{
  SendFixture f;
  SendPacket packet = start_flow (&f), forged;
  TfrcDuration held = 400 * TFRC_MILLISECOND;

  send_fixture_run_until (&f, START + TFRC_SECOND);
  report (&f, "192.0.2.1", &packet, held, 0);
  send_fixture_run_until (&f, START + 2 * TFRC_SECOND);
  for (guint i = 0; i < 100; i++) {
    report (&f, "192.0.2.2", &packet, held, 0);
    report (&f, "192.0.2.2", &packet, held, 10000);
    report (&f, "192.0.2.2", &packet, 0, 0);
    /* Held for longer than it can have been. */
    report (&f, "192.0.2.2", &packet, 3 * TFRC_SECOND, 0);
    forged = packet;
    forged.extension.send_time_us += 1 + i * 5000;
    report (&f, "192.0.2.2", &forged, 0, 10000);
    forged.extension.send_time_us = i * 40000000u;
    report (&f, "192.0.2.2", &forged, 0, 10000);
  }
  fail_unless (pop_told (&f) == NULL);
  assert_equals_uint64 (send_fixture_get_stat (&f, "receiver-moves"), 0);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reports-elsewhere"), 600);
  send_fixture_clear (&f);
}

GST_END_TEST;

static Suite *
receiver_address_suite (void)
{
  Suite *suite = suite_create ("receiver-address");
  TCase *address = tcase_create ("address");
  TCase *element = tcase_create ("element");

  tcase_add_test (address, two_proofs_from_elsewhere_behind_a_silence_move_it);
  tcase_add_test (address, a_report_that_proves_nothing_begins_anew);
  tcase_add_test (address, reports_that_were_overtaken_keep_it);
  tcase_add_test (address, many_that_guess_move_nothing);
  tcase_add_test (address, one_that_flaps_moves_once_in_a_while_at_most);
  tcase_add_test (address, another_target_is_another_receiver);
  suite_add_tcase (suite, address);
  tcase_add_test (element, calls_of_the_receiver_move_it_and_no_rate);
  tcase_add_test (element, what_is_replayed_or_made_up_moves_nothing);
  suite_add_tcase (suite, element);
  return suite;
}

GST_CHECK_MAIN (receiver_address);
