/// A configuration that is loaded again whenever one of its files changes, on a thread of its own, while frames go on
/// with the last good one.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/error.h"
#include "variants/render_config/engine/file_watch.h"
#include "variants/render_config/engine/objects.h"
#include "variants/render_config/engine/plan.h"
#include "variants/render_config/engine/shader_compiler.h"

namespace lab::render_config {

/// How loading went so far.
struct LoadStatus {
  std::uint64_t loads = 0;            ///< ended, well or not; also a plan of another size that could not be made
  std::uint64_t plans = 0;            ///< made
  std::optional<Error> problem = {};  ///< of the files as they are now; nothing: the last load went well
  double load_seconds = 0;            ///< of the last load, from the notice of a change
  double compile_seconds = 0;         ///< of it, in the compiler of shaders
  std::uint64_t compilations = 0;     ///< of shaders, in the last load
};

/// What a load is made with.
struct LoadTools {
  std::filesystem::path lib;         ///< spm's folder of packages, for the compiler of shaders
  RenderEnvironment environment;     ///< what the device can do
  std::unique_ptr<Objects> objects;  ///< used by the loading thread alone
  /// A file that is being written is broken for a moment: a problem is reported if nothing changes for this long.
  double settle_seconds = 0.1;
};

class LiveConfig {
 public:
  /// Begins to load `file` for an output of this size.
  LiveConfig(std::filesystem::path file, std::uint32_t width, std::uint32_t height, LoadTools tools);
  /// No frame may be using a plan.
  ~LiveConfig();
  LiveConfig(const LiveConfig&) = delete;
  LiveConfig& operator=(const LiveConfig&) = delete;

  /// Called when a frame begins and the one before has ended: the newest plan, valid until the next call. Null: no load
  /// has gone well yet.
  const Plan* begin_frame();
  /// A plan for this size comes as if a file had changed; of the last good configuration if the files are broken.
  void resize(std::uint32_t width, std::uint32_t height);
  LoadStatus status() const;

 private:
  struct Size {
    std::uint32_t width = 0, height = 0;
    bool operator==(const Size&) const = default;
  };
  struct Loaded {
    Config config;
    FileSet files;
    Size size = {};  // for which a plan of it was last made, or failed to be
  };
  void work();
  void load();
  Expected<std::unique_ptr<Plan>> make_plan(Loaded& loaded);
  Size size() const;
  // Both together: whoever sees the plan sees how it was loaded. `plan` may be null, and `ended` nothing.
  void publish(std::unique_ptr<Plan> plan, std::optional<LoadStatus> ended);
  void drop_retired();

  const std::filesystem::path file_;
  LoadTools tools_;
  ShaderCompiler compiler_;
  FileWatch watch_;
  std::optional<Loaded> good_;  // the loading thread's

  mutable std::mutex mutex_;  // of the rest
  Size size_;
  std::unique_ptr<Plan> next_, current_;
  std::vector<std::unique_ptr<Plan>> retired_;  // dropped by the loading thread, as Objects needs
  LoadStatus status_;

  std::atomic<bool> stop_{false};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace lab::render_config
