/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Members of a group behind one ns-3 host: hands each data packet that
 * reaches the host to all who listen, by one event for all of equal delay, and
 * has their reports sent by the host.  A packet is lost to one member or to
 * many; whose it is, the host does not know.
 *
 * A change of delay holds for packets that reach the host from then on; a
 * member that joins gets those from then on, one that leaves gets none any
 * more, not even those that are on their way. */
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <ns3/nstime.h>

#include "group-description.h"
#include "group-packet-bytes.h"

extern "C" {
#include "group-core.h"
}

class GroupFanOut
{
public:
  struct Member
  {
    GroupLoss loss;
    TfrcTime deadline = TFRC_TIME_NONE; /* of the receiver */
    TfrcTime wake_at = TFRC_TIME_NONE;  /* earliest event for it */
    uint32_t delay_ms;
    float report_loss;
    bool killed;
    bool listens = false;
    bool has_packet = false;
    bool has_rtt = false;
    double join_s, leave_s;
    TfrcTime first_rtt_at = TFRC_TIME_NONE;
    TfrcTime first_report_at = TFRC_TIME_NONE;
  };

  /* `first_ssrc` is that of the first member; the others follow.  `send` takes
   * reports as they come to the host. */
  GroupFanOut(const std::vector<MemberDescription>& members, const TfmccReceiverConfig& config,
              uint32_t first_ssrc, std::function<void(const TfmccReport&)> send);
  ~GroupFanOut();

  /* e_s + e_r: the initial RTT comes from synchronised clocks; the sender's
   * timestamps begin at `offset_us`. */
  void Synchronise(TfrcDuration clock_error, uint32_t offset_us);

  /* A data packet reaches the host. */
  void Receive(const GroupData& data);

  bool IsListening() const { return m_n_listening > 0; }
  uint32_t CountListening() const { return m_n_listening; }
  /* Whether somebody listens who has not measured the RTT. */
  bool IsUnmeasured() const;
  /* Bytes of memory for one of many. */
  static size_t GetMemberSize();
  uint64_t GetReceptions() const { return m_receptions; }
  uint64_t GetReportsSent() const { return m_reports_sent; }

  size_t Count() const { return m_members.size(); }
  const Member& GetMember(size_t member) const { return m_members[member]; }
  const GroupCore* GetCore() const { return m_core; }

private:
  /* Of the packets with these numbers. */
  struct Listener
  {
    uint32_t member;
    uint64_t from, until;
  };
  using Listeners = std::vector<Listener>;

  void Schedule(uint32_t member, const MemberDescription& description);
  void Join(const std::vector<uint32_t>& members);
  void Leave(uint32_t member);
  void SetDelay(uint32_t member, uint32_t delay_ms);
  void SetLoss(uint32_t member, double p);
  void Listen(uint32_t member);
  void Forget(uint32_t member, uint32_t delay_ms);

  void Deliver(Listeners* listeners, std::shared_ptr<const GroupData> data);
  void Take(uint32_t member, const GroupData& data);
  void OnWake(uint32_t member, TfrcTime at);
  void Follow(uint32_t member, const GroupOutcome& outcome);

  std::vector<Member> m_members;
  GroupCore* m_core;
  std::function<void(const TfmccReport&)> m_send;
  std::map<uint32_t, Listeners> m_listeners;    /* by delay [ms] */
  TfrcRng m_random;             /* of lost reports */
  TfrcDuration m_clock_error = TFRC_TIME_NONE;  /* NONE: not synchronised */
  uint32_t m_offset_us = 0;
  uint64_t m_next_number = 0;   /* of the newest packet, plus 1 */
  uint32_t m_n_listening = 0;
  uint64_t m_receptions = 0, m_reports_sent = 0;
};
