/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unit tests of what a link loses: its loss pattern and its queue. */
#include <algorithm>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <ns3/ipv4-queue-disc-item.h>
#include <ns3/simulator.h>
#include <ns3/udp-header.h>

#include "bottleneck-queue.h"
#include "loss-pattern.h"

using namespace ns3;
using nlohmann::json;

namespace {

int failures = 0;

template <typename Value>
void
Expect(const char* what, const Value& measured, const Value& expected)
{
  if (measured == expected)
    return;
  std::printf("%s: %s instead of %s\n", what, json(measured).dump().c_str(),
              json(expected).dump().c_str());
  failures++;
}

void
ExpectRefusal(const char* what, const std::function<void()>& make)
{
  try {
    make();
  } catch (const DescriptionError&) {
    return;
  }
  std::printf("%s was not refused\n", what);
  failures++;
}

LossPhase
Phase(double until_s, const char* kind, const json& parameters)
{
  return {until_s, kind, Parameters(parameters, "loss")};
}

/* "1" for each packet that is lost, "0" for the others. */
std::string
Ask(Ptr<ErrorModel> model, int packets)
{
  std::string answers;

  for (int i = 0; i < packets; i++)
    answers += model->IsCorrupt(Create<Packet>(1)) ? '1' : '0';
  return answers;
}

void
CountedLossesRepeat()
{
  double inf = std::numeric_limits<double>::infinity();

  Expect<std::string>("every 3rd", Ask(MakeLossPattern({Phase(inf, "every-nth", {{"n", 3}})}), 8),
                      "00100100");
  Expect<std::string>(
      "one, two, none pass",
      Ask(MakeLossPattern({Phase(inf, "pattern", {{"counts", {1, 2, 0}}})}), 11), "01001101001");
  Expect("no phases", MakeLossPattern({}) == nullptr, true);
}

/* A binomial of 100,000 with p = .1: mean 10,000, deviation 95. */
void
RandomLossesHaveTheirRate()
{
  double inf = std::numeric_limits<double>::infinity();
  std::string answers = Ask(MakeLossPattern({Phase(inf, "bernoulli", {{"p", 0.1}})}), 100000);
  auto lost = std::count(answers.begin(), answers.end(), '1');

  Expect("10,000 of 100,000 within 4 deviations", lost > 9620 && lost < 10380, true);
}

/* At 2 s the second phase is over, though it lost nothing: nobody asked. */
void
PhasesEndInTime()
{
  Ptr<ErrorModel> model = MakeLossPattern({Phase(1, "every-nth", {{"n", 2}}), Phase(2, "none", json::object()),
                                           Phase(3, "every-nth", {{"n", 1}})});
  std::vector<std::string> answers;

  for (double at_s : {0.5, 2.0, 2.5, 3.0})
    Simulator::Schedule(Seconds(at_s), [&] { answers.push_back(Ask(model, 3)); });
  Simulator::Run();
  Simulator::Destroy();
  Expect<std::vector<std::string>>("phases", answers, {"010", "111", "111", "000"});
}

void
WrongPatternsAreRefused()
{
  ExpectRefusal("an unknown kind", [] { MakeLossPattern({Phase(1, "some", json::object())}); });
  ExpectRefusal("no n", [] { MakeLossPattern({Phase(1, "every-nth", json::object())}); });
  ExpectRefusal("no counts", [] { MakeLossPattern({Phase(1, "pattern", json::object())}); });
  ExpectRefusal("a misspelt p",
                [] { MakeLossPattern({Phase(1, "bernoulli", {{"q", 0.1}})}); });
}

Ptr<QueueDisc>
Queue(const char* kind, const json& parameters)
{
  return MakeBottleneckQueue({kind, Parameters(parameters, "queue")}, 15e6, 50);
}

bool
Offer(Ptr<QueueDisc> queue)
{
  Ptr<Packet> packet = Create<Packet>(972);
  Ipv4Header header;

  packet->AddHeader(UdpHeader());
  header.SetProtocol(17);
  header.SetPayloadSize(980);
  return queue->Enqueue(Create<Ipv4QueueDiscItem>(packet, Address(), 0x0800, header));
}

int
OfferMany(Ptr<QueueDisc> queue, int packets)
{
  int taken = 0;

  for (int i = 0; i < packets; i++)
    taken += Offer(queue);
  return taken;
}

void
LimitsAreInPacketsOrBytes()
{
  Expect("3 packets", OfferMany(Queue("drop-tail", {{"packets", 3}}), 5), 3);
  Expect("3,500 bytes", OfferMany(Queue("drop-tail", {{"bytes", 3500}}), 5), 3);
  Expect("100 by default", OfferMany(Queue("drop-tail", json::object()), 200), 100);
  for (const char* kind : {"codel", "fq-codel"}) {
    Ptr<QueueDisc> queue = Queue(kind, {{"packets", 3}});

    OfferMany(queue, 5);
    Expect(kind, queue->GetNPackets(), uint32_t{3});
    Expect(kind, queue->Dequeue() != nullptr, true);
  }
}

/* 20 packets wait, whatever arrives: so many RTTs later the average is 20. */
int
TakenAtLengthTwenty(const json& parameters)
{
  Ptr<QueueDisc> queue = Queue("red", parameters);
  int taken = 0;

  for (int i = 0; i < 10000; i++) {
    bool in = Offer(queue);

    if (i >= 9000)
      taken += in;
    if (queue->GetNPackets() > 20)
      queue->Dequeue();
  }
  return taken;
}

void
RedDropsByItsAverage()
{
  int gentle = TakenAtLengthTwenty({{"min_packets", 5}, {"max_packets", 15}});
  int below = TakenAtLengthTwenty({{"min_packets", 10}, {"max_packets", 30}, {"max_p", 0.1}});

  Expect("under the lower threshold", TakenAtLengthTwenty({{"min_packets", 30},
                                                           {"max_packets", 90}}), 1000);
  Expect("over the upper one", TakenAtLengthTwenty({{"min_packets", 5}, {"max_packets", 15},
                                                    {"gentle", false}}), 0);
  /* p_b = .1 + .9 * (20 - 15) / 15 = .4, and drops are 1 / p_b to 2 / p_b
   * packets apart ("wait" of ns-2), 3.75 on the mean: 733 are taken. */
  Expect("over it, gently", gentle > 690 && gentle < 770, true);
  /* p_b = .1 * (20 - 10) / (30 - 10) = .05: 20 to 40 apart, 967 are taken. */
  Expect("in between", below > 955 && below < 975, true);
}

void
AdaptiveRedFollowsTheLink()
{
  /* Of 15 Mbit/s: thresholds of 5 and 15 packets of 1000 bytes. */
  Expect("limit", OfferMany(Queue("adaptive-red", {{"packets", 10}}), 20), 10);
  Expect("own thresholds", OfferMany(Queue("adaptive-red", {{"packets", 10}, {"min_packets", 20},
                                                            {"max_packets", 60}}), 20), 10);
}

void
WrongQueuesAreRefused()
{
  ExpectRefusal("an unknown kind", [] { Queue("tail", json::object()); });
  ExpectRefusal("a drop-tail queue with max_p", [] { Queue("drop-tail", {{"max_p", 0.1}}); });
}

} // namespace

int
main()
{
  CountedLossesRepeat();
  RandomLossesHaveTheirRate();
  PhasesEndInTime();
  WrongPatternsAreRefused();
  LimitsAreInPacketsOrBytes();
  RedDropsByItsAverage();
  AdaptiveRedFollowsTheLink();
  WrongQueuesAreRefused();
  if (failures == 0)
    std::printf("loss patterns and queues: all as expected\n");
  return failures != 0;
}
