// SPDX-License-Identifier: Apache-2.0
// Jobs that read the database, look for neighbours and index folders. Conditions and orders are applied on
// the interface thread: 10⁵ rows take a few hundredths of a second.
#include "app/controller/collections/collection_service.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "app/controller/files/source_names.hpp"
#include "app/controller/files/thumbnail_service.hpp"
#include "core/collection/fingerprint.hpp"
#include "core/collection/index.hpp"
#include "core/io/quote.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kNeighbours = 24;
/// For matrices with more entries the signature takes seconds and is computed on request only.
constexpr std::int64_t kSoonCompared = 2'000'000;

using Pictures = std::map<std::uint64_t, std::shared_ptr<const Thumbnails>>;

Signature signature_of_row(const CollectionTable& table, std::size_t row) {
  Signature signature;
  std::ranges::copy(std::span(table.signatures).subspan(row * kSignatureSize, kSignatureSize),
                    signature.begin());
  return signature;
}

std::optional<std::uint32_t> row_of(const CollectionTable& table, std::uint64_t content) {
  const auto found = std::ranges::find(table.matrices, content, &IndexedMatrix::content);
  if (found == table.matrices.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - table.matrices.begin());
}

NeighbourView neighbours_of(const PatternPtr& pattern, const CollectionTable& table, const Backend& backend,
                            JobContext& context) {
  const PatternPtr plain =
      pattern->has_weights() ? std::make_shared<const SparsePattern>(pattern->without_weights()) : pattern;
  NeighbourView view;
  view.own = row_of(table, plain->fingerprint());
  const Signature query = view.own ? signature_of_row(table, *view.own)
                                   : or_throw(fingerprint_of(plain, backend, context)).signature;
  view.list = nearest(query, table.signatures, kNeighbours + 1, context.pool());
  std::erase_if(view.list, [&](const Neighbour& one) { return view.own == one.row; });
  if (view.list.size() > kNeighbours) view.list.resize(kNeighbours);
  return view;
}

std::string summary(const std::string& folder, const IndexResult& result) {
  std::string text = short_name(folder) + ": " + counted(result.indexed, "matrix", "matrices") +
                     " indexed, " + std::to_string(result.known) + " with a known pattern, " +
                     std::to_string(result.unchanged) + " unchanged";
  if (!result.failed.empty())
    text += ", " + std::to_string(result.failed.size()) + " cannot be read, " + result.failed.front().file +
            " among them: " + result.failed.front().reason;
  return text + (text.ends_with('.') ? "" : ".");
}

}  // namespace

void CollectionService::handle(const action::OpenCollection& chosen) {
  const Result<std::string> path =
      run_guarded([&] { return full_source(chosen.path.empty() ? default_collection_path() : chosen.path); });
  if (!path) return report(path.error());
  CollectionView& view = state().collection;
  if (view.path != *path) {
    handle(action::CloseCollection{});
    view.path = *path;
  }
  view.whole = true;
  if (state().interface.overlay == Overlay::gallery) state().interface.overlay = Overlay::none;
  read();
}

void CollectionService::handle(const action::CloseCollection&) {
  jobs().drop_all("collection/");
  const std::uint64_t version = state().collection.version + 1;
  state().collection = {};
  state().collection.version = version;
  compared_.reset();
  compared_with_.reset();
  if (state().matrix() == nullptr) state().interface.overlay = Overlay::gallery;
}

void CollectionService::handle(const action::ShowCollection& chosen) {
  CollectionView& view = state().collection;
  view.whole = chosen.show && !view.path.empty();
  if (chosen.show && view.path.empty()) handle(action::OpenCollection{});
  if (!view.whole && state().matrix() == nullptr) state().interface.overlay = Overlay::gallery;
}

void CollectionService::handle(const action::ChooseInCollection& chosen) {
  if (state().collection.choice == chosen.choice) return;
  state().collection.choice = chosen.choice;
  choose();
}

void CollectionService::read() {
  CollectionView& view = state().collection;
  const auto preset = run_guarded([] { return full_source(default_collection_path()); });
  std::error_code none;
  // The preset file does not exist before a folder is indexed for the first time.
  if (preset && view.path == *preset && !std::filesystem::exists(view.path, none)) return;
  view.reading = true;
  jobs().submit(
      request_job(Lane::collection, "collection/read", "Reading the collection " + short_name(view.path)),
      [path = view.path](JobContext& context) {
        return std::make_shared<const CollectionTable>(read_collection(path, context.stop_token()));
      },
      [this](Result<std::shared_ptr<const CollectionTable>> table) {
        CollectionView& now = state().collection;
        now.reading = false;
        if (!table) {
          now.problem = table.error().message();
          if (table.error().code != ErrorCode::cancelled) report_unreadable(now.path, table.error());
          return;
        }
        now.problem.clear();
        now.table = std::move(*table);
        now.thumbnails_problem.clear();
        std::erase_if(now.thumbnails, [](const auto& one) { return one.second == nullptr; });
        choose();
      });
}

void CollectionService::choose() {
  CollectionView& view = state().collection;
  ++view.version;
  if (!view.table) return;
  const auto conditions = parse_conditions(view.choice.where, *view.table);
  view.choice_problem = conditions ? std::string() : conditions.error().message();
  const auto count = static_cast<std::uint32_t>(view.table->matrices.size());
  if (conditions)
    view.shown = fulfilling_rows(*view.table, *conditions);
  else
    std::erase_if(view.shown, [&](std::uint32_t row) { return row >= count; });
  sort_rows(view.shown, *view.table, view.table->column(view.choice.order), view.choice.descending);
}

void CollectionService::handle(const action::RequestThumbnails& chosen) {
  CollectionView& view = state().collection;
  if (view.path.empty() || chosen.contents.empty()) return;
  jobs().submit(
      request_job(Lane::collection, "collection/thumbnails", {}),
      [path = view.path, contents = chosen.contents](JobContext& context) {
        Database database = Database::open(path, context.stop_token());
        Pictures found;
        for (const std::uint64_t content : contents) {
          context.check_stop();
          auto pictures = database.thumbnails(content);
          found[content] = pictures ? std::make_shared<const Thumbnails>(std::move(*pictures)) : nullptr;
        }
        return found;
      },
      [this](Result<Pictures> found) {
        CollectionView& now = state().collection;
        if (!found) {
          if (found.error().message() != now.thumbnails_problem) report(found.error(), "Thumbnails: ");
          now.thumbnails_problem = found.error().message();
          return;
        }
        now.thumbnails_problem.clear();
        if (now.thumbnails.size() + found->size() > kMostThumbnails) now.thumbnails.clear();
        now.thumbnails.merge(*found);
      });
}

PatternPtr CollectionService::pattern_in_view() const {
  const OpenMatrix* open = state().matrix();
  return open == nullptr ? nullptr : open->whole;
}

void CollectionService::reconcile() {
  CollectionView& view = state().collection;
  const PatternPtr pattern = view.table && !view.table->matrices.empty() ? pattern_in_view() : nullptr;
  if (pattern == compared_ && view.table == compared_with_) return;
  jobs().drop("collection/neighbours");
  compared_ = pattern;
  compared_with_ = view.table;
  view.neighbours = {};
  if (!pattern) return;
  const bool is_known = !pattern->has_weights() && row_of(*view.table, pattern->fingerprint());
  if (is_known || pattern->nonzeros() <= kSoonCompared)
    find_neighbours();
  else
    view.neighbours.waits = true;
}

void CollectionService::find_neighbours() {
  CollectionView& view = state().collection;
  view.neighbours = {.busy = true};
  jobs().submit(
      request_job(Lane::collection, "collection/neighbours", "Neighbours of " + matrix_name()),
      [pattern = compared_, table = compared_with_, backend = machine_.backend()](JobContext& context) {
        return neighbours_of(pattern, *table, backend, context);
      },
      [this](Result<NeighbourView> found) {
        NeighbourView& now = state().collection.neighbours;
        now = found ? std::move(*found) : NeighbourView{.problem = found.error().message()};
        if (!found) report(found.error(), "Neighbours: ", Level::warning, false);
      });
}

void CollectionService::handle(const action::FindNeighbours&) {
  if (compared_ && !state().collection.neighbours.busy) find_neighbours();
}

void CollectionService::forget_matrix() {
  jobs().drop("collection/neighbours");
  state().collection.neighbours = {};
  compared_.reset();
}

void CollectionService::handle(const action::IndexFolder& chosen) {
  if (state().collection.indexing) return notify(Level::info, "A folder is being indexed already.");
  if (state().collection.path.empty()) handle(action::OpenCollection{});
  CollectionView& view = state().collection;
  if (view.path.empty()) return;
  view.indexing = true;
  const std::string folder = full_source(chosen.folder);
  jobs().submit(
      request_job(Lane::background, "collection/index", "Indexing " + short_name(folder)),
      [folder, path = view.path, backend = machine_.backend()](JobContext& context) {
        Database database = Database::open_or_create(path, context.stop_token());
        return or_throw(index_folders({folder}, database, backend, context));
      },
      [this, folder](Result<IndexResult> result) {
        state().collection.indexing = false;
        if (result)
          notify(result->failed.empty() ? Level::info : Level::warning, summary(folder, *result));
        else
          report(result.error(), "Indexing: ");
        read();  // an interrupted job has stored a part of the folder, too
      });
}

}  // namespace spyctrum
