#include "serve/http/limited_server.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "serve/http/guard.hpp"

namespace nomu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto time_for_headers = std::chrono::seconds(15);
constexpr auto time_for_body = std::chrono::seconds(60);  // whose sender was admitted
constexpr auto look_again = std::chrono::milliseconds(100);

/// Waits until the socket can be read or written, or is broken.
bool ready(socket_t socket, short what, Clock::duration time) {
  const Clock::time_point until = Clock::now() + time;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd one{.fd = socket, .events = what, .revents = 0};
    const int found = ::poll(&one, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (found >= 0 || errno != EINTR) return found > 0;
  }
}

/// Repeats a call that a signal interrupted.
template <class Call>
ssize_t uninterrupted(const Call& call) {
  ssize_t result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// One request and its answer, in place of the library's own stream.
class LimitedStream final : public httplib::Stream {
 public:
  struct Patience {
    Clock::duration read;  ///< of one piece
    Clock::duration write;
  };
  LimitedStream(socket_t socket, const Patience& patience)
      : socket_(socket), patience_(patience), until_(Clock::now() + time_for_headers) {}

  [[nodiscard]] bool is_readable() const override {
    const Clock::duration left = until_ - Clock::now();
    return left > Clock::duration::zero() && ready(socket_, POLLIN, std::min(left, patience_.read));
  }

  [[nodiscard]] bool is_writable() const override {
    if (!ready(socket_, POLLOUT, patience_.write)) return false;
    if (!ready(socket_, POLLIN, Clock::duration::zero())) return true;
    char next = 0;  // readable without anything to read: the client is gone
    return uninterrupted([&] { return ::recv(socket_, &next, 1, MSG_PEEK); }) > 0;
  }

  ssize_t read(char* to, std::size_t size) override {
    if (refused_) return -1;
    if (next_ == filled_) {
      if (!is_readable()) return -1;
      const ssize_t got = uninterrupted([&] { return ::recv(socket_, buffer_.data(), buffer_.size(), 0); });
      if (got <= 0) return got;
      next_ = 0;
      filled_ = static_cast<std::size_t>(got);
    }
    const std::size_t count = std::min(size, filled_ - next_);
    for (std::size_t i = 0; i < count && !limits_.ended(); ++i) {
      refused_ = !limits_.accept(buffer_[next_ + i]);
      if (refused_) return -1;
      if (limits_.ended()) until_ = Clock::now() + time_for_body;
    }
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(next_), count, to);
    next_ += count;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* from, std::size_t size) override {
    if (!is_writable()) return -1;
    return uninterrupted([&] { return ::send(socket_, from, size, MSG_NOSIGNAL); });
  }

  // Nothing here asks who the client is.
  void get_remote_ip_and_port(std::string& ip, int& port) const override { nobody(ip, port); }
  void get_local_ip_and_port(std::string& ip, int& port) const override { nobody(ip, port); }
  [[nodiscard]] socket_t socket() const override { return socket_; }

 private:
  static void nobody(std::string& ip, int& port) {
    ip.clear();
    port = 0;
  }

  socket_t socket_;
  Patience patience_;
  Clock::time_point until_;
  HeaderLimits limits_;
  bool refused_ = false;
  std::array<char, 4096> buffer_ = {};
  std::size_t next_ = 0;
  std::size_t filled_ = 0;
};

class LimitedServer final : public httplib::Server {
 private:
  bool process_and_close_socket(socket_t socket) override {
    const LimitedStream::Patience patience{
        .read = std::chrono::seconds(read_timeout_sec_) + std::chrono::microseconds(read_timeout_usec_),
        .write = std::chrono::seconds(write_timeout_sec_) + std::chrono::microseconds(write_timeout_usec_)};
    bool good = false;
    for (std::size_t left = keep_alive_max_count_; left > 0 && comes(socket); --left) {
      LimitedStream stream(socket, patience);
      bool closed = false;
      good = process_request(stream, left == 1, closed, nullptr);
      if (!good || closed) break;
    }
    (void)::shutdown(socket, SHUT_RDWR);
    (void)::close(socket);
    return good;
  }

  /// Waits for the next request of a connection.
  [[nodiscard]] bool comes(socket_t socket) const {
    const Clock::time_point until = Clock::now() + std::chrono::seconds(keep_alive_timeout_sec_);
    while (svr_sock_ != INVALID_SOCKET && Clock::now() < until) {
      if (ready(socket, POLLIN, look_again)) return true;
    }
    return false;
  }
};

}  // namespace

std::unique_ptr<httplib::Server> limited_server() { return std::make_unique<LimitedServer>(); }

}  // namespace nomu
