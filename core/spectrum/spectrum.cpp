// SPDX-License-Identifier: Apache-2.0
// The texts of the exactness badge.
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

const char* to_string(Exactness exactness) {
  switch (exactness) {
    case Exactness::exact:
      return "exact";
    case Exactness::exact_samples:
      return "exact samples";
    case Exactness::estimate:
      return "estimate";
  }
  return "estimate";
}

}  // namespace spyctrum
