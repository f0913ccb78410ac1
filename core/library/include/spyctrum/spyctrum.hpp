// SPDX-License-Identifier: Apache-2.0
// All public headers of the library. Requires C++20 and only the standard library.
#pragma once

#include "spyctrum/engine.hpp"
#include "spyctrum/matrix.hpp"
#include "spyctrum/picture.hpp"
#include "spyctrum/result.hpp"
#include "spyctrum/spectrum.hpp"
