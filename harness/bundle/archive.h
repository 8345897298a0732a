/// The one file in which a bundle travels: a static program (launcher/main.cpp), then the manifest and the contents of
/// all files, one after the other, each a frame of Zstandard, and a line that says where the manifest begins.
///
/// So who has the file needs nothing else to unpack it: no shell, no tar, no decompressor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "harness/base/error_fwd.h"
#include "harness/bundle/manifest.h"

namespace lab::bundle {

/// Where the parts of an archive are.
struct Parts {
  std::uint64_t manifest = 0;  ///< offset; the program's size
  std::uint64_t contents = 0;  ///< offset
  std::uint64_t end = 0;       ///< offset, of the last line
};

/// Called with how many bytes of the files were read or written, of how many.
using Progress = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// The content of a file of the manifest, when it is packed.
using Contents = std::function<Expected<std::string>(const std::string& path)>;

/// Writes the archive `file` from the files of `manifest`, one of which is the launcher. Equal files give equal bytes.
/// After an error or a kill there is the file that was there, or none.
Expected<void> write_archive(const std::filesystem::path& file, const Contents& contents, const Manifest& manifest,
                             const Progress& progress);

/// The parts of the archive `file`; none if it is no archive, or ends too early.
Expected<std::optional<Parts>> find_parts(const std::filesystem::path& file);

/// The manifest of an archive.
Expected<Manifest> read_manifest_of(const std::filesystem::path& archive, const Parts& parts);

/// Compares all contents of an archive with its manifest; writes nothing.
Expected<void> verify_archive(const std::filesystem::path& archive, const Parts& parts, const Manifest& manifest);

/// Unpacks an archive into the new folder `folder`, which appears whole or not at all: what was begun there, by a
/// process that was killed, is removed. If the bundle is there already, it is not unpacked again. Two at once wait for
/// each other. An error if something else is there, or the disk is full.
Expected<void> unpack(const std::filesystem::path& archive, const Parts& parts, const Manifest& manifest,
                      const std::filesystem::path& folder);

}  // namespace lab::bundle
