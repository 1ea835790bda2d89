/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrc-settings.h"

#include <map>

namespace {

TfrcDuration
ReadDuration(const Parameters& parameters, const char* key, TfrcDuration unit, TfrcDuration absent)
{
  double unit_s = tfrc_duration_to_seconds(unit);

  if (!parameters.Has(key))
    return absent;
  return tfrc_duration_from_seconds(parameters.Number(key, 0) * unit_s);
}

TfrcRtoConfig
ReadRtoConfig(const Parameters& parameters, TfrcRtoConfig config)
{
  static const std::map<std::string, TfrcRtoMode> modes = {
    {"rfc5348", TFRC_RTO_RFC5348},
    {"tcp", TFRC_RTO_TCP},
    {"scaled", TFRC_RTO_SCALED},
  };
  auto mode = modes.find(parameters.Text("rto_mode", "rfc5348"));

  if (mode == modes.end())
    parameters.Refuse("rto_mode is none of rfc5348, tcp, scaled");
  config.mode = mode->second;
  config.scale = parameters.Number("rto_scale", config.scale);
  config.floor = ReadDuration(parameters, "rto_floor_ms", TFRC_MILLISECOND, config.floor);
  return config;
}

TfrcTcp
ReadTcp(const Parameters& parameters)
{
  std::string tcp = parameters.Text("tcp", "reno");

  if (tcp != "reno" && tcp != "cubic")
    parameters.Refuse("tcp is none of reno, cubic");
  return tcp == "cubic" ? TFRC_TCP_CUBIC : TFRC_TCP_RENO;
}

} // namespace

TfrcSenderConfig
ReadSenderConfig(const FlowDescription& flow)
{
  const Parameters& from = flow.parameters;
  TfrcSenderConfig config = tfrc_sender_config_default();

  config.max_segment_size = flow.packet_bytes;
  config.max_rate = from.Number("max_rate_bit_s", config.max_rate * 8) / 8;
  config.granularity = ReadDuration(from, "granularity_us", TFRC_MICROSECOND, 0);
  config.max_credit = ReadDuration(from, "max_credit_ms", TFRC_MILLISECOND, config.max_credit);
  config.probe_interval =
    ReadDuration(from, "probe_interval_ms", TFRC_MILLISECOND, config.probe_interval);
  config.oscillation_damping = from.Flag("oscillation_damping", config.oscillation_damping);
  config.self_clocking = from.Flag("self_clocking", config.self_clocking);
  config.self_clocking_factor = from.Number("self_clocking_factor", config.self_clocking_factor);
  config.rto = ReadRtoConfig(from, config.rto);
  config.rate_scale = from.Number("rate_scale", config.rate_scale);
  config.packets_per_ack = from.Number("packets_per_ack", config.packets_per_ack);
  config.tcp = ReadTcp(from);
  config.fast_return = from.Flag("fast_return", false);
  return config;
}

TfrcSenderChecks
ReadSenderChecks(const FlowDescription& flow)
{
  TfrcSenderChecks checks = tfrc_sender_checks_default();

  checks.delay_target =
    ReadDuration(flow.parameters, "delay_target_ms", TFRC_MILLISECOND, 0);
  return checks;
}

TfrcReceiverConfig
ReadReceiverConfig(const FlowDescription& flow)
{
  const Parameters& from = flow.parameters;
  TfrcReceiverConfig config = tfrc_receiver_config_default();

  config.history_length =
    static_cast<uint32_t>(from.Count("history_length", config.history_length));
  config.history_discounting = from.Flag("discounting", config.history_discounting);
  config.discount_threshold = from.Number("discount_threshold", config.discount_threshold);
  config.tcp = ReadTcp(from);
  config.fast_return = from.Flag("fast_return", false);
  return config;
}
