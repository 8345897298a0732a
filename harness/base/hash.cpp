#include "harness/base/hash.h"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>

namespace lab {

std::string content_name(std::string_view content) {
  const boost::uuids::name_generator_sha1 generator(boost::uuids::ns::oid());
  std::string digits = boost::uuids::to_string(generator(content.data(), content.size()));
  std::erase(digits, '-');
  return digits;
}

}  // namespace lab
