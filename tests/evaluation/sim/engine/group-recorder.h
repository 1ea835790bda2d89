/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes what group_results.py reads of a TFMCC group: its reports, rounds,
 * states, limiting receivers and members.  Looks at the sender after each
 * call and at all members at the end of each round; changes nothing. */
#pragma once

#include "group-fan-out.h"
#include "recorder.h"

class GroupRecorder
{
public:
  GroupRecorder(Recorder& recorder, uint32_t flow, const TfmccSender& sender);

  /* Members behind the links of `flow`; numbers go on where they ended. */
  void AddMembers(const GroupFanOut& fan_out, const FlowDescription& flow);

  /* A report, before the sender has it. */
  void BeforeReport(const TfmccReport& report);
  /* The sender was called. */
  void OnSender();
  void Sample();
  void Finish();

private:
  struct Round
  {
    double begin_s, end_s = -1;
    TfrcRate sending_rate;      /* at the beginning */
    TfrcDuration max_rtt = 0, packet_interval = 0;
    TfrcRate suppression_rate = INFINITY;
    uint64_t reports = 0, clr_reports = 0;
    double first_report_s = -1;
    TfrcRate lowest_reported = INFINITY, lowest_reported_others = INFINITY;
    TfrcRate lowest_begin = INFINITY, lowest_end = INFINITY, lowest_others_end = INFINITY;
    uint64_t suppressed = 0;
    uint32_t members = 0;
  };
  struct Part
  {
    const GroupFanOut* fan_out;
    const FlowDescription* flow;
  };
  /* Of all members that listen. */
  struct Survey
  {
    TfrcRate lowest = INFINITY, lowest_others = INFINITY;
    int64_t lowest_member = -1;
    uint32_t members = 0, with_rtt = 0, with_loss = 0;
    uint64_t suppressed = 0;    /* of those that have left, too */
  };

  Survey SurveyMembers() const;
  void BeginRound(const Survey& survey);
  void EndRound();
  void OnLimiter();
  void WriteRounds() const;
  void WriteMembers() const;
  std::ofstream Open(const char* name) const;

  Recorder& m_recorder;
  uint32_t m_flow;
  const TfmccSender& m_sender;
  std::vector<Part> m_parts;
  std::vector<Round> m_rounds;  /* the last one goes on */
  std::ofstream m_reports, m_states, m_limiters;
  int64_t m_limiter = -1;
  uint64_t m_suppressed = 0;    /* when the round began */
  bool m_slow_start = true;
  double m_slow_start_end_s = -1;
  TfrcRate m_slow_start_rate = 0;
};
