// SPDX-License-Identifier: Apache-2.0
// Sizes as the paper prints them.
#include "core/matrix/paper_data_sets.hpp"

namespace spyctrum {

const std::vector<PaperDataSet>& paper_data_sets() {
  static const std::vector<PaperDataSet> sets{{"Wiki-CS", "wiki_cs", 11701, 290519},
                                              {"Amazon Computers", "amazon_computers", 13752, 491722},
                                              {"Coauthor CS", "coauthor_cs", 18333, 163788},
                                              {"CoraFull", "corafull", 19793, 126842},
                                              {"Facebook Page-Page", "facebook_page_page", 22470, 341646},
                                              {"Deezer Europe", "deezer_europe", 28281, 185504},
                                              {"Coauthor Physics", "coauthor_physics", 34493, 495924},
                                              {"GitHub", "github", 37700, 578006},
                                              {"Penn94", "penn94", 41554, 2724458},
                                              {"PPI", "ppi", 56944, 1587264},
                                              {"Yelp2018", "yelp2018", 69716, 3122812},
                                              {"Gowalla", "gowalla", 70839, 2054740},
                                              {"Flickr", "flickr", 89250, 899756},
                                              {"ogbl-biokg", "ogbl_biokg", 93773, 3540566},
                                              {"IGB-tiny", "igb_tiny", 100000, 447076}};
  return sets;
}

}  // namespace spyctrum
