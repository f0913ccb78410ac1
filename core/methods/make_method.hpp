// SPDX-License-Identifier: Apache-2.0
// How a method is registered: the file that defines class X ends with
//   template std::unique_ptr<Method> make_method<X>();
// and registry.cpp names X in one line.
#pragma once

#include <memory>

#include "core/methods/method.hpp"

namespace spyctrum {

template <class SomeMethod>
std::unique_ptr<Method> make_method() {
  return std::make_unique<SomeMethod>();
}

}  // namespace spyctrum
