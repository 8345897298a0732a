#include "harness/measure/filler_object.h"

#include <elf.h>

#include <cstring>
#include <string_view>

namespace lab::measure {

namespace {

/// Strings of an ELF file, each found by its offset.
class Strings {
 public:
  Elf64_Word add(std::string_view text) {
    const auto offset = static_cast<Elf64_Word>(all_.size());
    all_ += text;
    all_ += '\0';
    return offset;
  }
  const std::string& all() const { return all_; }

 private:
  std::string all_ = std::string(1, '\0');
};

template <typename T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

Elf64_Xword flags_of(std::string_view name) {
  if (name.starts_with(".text.")) return SHF_ALLOC | SHF_EXECINSTR;
  return name.starts_with(".rodata.") ? SHF_ALLOC : SHF_ALLOC | SHF_WRITE;
}

Elf64_Shdr section_header(Elf64_Word name, Elf64_Word type, Elf64_Xword flags, std::size_t offset, std::size_t size) {
  Elf64_Shdr header{};
  header.sh_name = name;
  header.sh_type = type;
  header.sh_flags = flags;
  header.sh_offset = offset;
  header.sh_size = size;
  header.sh_addralign = 1;
  return header;
}

}  // namespace

std::string filler_object(const std::vector<FillerSection>& sections) {
  // Sections: none, each filler, its reference to the next one (of the last: nothing), .note.GNU-stack, symbols, names.
  const std::size_t count = sections.size();
  const auto index_of = [](std::size_t filler) { return static_cast<Elf64_Half>(1 + 2 * filler); };
  const std::size_t symbols_at = 2 + 2 * count, strings_at = symbols_at + 1, names_at = symbols_at + 2;

  Strings names, strings;
  std::string symbols;
  append(symbols, Elf64_Sym{});
  const auto symbol_of = [&](std::size_t filler, unsigned char binding, unsigned char visibility) {
    Elf64_Sym symbol{};
    symbol.st_name = strings.add(sections[filler].symbol);
    symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(binding, STT_NOTYPE));
    symbol.st_other = visibility;
    symbol.st_shndx = index_of(filler);
    append(symbols, symbol);
  };
  // Local symbols are first; that of filler i, above 0, is number i.
  for (std::size_t i = 1; i < count; ++i) symbol_of(i, STB_LOCAL, STV_DEFAULT);
  if (count != 0) symbol_of(0, STB_GLOBAL, STV_HIDDEN);

  std::string file(sizeof(Elf64_Ehdr), '\0');
  std::vector<std::size_t> starts;  // sections may not share their zeros: gold reads each byte once
  for (const FillerSection& section : sections) {
    starts.push_back(file.size());
    if (!section.name.starts_with(".bss.")) file.append(section.bytes, '\0');
  }
  file.append((8 - file.size() % 8) % 8, '\0');

  std::vector<Elf64_Shdr> headers{Elf64_Shdr{}};
  for (std::size_t i = 0; i < count; ++i) {
    const FillerSection& section = sections[i];
    headers.push_back(section_header(names.add(section.name),
                                     section.name.starts_with(".bss.") ? SHT_NOBITS : SHT_PROGBITS,
                                     flags_of(section.name), starts[i], section.bytes));
    Elf64_Shdr references = section_header(names.add(".rela" + section.name), SHT_RELA, SHF_INFO_LINK, file.size(), 0);
    references.sh_link = static_cast<Elf64_Word>(symbols_at);
    references.sh_info = index_of(i);
    references.sh_entsize = sizeof(Elf64_Rela);
    references.sh_addralign = 8;
    if (i + 1 < count) {
      append(file, Elf64_Rela{0, ELF64_R_INFO(i + 1, R_X86_64_NONE), 0});
      references.sh_size = sizeof(Elf64_Rela);
    }
    headers.push_back(references);
  }
  headers.push_back(section_header(names.add(".note.GNU-stack"), SHT_PROGBITS, 0, file.size(), 0));
  Elf64_Shdr table = section_header(names.add(".symtab"), SHT_SYMTAB, 0, file.size(), symbols.size());
  table.sh_link = static_cast<Elf64_Word>(strings_at);
  table.sh_info = static_cast<Elf64_Word>(count == 0 ? 1 : count);  // the first global one
  table.sh_entsize = sizeof(Elf64_Sym);
  table.sh_addralign = 8;
  headers.push_back(table);
  file += symbols;
  headers.push_back(section_header(names.add(".strtab"), SHT_STRTAB, 0, file.size(), strings.all().size()));
  file += strings.all();
  const Elf64_Word own_name = names.add(".shstrtab");
  headers.push_back(section_header(own_name, SHT_STRTAB, 0, file.size(), names.all().size()));
  file += names.all();
  file.append((8 - file.size() % 8) % 8, '\0');

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_shoff = file.size();
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(headers.size());
  header.e_shstrndx = static_cast<Elf64_Half>(names_at);
  std::memcpy(file.data(), &header, sizeof header);
  for (const Elf64_Shdr& one : headers) append(file, one);
  return file;
}

}  // namespace lab::measure
