/// Links a variant's objects again, in random layouts of their code and data.
///
/// Where a linker puts functions and data can change times by several per cent although no code has changed
/// (Mytkowicz, Diwan, Hauswirth and Sweeney: Producing wrong data without doing anything obviously wrong, ASPLOS 2009;
/// Curtsinger and Berger: Stabilizer, ASPLOS 2013). A build has one layout, by chance, and no number of processes shows
/// what another would have given. So every process of a benchmark draws one of kLayouts links of it.
///
/// A layout has its functions in random order, with random gaps between them and random shifts of the data, and its
/// objects in random order. All is drawn from the names of functions and objects and the layout's number. So equal
/// objects give equal bytes, wherever they lie and however they are ordered, and a new function leaves the order of the
/// others.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/measure/filler_object.h"

namespace lab::measure {

/// Number of layouts of each build in an arm. They are numbered from 1.
inline constexpr int kLayouts = 4;

/// The first layout of the control, whose links are others than head's.
inline constexpr int kFirstOfControl = kLayouts + 1;

/// A link of an executable.
struct CodeLayout {
  int number = 0;  ///< from 1; 0: the build's own link, the only one
  std::filesystem::path executable;
  std::string hash = {};  ///< content_name of the executable; "" if not known

  bool operator==(const CodeLayout&) const = default;
};

/// Whether the build in `build_dir` kept the command that links `executable`, or is a bundle's, which brought the
/// links. Builds of the system's toolchain, of the sanitizers and of older commits do not.
bool can_link_layouts(const std::filesystem::path& build_dir, const std::filesystem::path& executable);

/// Where a bundle has layout `number` of an executable, relative to the build folder, as `executable` is.
std::filesystem::path bundled_layout(const std::filesystem::path& executable, int number);

/// The layouts first..first + kLayouts - 1 of `executable`, which lies in `build_dir`. Links those that are not in
/// <build_dir>/layouts yet; there, only the last two builds of each executable are kept. The hashes are kept beside
/// them, and are computed again for a file of another size or time. In a bundle they are those that it brought. Errors:
/// kFailed with the linker's words, if objects are newer than the executable, or if the bundle has not these;
/// kInterrupted.
Expected<std::vector<CodeLayout>> link_layouts(const std::filesystem::path& build_dir,
                                               const std::filesystem::path& executable, int first, const Runner& run);

/// The names of all functions in the symbol table of an executable (ELF, 64 bits, little-endian), sorted. An error if
/// `content` is something else or damaged.
Expected<std::vector<std::string>> function_names(std::string_view content);

/// The input of a layout's link.
struct LayoutPlan {
  std::string order;                ///< names of sections, one a line
  std::vector<FillerSection> gaps;  ///< the gaps, and shifts of the data
};

/// The plan of layout `number` of an executable with these functions.
LayoutPlan plan_layout(int number, const std::vector<std::string>& functions);

/// `link_command` for layout `number`: its objects and the file `gaps` in random order, linked by gold with the file
/// `order` into `output`, without symbols and unused sections.
std::vector<std::string> layout_command(int number, std::vector<std::string> link_command,
                                        const std::filesystem::path& order, const std::filesystem::path& gaps,
                                        const std::filesystem::path& output);

}  // namespace lab::measure
