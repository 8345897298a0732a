#include "harness/probe/child/protocol.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "harness/base/printable.h"

namespace lab::probe {

EventWriter::EventWriter() : file_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

void EventWriter::write_line(const json::value& value) const {
  // A driver's texts may be any bytes.
  const std::string line = printable(json::serialize(value)) + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t put = ::write(file_, line.data() + done, line.size() - done);
    if (put > 0)
      done += static_cast<std::size_t>(put);
    else if (errno != EINTR)
      std::_Exit(EXIT_FAILURE);  // the reader has gone
  }
}

void EventWriter::doing(std::string_view what) const {
  write({.event = "doing", .text = std::string(what)});
}

void EventWriter::problem(std::string_view kind, std::string_view detail) const {
  write({.event = "problem", .text = std::string(detail), .kind = std::string(kind)});
}

}  // namespace lab::probe
