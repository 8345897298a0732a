#include "variants/render_config/engine/shader_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "harness/base/child.h"
#include "harness/base/files.h"
#include "harness/base/hash.h"
#include "harness/base/own_loader.h"
#include "harness/base/printable.h"
#include "harness/base/temporary_folder.h"
#include "harness/base/vulkan_driver.h"
#include "variants/render_config/engine/builtin_shaders.h"

namespace lab::render_config {

namespace {

constexpr std::size_t kMostKept = 1000;  // shaders; an edit adds one
constexpr double kPatienceSeconds = 60;

std::string key_of(ShaderStage stage, const std::string& text) {
  return (stage == ShaderStage::kVertex ? "vertex\n" : "fragment\n") + text;
}

ShaderStage stage_of(std::string_view file) {
  return file.ends_with(".vert") ? ShaderStage::kVertex : ShaderStage::kFragment;
}

Expected<std::string> read_builtin(const std::filesystem::path& file) {
  const auto files = builtin_files();
  const auto found = std::ranges::find(files, file.string(), &BuiltinFile::file);
  if (found == files.end()) return Error{"it was not there when this program was built", ""};
  return std::string(found->text);
}

// glslang writes "ERROR: 1:7: 'x' : undeclared identifier ", with the numbers of #line.
Error error_of(const std::string& said, const ShaderSource& source) {
  std::string_view rest = said;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    constexpr std::string_view kError = "ERROR: ";
    if (!line.starts_with(kError)) continue;
    std::size_t file = 0;
    int number = 0;
    const char* const end = line.data() + line.size();
    const auto [colon, bad_file] = std::from_chars(line.data() + kError.size(), end, file);
    if (bad_file != std::errc() || colon == end || *colon != ':' || file >= source.files.size()) continue;
    const auto [after, bad_line] = std::from_chars(colon + 1, end, number);
    if (bad_line != std::errc() || after == end || *after != ':') continue;
    std::string sentence = printable(std::string(after + 1, end));
    sentence.erase(0, sentence.find_first_not_of(' '));
    sentence.erase(sentence.find_last_not_of(' ') + 1);
    return problem_at({source.files[file], number}, "expected GLSL, found: " + sentence);
  }
  const std::string first = printable(said.substr(0, said.find('\n')));
  return problem_at({source.files.front(), 1}, "expected GLSL, found: " + first);
}

}  // namespace

std::shared_ptr<const ShaderCode> shader_code(std::span<const std::uint32_t> words) {
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()), words.size_bytes());
  return std::make_shared<const ShaderCode>(
      ShaderCode{std::vector<std::uint32_t>(words.begin(), words.end()), content_name(bytes)});
}

ShaderCompiler::ShaderCompiler(std::filesystem::path lib) : lib_(std::move(lib)) {
  for (const BuiltinShader& builtin : builtin_shaders()) {
    const auto source =
        shader_source(std::filesystem::path(builtin.file), {std::string(builtin.file), 1}, read_builtin);
    if (!source) continue;
    const auto interface = shader_interface(builtin.words, stage_of(builtin.file));
    if (!interface) continue;
    compiled_[key_of(stage_of(builtin.file), source->text)] =
        std::make_shared<const CompiledShader>(CompiledShader{shader_code(builtin.words), *interface});
  }
}

Expected<std::shared_ptr<const CompiledShader>> ShaderCompiler::compile(const std::filesystem::path& file,
                                                                        ShaderStage stage, const Place& from,
                                                                        const ReadFile& read) {
  const auto source = shader_source(file, from, read);
  if (!source) return source.error();
  const std::string key = key_of(stage, source->text);
  if (const auto known = compiled_.find(key); known != compiled_.end()) return known->second;
  const auto words = run_compiler(*source, stage, from);
  if (!words) return words.error();
  const auto interface = shader_interface(*words, stage);
  if (!interface) return problem_at({source->files.front(), 1}, interface.error().what);
  if (compiled_.size() >= kMostKept) compiled_.clear();
  return compiled_[key] = std::make_shared<const CompiledShader>(CompiledShader{shader_code(*words), *interface});
}

Expected<std::vector<std::uint32_t>> ShaderCompiler::run_compiler(const ShaderSource& source, ShaderStage stage,
                                                                  const Place& from) {
  const std::filesystem::path glslang = pinned_package(lib_, "glslang"), runtime = pinned_package(lib_, "runtime");
  if (glslang.empty())
    return problem_at(
        from,
        fmt::format("expected the package glslang in '{}' to compile a changed shader, found none", lib_.string()),
        "python3 make.py spm install glslang");
  const Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder) return folder.error();
  const std::filesystem::path input = folder->path() / "shader.glsl", output = folder->path() / "shader.spv";
  if (const auto written = write_file(input, source.text); !written) return written.error();
  ChildSpec child;
  child.command = pinned_command(glslang / "bin/glslangValidator", runtime);
  for (const std::string& word : {std::string("--quiet"), std::string("-V"), std::string("-S"),
                                  std::string(stage == ShaderStage::kVertex ? "vert" : "frag"), std::string("-o"),
                                  output.string(), input.string()})
    child.command.push_back(word);
  child.environment = {fmt::format("LD_LIBRARY_PATH={}", runtime.string())};
  child.timeout_seconds = kPatienceSeconds;
  child.core_dump = false;
  const ChildOutcome outcome = run_child(child);
  ++compilations_;
  seconds_ += outcome.wall_seconds;
  if (outcome.end != ChildEnd::kExited)
    return problem_at({source.files.front(), 1},
                      fmt::format("expected GLSL, found: glslang: {}", describe_end(child, outcome)));
  if (outcome.code != 0) return error_of(outcome.output + outcome.error_tail, source);
  const Expected<std::string> bytes = read_file(output);
  if (!bytes) return bytes.error();
  std::vector<std::uint32_t> words(bytes->size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes->data(), words.size() * sizeof(std::uint32_t));
  return words;
}

}  // namespace lab::render_config
