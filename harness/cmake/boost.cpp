// Boost.JSON's own source, compiled once.
#include <boost/json/src.hpp>
