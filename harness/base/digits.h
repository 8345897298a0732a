/// Numbers as text.
#pragma once

#include <string>

namespace lab {

/// A value to so many significant digits, and never with an exponent: "150", "0.00012". Zeros at the end of a fraction
/// are left out; before the point all digits are kept.
std::string significant(double value, int digits);

}  // namespace lab
