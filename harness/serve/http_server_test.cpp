#include "harness/serve/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "harness/base/error.h"

namespace lab::serve {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Answers with what it was asked, and waits where a test wants that.
class Echo : public Site {
 public:
  Reply answer(const Request& request) override {
    if (request.path == "wait") {
      std::unique_lock lock(mutex_);
      ++waiting_;
      changed_.notify_all();
      changed_.wait(lock, [&] { return released_; });
    }
    if (request.path == "throw") throw std::runtime_error("no room");
    std::string text = request.method + " " + request.path;
    for (const auto& [name, value] : request.query) text += " " + name + "=" + value;
    Reply reply = text_reply(200, text);
    reply.etag = "\"1\"";
    return unless_known(reply, request.if_none_match);
  }
  bool is_quick(const Request& request) override { return request.path == "quick"; }
  std::string first_events() override { return event_text("hello", "{}"); }

  void await(int waiting) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= waiting; });
  }
  void release() {
    const std::scoped_lock lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool released_ = false;
  int waiting_ = 0;
};

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(context_) { socket_.connect({asio::ip::address_v4::loopback(), port}); }
  void say(const std::string& text) {
    boost::system::error_code ignored;
    asio::write(socket_, asio::buffer(text), ignored);
  }
  void get(const std::string& target, const std::string& more = "") {
    say("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n");
  }
  /// Until and with `end`; what came before the server closed if it never comes.
  std::string read_until(const std::string& end) {
    boost::system::error_code problem;
    const std::size_t size = asio::read_until(socket_, asio::dynamic_buffer(received_), end, problem);
    std::string text = received_.substr(0, problem ? received_.size() : size);
    received_.erase(0, text.size());
    return text;
  }
  std::string read_all() {
    boost::system::error_code problem;
    asio::read(socket_, asio::dynamic_buffer(received_), problem);
    return std::move(received_);
  }
  /// The reply to a request for one.
  std::string ask(const std::string& target, const std::string& more = "") {
    get(target, "Connection: close\r\n" + more);
    return read_all();
  }

 private:
  asio::io_context context_;
  tcp::socket socket_;
  std::string received_;
};

class HttpServerTest : public testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    server_ = std::move(HttpServer::listen(options, site_).value());
    thread_ = std::thread([this] { server_->run(); });
  }
  ~HttpServerTest() override {
    site_.release();
    if (!server_) return;
    server_->stop();
    thread_.join();
  }
  std::uint16_t port() const { return server_->port(); }
  void await_streams(std::size_t count) const {
    while (server_->streams() != count) std::this_thread::yield();
  }

  Echo site_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

TEST_F(HttpServerTest, AnswersSeveralRequestsOfOneConnection) {
  start();
  Client client(port());
  client.get("/series?m=a%20b");
  EXPECT_THAT(client.read_until("m=a b\n"), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("ETag: \"1\""),
                                                  HasSubstr("Content-Length: 17\r\n"), EndsWith("GET series m=a b\n")));
  client.get("/x", "If-None-Match: \"1\"\r\n");
  EXPECT_THAT(client.read_until("\r\n\r\n"), AllOf(StartsWith("HTTP/1.1 304"), Not(HasSubstr("\r\nContent-Type"))));
  client.say("HEAD /y HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("Content-Length: 7\r\n"));
  EXPECT_THAT(client.ask("/z"), AllOf(StartsWith("HTTP/1.1 200"), EndsWith("\r\n\r\nGET z\n")));
}

TEST_F(HttpServerTest, RefusesWhatIsNoRequestOrTooLarge) {
  start();
  const auto status = [&](const std::string& request) {
    Client client(port());
    client.say(request);
    return client.read_all().substr(0, 12);
  };
  const std::string host = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
  EXPECT_EQ(status("nonsense\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("\x16\x03\x01\x02\r\n\r\n"), "HTTP/1.1 400") << "TLS";
  EXPECT_EQ(status("GET /%zz" + host + "\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET http://localhost/" + host + "\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET /" + std::string(9000, 'a') + host + "\r\n"), "HTTP/1.1 431");
  EXPECT_EQ(status("GET /" + host + "X: " + std::string(9000, 'a') + "\r\n\r\n"), "HTTP/1.1 431");
  EXPECT_EQ(status("POST /ack" + host + "Content-Length: 5000\r\n\r\n" + std::string(5000, 'a')), "HTTP/1.1 413");
  for (const char* encoding : {"chunked", "identity", "xchunked", "gzip, chunked"})
    EXPECT_EQ(status("POST /ack" + host + "Transfer-Encoding: " + encoding + "\r\n\r\n0\r\n\r\n"), "HTTP/1.1 501")
        << encoding;
  EXPECT_EQ(status("GET /" + host + "Host: localhost\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET /" + host + "Origin: http://localhost\r\nOrigin: http://evil\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("DELETE /" + host + "\r\n"), "HTTP/1.1 405");
  EXPECT_EQ(status("GET / HTTP/1.1\r\nConnection: close\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET / HTTP/1.1\r\nConnection: close\r\nHost: evil.example\r\n\r\n"), "HTTP/1.1 403");
  EXPECT_EQ(status("GET /throw" + host + "\r\n"), "HTTP/1.1 500");
  EXPECT_EQ(status("GET /fine" + host + "\r\n"), "HTTP/1.1 200");
}

TEST_F(HttpServerTest, EndsAConnectionThatSaysNothing) {
  ServerOptions options;
  options.patience = std::chrono::milliseconds(50);
  start(options);
  Client silent(port()), slow(port());
  slow.say("GET / HT");
  EXPECT_EQ(silent.read_all(), "");
  EXPECT_EQ(slow.read_all(), "");
}

TEST_F(HttpServerTest, SendsEventsToEveryStreamInOrder) {
  start();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<Client>(port()));
    clients.back()->get("/events");
  }
  await_streams(20);
  server_->send(event_text("index", "{\"version\": 1}"));
  server_->send(event_text("index", "{\"version\": 2}"));
  for (const auto& client : clients) {
    EXPECT_THAT(client->read_until("data: {}\n\n"),
                AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Content-Type: text/event-stream\r\n"),
                      HasSubstr("retry: 1000\n\nevent: hello\n")));
    EXPECT_EQ(client->read_until("2}\n\n"),
              "event: index\ndata: {\"version\": 1}\n\nevent: index\ndata: {\"version\": 2}\n\n");
  }
  clients.resize(5);
  await_streams(5);
}

TEST_F(HttpServerTest, ShowsStreamsThatItIsAlive) {
  ServerOptions options;
  options.heartbeat = std::chrono::milliseconds(20);
  start(options);
  Client client(port());
  client.get("/events");
  client.read_until("data: {}\n\n");
  EXPECT_EQ(client.read_until(":\n\n"), ":\n\n");
  EXPECT_EQ(client.read_until(":\n\n"), ":\n\n");
}

TEST_F(HttpServerTest, EndsAStreamWhoseClientDoesNotRead) {
  start();
  Client client(port());
  client.get("/events");
  await_streams(1);
  while (server_->streams() == 1) server_->send(event_text("index", std::string(100'000, 'x')));
}

TEST_F(HttpServerTest, TellsClientsPastTheLimitToComeLater) {
  ServerOptions options;
  options.connections = 3;
  options.streams = 2;
  start(options);
  Client first(port()), second(port());
  first.get("/events");
  second.get("/events");
  await_streams(2);
  {
    Client third(port());
    third.get("/events");
    EXPECT_THAT(third.read_until("\n\n"), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 5\r\n")));
  }
  Client page(port());
  page.get("/page");
  EXPECT_THAT(page.read_until("GET page\n"), StartsWith("HTTP/1.1 200"));
  Client fourth(port());
  EXPECT_THAT(fourth.ask("/"), AllOf(StartsWith("HTTP/1.1 503"), EndsWith("too many clients\n")));
}

TEST_F(HttpServerTest, TellsRequestsPastTheLimitToComeLater) {
  ServerOptions options;
  options.waiting = 2;
  start(options);
  Client first(port()), second(port()), third(port());
  first.get("/wait");
  second.get("/wait");
  site_.await(2);
  EXPECT_THAT(third.ask("/"), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 2\r\n")));
  EXPECT_THAT(Client(port()).ask("/quick"), StartsWith("HTTP/1.1 200")) << "it waits for nobody";
  site_.release();
  EXPECT_THAT(first.read_until("GET wait\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(second.read_until("GET wait\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Client(port()).ask("/"), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, SaysWhyItCannotListen) {
  start();
  ServerOptions taken;
  taken.port = port();
  const auto second = HttpServer::listen(taken, site_);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().what, HasSubstr("Address already in use"));
  EXPECT_EQ(second.error().status, ExitStatus::kUsage);
  ServerOptions elsewhere;
  for (const char* address : {"farm.example.org", "", "203.0.113.7"}) {
    elsewhere.address = address;
    EXPECT_FALSE(HttpServer::listen(elsewhere, site_)) << address;
  }
}

}  // namespace
}  // namespace lab::serve
