// SPDX-License-Identifier: Apache-2.0
// Included by every public header: the macro for exported symbols of libspyctrum.so, and the namespace of the
// interface's version. The public types are in spyctrum::v0 and are written spyctrum::Matrix,
// spyctrum::Spectrum, …; the version is part of the symbols of the library, so that a program that was
// compiled for another version does not start with it.
#pragma once

#define SPYCTRUM_API [[gnu::visibility("default")]]

namespace spyctrum::v0 {}
// In the sources of the library the same names denote the internal types.
#ifndef SPYCTRUM_LIBRARY_SOURCES
namespace spyctrum {
using namespace v0;
}
#endif
