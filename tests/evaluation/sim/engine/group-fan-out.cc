/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "group-fan-out.h"

#include <algorithm>

#include "alarm.h"

using namespace ns3;

namespace {

/* How far ahead of its turn a receiver's memory is asked for. */
constexpr size_t Lookahead = 6, LogLookahead = 2;

} // namespace

GroupFanOut::GroupFanOut(const std::vector<MemberDescription>& members,
                         const TfmccReceiverConfig& config, uint32_t first_ssrc,
                         std::function<void(const TfmccReport&)> send)
  : m_members(members.size()),
    m_core(group_core_new(members.size())),
    m_send(std::move(send))
{
  std::map<double, std::vector<uint32_t>> joins;        /* at s: one event for all */

  tfrc_rng_init(&m_random, first_ssrc, 3);
  for (uint32_t i = 0; i < members.size(); i++) {
    TfmccReceiverConfig own = config;

    own.ssrc = first_ssrc + i;
    own.seed = members[i].seed;
    own.timestamp_offset_us = members[i].timestamp_offset_us;
    group_core_init(m_core, i, &own);
    m_members[i].loss = members[i].loss;
    m_members[i].report_loss = static_cast<float>(members[i].report_loss);
    m_members[i].delay_ms = static_cast<uint32_t>(members[i].delay_ms);
    m_members[i].killed = members[i].killed;
    m_members[i].join_s = members[i].join_s;
    m_members[i].leave_s = members[i].leave_s;
    joins[members[i].join_s].push_back(i);
    Schedule(i, members[i]);
  }
  for (const auto& [at_s, who] : joins)
    Simulator::Schedule(Seconds(at_s), &GroupFanOut::Join, this, who);
}

GroupFanOut::~GroupFanOut()
{
  group_core_free(m_core);
}

size_t
GroupFanOut::GetMemberSize()
{
  return group_core_get_size() + sizeof(Member) + sizeof(Listener);
}

void
GroupFanOut::Synchronise(TfrcDuration clock_error, uint32_t offset_us)
{
  m_clock_error = clock_error;
  m_offset_us = offset_us;
}

bool
GroupFanOut::IsUnmeasured() const
{
  return std::any_of(m_members.begin(), m_members.end(),
                     [](const Member& one) { return one.listens && !one.has_rtt; });
}

void
GroupFanOut::Receive(const GroupData& data)
{
  auto shared = std::make_shared<const GroupData>(data);

  m_next_number = data.number + 1;
  for (auto& [delay_ms, listeners] : m_listeners) {
    if (listeners.empty())
      continue;
    if (delay_ms == 0)
      Deliver(&listeners, shared);
    else
      Simulator::Schedule(MilliSeconds(delay_ms), &GroupFanOut::Deliver, this, &listeners, shared);
  }
}

/* What the description has for this member after it has joined. */
void
GroupFanOut::Schedule(uint32_t member, const MemberDescription& description)
{
  m_listeners[m_members[member].delay_ms];
  if (description.leave_s < 1e9)
    Simulator::Schedule(Seconds(description.leave_s), &GroupFanOut::Leave, this, member);
  for (const auto& [at_s, delay_ms] : description.delays)
    Simulator::Schedule(Seconds(at_s), &GroupFanOut::SetDelay, this, member,
                        static_cast<uint32_t>(std::lround(delay_ms)));
  for (const auto& [at_s, p] : description.losses)
    Simulator::Schedule(Seconds(at_s), &GroupFanOut::SetLoss, this, member, p);
}

void
GroupFanOut::Join(const std::vector<uint32_t>& members)
{
  for (uint32_t member : members) {
    m_members[member].listens = true;
    m_n_listening++;
    Listen(member);
  }
}

void
GroupFanOut::Leave(uint32_t member)
{
  Member& one = m_members[member];
  GroupOutcome outcome = {};

  if (!one.killed) {
    group_core_leave(m_core, member, &outcome, GetTime());
    Follow(member, outcome);
  }
  one.listens = false;
  m_n_listening--;
  Forget(member, one.delay_ms);
}

void
GroupFanOut::SetDelay(uint32_t member, uint32_t delay_ms)
{
  Member& one = m_members[member];

  if (one.listens) {
    for (Listener& listener : m_listeners[one.delay_ms])
      if (listener.member == member)
        listener.until = m_next_number;
    Simulator::Schedule(MilliSeconds(one.delay_ms + 1), &GroupFanOut::Forget, this, member,
                        one.delay_ms);
  }
  one.delay_ms = delay_ms;
  if (one.listens)
    Listen(member);
}

void
GroupFanOut::SetLoss(uint32_t member, double p)
{
  m_members[member].loss.SetProbability(p);
}

void
GroupFanOut::Listen(uint32_t member)
{
  m_listeners[m_members[member].delay_ms].push_back({member, m_next_number, UINT64_MAX});
}

void
GroupFanOut::Forget(uint32_t member, uint32_t delay_ms)
{
  Listeners& listeners = m_listeners[delay_ms];
  const Member& one = m_members[member];

  /* What it listens to by now stays. */
  listeners.erase(std::remove_if(listeners.begin(), listeners.end(),
                                 [&](const Listener& listener) {
                                   return listener.member == member
                                     && (!one.listens || listener.until != UINT64_MAX);
                                 }),
                  listeners.end());
}

void
GroupFanOut::Deliver(Listeners* listeners, std::shared_ptr<const GroupData> data)
{
  uint64_t number = data->number;

  for (size_t i = 0; i < listeners->size(); i++) {
    const Listener& listener = (*listeners)[i];

    if (i + Lookahead < listeners->size()) {
      uint32_t next = (*listeners)[i + Lookahead].member;

      __builtin_prefetch(&m_members[next].loss, 1);
      __builtin_prefetch(&m_members[next].first_report_at, 1);
      group_core_expect(m_core, next);
    }
    if (i + LogLookahead < listeners->size())
      group_core_expect_log(m_core, (*listeners)[i + LogLookahead].member);
    if (number >= listener.from && number < listener.until
        && !m_members[listener.member].loss.Next())
      Take(listener.member, *data);
  }
}

void
GroupFanOut::Take(uint32_t member, const GroupData& data)
{
  Member& one = m_members[member];
  GroupOutcome outcome;

  m_receptions++;
  group_core_on_packet(m_core, member, &data.packet, &data.extension, &outcome, GetTime());
  if (!one.has_packet && m_clock_error != TFRC_TIME_NONE) {
    uint32_t now_us = static_cast<uint32_t>(GetTime() / TFRC_MICROSECOND) + m_offset_us;

    group_core_set_synchronised(m_core, member,
                                (now_us - data.extension.send_time_us) * TFRC_MICROSECOND,
                                m_clock_error);
  }
  one.has_packet = true;
  if (data.extension.has_echo && !one.has_rtt && group_core_has_rtt(m_core, member)) {
    one.has_rtt = true;
    one.first_rtt_at = GetTime();
  }
  Follow(member, outcome);
}

/* An event cannot be moved, so a later deadline waits for the event of an
 * earlier one. */
void
GroupFanOut::OnWake(uint32_t member, TfrcTime at)
{
  Member& one = m_members[member];
  GroupOutcome outcome = {};

  if (at != one.wake_at)
    return;
  one.wake_at = TFRC_TIME_NONE;
  if (!one.listens)
    return;
  outcome.deadline = one.deadline;
  if (one.deadline <= at)
    group_core_on_deadline(m_core, member, &outcome, at);
  Follow(member, outcome);
}

void
GroupFanOut::Follow(uint32_t member, const GroupOutcome& outcome)
{
  Member& one = m_members[member];
  TfrcTime now = GetTime();

  if (outcome.has_report) {
    if (one.first_report_at == TFRC_TIME_NONE)
      one.first_report_at = now;
    m_reports_sent++;
    if (one.report_loss == 0 || tfrc_rng_uniform(&m_random) > one.report_loss)
      Simulator::Schedule(MilliSeconds(one.delay_ms), [this, report = outcome.report] {
        m_send(report);
      });
  }
  one.deadline = outcome.deadline;
  if (one.deadline < one.wake_at) {
    one.wake_at = std::max(one.deadline, now);
    Simulator::Schedule(NanoSeconds(one.wake_at - now), &GroupFanOut::OnWake, this, member,
                        one.wake_at);
  }
}
