/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TFRC flow: the sender and the receiver of gst/protocol, the objects that
 * the elements use, between two UDP sockets.  Turns their instants into ns-3
 * events and their structs into the bytes of gst/wire; decides nothing.
 *
 * Parameters: those of tfrc-settings.h, and
 *   ecn                 false: whether data packets are ECN-capable
 *   packets_per_burst   1; 2: two packets every two inter-packet intervals
 * What it sends is greedy; others put their own data on top, see MakeSource.
 *
 * summary.json gets loss_events, packets_lost, loss_event_rate (at the end),
 * feedback and nofeedback_expiries.  The trace has a row for each report that
 * the sender accepts: all columns of TfrcTrace, of either side. */
#pragma once

#include <memory>
#include <ns3/socket.h>

#include "alarm.h"
#include "core-timer.h"
#include "flow.h"
#include "packet-source.h"
#include "protocol.h"

class TfrcUdpFlow : public Flow
{
public:
  void Install(const FlowPlace& place) override;
  void Finish() override;

protected:
  /* What to send; reads its own parameters. */
  virtual std::unique_ptr<PacketSource> MakeSource(const FlowPlace& place);

private:
  void MakeSockets(const FlowPlace& place);
  void OpenTrace();

  void Start();
  void Stop();
  void Send();
  void SendBurst();
  void SendPacket(uint32_t bytes);
  void OnSenderDeadline();
  void OnFeedback(ns3::Ptr<ns3::Socket> socket);
  void UpdateSenderDeadline();

  void OnData(ns3::Ptr<ns3::Socket> socket);
  void OnReceiverDeadline();
  void SendFeedback();

  void WriteTrace();

  const FlowDescription* m_description = nullptr;
  Recorder* m_recorder = nullptr;
  std::unique_ptr<PacketSource> m_source;
  TfrcCheckedSender m_sender;
  TfrcCheckedReceiver m_receiver;
  ns3::Ptr<ns3::Socket> m_sender_socket, m_receiver_socket;
  Alarm<TfrcUdpFlow> m_send_alarm, m_sender_alarm, m_receiver_alarm;
  bool m_running = false, m_ecn = false;
  CoreTimer m_core;
  uint64_t m_packets_per_burst = 1;
  uint64_t m_sent = 0;          /* data packets */
  std::ofstream m_trace;
};
