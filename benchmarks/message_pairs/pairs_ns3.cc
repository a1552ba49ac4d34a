// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// The peer of the message_pairs benchmark: independent pairs of a sender and a receiver in ns-3 3.37.
//
// Each pair has a point-to-point line of 50 kbit/s and 100 ms with 10 % packet loss each way, and says 409 B four
// times a second in UDP datagrams or over TCP, one way. A device queue holds 100 packets. The FqCoDel queue disc
// that ns-3 puts before it by default is left out unless asked for, since ours has none: that is in favour of ns-3.
// Senders begin at a random instant of the first period. The time is that of Simulator::Run alone: making the nodes
// does not count.
//
// Prints one JSON object on standard output.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <sys/resource.h>

#include <cstdint>
#include <iostream>
#include <string>

namespace
{

constexpr uint16_t PORT = 40000;
constexpr uint32_t MESSAGE_BYTES = 409;
constexpr uint32_t MESSAGES_PER_SECOND = 4;
constexpr double LOSS = 0.1;

struct Usage
{
    double cpuSeconds;
    double peakMib;
};

Usage
UsageSoFar()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) { return time.tv_sec + time.tv_usec * 1e-6; };
    return {seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss / 1024.0};
}

/// Messages that senders have given to their sockets.
uint64_t g_sent = 0;

void
CountSent(ns3::Ptr<const ns3::Packet>)
{
    ++g_sent;
}

/// Drops packets that arrive, one in ten, independently.
ns3::Ptr<ns3::ErrorModel>
PacketLoss()
{
    auto loss = ns3::CreateObject<ns3::RateErrorModel>();
    loss->SetUnit(ns3::RateErrorModel::ERROR_UNIT_PACKET);
    loss->SetRate(LOSS);
    return loss;
}

/// The line of one pair, with addresses; the second one is the receiver's.
ns3::Ipv4InterfaceContainer
Connect(const ns3::NodeContainer& pair, ns3::Ipv4AddressHelper& addresses, bool queueDisc)
{
    ns3::PointToPointHelper line;
    line.SetDeviceAttribute("DataRate", ns3::StringValue("50kbps"));
    line.SetChannelAttribute("Delay", ns3::StringValue("100ms"));
    line.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns3::StringValue("100p"));
    const auto devices = line.Install(pair);
    for (uint32_t side = 0; side < devices.GetN(); ++side)
    {
        devices.Get(side)->SetAttribute("ReceiveErrorModel", ns3::PointerValue(PacketLoss()));
    }
    const auto interfaces = addresses.Assign(devices);
    addresses.NewNetwork();
    if (!queueDisc)
    {
        ns3::TrafficControlHelper().Uninstall(devices);
    }
    return interfaces;
}

/// A sender of one message after the other at a constant rate, from `start` on.
void
Speak(ns3::Ptr<ns3::Node> node, const std::string& sockets, const ns3::Address& to, ns3::Time start)
{
    ns3::OnOffHelper sender(sockets, to);
    sender.SetConstantRate(ns3::DataRate(MESSAGE_BYTES * 8 * MESSAGES_PER_SECOND), MESSAGE_BYTES);
    auto installed = sender.Install(node);
    installed.Start(start);
    installed.Get(0)->TraceConnectWithoutContext("Tx", ns3::MakeCallback(&CountSent));
}

} // namespace

int
main(int argc, char** argv)
{
    uint32_t pairs = 1;
    double seconds = 600;
    uint32_t seed = 1;
    bool queueDisc = false;
    std::string protocol = "udp";
    ns3::CommandLine arguments(__FILE__);
    arguments.AddValue("pairs", "independent pairs of a sender and a receiver", pairs);
    arguments.AddValue("seconds", "simulated seconds", seconds);
    arguments.AddValue("seed", "the run number of the random generator", seed);
    arguments.AddValue("queue-disc", "keep the FqCoDel queue disc that is the default", queueDisc);
    arguments.AddValue("protocol", "udp or tcp", protocol);
    arguments.Parse(argc, argv);
    const std::string sockets = protocol == "tcp" ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
    ns3::RngSeedManager::SetRun(seed);

    ns3::NodeContainer nodes;
    nodes.Create(2 * pairs);
    ns3::InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(nodes);
    ns3::Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    const ns3::InetSocketAddress anyone(ns3::Ipv4Address::GetAny(), PORT);
    ns3::PacketSinkHelper receiver(sockets, anyone);
    ns3::ApplicationContainer receivers;
    auto offset = ns3::CreateObject<ns3::UniformRandomVariable>();
    for (uint32_t pair = 0; pair < pairs; ++pair)
    {
        const auto from = nodes.Get(2 * pair);
        const auto to = nodes.Get(2 * pair + 1);
        const auto interfaces = Connect(ns3::NodeContainer(from, to), addresses, queueDisc);
        const auto start = ns3::Seconds(offset->GetValue(0.0, 1.0 / MESSAGES_PER_SECOND));
        receivers.Add(receiver.Install(to));
        Speak(from, sockets, ns3::InetSocketAddress(interfaces.GetAddress(1), PORT), start);
    }

    const auto before = UsageSoFar();
    ns3::Simulator::Stop(ns3::Seconds(seconds));
    ns3::Simulator::Run();
    const auto after = UsageSoFar();

    uint64_t receivedBytes = 0;
    for (uint32_t index = 0; index < receivers.GetN(); ++index)
    {
        receivedBytes += ns3::DynamicCast<ns3::PacketSink>(receivers.Get(index))->GetTotalRx();
    }
    const double cpu = after.cpuSeconds - before.cpuSeconds;
    std::cout << "{\"program\":\"ns3\",\"stack\":\"" << protocol << "\",\"pairs\":" << pairs
              << ",\"simulated_s\":" << seconds << ",\"cpu_s\":" << cpu << ",\"messages_sent\":" << g_sent
              << ",\"messages_received\":" << receivedBytes / MESSAGE_BYTES
              << ",\"cpu_us_per_message\":" << cpu * 1e6 / g_sent
              << ",\"events\":" << ns3::Simulator::GetEventCount()
              << ",\"peak_rss_mib\":" << after.peakMib << "}" << std::endl;
    ns3::Simulator::Destroy();
    return 0;
}
