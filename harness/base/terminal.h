/// Talking to people on standard error: one live status line on a terminal, plain lines otherwise.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lab {

/// Opens what is closed of standard input, output and error on /dev/null, so that no file of ours gets their number and
/// with it what is meant for people.
void open_standard_files();

/// Whether `file` (STDERR_FILENO) is a terminal that may be drawn on: not piped, no NO_COLOR, no TERM=dumb.
bool is_live_terminal(int file);

/// Columns of the terminal at `file`; 80 where it does not say.
int terminal_width(int file);

/// Columns that output to `file` should fit, which COLUMNS overrides; 0, as many as it needs, where it is no terminal.
std::size_t output_width(int file);

/// Whether whoever read `file`, a pipe, has gone.
bool reader_gone(int file);

/// "1 h 02 min", "3 min 20 s", "45 s".
std::string duration_text(double seconds);

/// The last line of a live terminal, drawn over and over; nothing at all elsewhere. It is cleared when it goes.
class StatusLine {
 public:
  explicit StatusLine(int file);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool live() const { return live_; }
  /// Replaces the line; cut off at the terminal's width.
  void show(std::string_view text);
  void clear();
  /// A line that stays, above the status line; on a pipe too. A terminal's width wraps it.
  void print(std::string_view line);

 private:
  void write(std::string_view text) const;

  int file_;
  bool live_;
  bool shown_ = false;
};

}  // namespace lab
