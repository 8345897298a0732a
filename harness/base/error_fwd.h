/// Expected and Error for headers that only declare functions: a change of error.h then compiles their includers anew
/// only if these look at a result.
#pragma once

namespace boost::system {
template <class T, class E>
class result;
}  // namespace boost::system

namespace lab {

enum class ExitStatus : int;
struct Error;

/// Either a value or an Error: `if (!r) return r.error();`, then `*r`.
template <typename T>
using Expected = boost::system::result<T, Error>;

}  // namespace lab
