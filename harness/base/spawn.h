/// What all child processes share: how they start, how their pipes are read, how they are removed.
#pragma once

#include <sys/types.h>

#include <boost/system/result.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/open_file.h"

namespace lab {

struct SpawnSpec {
  std::vector<std::string> command;      ///< program (looked up in PATH without a slash) and arguments
  std::vector<std::string> environment;  ///< "NAME=value", the whole environment
  std::optional<int> cpu;                ///< the one CPU it may use; none: all CPUs of this process
  bool core_dump = true;                 ///< whether a crash may write a core dump
  bool attached = false;  ///< as a shell starts a command: it shares our standard error, process group and ignored
                          ///< signals, and it outlives us
  std::vector<int> kept_files = {};  ///< stay open in the child
  std::string input = {};            ///< its standard input, which it need not read
};

struct Spawned {
  pid_t id = -1;  ///< of the process and of the process group that it leads
  File output;    ///< reads its standard output
  File error;
};

/// Starts the child, or returns the system's error. Signals are as for a new process, and
/// none of our other files are open in it. It dies with us. If it is attached, Spawned::error is empty and it is in our
/// process group.
boost::system::result<Spawned> spawn(const SpawnSpec& spec);

/// Appends what can be read from `file` now; false at the end of the stream.
bool drain(const File& file, std::string& text);

/// Cuts `text` down to its last `limit` bytes.
void keep_tail(std::string& text, std::size_t limit);

/// Whether it has ended; does not reap it.
bool has_ended(pid_t child);

/// Readable once `child` has ended, for poll; none (-1) on Linux before 5.3.
File end_of(pid_t child);

/// Kills the child and everything it started that is still in its group; returns waitpid's status.
int end_group(pid_t child);

}  // namespace lab
