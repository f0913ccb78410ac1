// SPDX-License-Identifier: Apache-2.0
// One factory per method; a new method adds its line here and in registry.cpp.
#pragma once

#include <memory>

#include "core/methods/method.hpp"

namespace spyctrum {

inline constexpr const char* kPaperCitation =
    "Zhang, Manthena, Li, Shen: Scaling Fourier-Based Sparse Matrix Analysis on GPUs";

std::unique_ptr<Method> make_dense();
std::unique_ptr<Method> make_bs_fft();
std::unique_ptr<Method> make_bs_fft_paper();
std::unique_ptr<Method> make_elastic();
std::unique_ptr<Method> make_elastic_paper();
std::unique_ptr<Method> make_density_map();
std::unique_ptr<Method> make_exact();
std::unique_ptr<Method> make_fixed_point();
std::unique_ptr<Method> make_fps_sft();
std::unique_ptr<Method> make_pruned();
std::unique_ptr<Method> make_finufft();

}  // namespace spyctrum
