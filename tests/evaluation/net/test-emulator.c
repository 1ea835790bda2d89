/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets between ports: routing, groups, both links of the way, marks, MTU.  The
 * TUN devices are socket pairs here, and time is what the test says. */
#include <check.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check-suite.h"
#include "emulator-log.h"

#define N_PORTS 3

static Emulator emulator;
static int hosts[N_PORTS];

/* Port i is 10.0.i.0/24.  100 bytes at 10000 bytes/s take 10 ms on the way from
 * a port; on the way to it there is a delay of 5 ms only. */
static void
setup (void)
{
  static const char *const names[] = { "a", "b", "c" };
  static const char *const routes[] = { "10.0.0.0/24", "10.0.1.0/24",
    "10.0.2.0/24" };
  EmulatorPort *port;
  unsigned i;
  int pair[2];

  memset (&emulator, 0, sizeof emulator);
  emulator.n_ports = N_PORTS;
  for (i = 0; i < N_PORTS; i++) {
    port = &emulator.ports[i];
    ck_assert_int_eq (socketpair (AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair),
        0);
    port->name = names[i];
    port->fd = pair[0];
    hosts[i] = pair[1];
    link_config_init (&port->profile.forward);
    link_config_init (&port->profile.back);
    port->profile.forward.delay = 5 * MS;
    port->profile.back.rate = 10000.0;
    ck_assert (router_add_route (&emulator.router, routes[i], i));
  }
}

static void
teardown (void)
{
  unsigned i;

  emulator_clear (&emulator);
  for (i = 0; i < N_PORTS; i++)
    close (hosts[i]);
}

/* 100 bytes of IPv4; checksums are not looked at. */
static void
send_packet (unsigned from, const char *to, uint8_t protocol, uint8_t ecn,
    const uint8_t *payload, size_t size, TfrcTime now)
{
  uint8_t data[100] = { 0x45, ecn, 0, sizeof data, 0, 0, 0, 0, 64, protocol };
  IpAddress destination;

  ck_assert (ip_address_parse (&destination, to));
  data[12] = 10;
  data[14] = (uint8_t) from;
  data[15] = 2;
  memcpy (data + 16, destination.bytes, 4);
  if (payload != NULL)
    memcpy (data + 20, payload, size);
  ck_assert_int_eq (send (hosts[from], data, sizeof data, 0), sizeof data);
  emulator_receive (&emulator, from, now);
}

/* How many packets are there by now; `last` is the newest one. */
static unsigned
arrived (unsigned at, uint8_t last[100], TfrcTime now)
{
  unsigned n = 0;

  emulator_advance (&emulator, now);
  while (recv (hosts[at], last, 100, 0) == 100)
    n++;
  return n;
}

static void
report (unsigned from, uint8_t type, TfrcTime now)
{
  uint8_t igmp[] = { type, 0, 0, 0, 239, 1, 2, 3 };

  send_packet (from, "239.1.2.3", IP_PROTOCOL_IGMP, 0, igmp, sizeof igmp, now);
}

/* 10 ms on the wire from a, 5 ms of delay to b. */
START_TEST (a_packet_takes_both_links)
{
  uint8_t data[100];

  emulator_start (&emulator, 1, 0);
  send_packet (0, "10.0.1.9", IP_PROTOCOL_UDP, 0, NULL, 0, 0);
  ck_assert_uint_eq (emulator_next_deadline (&emulator), 10 * MS);
  ck_assert_uint_eq (arrived (1, data, 15 * MS - 1), 0);
  ck_assert_uint_eq (emulator_next_deadline (&emulator), 15 * MS);
  ck_assert_uint_eq (arrived (1, data, 15 * MS), 1);
  ck_assert_uint_eq (data[8], 63);
  ck_assert_uint_eq (emulator.ports[1].links[EMULATOR_TO_PORT].udp_bytes, 100);
  ck_assert_uint_eq (arrived (0, data, TFRC_SECOND), 0);
  ck_assert_uint_eq (arrived (2, data, TFRC_SECOND), 0);
}

END_TEST
/* A stall of a second: what is late is late once, and is late by 985 ms. */
START_TEST (lateness_is_seen_and_does_not_add_up)
{
  uint8_t data[100];

  emulator_start (&emulator, 1, 0);
  send_packet (0, "10.0.1.9", IP_PROTOCOL_TCP, 0, NULL, 0, 0);
  ck_assert_uint_eq (arrived (1, data, TFRC_SECOND), 1);
  ck_assert_uint_eq (emulator.lateness, 985 * MS);
  ck_assert_uint_eq (emulator.ports[1].links[EMULATOR_TO_PORT].tcp_bytes, 100);
}

END_TEST
START_TEST (the_longest_prefix_wins)
{
  uint8_t data[100];

  ck_assert (router_add_route (&emulator.router, "10.0.1.128/25", 2));
  ck_assert (router_add_route (&emulator.router, "0.0.0.0/0", 0));
  ck_assert (!router_add_route (&emulator.router, "10.0.1.0/33", 2));
  ck_assert (!router_add_route (&emulator.router, "10.0.1/24", 2));
  emulator_start (&emulator, 1, 0);
  send_packet (1, "10.0.1.128", IP_PROTOCOL_UDP, 0, NULL, 0, 0);
  send_packet (1, "192.0.2.1", IP_PROTOCOL_UDP, 0, NULL, 0, 0);
  /* Its own prefix: not back. */
  send_packet (1, "10.0.1.127", IP_PROTOCOL_UDP, 0, NULL, 0, 0);
  ck_assert_uint_eq (arrived (2, data, TFRC_SECOND), 1);
  ck_assert_uint_eq (arrived (0, data, TFRC_SECOND), 1);
  ck_assert_uint_eq (arrived (1, data, TFRC_SECOND), 0);
  ck_assert_uint_eq (emulator.n_unroutable, 1);
}

END_TEST
START_TEST (a_group_goes_where_it_was_joined)
{
  uint8_t data[100];
  TfrcTime now = 0;

  emulator_start (&emulator, 1, 0);
  send_packet (0, "239.1.2.3", IP_PROTOCOL_UDP, 0, NULL, 0, now);
  now += TFRC_SECOND;
  emulator_advance (&emulator, now);
  ck_assert_uint_eq (emulator.n_unroutable, 1);
  report (1, 0x16, now);
  report (2, 0x16, now);
  report (2, 0x16, now);
  now += TFRC_SECOND;
  emulator_advance (&emulator, now);
  send_packet (0, "239.1.2.3", IP_PROTOCOL_UDP, 0, NULL, 0, now);
  now += TFRC_SECOND;
  ck_assert_uint_eq (arrived (1, data, now), 1);
  ck_assert_uint_eq (arrived (2, data, now), 1);
  report (1, 0x17, now);
  now += TFRC_SECOND;
  emulator_advance (&emulator, now);
  send_packet (0, "239.1.2.3", IP_PROTOCOL_UDP, 0, NULL, 0, now);
  now += TFRC_SECOND;
  ck_assert_uint_eq (arrived (1, data, now), 0);
  ck_assert_uint_eq (arrived (2, data, now), 1);
  ck_assert_uint_eq (emulator.ports[1].n_joins, 1);
  ck_assert_uint_eq (emulator.ports[1].n_leaves, 1);
  ck_assert_uint_eq (emulator.ports[2].n_joins, 1);
  /* A report goes nowhere, although its address is that of the group. */
  ck_assert_uint_eq (arrived (0, data, now), 0);
}

END_TEST
/* RED of the average itself, one packet before it: 10 ms, the maximum. */
START_TEST (only_the_copy_on_the_full_link_is_marked)
{
  LinkConfig *config = &emulator.ports[1].profile.forward;
  uint8_t data[100];

  emulator.ports[0].profile.back.rate = INFINITY;
  config->rate = 10000.0;
  config->red = (LinkRedConfig) {
    .min = 5 * MS, .max = 10 * MS, .share = 1.0, .weight = 1.0
  };
  config->ecn = true;
  emulator_start (&emulator, 1, 0);
  report (1, 0x16, 0);
  report (2, 0x16, 0);
  emulator_advance (&emulator, TFRC_SECOND);
  send_packet (0, "239.1.2.3", IP_PROTOCOL_UDP, IP_ECN_ECT_0, NULL, 0,
      TFRC_SECOND);
  send_packet (0, "239.1.2.3", IP_PROTOCOL_UDP, IP_ECN_ECT_0, NULL, 0,
      TFRC_SECOND);
  ck_assert_uint_eq (arrived (1, data, 2 * TFRC_SECOND), 2);
  ck_assert_uint_eq (data[1], IP_ECN_CE);
  ck_assert_uint_eq (arrived (2, data, 2 * TFRC_SECOND), 2);
  ck_assert_uint_eq (data[1], IP_ECN_ECT_0);
}

END_TEST
/* Both copies of a duplicate are routed, and no packet is given back twice. */
START_TEST (duplicates_are_routed)
{
  uint8_t data[100];

  emulator.ports[0].profile.back.duplicate = 1.0;
  emulator.ports[1].profile.forward.duplicate = 1.0;
  emulator_start (&emulator, 1, 0);
  send_packet (0, "10.0.1.9", IP_PROTOCOL_UDP, 0, NULL, 0, 0);
  ck_assert_uint_eq (arrived (1, data, TFRC_SECOND), 4);
  ck_assert_uint_eq (emulator.pool.n_free, emulator.pool.n_packets);
}

END_TEST
/* 100 bytes at 10000 bytes/s take 10 ms: the second packet of the first flow
 * would wait for 10 ms, and the link to b holds none that does. */
START_TEST (flows_are_told_apart_by_their_ports)
{
  const FlowTable *flows = &emulator.ports[1].links[EMULATOR_TO_PORT].flows;
  static const uint8_t one[] = { 0x12, 0x34, 0, 80 };
  static const uint8_t other[] = { 0x12, 0x35, 0, 80 };
  uint8_t data[100];

  emulator.ports[0].profile.back.rate = INFINITY;
  emulator.ports[1].profile.forward.rate = 10000.0;
  emulator.ports[1].profile.forward.queue_limit = 5 * MS;
  emulator_start (&emulator, 1, 0);
  send_packet (0, "10.0.1.9", IP_PROTOCOL_UDP, 0, one, sizeof one, 0);
  send_packet (0, "10.0.1.9", IP_PROTOCOL_UDP, 0, one, sizeof one, 0);
  ck_assert_uint_eq (arrived (1, data, TFRC_SECOND), 1);
  send_packet (0, "10.0.1.9", IP_PROTOCOL_UDP, 0, other, sizeof other,
      TFRC_SECOND);
  ck_assert_uint_eq (arrived (1, data, 2 * TFRC_SECOND), 1);
  send_packet (0, "10.0.1.9", IP_PROTOCOL_ICMP, 0, other, sizeof other,
      2 * TFRC_SECOND);
  ck_assert_uint_eq (arrived (1, data, 3 * TFRC_SECOND), 1);

  ck_assert_uint_eq (flows->n, 3);
  ck_assert_uint_eq (flows->flows[0].key.source_port, 0x1234);
  ck_assert_uint_eq (flows->flows[0].key.destination_port, 80);
  ck_assert_uint_eq (flows->flows[0].packets, 1);
  ck_assert_uint_eq (flows->flows[0].bytes, 100);
  ck_assert_uint_eq (flows->flows[0].dropped, 1);
  ck_assert_uint_eq (flows->flows[1].key.source_port, 0x1235);
  ck_assert_uint_eq (flows->flows[1].packets, 1);
  ck_assert_uint_eq (flows->flows[1].dropped, 0);
  ck_assert_uint_eq (flows->flows[2].key.protocol, IP_PROTOCOL_ICMP);
  ck_assert_uint_eq (flows->flows[2].key.source_port, 0);
}

END_TEST
/* The second fragment begins with bytes of the payload, not with ports. */
START_TEST (fragments_have_no_ports)
{
  uint8_t data[100] = { 0x45, 0, 0, 100, 0, 0, 0x20, 0, 64, IP_PROTOCOL_UDP };
  static FlowTable table;
  IpPacket ip;

  data[20] = 7;
  ck_assert (ip_packet_parse (&ip, data, sizeof data));
  ck_assert_uint_eq (flow_table_find (&table, &ip, data)->key.source_port,
      0x700);
  data[7] = 10;
  ck_assert_uint_eq (flow_table_find (&table, &ip, data)->key.source_port, 0);
}

END_TEST
/* 63 flows have a place of their own. */
START_TEST (flows_beyond_the_table_share_its_last_place)
{
  uint8_t data[100] = { 0x45, 0, 0, 100, 0, 0, 0, 0, 64, IP_PROTOCOL_TCP };
  static FlowTable table;
  IpPacket ip;
  unsigned i;

  for (i = 1; i <= FLOW_TABLE_SIZE + 10; i++) {
    data[21] = (uint8_t) i;
    ck_assert (ip_packet_parse (&ip, data, sizeof data));
    flow_table_find (&table, &ip, data)->packets++;
  }
  ck_assert_uint_eq (table.n, FLOW_TABLE_SIZE);
  ck_assert_uint_eq (table.flows[62].key.source_port, 63);
  ck_assert_uint_eq (table.flows[62].packets, 1);
  ck_assert_uint_eq (table.flows[63].key.source_port, 0);
  ck_assert_uint_eq (table.flows[63].packets, 11);
}

END_TEST
/* At the rows' instants, 0 and 100 ms: before the packet and behind it. */
START_TEST (the_log_has_a_row_for_each_flow)
{
  static const uint8_t ports[] = { 0x13, 0x8c, 0x14, 0x51 };
  const char *path = "test-emulator-flows.csv";
  char line[256], last[256] = "";
  unsigned n = 0;
  EmulatorLog log;
  FILE *file;

  emulator_start (&emulator, 1, 0);
  ck_assert (emulator_log_open (&log, NULL, path, NULL, 0));
  emulator_log_on_time (&log, &emulator, 0);
  send_packet (0, "10.0.1.9", IP_PROTOCOL_UDP, 0, ports, sizeof ports, 0);
  emulator_advance (&emulator, 100 * MS);
  emulator_log_on_time (&log, &emulator, 100 * MS);
  emulator_log_close (&log);

  file = fopen (path, "r");
  ck_assert_ptr_nonnull (file);
  for (; fgets (line, sizeof line, file) != NULL; n++)
    strcpy (last, line);
  fclose (file);
  ck_assert_int_eq (remove (path), 0);
  /* The comment, the names of the columns, a's link and b's. */
  ck_assert_uint_eq (n, 4);
  ck_assert_str_eq (last,
      "0.100000,b,to,17,10.0.0.2,5004,10.0.1.9,5201,1,100,0\n");
  ck_assert (!emulator_log_open (&log, NULL, "/no/such/folder/x", NULL, 0));
}

END_TEST
/* 100 bytes at 10000 bytes/s take 10 ms: the second packet, which comes at the
 * same time, waits for them, and for 6 ms the third, which comes 4 ms later and is
 * one too many.  The link of the sender has no rate, and no row. */
START_TEST (the_log_has_a_row_for_each_packet)
{
  static const uint8_t ports[] = { 0x13, 0x8c, 0x14, 0x51 };
  static const char *const rows[] = {
    "0.000000,b,to,17,5004,5201,100,0.000,passed\n",
    "0.000000,b,to,17,5004,5201,100,10.000,passed\n",
    "0.004000,b,to,17,5004,5201,100,16.000,queue\n",
  };
  const char *path = "test-emulator-packets.csv";
  char line[256];
  EmulatorLog log;
  unsigned i;
  FILE *file;

  emulator.ports[0].profile.back.rate = INFINITY;
  emulator.ports[1].profile.forward.rate = 10000.0;
  emulator.ports[1].profile.forward.queue_limit = 15 * MS;
  emulator_start (&emulator, 1, 0);
  ck_assert (emulator_log_open (&log, NULL, NULL, path, 0));
  emulator.on_arrival = emulator_log_on_arrival;
  emulator.on_arrival_user = &log;
  for (i = 0; i < 3; i++) {
    send_packet (0, "10.0.1.9", IP_PROTOCOL_UDP, 0, ports, sizeof ports,
        i / 2 * 4 * MS);
    emulator_advance (&emulator, i / 2 * 4 * MS);
  }
  emulator_log_close (&log);

  file = fopen (path, "r");
  ck_assert_ptr_nonnull (file);
  ck_assert_str_eq (fgets (line, sizeof line, file), "# origin_ns=0\n");
  ck_assert_ptr_nonnull (fgets (line, sizeof line, file));
  for (i = 0; i < 3; i++)
    ck_assert_str_eq (fgets (line, sizeof line, file), rows[i]);
  ck_assert_ptr_null (fgets (line, sizeof line, file));
  fclose (file);
  ck_assert_int_eq (remove (path), 0);
}

END_TEST
START_TEST (links_change_by_name)
{
  char error[LINK_PROFILE_ERROR_SIZE];
  uint8_t data[100];

  emulator_start (&emulator, 1, 0);
  ck_assert (emulator_obey (&emulator, "b delay_ms 50", error, 0));
  ck_assert (emulator_obey (&emulator, "a back_rate_kbit_s 160", error, 0));
  ck_assert (!emulator_obey (&emulator, "x delay_ms 50", error, 0));
  ck_assert_str_eq (error, "'x delay_ms 50': no such port");
  ck_assert (!emulator_obey (&emulator, "b delay 50", error, 0));
  ck_assert_str_eq (error, "delay: no such key");
  send_packet (0, "10.0.1.9", IP_PROTOCOL_UDP, 0, NULL, 0, 0);
  ck_assert_uint_eq (arrived (1, data, 55 * MS - 1), 0);
  ck_assert_uint_eq (arrived (1, data, 55 * MS), 1);
}

END_TEST
/* 10 ms from a, 5 ms back to it: c takes 99 bytes, b 100. */
START_TEST (what_is_too_big_is_told_to_its_sender)
{
  uint8_t data[128] = { 0x45, 0, 0, 100, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0,
    2, 10, 0, 2, 2 };

  emulator.ports[1].profile.mtu = 100;
  emulator.ports[2].profile.mtu = 99;
  emulator_start (&emulator, 1, 0);
  ck_assert_int_eq (send (hosts[0], data, 100, 0), 100);
  emulator_receive (&emulator, 0, 0);
  emulator_advance (&emulator, 15 * MS - 1);
  ck_assert_int_lt (recv (hosts[0], data, sizeof data, 0), 0);
  emulator_advance (&emulator, 15 * MS);
  ck_assert_int_eq (recv (hosts[0], data, sizeof data, 0), 128);
  ck_assert_uint_eq (data[15], 1); /* from 10.0.0.1 */
  ck_assert_uint_eq (data[20], 3);
  ck_assert_uint_eq (data[27], 99);
  ck_assert_uint_eq (arrived (2, data, TFRC_SECOND), 0);
  send_packet (0, "10.0.1.9", IP_PROTOCOL_UDP, 0, NULL, 0, TFRC_SECOND);
  ck_assert_uint_eq (arrived (1, data, 2 * TFRC_SECOND), 1);
  /* Without DF it goes, and nobody is told. */
  send_packet (0, "10.0.2.9", IP_PROTOCOL_UDP, 0, NULL, 0, 2 * TFRC_SECOND);
  ck_assert_uint_eq (arrived (2, data, 3 * TFRC_SECOND), 0);
  ck_assert_int_lt (recv (hosts[0], data, sizeof data, 0), 0);
  ck_assert_uint_eq (emulator.n_too_big, 2);
  ck_assert_uint_eq (emulator.pool.n_free, emulator.pool.n_packets);
}

END_TEST
/* 0.25 ms steps: 1 to 100 ms, each once. */
START_TEST (the_spread_knows_its_percentiles)
{
  static DelaySpread spread;
  unsigned ms;

  ck_assert_uint_eq (delay_spread_percentile (&spread, 0.5), 0);
  for (ms = 1; ms <= 100; ms++)
    delay_spread_add (&spread, ms * MS);
  ck_assert_uint_eq (delay_spread_percentile (&spread, 0.5), 50 * MS);
  ck_assert_uint_eq (delay_spread_percentile (&spread, 0.95), 95 * MS);
  delay_spread_add (&spread, 5 * TFRC_SECOND);
  ck_assert_uint_eq (delay_spread_percentile (&spread, 1.0), 5 * TFRC_SECOND);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("emulator");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, a_packet_takes_both_links);
  tcase_add_test (tcase, lateness_is_seen_and_does_not_add_up);
  tcase_add_test (tcase, the_longest_prefix_wins);
  tcase_add_test (tcase, a_group_goes_where_it_was_joined);
  tcase_add_test (tcase, only_the_copy_on_the_full_link_is_marked);
  tcase_add_test (tcase, duplicates_are_routed);
  tcase_add_test (tcase, flows_are_told_apart_by_their_ports);
  tcase_add_test (tcase, fragments_have_no_ports);
  tcase_add_test (tcase, flows_beyond_the_table_share_its_last_place);
  tcase_add_test (tcase, the_log_has_a_row_for_each_flow);
  tcase_add_test (tcase, the_log_has_a_row_for_each_packet);
  tcase_add_test (tcase, links_change_by_name);
  tcase_add_test (tcase, what_is_too_big_is_told_to_its_sender);
  tcase_add_test (tcase, the_spread_knows_its_percentiles);
  return run_check_suite (suite);
}
