/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TFMCC group: the sender of gst/protocol, and receivers by the thousand.
 *
 *   sender --links of the flow--> end of the links --delay--> members
 *                                        |
 *                                        +--links of a branch--> members
 *
 * Data and reports cross links as real packets between ns-3 nodes, with the
 * bytes of gst/wire.  Members have no nodes: a packet that reaches the end of
 * the links is handed to all members of equal delay by one event; a report
 * goes back by an event of its own to that node, which sends it on.  Whoever
 * listens to a branch shares its links with what else crosses them.  The
 * source is greedy.
 *
 * simulation.py (Members) says what the parameters are, group_results.py what
 * the flow writes: group-reports-N.txt and the others, N being the number of
 * the tfmcc flow. */
#pragma once

#include <ns3/socket.h>

#include "alarm.h"
#include "flow.h"
#include "group-fan-out.h"
#include "group-recorder.h"

class GroupBranch;

class GroupFlow : public Flow
{
public:
  void Install(const FlowPlace& place) override;
  void Finish() override;

  /* Another place where members listen.  `at_sender`: what leaves the sender
   * goes there, not what comes to the end of the flow's links. */
  void AddBranch(GroupBranch& branch, bool at_sender);

  /* Members of the fan-out before it have the SSRCs from 1 on. */
  std::unique_ptr<GroupFanOut> MakeFanOut(const FlowDescription& flow,
                                          std::function<void(const TfmccReport&)> send);

  /* A report that came through a branch. */
  void PassReport(const TfmccReport& report, bool at_sender);

private:
  void MakeSockets(const FlowPlace& place);
  void Start();
  void Stop();
  void Send();
  void SendPacket();
  void BoundMaxRtt();
  void OnDeadline();
  void OnReportPacket(ns3::Ptr<ns3::Socket> socket);
  void OnReport(const TfmccReport& report);
  void OnData(ns3::Ptr<ns3::Socket> socket);
  void Sample();

  const FlowDescription* m_description = nullptr;
  TfmccSender m_sender;
  TfmccReportCheck m_check;
  TfmccReceiverConfig m_receiver_config;
  TfrcDuration m_clock_error = TFRC_TIME_NONE;
  TfrcDuration m_granularity;   /* ts_gran, a part of R_max's lower bound */
  TfrcDuration m_unmeasured_rtt = 0;    /* 0: no bound by who has not measured */
  std::unique_ptr<GroupFanOut> m_fan_out;
  std::unique_ptr<GroupRecorder> m_recorder;
  std::vector<const GroupFanOut*> m_fan_outs;   /* that and the branches' */
  std::vector<GroupBranch*> m_branches_at_sender, m_branches_at_end;
  ns3::Ptr<ns3::Socket> m_sender_socket, m_end_socket;
  Alarm<GroupFlow> m_send_alarm, m_deadline_alarm;
  ns3::Time m_sample_interval;
  bool m_running = false;
  uint64_t m_sent = 0;
  uint32_t m_n_members = 0;
};
