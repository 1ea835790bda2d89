/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "group-recorder.h"

#include <algorithm>
#include <cmath>

#include "alarm.h"

namespace {

double
GetSeconds()
{
  return ns3::Simulator::Now().GetSeconds();
}

/* Nothing infinite: numpy reads "nan". */
double
Known(TfrcRate rate)
{
  return std::isfinite(rate) ? rate : NAN;
}

double
SecondsOrNever(TfrcTime at)
{
  return at == TFRC_TIME_NONE ? -1.0 : tfrc_duration_to_seconds(at);
}

} // namespace

GroupRecorder::GroupRecorder(Recorder& recorder, uint32_t flow, const TfmccSender& sender)
  : m_recorder(recorder),
    m_flow(flow),
    m_sender(sender),
    m_reports(Open("reports")),
    m_states(Open("state")),
    m_limiters(Open("clr"))
{
}

void
GroupRecorder::AddMembers(const GroupFanOut& fan_out, const FlowDescription& flow)
{
  m_parts.push_back({&fan_out, &flow});
}

void
GroupRecorder::BeforeReport(const TfmccReport& report)
{
  const TfmccLimiter* limiter = tfmcc_sender_get_clr(&m_sender);
  bool is_clr = limiter != nullptr && limiter->ssrc == report.ssrc;
  uint64_t newest = m_rounds.size() - 1;
  uint64_t age = static_cast<uint8_t>(m_sender.round.number - report.round);
  uint64_t answered = age <= newest ? newest - age : newest;
  Round& round = m_rounds[answered];

  m_reports << GetSeconds() << ' ' << answered << ' ' << report.ssrc - 1 << ' ' << report.rate
            << ' ' << report.has_rtt << ' ' << report.has_loss << ' ' << report.leaving << ' '
            << is_clr << '\n';
  round.lowest_reported = std::min(round.lowest_reported, report.rate);
  if (is_clr) {
    round.clr_reports++;
    return;
  }
  round.reports++;
  round.lowest_reported_others = std::min(round.lowest_reported_others, report.rate);
  if (round.first_report_s < 0)
    round.first_report_s = GetSeconds() - round.begin_s;
}

void
GroupRecorder::OnSender()
{
  uint64_t number = m_sender.counters.rounds;

  if (m_rounds.empty())
    BeginRound(SurveyMembers());
  else if (number >= m_rounds.size())
    EndRound();
  Round& round = m_rounds.back();
  round.max_rtt = m_sender.round.max_rtt;
  round.packet_interval = m_sender.round.packet_interval;
  round.suppression_rate = m_sender.round.suppression_rate;
  if (m_slow_start) {
    m_slow_start_rate =
      std::max(m_slow_start_rate, tfmcc_sender_get_rate(&m_sender, GetTime()));
    m_slow_start = m_sender.slow_start;
    if (!m_slow_start)
      m_slow_start_end_s = GetSeconds();
  }
  OnLimiter();
}

void
GroupRecorder::Sample()
{
  const TfmccLimiter* limiter = tfmcc_sender_get_clr(&m_sender);
  Survey survey = SurveyMembers();

  m_states << GetSeconds() << ' ' << tfmcc_sender_get_rate(&m_sender, GetTime()) << ' '
           << m_limiter << ' ' << (limiter != nullptr ? limiter->rate : NAN) << ' '
           << (limiter != nullptr ? tfrc_duration_to_seconds(limiter->rtt) : NAN) << ' '
           << tfrc_duration_to_seconds(m_sender.round.max_rtt) << ' ' << survey.members << ' '
           << survey.with_rtt << ' ' << survey.with_loss << ' ' << Known(survey.lowest) << ' '
           << survey.lowest_member << ' ' << m_slow_start << '\n';
}

void
GroupRecorder::Finish()
{
  TfmccSenderCounters counters = tfmcc_sender_get_counters(&m_sender);
  const std::pair<const char*, uint64_t> values[] = {
    {"reports", counters.reports},
    {"reports_clr", counters.reports_clr},
    {"reports_without_rtt", counters.reports_without_rtt},
    {"reports_invalid", counters.reports_invalid},
    {"rounds", counters.rounds},
    {"clr_changes", counters.clr_changes},
    {"clr_timeouts", counters.clr_timeouts},
    {"starvations", counters.starvations},
    {"leaves", counters.leaves},
    {"bytes_per_member", GroupFanOut::GetMemberSize()},
  };
  uint64_t members = 0, receptions = 0, reports_sent = 0;

  for (const Part& part : m_parts) {
    members += part.fan_out->Count();
    receptions += part.fan_out->GetReceptions();
    reports_sent += part.fan_out->GetReportsSent();
  }
  for (const auto& [name, value] : values)
    m_recorder.SetFlowValue(m_flow, name, static_cast<double>(value));
  m_recorder.SetFlowValue(m_flow, "members", static_cast<double>(members));
  m_recorder.SetFlowValue(m_flow, "receptions", static_cast<double>(receptions));
  m_recorder.SetFlowValue(m_flow, "reports_sent", static_cast<double>(reports_sent));
  m_recorder.SetFlowValue(m_flow, "slow_start_end_s", m_slow_start_end_s);
  m_recorder.SetFlowValue(m_flow, "slow_start_rate", m_slow_start_rate);
  WriteRounds();
  WriteMembers();
}

GroupRecorder::Survey
GroupRecorder::SurveyMembers() const
{
  Survey survey;
  int64_t number = 0;

  for (const Part& part : m_parts) {
    for (size_t i = 0; i < part.fan_out->Count(); i++, number++) {
      GroupState state = group_core_get_state(part.fan_out->GetCore(), i);

      survey.suppressed += state.counters.reports_suppressed;
      if (!part.fan_out->GetMember(i).listens)
        continue;
      survey.members++;
      survey.with_rtt += state.has_rtt;
      survey.with_loss += state.has_loss;
      if (!(state.rate > 0))
        continue;
      if (state.rate < survey.lowest) {
        survey.lowest = state.rate;
        survey.lowest_member = number;
      }
      if (number != m_limiter)
        survey.lowest_others = std::min(survey.lowest_others, state.rate);
    }
  }
  return survey;
}

void
GroupRecorder::BeginRound(const Survey& survey)
{
  Round round = {};

  round.begin_s = GetSeconds();
  round.sending_rate = tfmcc_sender_get_rate(&m_sender, GetTime());
  round.lowest_begin = survey.lowest;
  m_suppressed = survey.suppressed;
  m_rounds.push_back(round);
}

void
GroupRecorder::EndRound()
{
  Survey survey = SurveyMembers();
  Round& round = m_rounds.back();

  round.end_s = GetSeconds();
  round.lowest_end = survey.lowest;
  round.lowest_others_end = survey.lowest_others;
  round.suppressed = survey.suppressed - m_suppressed;
  round.members = survey.members;
  BeginRound(survey);
}

void
GroupRecorder::OnLimiter()
{
  const TfmccLimiter* limiter = tfmcc_sender_get_clr(&m_sender);
  int64_t member = limiter != nullptr ? static_cast<int64_t>(limiter->ssrc) - 1 : -1;

  if (member == m_limiter)
    return;
  m_limiters << GetSeconds() << ' ' << member << ' ' << m_limiter << ' '
             << (limiter != nullptr ? limiter->rate : NAN) << ' '
             << (limiter != nullptr ? tfrc_duration_to_seconds(limiter->rtt) : NAN) << '\n';
  m_limiter = member;
}

void
GroupRecorder::WriteRounds() const
{
  std::ofstream file = Open("rounds");

  for (size_t i = 0; i + 1 < m_rounds.size(); i++) {
    const Round& round = m_rounds[i];

    file << i << ' ' << round.begin_s << ' ' << round.end_s << ' '
         << tfrc_duration_to_seconds(round.max_rtt) << ' '
         << tfrc_duration_to_seconds(round.packet_interval) << ' ' << round.sending_rate << ' '
         << round.reports << ' ' << round.clr_reports << ' ' << round.first_report_s << ' '
         << Known(round.lowest_reported) << ' ' << Known(round.lowest_reported_others) << ' '
         << Known(round.lowest_begin) << ' ' << Known(round.lowest_end) << ' '
         << Known(round.lowest_others_end) << ' ' << Known(round.suppression_rate) << ' '
         << round.suppressed << ' ' << round.members << '\n';
  }
}

void
GroupRecorder::WriteMembers() const
{
  std::ofstream file = Open("members");
  uint64_t number = 0;

  for (const Part& part : m_parts) {
    for (size_t i = 0; i < part.fan_out->Count(); i++) {
      const GroupFanOut::Member& member = part.fan_out->GetMember(i);
      GroupState state = group_core_get_state(part.fan_out->GetCore(), i);
      const TfrcReceiverCounters& counters = state.counters;

      file << number++ << ' ' << part.flow->index << ' '
           << (part.flow->rtt_ms + 2 * member.delay_ms) / 1e3 << ' '
           << member.loss.GetProbability() << ' ' << member.join_s << ' '
           << (std::isfinite(member.leave_s) ? member.leave_s : -1.0) << ' '
           << counters.packets << ' ' << counters.packets_lost << ' ' << counters.reports << ' '
           << counters.reports_suppressed << ' ' << counters.echoes << ' ' << counters.clr_periods
           << ' ' << SecondsOrNever(member.first_rtt_at) << ' '
           << SecondsOrNever(member.first_report_at) << ' ' << state.rate << ' '
           << state.loss_event_rate << ' ' << tfrc_duration_to_seconds(state.rtt) << '\n';
    }
  }
}

std::ofstream
GroupRecorder::Open(const char* name) const
{
  return m_recorder.OpenFile("group-" + std::string(name) + "-" + std::to_string(m_flow)
                             + ".txt");
}
