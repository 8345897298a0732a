/// Messages on standard error: one live status line on a terminal, plain lines otherwise.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lab {

/// Opens /dev/null as standard input, output and error where these are closed. Otherwise one of our files could get
/// such a number, and messages would be written into it.
void open_standard_files();

/// Whether `file` (STDERR_FILENO) is a terminal that supports redrawing: no pipe, no NO_COLOR, no TERM=dumb.
bool is_live_terminal(int file);

/// Columns of the terminal at `file`; 80 if unknown.
int terminal_width(int file);

/// Columns that output to `file` should fit; COLUMNS overrides it. 0 (no limit) if it is no terminal.
std::size_t output_width(int file);

/// Whether `file` is a pipe whose reader has gone.
bool reader_gone(int file);

/// "1 h 2 min", "3 min 20 s", "2 min", "45 s", "under a second".
std::string duration_text(double seconds);

/// The last line of a live terminal, redrawn at each change; does nothing elsewhere. The destructor clears it.
class StatusLine {
 public:
  explicit StatusLine(int file);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool live() const { return live_; }
  /// Replaces the line; truncated to the terminal's width.
  void show(std::string_view text);
  void clear();
  /// Prints a permanent line above the status line; on a pipe too. The terminal wraps it.
  void print(std::string_view line);

 private:
  void write(std::string_view text) const;

  int file_;
  bool live_;
  bool shown_ = false;
};

}  // namespace lab
