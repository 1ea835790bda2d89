/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An ns-3 application of somebody who reads pages: a page is a number of
 * objects, each a TCP connection of its own; after the last one comes a pause
 * for reading.  One object a page makes short TCP transfers with pauses.
 *
 * The application stands where the data comes from and opens the connections
 * itself: the few bytes of a request on the other path are left out. */
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include <ns3/application.h>
#include <ns3/random-variable-stream.h>
#include <ns3/socket.h>

class WebSession : public ns3::Application
{
public:
  struct Config
  {
    ns3::Ptr<ns3::RandomVariableStream> pause;          // seconds, also first
    ns3::Ptr<ns3::RandomVariableStream> objects;        // of a page, >= 1
    ns3::Ptr<ns3::RandomVariableStream> object_bytes;   // >= 1
    uint32_t parallel;          // connections at a time
    std::function<ns3::Ptr<ns3::Socket>()> make_socket;
  };

  WebSession(const Config& config, const ns3::Address& peer);

protected:
  void DoDispose() override;

private:
  void StartApplication() override;
  void StopApplication() override;
  void Pause();
  void StartPage();
  void StartObjects();
  void Write(ns3::Ptr<ns3::Socket> socket);
  void OnConnected(ns3::Ptr<ns3::Socket> socket);
  void OnWritable(ns3::Ptr<ns3::Socket> socket, uint32_t space);
  void OnEnd(ns3::Ptr<ns3::Socket> socket);

  Config m_config;
  ns3::Address m_peer;
  uint32_t m_objects_left = 0;  // of the page, not started
  std::map<ns3::Ptr<ns3::Socket>, uint64_t> m_unwritten;        // bytes
  ns3::EventId m_next_page;
  bool m_stopped = false;
};

/* The reader's side: takes connections, drops what they bring and closes them
 * when the other side has. */
class WebReader : public ns3::Application
{
public:
  WebReader(ns3::Ptr<ns3::Socket> listener, const ns3::Address& local);

protected:
  void DoDispose() override;

private:
  void StartApplication() override;
  void StopApplication() override;

  ns3::Ptr<ns3::Socket> m_listener;
  ns3::Address m_local;
};
