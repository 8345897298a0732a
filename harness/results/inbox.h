/// Where results of other machines arrive: <results>/inbox/<machine>/. What is right there is moved to
/// <results>/<machine>/; what is not, to <results>/quarantine/<machine>/, with its reason in <name>.why.
///
/// A result <stem>.json (or .json.zst) comes after the folder of its exhibits, <stem>.exhibits, or the file
/// <stem>.exhibits.tar.zst. If another file has its name already, both are kept: the later one is <stem>-<digits>.json,
/// where the digits follow from its content, with <stem>-<digits>.exhibits.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/error_fwd.h"

namespace lab::results {

inline constexpr std::string_view kInbox = "inbox";
inline constexpr std::string_view kQuarantine = "quarantine";
/// How the reason's file ends.
inline constexpr std::string_view kWhy = ".why";

/// Of a result's name: what holds its exhibits, the folder "x.exhibits" or, packed, the file "x.exhibits.tar.zst".
std::array<std::string, 2> exhibits_of(std::string_view result);
/// The name of a result with this content where another one has its name.
std::string second_name(std::string_view result, std::string_view content);

/// Whether a file or folder with this name is still being written.
bool is_temporary(std::string_view name);
/// How the name of a temporary folder of a delivery begins.
inline constexpr std::string_view kTemporary = ".part-";

/// Whether a machine can have this name: letters, digits, '.', '_' and '-', no '.' at the beginning, and no folder of
/// another meaning (kNotMachines).
bool is_machine_name(std::string_view name);

/// Files that no history has read.
struct Unread {
  std::size_t waiting = 0;      ///< results in the inbox
  std::size_t quarantined = 0;  ///< files and folders in quarantine
};
Unread unread_in(const std::filesystem::path& results);

}  // namespace lab::results
