#include "harness/measure/filler_object.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace lab::measure {

namespace {

/// The sections of an object by name, with their sizes and flags.
std::map<std::string, Elf64_Shdr> sections_of(const std::string& object) {
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof header);
  const auto section = [&](std::size_t index) {
    Elf64_Shdr one;
    std::memcpy(&one, object.data() + header.e_shoff + index * sizeof one, sizeof one);
    return one;
  };
  const std::size_t names = section(header.e_shstrndx).sh_offset;
  std::map<std::string, Elf64_Shdr> found;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr one = section(i);
    found[object.c_str() + names + one.sh_name] = one;
  }
  return found;
}

}  // namespace

TEST(FillerObject, HasEachSectionWithItsSizeAndTheFlagsOfItsKind) {
  const std::string object =
      filler_object({{".text.a", "a", 48}, {".rodata.b", "b", 64}, {".data.c", "c", 128}, {".bss.d", "d", 1 << 20}});
  EXPECT_LT(object.size(), 4096u) << "bss has no bytes in the file";
  const std::map<std::string, Elf64_Shdr> sections = sections_of(object);
  EXPECT_EQ(sections.at(".text.a").sh_size, 48u);
  EXPECT_EQ(sections.at(".text.a").sh_flags, SHF_ALLOC | SHF_EXECINSTR);
  EXPECT_EQ(sections.at(".rodata.b").sh_size, 64u);
  EXPECT_EQ(sections.at(".rodata.b").sh_flags, SHF_ALLOC);
  EXPECT_EQ(sections.at(".data.c").sh_flags, SHF_ALLOC | SHF_WRITE);
  EXPECT_EQ(sections.at(".bss.d").sh_type, SHT_NOBITS);
  EXPECT_EQ(sections.at(".bss.d").sh_size, 1u << 20);
}

TEST(FillerObject, RefersFromEachSectionToTheNextOne) {
  const std::string object = filler_object({{".text.a", "a", 16}, {".text.b", "b", 16}, {".data.c", "c", 64}});
  const std::map<std::string, Elf64_Shdr> sections = sections_of(object);
  const std::size_t symbols = sections.at(".symtab").sh_offset, strings = sections.at(".strtab").sh_offset;
  const auto target = [&](const char* name) {
    const Elf64_Shdr& references = sections.at(name);
    if (references.sh_size == 0) return std::string("none");
    Elf64_Rela reference;
    std::memcpy(&reference, object.data() + references.sh_offset, sizeof reference);
    EXPECT_EQ(ELF64_R_TYPE(reference.r_info), static_cast<unsigned>(R_X86_64_NONE));
    Elf64_Sym symbol;
    std::memcpy(&symbol, object.data() + symbols + ELF64_R_SYM(reference.r_info) * sizeof symbol, sizeof symbol);
    return std::string(object.c_str() + strings + symbol.st_name);
  };
  EXPECT_EQ(target(".rela.text.a"), "b");
  EXPECT_EQ(target(".rela.text.b"), "c");
  EXPECT_EQ(target(".rela.data.c"), "none");
  EXPECT_EQ(sections.at(".symtab").sh_info, 3u) << "the first symbol alone is global";
}

}  // namespace lab::measure
