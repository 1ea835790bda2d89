/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "group-description.h"

#include <cmath>
#include <ns3/rng-seed-manager.h>

extern "C" {
#include "group-core.h"
}

namespace {

/* All that one member draws, in a fixed order. */
class MemberDraws
{
public:
  MemberDraws(uint32_t flow, uint32_t part, uint64_t number)
  {
    std::seed_seq sequence{static_cast<uint32_t>(ns3::RngSeedManager::GetRun()), flow, part,
                           static_cast<uint32_t>(number)};
    m_generator.seed(sequence);
  }

  double Unit() { return static_cast<double>(m_generator() >> 11) * 0x1p-53; }
  double Between(std::pair<double, double> range)
  {
    return range.first + Unit() * (range.second - range.first);
  }
  uint64_t Number() { return m_generator(); }

private:
  std::mt19937_64 m_generator;
};

void
CheckProbability(const Parameters& from, const char* key, double p)
{
  if (!(p >= 0) || !(p < 1))
    from.Refuse(std::string(key) + " is not between 0 and 1");
}

GroupLoss
ReadLoss(const Parameters& from, uint64_t number, uint64_t count, MemberDraws& draws)
{
  uint64_t every_nth = from.Count("every_nth", 0);
  double unit = draws.Unit();
  uint64_t seed = draws.Number();

  if (every_nth > 0)
    return GroupLoss::EveryNth(every_nth, seed % every_nth);
  if (from.IsText("loss")) {
    if (from.Text("loss", "") != "realistic")
      from.Refuse("loss is neither a number, [low, high] nor 'realistic'");
    return GroupLoss(DrawRealisticLoss(number, count, unit), seed);
  }
  auto range = from.Range("loss", 0);
  CheckProbability(from, "loss", range.first);
  CheckProbability(from, "loss", range.second);
  return GroupLoss(range.first + unit * (range.second - range.first), seed);
}

std::vector<std::pair<double, double>>
ReadSchedule(const Parameters& from, const char* key, double limit)
{
  auto schedule = from.Pairs(key);

  for (const auto& [at_s, value] : schedule)
    if (!(at_s >= 0) || !(value >= 0) || !(value < limit))
      from.Refuse(std::string(key) + " has a time or a value out of range");
  return schedule;
}

MemberDescription
ReadMember(const FlowDescription& flow, const Parameters& from, uint32_t part, uint64_t number,
           uint64_t count)
{
  MemberDraws draws(flow.index, part, number);
  MemberDescription member;

  member.delay_ms = std::round(draws.Between(from.Range("delay_ms", 0)));
  member.join_s = draws.Between(from.Range("join_s", flow.start_s));
  double leave_unit = draws.Unit();
  if (from.Has("leave_s")) {
    auto range = from.Range("leave_s", 0);
    member.leave_s = range.first + leave_unit * (range.second - range.first);
  }
  member.killed = from.Flag("kill", false);
  member.report_loss = from.Number("report_loss", 0);
  member.loss = ReadLoss(from, number, count, draws);
  member.seed = draws.Number();
  member.timestamp_offset_us = static_cast<uint32_t>(draws.Number());
  member.delays = ReadSchedule(from, "delays", 1e6);
  member.losses = ReadSchedule(from, "losses", 1);
  if (!(member.delay_ms >= 0) || !(member.join_s >= 0) || member.leave_s < member.join_s)
    from.Refuse("delay_ms or join_s is below 0, or leave_s comes before join_s");
  CheckProbability(from, "report_loss", member.report_loss);
  return member;
}

TfrcDuration
ReadDuration(const Parameters& from, const char* key, TfrcDuration unit, TfrcDuration absent)
{
  if (!from.Has(key))
    return absent;
  return tfrc_duration_from_seconds(from.Number(key, 0) * tfrc_duration_to_seconds(unit));
}

/* Unbiased, gamma r T or gamma r' T: Widmer and Handley 2001 section 2.5.1. */
void
ReadBias(const Parameters& from, TfmccSuppressionConfig& config)
{
  std::string method = from.Text("bias_method", "modified-offset");

  config.bias = from.Number("bias", config.bias);
  if (method == "none") {
    config.bias = 0;
  } else if (method == "offset") {
    config.least_biased_ratio = 1;
    config.most_biased_ratio = 0;
  } else if (method != "modified-offset") {
    from.Refuse("bias_method is none of modified-offset, offset, none");
  }
}

} // namespace

std::vector<MemberDescription>
ReadMembers(const FlowDescription& flow)
{
  std::vector<MemberDescription> members;
  uint32_t part = 0;

  for (const Parameters& from : flow.parameters.Parts("members")) {
    uint64_t count = from.Count("count", 1);

    for (uint64_t number = 0; number < count; number++)
      members.push_back(ReadMember(flow, from, part, number, count));
    if (count > 0)
      from.RefuseUnread();
    part++;
  }
  return members;
}

TfmccSenderConfig
ReadGroupSenderConfig(const FlowDescription& flow)
{
  const Parameters& from = flow.parameters;
  TfmccSenderConfig config = tfmcc_sender_config_default();

  config.max_segment_size = flow.packet_bytes;
  config.max_rate = from.Number("max_rate_bit_s", config.max_rate * 8) / 8;
  config.min_rate = from.Number("min_rate_bit_s", config.min_rate * 8) / 8;
  config.max_credit = ReadDuration(from, "max_credit_ms", TFRC_MILLISECOND, config.max_credit);
  config.round.granularity = ReadDuration(from, "granularity_us", TFRC_MICROSECOND, 0);
  config.round.rtts = from.Number("feedback_rtts", config.round.rtts);
  config.round.packets = from.Number("feedback_packets", config.round.packets);
  config.round.margin = from.Number("margin", config.round.margin);
  config.round.initial_rtt =
    ReadDuration(from, "initial_max_rtt_ms", TFRC_MILLISECOND, config.round.initial_rtt);
  return config;
}

TfmccReceiverConfig
ReadGroupReceiverConfig(const FlowDescription& flow)
{
  const Parameters& from = flow.parameters;
  TfmccReceiverConfig config = tfmcc_receiver_config_default();

  config.history_length =
    static_cast<uint32_t>(from.Count("history_length", config.history_length));
  if (config.history_length > group_core_get_max_history())
    from.Refuse("history_length is more than a member of a group has room for");
  config.history_discounting = from.Flag("discounting", config.history_discounting);
  config.delay_target = ReadDuration(from, "delay_target_ms", TFRC_MILLISECOND, 0);
  config.slow_start_factor = from.Number("slow_start_factor", config.slow_start_factor);
  config.suppression.group_size = from.Number("group_size", config.suppression.group_size);
  config.suppression.rtts = from.Number("feedback_rtts", config.suppression.rtts);
  config.suppression.packets = from.Number("feedback_packets", config.suppression.packets);
  ReadBias(from, config.suppression);
  return config;
}
