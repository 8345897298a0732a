/// How a pinned program is started by a program that may run on the pinned C library.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lab {

/// The loader that this executable names: the machine's, or where the machine's C library is too old, the pinned one
/// (harness/make/toolchain.py).
std::filesystem::path own_loader();

/// The command that starts the pinned `program` with the shared libraries in `libraries`, on the C library of `loader`.
/// With the machine's own loader it is the program alone, which then needs LD_LIBRARY_PATH.
std::vector<std::string> pinned_command(const std::filesystem::path& program, const std::filesystem::path& libraries,
                                        const std::filesystem::path& loader = own_loader());

}  // namespace lab
