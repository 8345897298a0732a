#include "harness/probe/advise.h"

#include <fmt/format.h>
#include <unistd.h>
#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/fit.h"
#include "harness/probe/query_list.h"

namespace lab::probe {

namespace {

namespace fs = std::filesystem;
using designs::ResourceKind;
using results::DriverColumn;

constexpr std::uint32_t kAttachments =
    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
constexpr std::size_t kMostNamed = 3;

// Where the child process finds the program's sweep.
class SweepFile {
 public:
  explicit SweepFile(const fs::path& folder) : path_(folder / fmt::format("advise-{}.json", ::getpid())) {}
  ~SweepFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  SweepFile(const SweepFile&) = delete;
  SweepFile& operator=(const SweepFile&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct Answer {
  results::Needs needs;
  std::string refusal;
};

// The two spellings of a full chain of mip levels are one kind.
results::ImageKind counted_levels(results::ImageKind kind, const Extent& size) {
  if (kind.mip_levels == kFullChain) kind.mip_levels = full_chain(size);
  return kind;
}

std::string refusal_of(const DriverColumn& column, const std::string& what) {
  const auto found = std::ranges::find(column.refused, what, &results::Refusal::what);
  return found == column.refused.end() ? "no reason given" : found->result;
}

std::optional<Answer> article_answer(const DriverColumn& column, const Sweep& article, const results::ImageKind& kind,
                                     const Extent& size) {
  for (const ImageBlock& block : article.images)
    for (const ImageKind& asked : block.kinds) {
      if (counted_levels(in_words(asked), size) != kind || size.depth != 1) continue;
      for (const results::ImageRow& row : column.images)
        if (row.width == size.width && row.height == size.height) {
          if (row.size == 0) return Answer{{}, refusal_of(column, fmt::format("image {}x{}", row.width, row.height))};
          return Answer{{.size = row.size, .alignment = row.alignment, .memory_type_bits = row.memory_type_bits}, ""};
        }
    }
  return std::nullopt;
}

std::optional<Answer> answer_for(const DriverColumn& column, const Sweep& article, const ProgramImage& image) {
  const results::ImageKind kind = counted_levels(in_words(image.kind), image.size);
  for (const results::SweepAnswers& answers : column.sweeps)
    for (const results::ImageTable& table : answers.images) {
      if (counted_levels(table.kind, image.size) != kind) continue;
      for (const results::ImageAnswer& row : table.rows)
        if (Extent{row.width, row.height, row.depth} == image.size)
          return Answer{row.needs, answers.refusals[row.needs.refusal]};
    }
  return article_answer(column, article, kind, image.size);
}

std::optional<Answer> article_answer(const DriverColumn& column, const Sweep& article, const results::BufferKind& kind,
                                     std::uint64_t length) {
  for (const BufferBlock& block : article.buffers)
    for (const BufferKind& asked : block.kinds) {
      if (in_words(asked) != kind) continue;
      for (const results::BufferRow& row : column.buffers)
        if (row.length == length) {
          if (row.size == 0) return Answer{{}, refusal_of(column, fmt::format("buffer {}", length))};
          // The table has no memory types. These are allowed for every buffer.
          std::uint32_t bits = ~0u;
          for (const std::uint32_t each : column.buffer_memory_type_bits) bits &= each;
          return Answer{{.size = row.size, .alignment = row.alignment, .memory_type_bits = bits}, ""};
        }
    }
  return std::nullopt;
}

std::optional<Answer> answer_for(const DriverColumn& column, const Sweep& article, const ProgramBuffer& buffer) {
  const results::BufferKind kind = in_words(buffer.kind);
  for (const results::SweepAnswers& answers : column.sweeps)
    for (const results::BufferTable& table : answers.buffers) {
      if (table.kind != kind) continue;
      for (const results::BufferAnswer& row : table.rows)
        if (row.length == buffer.length) return Answer{row.needs, answers.refusals[row.needs.refusal]};
    }
  return article_answer(column, article, kind, buffer.length);
}

AdviceRequest request_for(const ProgramUse& use, std::string what, ResourceKind kind) {
  AdviceRequest request;
  request.name = use.name;
  request.what = std::move(what);
  request.kind = kind;
  request.count = use.count;
  request.memory = use.memory;
  return request;
}

}  // namespace

Expected<std::vector<DriverColumn>> ask_for(const Program& program, ProbeSpec spec) {
  std::error_code failed;
  fs::create_directories(spec.generated, failed);
  const SweepFile sweep(spec.generated);
  if (const auto written = write_file(sweep.path(), sweep_text(program)); !written) return written.error();
  spec.sweep_files = {spec.sweep_files.front(), sweep.path()};
  return probe(spec);
}

Expected<std::vector<AdviceRequest>> answered(const Program& program, const DriverColumn& column,
                                              const Sweep& article) {
  std::vector<AdviceRequest> requests;
  std::vector<std::string> unknown;
  const auto add = [&](AdviceRequest request, const std::optional<Answer>& answer) {
    if (!answer) return unknown.push_back(fmt::format("'{}' ({})", request.name, request.what));
    request.needs = answer->needs;
    if (column.memory_types.empty()) request.needs.memory_type_bits = 1;  // the one of advice_device()
    request.refusal = answer->refusal;
    requests.push_back(std::move(request));
  };
  for (const ProgramImage& image : program.images) {
    const bool linear = image.kind.tiling == VK_IMAGE_TILING_LINEAR;
    AdviceRequest request = request_for(
        image.use, results::describe(in_words(image.kind), image.size.width, image.size.height, image.size.depth),
        linear ? ResourceKind::kLinearImage : ResourceKind::kOptimalImage);
    request.render_target = (image.kind.usage & kAttachments) != 0;
    add(std::move(request), answer_for(column, article, image));
  }
  for (const ProgramBuffer& buffer : program.buffers)
    add(request_for(buffer.use, results::describe(in_words(buffer.kind), buffer.length), ResourceKind::kBuffer),
        answer_for(column, article, buffer));
  if (unknown.empty()) return requests;
  const std::size_t more = unknown.size() - std::min(unknown.size(), kMostNamed);
  unknown.resize(unknown.size() - more);
  return Error{fmt::format("column '{}' was not asked for {}{}", column.name, fmt::join(unknown, ", "),
                           more == 0 ? "" : fmt::format(" and {}", counted(more, "other resource"))),
               "", ExitStatus::kUsage};
}

Expected<results::Advice> advise(const Program& program, const DriverColumn& column, const Sweep& article) {
  const Expected<std::vector<AdviceRequest>> requests = answered(program, column, article);
  if (!requests) return requests.error();
  Expected<results::Advice> advice = advise(*requests, advice_device(column), program.options);
  if (advice) advice->origin = origin_of(column);
  return advice;
}

}  // namespace lab::probe
