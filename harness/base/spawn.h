/// What all child processes have in common: how one starts, how its pipes are read, and that nothing of it stays.
#pragma once

#include <sys/types.h>

#include <boost/system/result.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lab {

/// An open file, closed when it goes.
class File {
 public:
  File() = default;
  explicit File(int number) : number_(number) {}
  File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~File() { close(); }
  void close();
  int get() const { return number_; }  ///< -1: none, which poll passes over

 private:
  int number_ = -1;
};

struct SpawnSpec {
  std::vector<std::string> command;      ///< program (looked up in PATH without a slash) and arguments
  std::vector<std::string> environment;  ///< "NAME=value", all of it
  std::optional<int> cpu;                ///< the one CPU it may use; none: all that we may use
  bool core_dump = true;                 ///< whether a crash may leave its memory on disk
  bool attached = false;  ///< as a shell starts a command: our standard error, process group and ignored signals, and
                          ///< it outlives us
  std::vector<int> kept_files = {};  ///< open in the child, too
};

struct Spawned {
  pid_t id = -1;  ///< of the process, and of the process group that it leads
  File output;    ///< what it writes to standard output
  File error;
};

/// Starts it, or says what the system said. Standard input is empty; signals are as for a new process, no other file
/// of ours is open; it dies with us. Where it is attached, Spawned::error is empty and its group is ours.
boost::system::result<Spawned> spawn(const SpawnSpec& spec);

/// Appends what can be read of `file` now; false at the end of the stream.
bool drain(const File& file, std::string& text);

/// Cuts `text` down to its last `limit` bytes.
void keep_tail(std::string& text, std::size_t limit);

/// Whether it has ended, leaving it to be reaped.
bool has_ended(pid_t child);

/// Readable once `child` has ended, for poll; none (-1) on Linux before 5.3.
File end_of(pid_t child);

/// Kills it and everything it started that is still in its group; returns waitpid's status.
int end_group(pid_t child);

}  // namespace lab
