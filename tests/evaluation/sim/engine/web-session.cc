/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages of objects over ns-3's TCP sockets. */
#include "web-session.h"

#include <algorithm>
#include <cmath>

#include <ns3/packet.h>
#include <ns3/simulator.h>

using namespace ns3;

namespace {

void
DropAll(Ptr<Socket> socket)
{
  Ptr<Packet> packet;

  while ((packet = socket->Recv()) && packet->GetSize() > 0)
    ;
}

void
CloseToo(Ptr<Socket> socket)
{
  socket->Close();
}

void
Accept(Ptr<Socket> socket, const Address &)
{
  socket->SetRecvCallback(MakeCallback(&DropAll));
  socket->SetCloseCallbacks(MakeCallback(&CloseToo),
      MakeNullCallback<void, Ptr<Socket>>());
}

} // namespace

WebSession::WebSession(const Config& config, const Address& peer)
  : m_config(config), m_peer(peer)
{
}

void
WebSession::DoDispose()
{
  m_unwritten.clear();
  m_config.make_socket = nullptr;
  Application::DoDispose();
}

void
WebSession::StartApplication()
{
  Pause();
}

void
WebSession::StopApplication()
{
  m_stopped = true;
  m_next_page.Cancel();
}

void
WebSession::Pause()
{
  if (!m_stopped)
    m_next_page = Simulator::Schedule(Seconds(m_config.pause->GetValue()),
        &WebSession::StartPage, this);
}

void
WebSession::StartPage()
{
  double objects = std::round(m_config.objects->GetValue());

  m_objects_left = static_cast<uint32_t>(std::max(1.0, objects));
  StartObjects();
}

void
WebSession::StartObjects()
{
  while (m_objects_left > 0 && m_unwritten.size() < m_config.parallel) {
    Ptr<Socket> socket = m_config.make_socket();
    double bytes = std::max(1.0, m_config.object_bytes->GetValue());

    m_objects_left--;
    m_unwritten[socket] = static_cast<uint64_t>(bytes);
    socket->SetConnectCallback(MakeCallback(&WebSession::OnConnected, this),
        MakeCallback(&WebSession::OnEnd, this));
    socket->SetCloseCallbacks(MakeCallback(&WebSession::OnEnd, this),
        MakeCallback(&WebSession::OnEnd, this));
    socket->SetSendCallback(MakeCallback(&WebSession::OnWritable, this));
    socket->Connect(m_peer);
  }
}

void
WebSession::OnConnected(Ptr<Socket> socket)
{
  Write(socket);
}

void
WebSession::OnWritable(Ptr<Socket> socket, uint32_t)
{
  Write(socket);
}

void
WebSession::Write(Ptr<Socket> socket)
{
  auto transfer = m_unwritten.find(socket);

  if (transfer == m_unwritten.end() || transfer->second == 0)
    return;
  while (transfer->second > 0) {
    uint64_t space = socket->GetTxAvailable();
    auto size = static_cast<uint32_t>(std::min(transfer->second, space));

    if (size == 0 || socket->Send(Create<Packet>(size)) < 0)
      return;
    transfer->second -= size;
  }
  socket->Close();
}

/* The peer has closed, too: everything has arrived.  Or the connection failed:
 * the reader goes on. */
void
WebSession::OnEnd(Ptr<Socket> socket)
{
  if (m_unwritten.erase(socket) == 0)
    return;
  if (m_objects_left > 0 && !m_stopped)
    StartObjects();
  else if (m_unwritten.empty())
    Pause();
}

WebReader::WebReader(Ptr<Socket> listener, const Address& local)
  : m_listener(listener), m_local(local)
{
}

void
WebReader::DoDispose()
{
  m_listener = nullptr;
  Application::DoDispose();
}

void
WebReader::StartApplication()
{
  m_listener->Bind(m_local);
  m_listener->Listen();
  m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>,
      const Address &>(), MakeCallback(&Accept));
}

void
WebReader::StopApplication()
{
  m_listener->Close();
}
