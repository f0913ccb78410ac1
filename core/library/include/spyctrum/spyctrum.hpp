// SPDX-License-Identifier: Apache-2.0
// The whole public face of the library. Needs C++20 and nothing but the standard library.
#pragma once

#include "spyctrum/engine.hpp"
#include "spyctrum/matrix.hpp"
#include "spyctrum/picture.hpp"
#include "spyctrum/result.hpp"
#include "spyctrum/spectrum.hpp"
