/// How a pinned program is started by a program that may run on the pinned C library.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// Names the loader of a bundle's own C library, where the machine's is older: the bundle's launcher sets it, and
/// LAB_ROOT, the bundle's folder (harness/bundle/launcher/main.cpp). Programs of the bundle name the machine's loader,
/// because where a bundle will lie is not known when it is made.
inline constexpr const char* kLoaderVariable = "LAB_LOADER";

/// The file of this program: /proc/self/exe, unless that is the loader which was told to start it.
std::filesystem::path own_executable();

/// `command` as it is started here: by the loader of kLoaderVariable if its program is one of the bundle's. `libraries`
/// is the LD_LIBRARY_PATH that it gets.
std::vector<std::string> by_bundled_loader(std::vector<std::string> command, std::string_view libraries);

/// The loader with which this executable started: the machine's, or where the machine's C library is too old, the
/// pinned one that it names (harness/make/toolchain.py), or a bundle's.
std::filesystem::path own_loader();

/// The command that starts the pinned `program` with the shared libraries in `libraries`, on the C library of `loader`.
/// With the machine's own loader it is the program alone, which then needs LD_LIBRARY_PATH.
std::vector<std::string> pinned_command(const std::filesystem::path& program, const std::filesystem::path& libraries,
                                        const std::filesystem::path& loader = own_loader());

}  // namespace lab
