// What the compiler is recorded with: templates of the standard library, and a little code of its own.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

std::map<std::string, std::size_t> count_words(const std::string& text) {
  std::map<std::string, std::size_t> counts;
  std::string word;
  for (const char letter : text + ' ') {
    if (letter != ' ') {
      word += letter;
    } else if (!word.empty()) {
      ++counts[word];
      word.clear();
    }
  }
  return counts;
}

std::vector<std::string> most_frequent(const std::string& text, std::size_t most) {
  std::vector<std::pair<std::size_t, std::string>> words;
  for (const auto& [word, count] : count_words(text)) words.emplace_back(count, word);
  std::sort(words.rbegin(), words.rend());
  std::vector<std::string> found;
  for (std::size_t i = 0; i < std::min(most, words.size()); ++i) found.push_back(words[i].second);
  return found;
}
