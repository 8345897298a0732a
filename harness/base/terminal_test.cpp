#include "harness/base/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace lab {

namespace {

/// A bare chroot has no /dev/pts.
bool has_pseudo_terminals() {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  const bool usable = master >= 0 && ::grantpt(master) == 0 && ::unlockpt(master) == 0;
  const int slave = usable ? ::open(::ptsname(master), O_RDWR | O_NOCTTY) : -1;
  if (slave >= 0) ::close(slave);
  if (master >= 0) ::close(master);
  return slave >= 0;
}

/// What is written to a pseudo-terminal (or a pipe) while `print_lines` has a status line on it.
template <typename Print>
std::string output_of(bool terminal, Print print_lines) {
  int ends[2] = {-1, -1};
  if (terminal) {
    ends[0] = ::posix_openpt(O_RDWR | O_NOCTTY);
    ::grantpt(ends[0]);
    ::unlockpt(ends[0]);
    ends[1] = ::open(::ptsname(ends[0]), O_RDWR | O_NOCTTY);
    const winsize size{24, 20, 0, 0};
    ::ioctl(ends[0], TIOCSWINSZ, &size);
  } else {
    EXPECT_EQ(::pipe(ends), 0);
  }
  {
    StatusLine line(ends[1]);
    print_lines(line);
  }
  EXPECT_EQ(::write(ends[1], "\f", 1), 1);
  std::string text;
  for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\f';) text += c;
  ::close(ends[0]);
  ::close(ends[1]);
  return text;
}

void print_lines(StatusLine& line) {
  line.show("block 1/10, a benchmark with a long name");
  line.print("a line");
  line.show("bye");
}

}  // namespace

TEST(StatusLine, draws_one_line_on_a_terminal_and_clears_it) {
  if (!has_pseudo_terminals()) GTEST_SKIP() << "needs a pseudo-terminal (/dev/ptmx)";
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  EXPECT_EQ(output_of(true, print_lines), "\rblock 1/10, a bench\x1b[K\r\x1b[Ka line\r\n\rbye\x1b[K\r\x1b[K");
}

TEST(StatusLine, wraps_permanent_lines_at_the_terminals_width) {
  if (!has_pseudo_terminals()) GTEST_SKIP() << "needs a pseudo-terminal (/dev/ptmx)";
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  EXPECT_EQ(output_of(true, [](StatusLine& line) { line.print("a line of more than twenty columns"); }),
            "a line of more\r\n  than twenty\r\n  columns\r\n");
}

TEST(StatusLine, prints_only_plain_lines_on_a_pipe_or_without_colour) {
  EXPECT_EQ(output_of(false, print_lines), "a line\n");
  if (!has_pseudo_terminals()) GTEST_SKIP() << "needs a pseudo-terminal (/dev/ptmx)";
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_EQ(output_of(true, print_lines), "a line\r\n");
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_EQ(output_of(true, print_lines), "a line\r\n");
}

TEST(DurationText, has_two_units_at_most) {
  EXPECT_EQ(duration_text(0.4), "under a second");
  EXPECT_EQ(duration_text(45.4), "45 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(59.7), "1 min");
  EXPECT_EQ(duration_text(119.7), "2 min");
  EXPECT_EQ(duration_text(3599.7), "1 h");
  EXPECT_EQ(duration_text(3720), "1 h 2 min");
}

}  // namespace lab
