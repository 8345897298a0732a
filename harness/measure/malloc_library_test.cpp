#include "harness/measure/malloc_library.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/measure/catalog.h"
#include "harness/measure/fake_build.h"

namespace lab::measure {

namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

fs::path fake(const std::string& what) {
  return fs::path(LAB_BUILD_DIR) / fmt::format("tests/fake_malloc_{}.so", what);
}

std::string content_of_good() {
  return *read_file(fake("good"));
}

/// The good library with these bytes from `at` on.
std::string with_bytes(std::size_t at, std::initializer_list<unsigned char> bytes) {
  std::string content = content_of_good();
  for (const unsigned char byte : bytes) content[at++] = static_cast<char>(byte);
  return content;
}

/// What is said of a file with that content, without its path.
std::string complaint(const std::string& content) {
  ScratchFolder folder;
  folder.write("lib.so", content);
  const auto library = MallocLibrary::read(folder.path() / "lib.so");
  if (library) return "";
  EXPECT_EQ(library.error().status, ExitStatus::kUsage);
  const std::string beginning = fmt::format("'{}': ", (folder.path() / "lib.so").string());
  EXPECT_TRUE(library.error().what.starts_with(beginning)) << library.error().what;
  return library.error().what.substr(beginning.size());
}

std::shared_ptr<const MallocLibrary> read(const fs::path& file) {
  const auto library = MallocLibrary::read(file);
  EXPECT_TRUE(library) << library.error().what;
  return *library;
}

}  // namespace

TEST(MallocLibrary, must_be_a_shared_library_for_this_machine) {
  constexpr std::size_t kType = offsetof(Elf64_Ehdr, e_type), kMachine = offsetof(Elf64_Ehdr, e_machine);
  EXPECT_EQ(complaint(content_of_good()), "");
  EXPECT_EQ(complaint(""), "expected a shared library, found an empty file");
  EXPECT_EQ(complaint("#!/bin/sh\nexit\n"), "expected a shared library, found a text file that begins '#!/bin/sh'");
  EXPECT_EQ(complaint("!<arch>\nx"), "expected a shared library, found a static library");
  EXPECT_EQ(complaint("\1\2\3"), "expected a shared library, found a file of another format");
  EXPECT_EQ(complaint(content_of_good().substr(0, 20)), "expected a shared library, found its first 20 bytes");
  EXPECT_EQ(complaint(content_of_good().substr(0, 100)),
            "expected a shared library, found a part of one: its table of segments is cut off");
  EXPECT_TRUE(complaint(content_of_good().substr(0, 3000)).ends_with("bytes, found the first 3000"));
  EXPECT_EQ(complaint(with_bytes(kType, {ET_REL, 0})), "expected a shared library, found an object file");
  EXPECT_EQ(complaint(with_bytes(kType, {ET_EXEC, 0})), "expected a shared library, found an executable");
  EXPECT_EQ(complaint(*read_file("/proc/self/exe")), "expected a shared library, found an executable");
#if defined(__x86_64__)
  EXPECT_EQ(complaint(with_bytes(kMachine, {EM_AARCH64, 0})),
            "expected a 64-bit library for x86-64, found a file for AArch64");
  EXPECT_EQ(complaint(with_bytes(kMachine, {0xef, 0xbe})),
            "expected a 64-bit library for x86-64, found a file for machine 48879");
  std::string narrow = with_bytes(kMachine, {EM_386, 0});
  narrow[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(complaint(narrow), "expected a 64-bit library for x86-64, found a 32-bit file for i386");
#endif
}

TEST(MallocLibrary, must_be_a_file) {
  const ScratchFolder folder;
  EXPECT_EQ(MallocLibrary::read(folder.path()).error().what,
            fmt::format("'{}': expected a shared library, found a folder", folder.path().string()));
  EXPECT_EQ(MallocLibrary::read("/dev/null").error().what,
            "'/dev/null': expected a shared library, found a device or a pipe");
  EXPECT_EQ(MallocLibrary::read("/dev/null/no").error().status, ExitStatus::kUsage);
  const auto twice = read_malloc_libraries("--malloc", {fake("good"), fake("null"), fake("good")});
  EXPECT_EQ(twice.error().what,
            fmt::format("--malloc: expected different libraries, found {} twice", read(fake("good"))->name()));
}

TEST(MallocLibrary, is_named_by_its_file_and_its_content) {
  ScratchFolder folder;
  folder.write("lib mine+.so", content_of_good());
  const auto library = read(folder.path() / "lib mine+.so");
  EXPECT_EQ(library->name(), "lib_mine_.so@" + library->hash().substr(0, 8));
  EXPECT_EQ(library->hash(), read(fake("good"))->hash());
  folder.write("lib mine+.so", content_of_good() + "x");
  EXPECT_NE(read(folder.path() / "lib mine+.so")->name(), library->name());
  EXPECT_NE(library->hash_with("executable"), library->hash_with("other"));
  EXPECT_NE(library->hash_with("executable"), read(fake("null"))->hash_with("executable"));
}

TEST(MallocLibrary, can_be_preloaded_from_a_path_that_the_loader_would_split) {
  ScratchFolder folder;
  folder.write("a b:c.so", content_of_good());
  const auto library = read(folder.path() / "a b:c.so");
  const Names environment = library->environment();
  ASSERT_EQ(environment.size(), 2u);
  EXPECT_EQ(environment[1], "LAB_PRELOADED_AS=" + library->name());
  const std::string path = environment[0].substr(std::string("LD_PRELOAD=").size());
  EXPECT_EQ(path.find_first_of(" :"), std::string::npos);
  EXPECT_EQ(*read_file(path), content_of_good());
  EXPECT_EQ(read(fake("good"))->environment()[0], "LD_PRELOAD=" + fake("good").string());
}

TEST(MallocLibrary, says_that_its_content_changed) {
  ScratchFolder folder;
  const fs::path file = folder.path() / "lib.so";
  folder.write("lib.so", content_of_good());
  const auto library = read(file);
  EXPECT_EQ(library->change(), "");
  folder.write("lib.so", content_of_good());
  EXPECT_EQ(library->change(), "") << "the same content in a newer file";
  folder.write("lib.so", content_of_good() + "x");
  EXPECT_EQ(library->change(),
            fmt::format("'{}' changed while it was measured: expected content {}, found {}; build it to another file, "
                        "or wait for the end",
                        file.string(), library->hash().substr(0, 8), read(file)->hash().substr(0, 8)));
  fs::remove(file);
  EXPECT_NE(library->change().find("found no file that can be read"), std::string::npos);
}

TEST(MallocLibrary, defines_all_that_free_gets_blocks_from) {
  const std::string expected = "expected a library that defines malloc, free, calloc, realloc, aligned_alloc; found ";
  for (const char* const what : {"good", "null", "sizeless", "crashing", "unresolved"})
    EXPECT_EQ(read(fake(what))->why_no_malloc(), "") << what;
  EXPECT_EQ(read(fake("part"))->why_no_malloc(),
            expected + "no calloc, realloc, aligned_alloc: free would get blocks of another malloc");
  EXPECT_EQ(read(fake("nothing"))->why_no_malloc(),
            expected + "none of them: it replaces no malloc; are its functions extern \"C\" and visible?");
}

TEST(Catalog, has_a_variant_for_each_preloaded_library) {
  if (!kCanPreload) GTEST_SKIP() << "needs a build without a sanitizer";
  const FakeBuild build({"plain", "quick"}, "", "plain");
  const MallocLibraries mallocs{read(fake("good")), read(fake("nothing"))};
  const Catalog catalog = *load_catalog(
      build.path(), [](const ChildSpec& spec) { return run_child(spec); }, mallocs);
  const std::string name = "fake/" + mallocs[0]->name();
  EXPECT_EQ(catalog.preloaded, (Names{name, "fake/" + mallocs[1]->name()}));
  const auto selected = select(catalog, {name + "/store", "fake/quick/store", catalog.preloaded[1]});
  ASSERT_TRUE(selected) << selected.error().what;
  ASSERT_EQ(selected->benchmarks.size(), 2u);
  EXPECT_EQ(selected->benchmarks[0].name, name + "/store");
  EXPECT_FALSE(selected->benchmarks[0].reference);
  EXPECT_EQ(selected->checks.at(0).name, "fake/plain/store");
  const ChildSpec child = measuring_process(selected->benchmarks[0], {});
  EXPECT_EQ(child.environment, (Names{mallocs[0]->environment()[0], mallocs[0]->environment()[1], "LAB_EXACT"}));
  ASSERT_EQ(selected->failures.size(), 1u);
  EXPECT_EQ(selected->failures[0].benchmark, catalog.preloaded[1]);
  const auto none = select(catalog, {"fake/quick"});
  EXPECT_EQ(none.error().what, fmt::format("no filter selects {}, which --malloc names", name));
  EXPECT_EQ(none.error().hint, "--filter 'fake/fake_malloc_good.so@*'");
}

TEST(Catalog, says_how_a_program_fails_that_has_the_library_as_its_malloc) {
  const FakeBuild build({"plain"}, "", "plain");
  const MallocLibraries mallocs{read(fake("good"))};
  const auto failure = [&](ChildEnd end, int code, const std::string& error) {
    const Runner runner = [&](const ChildSpec& spec) {
      if (spec.environment.empty()) return run_child(spec);
      ChildOutcome outcome;
      outcome.end = end;
      outcome.code = code;
      outcome.error_tail = error;
      return outcome;
    };
    const Catalog catalog = *load_catalog(build.path(), runner, mallocs);
    EXPECT_EQ(catalog.failures.size(), 1u);
    return catalog.failures.at(0).kind + ": " + catalog.failures.at(0).detail;
  };
  EXPECT_EQ(failure(ChildEnd::kTimedOut, 0, ""),
            "timeout: expected a program to start and end with fake_malloc_good.so as its malloc, found: no end within "
            "20 s");
  EXPECT_EQ(failure(ChildEnd::kSignalled, 11, ""),
            "crash: expected a program to start and end with fake_malloc_good.so as its malloc, found: signal 11 "
            "(Segmentation fault)");
  const std::string expected = "crash: expected a library that the dynamic loader can preload, found: ";
  EXPECT_EQ(failure(ChildEnd::kExited, 0,
                    "ERROR: ld.so: object '/x.so' from LD_PRELOAD cannot be preloaded (file too short): ignored.\n"),
            expected + "file too short");
  EXPECT_EQ(failure(ChildEnd::kExited, 127, "/p: error while loading shared libraries: liby.so.1: no such file\n"),
            expected + "liby.so.1: no such file");
  EXPECT_EQ(failure(ChildEnd::kExited, 127, "/p: symbol lookup error: /x.so: undefined symbol: nobody\n"),
            expected + "/x.so: undefined symbol: nobody");
}

TEST(ListedVariants, are_needed_if_a_library_is_preloaded_under_them) {
  ListedVariant host{"fake", "plain", true, ""}, other{"fake", "quick", false, ""};
  host.preload = other.preload = {"plain"};
  const MallocLibraries mallocs{read(fake("good"))};
  EXPECT_EQ(variants_for({host, other}, {"fake/fake_malloc_good*"}, false, mallocs), Names{"fake/plain"});
  EXPECT_EQ(variants_for({host, other}, {"fake/fake_malloc_good*"}, false), Names{});
}

}  // namespace lab::measure
