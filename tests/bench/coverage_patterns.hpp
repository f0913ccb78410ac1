// SPDX-License-Identifier: Apache-2.0
// The patterns over which bench_coverage counts how often error bars hold: lists to which the constants of
// the bars were fitted (core/features/{row_estimate,stratified_errors}.cpp), and one to which nothing was,
// with other parameters, sides, seeds and real matrices. "sci_…" and other names without "gen:" are files of
// the folder of shared data.
#pragma once

#include <string>
#include <vector>

namespace spyctrum::bench {

/// Patterns of side `side` + step·s, s = 0, 1, …; `seeded`: with seed s + 1 + the list's first seed.
struct Kind {
  const char* name;  ///< of a generator with values, or of a file
  bool seeded = false;
  int side = 2000;
  const char* key = "n";
  int step = 97;
};

struct CoverageList {
  std::vector<Kind> kinds;
  int first_seed = 0;
};

/// Names of `patterns` patterns of the kind: gen:…, or one file.
inline std::vector<std::string> names_of(const Kind& kind, int patterns, int first_seed) {
  if (std::string(kind.name).find(':') == std::string::npos) return {kind.name};
  std::vector<std::string> names;
  for (int s = 0; s < patterns; ++s) {
    names.push_back(std::string("gen:") + kind.name + "," + kind.key + "=" +
                    std::to_string(kind.side + kind.step * s));
    if (kind.seeded) names.back() += ",seed=" + std::to_string(first_seed + s + 1);
  }
  return names;
}

inline const CoverageList kIndependent{
    {
        {"random:nnz=14000", true, 2333, "n", 71},
        {"random:cols=1777,nnz=15000", true, 2444, "rows", 71},
        {"random:nnz=70000", true, 3100, "n", 71},
        {"power-law:nnz=16000,exponent=2.8", true, 2222, "n", 71},
        {"power-law:nnz=22000,exponent=2.4,shuffle=1", true, 2850, "n", 71},
        {"rmat:nnz=18000,a=0.4,b=0.25,c=0.25", true, 2111, "n", 71},
        {"rmat:nnz=26000", true, 2900, "n", 71},
        {"stochastic-blocks:blocks=5", true, 2555, "n", 71},
        {"stochastic-blocks:blocks=20,p_in=0.12,p_out=0.0012", true, 2666, "n", 71},
        {"band:lower=1,upper=8", false, 2444, "n", 71},
        {"band:cols=2700,bandwidth=31", false, 2150, "rows", 71},
        {"block-diagonal:block=72", false, 2600, "n", 71},
        {"block-diagonal:cols=2777,block=40", false, 2222, "rows", 71},
        {"checkerboard:cell=13", false, 2100, "n", 71},
        {"checkerboard:cols=2222,cell=6", false, 1900, "rows", 71},
        {"circulant:degree=6,stride=41", false, 2500, "n", 71},
        {"circulant:degree=15,stride=301", false, 2800, "n", 71},
        {"arrow:head=8", false, 2200, "n", 71},
        {"laplacian-2d:ny=53,points=9", false, 45, "nx", 3},
        {"laplacian-2d:ny=40,periodic=1", false, 59, "nx", 3},
        {"laplacian-3d:ny=6,nz=10", false, 39, "nx", 2},
        {"laplacian-3d:ny=11,nz=12,points=27", false, 18, "nx", 2},
        {"diagonal:cols=2400,offset=-55", false, 2100, "rows", 71},
        {"coauthor_cs"},
        {"facebook_page_page"},
        {"deezer_europe"},
    },
    500};

inline const std::vector<CoverageList> kFitted{
    {{
         {"random:nnz=9000", true},
         {"random:cols=3001,nnz=12000", true, 1800, "rows"},
         {"random:nnz=60000", true, 2900},
         {"power-law:nnz=14000", true},
         {"power-law:nnz=30000,shuffle=1", true, 2400},
         {"rmat:nnz=16000", true},
         {"stochastic-blocks:blocks=6", true},
         {"stochastic-blocks:blocks=25,p_in=0.1,p_out=0.001", true, 2400},
         {"band:lower=3,upper=5"},
         {"band:bandwidth=40", false, 2300},
         {"band:cols=2801,bandwidth=9", false, 2000, "rows"},
         {"block-diagonal:block=24"},
         {"block-diagonal:block=250", false, 2500},
         {"checkerboard:cell=16"},
         {"circulant:degree=9,stride=31"},
         {"arrow:head=3"},
         {"laplacian-2d:ny=41", false, 50, "nx", 3},
         {"laplacian-3d:ny=7,nz=4", false, 75, "nx", 3},
         {"diagonal:cols=2911,offset=100", false, 2000, "rows"},
     },
     0},
    {{
         {"random:nnz=25000", true, 1700, "n", 111},
         {"random:cols=1499,nnz=8000", true, 2600, "rows", 111},
         {"power-law:nnz=9000,exponent=3", true, 1600, "n", 111},
         {"power-law:nnz=40000,exponent=2.1,shuffle=1", true, 2700, "n", 111},
         {"rmat:nnz=30000,a=0.45,b=0.22,c=0.22", true, 1900, "n", 111},
         {"stochastic-blocks:blocks=3", true, 1700, "n", 111},
         {"stochastic-blocks:blocks=40,p_in=0.2,p_out=0.0005", true, 2300, "n", 111},
         {"band:lower=0,upper=12", false, 2111, "n", 111},
         {"band:cols=1501,bandwidth=25", false, 2222, "rows", 111},
         {"block-diagonal:block=60", false, 2050, "n", 111},
         {"block-diagonal:cols=2600,block=33", false, 2100, "rows", 111},
         {"checkerboard:cell=7", false, 1600, "n", 111},
         {"checkerboard:cols=1811,cell=5", false, 1500, "rows", 111},
         {"circulant:degree=5,stride=97,offset=3", false, 2222, "n", 111},
         {"arrow:head=10", false, 2050, "n", 111},
         {"laplacian-2d:ny=59,points=9", false, 37, "nx", 4},
         {"laplacian-2d:ny=36,periodic=1", false, 61, "nx", 4},
         {"laplacian-3d:ny=9,nz=11,points=27", false, 21, "nx", 2},
         {"diagonal:cols=1711,offset=-40", false, 2400, "rows", 111},
         {"sci_bcspwr10"},
         {"sci_tols4000"},
         {"sci_rajat01"},
         {"sci_ani4"},
         {"sci_zenios"},
         {"sci_activsg2000"},
         {"sci_bcsstk13"},
         {"sci_trefethen2000"},
         {"sci_radixnet_n1024_l1"},
     },
     100},
    {{
         {"random:nnz=11000", true, 2450, "n", 83},
         {"random:cols=2750,nnz=30000", true, 1950, "rows", 83},
         {"random:nnz=90000", true, 3300, "n", 83},
         {"power-law:nnz=20000,exponent=2.6", true, 2550, "n", 83},
         {"power-law:nnz=25000,exponent=2.3,shuffle=1", true, 3050, "n", 83},
         {"rmat:nnz=22000,a=0.5,b=0.2,c=0.2", true, 2300, "n", 83},
         {"rmat:nnz=30000", true, 3100, "n", 83},
         {"stochastic-blocks:blocks=4", true, 2350, "n", 83},
         {"stochastic-blocks:blocks=30,p_in=0.15,p_out=0.0008", true, 2850, "n", 83},
         {"band:lower=7,upper=2", false, 2650, "n", 83},
         {"band:cols=3100,bandwidth=17", false, 2450, "rows", 83},
         {"block-diagonal:block=45", false, 2750, "n", 83},
         {"block-diagonal:cols=2350,block=28", false, 1900, "rows", 83},
         {"checkerboard:cell=11", false, 2250, "n", 83},
         {"checkerboard:cols=2450,cell=9", false, 2050, "rows", 83},
         {"circulant:degree=7,stride=53", false, 2600, "n", 83},
         {"circulant:degree=11,stride=173", false, 3001, "n", 83},
         {"arrow:head=6", false, 2350, "n", 83},
         {"laplacian-2d:ny=47", false, 53, "nx", 3},
         {"laplacian-2d:ny=44,points=9,periodic=1", false, 57, "nx", 3},
         {"laplacian-3d:ny=8,nz=9", false, 33, "nx", 2},
         {"laplacian-3d:ny=12,nz=13,points=27", false, 17, "nx", 2},
         {"diagonal:cols=2150,offset=77", false, 2500, "rows", 83},
         {"sci_bcsstk16"},
         {"sci_bwm2000"},
         {"sci_g67_torus"},
         {"sci_lp_e226"},
         {"amazon_computers"},
         {"corafull"},
     },
     300},
};

/// The patterns to which the constants of the stream's bars were fitted.
inline const std::vector<std::string> kFittedStreams{
    "gen:random:n=3000,nnz=12000",
    "gen:random:rows=2000,cols=3001,nnz=20000",
    "gen:random:n=8000,nnz=30000",
    "gen:power-law:n=3000,nnz=20000",
    "gen:power-law:n=3000,nnz=20000,shuffle=1",
    "gen:rmat:n=2048,seed=12",
    "gen:rmat:n=4096,nnz=30000,seed=3",
    "gen:stochastic-blocks:n=2400,blocks=6",
    "gen:stochastic-blocks:n=3000,blocks=25,p_in=0.1,p_out=0.001",
    "gen:band:n=2500,lower=3,upper=5",
    "gen:band:rows=2003,cols=2801,bandwidth=40",
    "gen:block-diagonal:n=2400,block=24",
    "gen:checkerboard:n=2048,cell=16",
    "gen:circulant:n=2407,degree=9,stride=31",
    "gen:arrow:n=2500,head=3",
    "gen:laplacian-2d:nx=53,ny=51",
    "gen:laplacian-2d:n=48,points=9,periodic=1",
    "gen:laplacian-3d:nx=13,ny=14,nz=15",
    "sci_bcspwr10",
    "sci_tols4000",
    "sci_rajat01",
    "sci_ani4",
    "sci_zenios",
    "sci_cryg10000",
    "sci_trefethen2000",
    "gen:random:n=3500,nnz=25000,seed=301",
    "gen:random:rows=2600,cols=2111,nnz=9000,seed=302",
    "gen:random:n=6000,nnz=120000,seed=303",
    "gen:power-law:n=3400,nnz=15000,exponent=3,seed=304",
    "gen:power-law:n=4100,nnz=40000,exponent=2.1,shuffle=1,seed=305",
    "gen:rmat:n=3000,nnz=25000,a=0.45,b=0.22,c=0.22,seed=306",
    "gen:rmat:n=5000,nnz=60000,seed=307",
    "gen:stochastic-blocks:n=3100,blocks=3,seed=308",
    "gen:stochastic-blocks:n=2700,blocks=40,p_in=0.2,p_out=0.0005,seed=309",
    "gen:band:n=3111,lower=0,upper=12",
    "gen:band:rows=2222,cols=3501,bandwidth=25",
    "gen:block-diagonal:n=3060,block=60",
    "gen:block-diagonal:rows=2100,cols=2600,block=33",
    "gen:checkerboard:n=2600,cell=7",
    "gen:checkerboard:rows=3500,cols=1811,cell=5",
    "gen:circulant:n=3222,degree=5,stride=97,offset=3",
    "gen:circulant:n=2903,degree=13,stride=211",
    "gen:arrow:n=3050,head=10",
    "gen:laplacian-2d:nx=59,ny=57,points=9",
    "gen:laplacian-2d:nx=61,ny=36,periodic=1",
    "gen:laplacian-3d:nx=21,ny=12,nz=11,points=27",
    "gen:diagonal:rows=3400,cols=2711,offset=-40",
    "sci_activsg2000",
    "sci_bcsstk13",
    "sci_4elt",
};

}  // namespace spyctrum::bench
