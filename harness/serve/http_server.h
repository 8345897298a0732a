/// An HTTP/1.1 server for a page over a farm (Boost.Beast): bounded requests, bounded clients, streams of server-sent
/// events. It runs on the thread that calls run(); replies are made by threads of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "harness/base/error_fwd.h"
#include "harness/serve/access.h"
#include "harness/serve/http.h"

namespace lab::serve {

/// What is served.
class Site {
 public:
  virtual ~Site() = default;
  /// Called by several threads, after the access rules.
  virtual Reply answer(const Request& request) = 0;
  /// What it answers at once is answered before what takes time.
  virtual bool is_quick(const Request& request) = 0;
  /// What a new stream of events begins with: events as event_text() makes them. Called by several threads.
  virtual std::string first_events() = 0;
};

/// An event of a stream (HTML Living Standard, "Server-sent events"). `data`: without line ends.
std::string event_text(std::string_view name, std::string_view data);

struct ServerOptions {
  std::string address = "127.0.0.1";  ///< of this host
  std::uint16_t port = 0;             ///< 0: one that is free
  AccessRules rules = {};
  std::size_t connections = 256;                ///< further ones get status 503
  std::size_t streams = 224;                    ///< of these, so that pages still come
  std::size_t waiting = 32;                     ///< requests that wait for a thread; further ones get status 503
  std::chrono::milliseconds patience{30'000};   ///< with a client that neither asks nor reads
  std::chrono::milliseconds heartbeat{15'000};  ///< shows streams whose client has gone
};

inline constexpr std::size_t kLargestHeader = 8192, kLargestBody = 4096;  ///< bytes of a request

class HttpServer {
 public:
  /// Listens; an error (kUsage) if the address is not this host's or the port is taken. `site` must outlive it.
  static Expected<std::unique_ptr<HttpServer>> listen(const ServerOptions& options, Site& site);
  virtual ~HttpServer() = default;

  virtual std::uint16_t port() const = 0;
  /// Once; until stop(), or until `stop_file` can be read (-1: none).
  virtual void run(int stop_file = -1) = 0;
  virtual void stop() = 0;                   ///< from any thread
  virtual void send(std::string event) = 0;  ///< to all streams, from any thread
  virtual std::size_t streams() const = 0;   ///< that are open
};

}  // namespace lab::serve
