// SPDX-License-Identifier: Apache-2.0
// The writer of comma-separated values against RFC 4180.
#include "core/io/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <vector>

namespace spyctrum {
namespace {

using LineBreaks = CsvWriter::LineBreaks;

std::string row_of(const std::vector<std::string>& fields, LineBreaks breaks = LineBreaks::keep) {
  std::ostringstream out;
  CsvWriter(out, breaks).row(fields);
  return out.str();
}

TEST(Csv, FieldsAreSeparatedByCommasAndRecordsEndInANewline) {
  EXPECT_EQ(row_of({"a", "b", "c"}), "a,b,c\n");
  EXPECT_EQ(row_of({"", "", ""}), ",,\n");
  EXPECT_EQ(row_of({}), "\n");
}

TEST(Csv, AFieldIsQuotedOnlyWhereItMustBe) {
  EXPECT_EQ(row_of({"two words", "gen:x:n=1,m=2", "say \"this\""}),
            "two words,\"gen:x:n=1,m=2\",\"say \"\"this\"\"\"\n");
}

TEST(Csv, QuotesThatAreRequestedAreWritten) {
  std::ostringstream out;
  CsvWriter csv(out);
  csv.quoted("plain").quoted("").field("plain").end_row();
  EXPECT_EQ(out.str(), "\"plain\",\"\",plain\n");
}

TEST(Csv, LineBreaksAreKeptInsideQuotesOrBecomeSpaces) {
  EXPECT_EQ(row_of({"a\nb"}, LineBreaks::keep), "\"a\nb\"\n");
  EXPECT_EQ(row_of({"a\nb"}, LineBreaks::space), "\"a b\"\n");
}

TEST(Csv, NumbersHaveTheRequestedDigits) {
  std::ostringstream out;
  CsvWriter csv(out);
  csv.number(1.0 / 3, 6).number(2, 9).number(1e-7, 6).number(NAN, 6).end_row();
  csv.number(-0.5, 3).end_row();
  EXPECT_EQ(out.str(), "0.333333,2,1e-07,nan\n-0.5\n");
}

}  // namespace
}  // namespace spyctrum
