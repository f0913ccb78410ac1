// SPDX-License-Identifier: Apache-2.0
// The path of a session file may name anything, also a device whose content never ends. Names of sources.
#include <gtest/gtest.h>

#include "app/controller/files/session.hpp"
#include "app/controller/files/source_names.hpp"

namespace spyctrum {
namespace {

TEST(SessionFile, WithoutEndIsRefused) {
  const Result<Session> session = read_session("/dev/zero");
  ASSERT_FALSE(session.has_value());
  EXPECT_EQ(session.error().code, ErrorCode::out_of_memory);
  EXPECT_NE(session.error().what.find("/dev/zero is longer than 1 MiB"), std::string::npos)
      << session.error().what;
}

TEST(SessionFile, ThatIsAFolderIsRefused) { EXPECT_FALSE(read_session("/").has_value()); }

TEST(SourceName, OfOneMatrixOfSeveralNamesItsFileToo) {
  EXPECT_EQ(short_name("/data/cells.h5ad::layers/counts"), "cells.h5ad::layers/counts");
  EXPECT_EQ(short_name("/data/cells.h5ad"), "cells.h5ad");
  EXPECT_EQ(short_name("gen:band:n=5"), "gen:band:n=5");
}

}  // namespace
}  // namespace spyctrum
