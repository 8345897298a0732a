/// An object file whose sections take room in a link and have no content.
///
/// An assembler would make the same from a text, in about a fifth of the time that a link takes; there are hundreds of
/// links in a session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lab::measure {

struct FillerSection {
  std::string name;    ///< ".text.lab_gap_0": what it begins with decides its flags, as in an assembler
  std::string symbol;  ///< at its start
  std::uint64_t bytes = 0;
};

/// Most sections of one object: each has a second one, and larger numbers need another format.
inline constexpr std::size_t kMostFillers = 32'000;

/// A relocatable object (ELF, x86-64) with these sections, at most kMostFillers. The first one's symbol is global and
/// hidden. Each section refers to the next one, so that a linker keeps all if it keeps the first. Sections are
/// ".text.*" (code), ".rodata.*", ".data.*" or ".bss.*" (without bytes in the file).
std::string filler_object(const std::vector<FillerSection>& sections);

}  // namespace lab::measure
