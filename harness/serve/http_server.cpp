#include "harness/serve/http_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/serve/paths.h"

namespace lab::serve {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Problem = beast::error_code;

/// Threads that make replies. One page may take a second; others are made meanwhile.
constexpr std::size_t kThreads = 3;
/// A stream whose client is so far behind is ended; the browser comes back and asks for everything.
constexpr std::size_t kMostUnsent = std::size_t{256} << 10;
/// Until the client has heard that its connection ends.
constexpr std::chrono::milliseconds kGoodbye{500};
/// Clients past the limit that are told so at the same time. More are not answered at all.
constexpr std::size_t kMostRefused = 64;

std::optional<std::string> field(const http::request<http::string_body>& request, std::string_view name) {
  const auto found = request.find(beast::string_view(name.data(), name.size()));
  if (found == request.end()) return std::nullopt;
  return std::string(found->value());
}

/// None if its target is no valid one, or if it says twice what decides who may ask.
std::optional<Request> request_of(http::request<http::string_body> request) {
  std::optional<std::pair<std::string, Query>> target =
      parse_target(std::string_view(request.target().data(), request.target().size()));
  if (!target || request.count(http::field::host) > 1 || request.count(http::field::origin) > 1) return std::nullopt;
  Request made;
  made.method = std::string(request.method_string());
  std::tie(made.path, made.query) = std::move(*target);
  made.host = field(request, "Host");
  made.origin = field(request, "Origin");
  made.fetch_site = field(request, "Sec-Fetch-Site");
  made.fetch_mode = field(request, "Sec-Fetch-Mode");
  made.if_none_match = field(request, "If-None-Match");
  made.authorization = field(request, "Authorization");
  made.type = field(request, "Content-Type").value_or("");
  made.body = std::move(request.body());
  return made;
}

class Server;

/// One client. All of its functions run on the server's thread.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Server& server) : stream_(std::move(socket)), server_(server) {}

  void read();
  void refuse();
  /// Ends it, whatever it does.
  void close() {
    Problem ignored;
    stream_.socket().close(ignored);
  }

  // A stream of events.
  void send(const std::shared_ptr<const std::string>& event);

 private:
  void on_request(Problem problem);
  void reply(Reply reply, bool with_body, bool keep);
  void finish();
  void begin_stream();
  void watch_end();
  void write_next();

  beast::tcp_stream stream_;
  Server& server_;
  beast::flat_buffer buffer_{kLargestHeader + kLargestBody};
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::buffer_body> head_;
  std::optional<http::response_serializer<http::buffer_body>> serializer_;
  std::shared_ptr<const std::string> body_;
  std::deque<std::shared_ptr<const std::string>> unsent_;  ///< of a stream; the first is being written
  std::size_t unsent_bytes_ = 0;
  std::array<char, 64> rest_{};
};

class Server : public HttpServer {
 public:
  Server(ServerOptions options, Site& site) : options_(std::move(options)), site_(site), acceptor_(context_) {}

  ~Server() override { pool_.join(); }

  Expected<void> open() {
    Problem problem;
    const asio::ip::address address = asio::ip::make_address(options_.address, problem);
    if (problem)
      return Error{fmt::format("--listen: expected an IP address of this host, found '{}'", options_.address),
                   "--listen 0.0.0.0 listens on all of them", ExitStatus::kUsage};
    const tcp::endpoint endpoint(address, options_.port);
    acceptor_.open(endpoint.protocol(), problem);
    // A restarted server takes its port again, while connections of the last one still end.
    if (!problem) acceptor_.set_option(asio::socket_base::reuse_address(true), problem);
    if (!problem) acceptor_.bind(endpoint, problem);
    if (!problem) acceptor_.listen(asio::socket_base::max_listen_connections, problem);
    if (!problem) return {};
    return Error{fmt::format("cannot listen on port {} of {}: {}", options_.port, options_.address, problem.message()),
                 "--port 0 takes one that is free", ExitStatus::kUsage};
  }

  std::uint16_t port() const override {
    Problem ignored;
    return acceptor_.local_endpoint(ignored).port();
  }

  void run(int stop_file) override {
    // A copy, because the descriptor closes what it holds.
    if (stop_file >= 0) end_.assign(dup(stop_file));
    if (end_.is_open())
      end_.async_wait(asio::posix::stream_descriptor::wait_read, [this](Problem) { context_.stop(); });
    accept();
    beat();
    context_.run();
    pool_.stop();
    pool_.join();
  }

  void stop() override { context_.stop(); }

  void send(std::string event) override {
    asio::post(context_, [this, shared = std::make_shared<const std::string>(std::move(event))] { send_all(shared); });
  }

  std::size_t streams() const override { return stream_count_; }

  const ServerOptions& options() const { return options_; }
  Site& site() { return site_; }
  asio::io_context& context() { return context_; }

  /// Makes a reply on another thread and calls `then` with it on ours; false if too many wait.
  bool answer(Request request, std::function<void(Reply)> then) {
    if (waiting_ >= options_.waiting) return false;
    ++waiting_;
    asio::post(pool_, [this, request = std::move(request), then = std::move(then)]() mutable {
      Reply reply = made(request);
      asio::post(context_, [this, reply = std::move(reply), then = std::move(then)]() mutable {
        --waiting_;
        then(std::move(reply));
      });
    });
    return true;
  }

  void leave(Connection* connection) {
    connections_.erase(connection);
    refused_.erase(connection);
    streams_.erase(connection);
    stream_count_ = streams_.size();
  }

  Reply made(const Request& request) {
    try {
      return site_.answer(request);
    } catch (const std::exception& problem) {  // out of memory, above all
      return text_reply(500, fmt::format("this page cannot be made: {}", problem.what()));
    }
  }

  /// False if there are too many.
  bool join_streams(Connection* connection) {
    if (streams_.size() >= options_.streams) return false;
    streams_.insert(connection);
    stream_count_ = streams_.size();
    return true;
  }

 private:
  void accept() {
    acceptor_.async_accept(context_, [this](Problem problem, tcp::socket socket) {
      if (problem) {  // out of files: what is open goes on, others wait
        pause_.expires_after(std::chrono::milliseconds(100));
        pause_.async_wait([this](Problem) { accept(); });
        return;
      }
      admit(std::move(socket));
      accept();
    });
  }

  void admit(tcp::socket socket) {
    const bool is_full = connections_.size() >= options_.connections;
    if (is_full && refused_.size() >= kMostRefused) return;
    const auto connection = std::make_shared<Connection>(std::move(socket), *this);
    (is_full ? refused_ : connections_).insert(connection.get());
    if (is_full)
      connection->refuse();
    else
      connection->read();
  }

  void send_all(const std::shared_ptr<const std::string>& event) {
    // Sending may end a stream and so change the set.
    for (Connection* const stream : std::vector<Connection*>(streams_.begin(), streams_.end())) stream->send(event);
  }

  void beat() {
    heart_.expires_after(options_.heartbeat);
    heart_.async_wait([this](Problem problem) {
      if (problem) return;
      send_all(std::make_shared<const std::string>(":\n\n"));
      beat();
    });
  }

  ServerOptions options_;
  Site& site_;
  // Connections live in the context's handlers, and leave these sets when they end.
  std::set<Connection*> connections_, refused_, streams_;
  std::atomic<std::size_t> stream_count_ = 0;
  std::size_t waiting_ = 0;
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer heart_{context_}, pause_{context_};
  asio::posix::stream_descriptor end_{context_};
  asio::thread_pool pool_{kThreads};
};

void Connection::read() {
  parser_.emplace();
  parser_->header_limit(kLargestHeader);
  parser_->body_limit(kLargestBody);
  stream_.expires_after(server_.options().patience);
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](Problem problem, std::size_t) { self->on_request(problem); });
}

void Connection::on_request(Problem problem) {
  if (problem == http::error::header_limit || problem == http::error::body_limit ||
      problem == http::error::buffer_overflow)
    return reply(
        text_reply(problem == http::error::body_limit ? 413 : 431,
                   fmt::format("expected at most {} bytes of headers and {} of a body", kLargestHeader, kLargestBody)),
        true, false);
  if (problem && problem.category() == make_error_code(http::error::bad_method).category() &&
      problem != http::error::end_of_stream && problem != http::error::partial_message)
    return reply(text_reply(400, fmt::format("expected an HTTP request: {}", problem.message())), true, false);
  if (problem) return finish();
  const bool keep = parser_->get().keep_alive(), with_body = parser_->get().method() != http::verb::head;
  // Who takes another end of a body for its end would take the rest for a request (RFC 9112, 11.2).
  if (parser_->get().find(http::field::transfer_encoding) != parser_->get().end())
    return reply(text_reply(501, "expected a body with Content-Length or none, found a transfer encoding"), with_body,
                 false);
  std::optional<Request> request = request_of(parser_->release());
  if (!request)
    return reply(text_reply(400, "expected an address with valid escapes, one Host and one Origin"), with_body, false);
  if (std::optional<Reply> refused = refusal(*request, server_.options().rules))
    return reply(std::move(*refused), with_body, keep);
  if (request->path == kEventsPath && with_body) return begin_stream();
  if (server_.site().is_quick(*request)) return reply(server_.made(*request), with_body, keep);
  // The client may go while the reply is made: its time does not run meanwhile.
  stream_.expires_never();
  const bool has_place = server_.answer(std::move(*request), [self = shared_from_this(), with_body, keep](Reply made) {
    self->reply(std::move(made), with_body, keep);
  });
  if (has_place) return;
  Reply busy = text_reply(503, "too many requests wait");
  busy.retry_after = 2;
  reply(std::move(busy), with_body, keep);
}

void Connection::reply(Reply made, bool with_body, bool keep) {
  body_ = made.body;
  head_ = {};
  head_.version(11);
  head_.result(static_cast<unsigned>(made.status));
  for (const auto& [name, value] : headers_of(made)) head_.set(beast::string_view(name.data(), name.size()), value);
  head_.keep_alive(keep);
  if (made.status != 304) head_.content_length(body_->size());
  // The buffer is only read; its type serves both directions.
  head_.body().data = with_body && !body_->empty() ? const_cast<char*>(body_->data()) : nullptr;
  head_.body().size = with_body ? body_->size() : 0;
  head_.body().more = false;
  serializer_.emplace(head_);
  stream_.expires_after(server_.options().patience);
  const auto then = [self = shared_from_this(), keep](Problem problem, std::size_t) {
    if (problem || !keep) return self->finish();
    self->read();
  };
  if (with_body)
    http::async_write(stream_, *serializer_, then);
  else
    http::async_write_header(stream_, *serializer_, then);
}

/// Says goodbye: an end without it may take a reply from the client that has not read it yet.
void Connection::finish() {
  Problem ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  stream_.expires_after(kGoodbye);
  stream_.async_read_some(asio::buffer(rest_), [self = shared_from_this()](Problem, std::size_t) {
    self->server_.leave(self.get());
    self->close();
  });
}

void Connection::refuse() {
  static const std::string kText =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 17\r\n"
      "Retry-After: 5\r\nConnection: close\r\n\r\ntoo many clients\n";
  stream_.expires_after(std::chrono::seconds(5));
  asio::async_write(stream_, asio::buffer(kText),
                    [self = shared_from_this()](Problem, std::size_t) { self->finish(); });
}

void Connection::begin_stream() {
  if (!server_.join_streams(this)) {
    Reply full = text_reply(503, "too many streams of events");
    full.retry_after = 5;
    return reply(std::move(full), true, false);
  }
  Reply head;
  head.type = "text/event-stream";
  std::string text = "HTTP/1.1 200 OK\r\n";
  for (const auto& [name, value] : headers_of(head))
    fmt::format_to(std::back_inserter(text), "{}: {}\r\n", name, value);
  // A proxy that gathers what it passes on would keep the events.
  text += "X-Accel-Buffering: no\r\nConnection: close\r\n\r\nretry: 1000\n\n" + server_.site().first_events();
  stream_.expires_never();
  parser_.reset();
  send(std::make_shared<const std::string>(std::move(text)));
  watch_end();
}

void Connection::watch_end() {
  stream_.socket().async_read_some(asio::buffer(rest_), [self = shared_from_this()](Problem problem, std::size_t) {
    if (!problem) return self->watch_end();  // a client has nothing to say here
    self->server_.leave(self.get());
    self->close();
  });
}

void Connection::send(const std::shared_ptr<const std::string>& event) {
  if (unsent_bytes_ + event->size() > kMostUnsent && !unsent_.empty()) return close();
  unsent_.push_back(event);
  unsent_bytes_ += event->size();
  if (unsent_.size() == 1) write_next();
}

void Connection::write_next() {
  // The limit of beast's stream would end the read that waits for the client's end, too.
  asio::async_write(stream_.socket(), asio::buffer(*unsent_.front()),
                    [self = shared_from_this()](Problem problem, std::size_t) {
                      if (problem) return self->close();
                      self->unsent_bytes_ -= self->unsent_.front()->size();
                      self->unsent_.pop_front();
                      if (!self->unsent_.empty()) self->write_next();
                    });
}

}  // namespace

std::string event_text(std::string_view name, std::string_view data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, data);
}

Expected<std::unique_ptr<HttpServer>> HttpServer::listen(const ServerOptions& options, Site& site) {
  auto server = std::make_unique<Server>(options, site);
  if (const Expected<void> open = server->open(); !open) return open.error();
  return Expected<std::unique_ptr<HttpServer>>(std::move(server));
}

}  // namespace lab::serve
