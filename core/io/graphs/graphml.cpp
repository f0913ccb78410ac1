// SPDX-License-Identifier: Apache-2.0
// GraphML (U. Brandes, M. Eiglsperger, I. Herman, M. Himsolt, M. S. Marshall, GD 2001;
// http://graphml.graphdrawing.org): the nodes in the order of the document are the rows and columns; an edge
// is an entry, or two if it has no direction. An edge may name nodes that follow: ids are numbered in the
// order in which they are first mentioned, and entries are renumbered at the end if nodes have another order.
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "core/base/text.hpp"
#include "core/io/booked_list.hpp"
#include "core/io/graphs/numbered_texts.hpp"
#include "core/io/graphs/xml_elements.hpp"
#include "core/io/quote.hpp"
#include "core/io/several_matrices.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::graphml_reader {
namespace {

constexpr std::array<std::string_view, 1> kEndings{".graphml"};
constexpr FormatInfo kFormat{
    .id = "graphml", .name = "GraphML", .endings = kEndings, .beginning = "<graphml"};

constexpr std::size_t kLongestNumber = 4096;  // characters of a weight

/// An edge whose element is being read.
struct Edge {
  Index from = 0;
  Index to = 0;
  bool directed = false;
  std::string weight{};  ///< empty: it has none
  bool weight_is_integer = false;
};

/// A graph that is being read.
class Graph {
 public:
  Graph(const LoadOptions& options, bool has_preview, JobContext& context)
      : context_(context),
        ids_(context, "ids of the nodes"),
        numbers_(context, "numbers of the nodes"),
        early_(context, "mentions of nodes that follow"),
        drops_zeros_(options.drop_zeros),
        entries_(options, context) {
    if (has_preview) entries_.begin_preview(0, 0, 0);
  }

  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }
  [[nodiscard]] std::uint64_t edges() const { return edges_; }
  [[nodiscard]] bool is_full() const { return ids_.size() == kLargestSide; }
  /// Returns false if there is already a node with this id.
  bool add_node(std::string_view id) {
    const Index number = ids_.number_of(id);
    if (number == numbers_.size()) numbers_.add(kNoNode);
    Index& node = numbers_.data()[number];
    if (node != kNoNode) return false;
    node = static_cast<Index>(nodes_++);
    return true;
  }
  /// Returns the number of the node at an end of an edge; `line`: the line that mentions it.
  Index end_of_edge(std::string_view id, std::uint64_t line, bool is_target) {
    const Index number = ids_.number_of(id);
    if (number == numbers_.size()) {
      numbers_.add(kNoNode);
      early_.add({line, number, is_target});
    }
    return number;
  }
  void add_edge(const Edge& edge) {
    ++edges_;
    directed_ += edge.directed ? 1 : 0;
    integer_ = integer_ && edge.weight_is_integer;
    if (edge.weight.empty() && weighted_) leave_weights_out();
    const bool is_zero = weighted_ && classify_real(edge.weight) == ValueKind::zero;
    zeros_ += is_zero ? 1 : 0;
    add(edge.from, edge.to, edge.weight, is_zero);
    if (!edge.directed && edge.from != edge.to) add(edge.to, edge.from, edge.weight, is_zero);
  }

  /// The first mention of an id by an edge before its node.
  struct Mention {
    std::uint64_t line = 0;
    Index number = 0;
    bool is_target = false;
  };
  /// The first mention of an id for which no node was added.
  [[nodiscard]] std::optional<Mention> without_node() const {
    const auto found = std::ranges::find_if(
        early_.data(), [&](const Mention& mention) { return numbers_[mention.number] == kNoNode; });
    if (found == early_.data().end()) return std::nullopt;
    return *found;
  }
  [[nodiscard]] std::string_view id(Index number) const { return ids_[number]; }

  /// Properties of a graph beside the nodes and edges that were added.
  struct Facts {
    std::uint64_t line = 0;  ///< of the graph's element
    bool directed = false;   ///< the graph's edgedefault, which the format requires
    bool has_default = true;
    bool nested = false;  ///< there are graphs within nodes
    std::uint64_t hyperedges = 0;
    std::uint64_t weights = 0;  ///< edges that have a weight
  };
  Facts facts;

  /// The matrix of the graph. The caller has checked that without_node() is empty.
  Matrix matrix() && {
    const bool weighted = weighted_ && edges_ != 0;
    const IndexList& numbers = numbers_.data();
    ids_ = NumberedTexts(context_, "ids of the nodes");
    if (early_.size() != 0) entries_.renumber(numbers);
    Matrix matrix = std::move(entries_).matrix(nodes_, nodes_);
    LoadReport& report = matrix.report;
    report.entries_in_file = static_cast<std::int64_t>(edges_);
    report.explicit_zeros = static_cast<std::int64_t>(zeros_);
    report.field = !weighted ? "pattern" : integer_ ? "integer" : "real";
    const bool is_symmetric = directed_ == 0 && !(edges_ == 0 && facts.directed);
    if (is_symmetric) report.symmetry = "symmetric";
    std::vector<std::string>& notes = report.notes;
    notes.emplace_back(is_symmetric          ? "Edges have no direction: both were filled in."
                       : directed_ == edges_ ? "Edges were taken in their direction."
                                             : "Edges with and without direction: of those without, both "
                                               "were filled in.");
    if (!facts.has_default && directed_ != edges_)
      notes.emplace_back("The graph has no edgedefault: undirected was assumed, as NetworkX and igraph do.");
    if (!weighted && facts.weights != 0)
      notes.push_back("Only " + grouped(facts.weights) + " of " + counted(edges_, "edge", "edges") +
                      " have a weight: weights were left out.");
    if (facts.nested)
      notes.emplace_back("Graphs inside of nodes were taken as parts of the graph around them.");
    if (facts.hyperedges != 0)
      notes.push_back(counted(facts.hyperedges, "hyperedge", "hyperedges") + " left out.");
    return matrix;
  }

 private:
  static constexpr Index kNoNode = kLargestSide;

  void add(Index from, Index to, std::string_view weight, bool is_zero) {
    if (!weighted_) return entries_.add(from, to);
    if (is_zero && drops_zeros_) dropped_.push_back(pack_entry(from, to));
    entries_.add(from, to, is_zero, [&] { return Value(spyctrum::number_of(weight)); });
  }
  /// Called if some edge has no weight: leaves out the weights of all edges, and adds dropped edges of weight
  /// zero as entries.
  void leave_weights_out() {
    weighted_ = false;
    zeros_ = 0;
    entries_.leave_values_out();
    for (const PackedEntry entry : dropped_) entries_.add(row_of(entry), col_of(entry));
    dropped_ = {};
  }

  JobContext& context_;
  NumberedTexts ids_;
  BookedList<Index> numbers_;  // of the nodes with these ids; kNoNode before the node
  BookedList<Mention> early_;  // mentions of ids before their nodes
  std::uint64_t nodes_ = 0;
  std::uint64_t edges_ = 0;
  std::uint64_t directed_ = 0;
  std::uint64_t zeros_ = 0;  // edges of weight zero
  bool weighted_ = true;     // every edge up to here has a weight
  bool integer_ = true;
  bool drops_zeros_;
  std::vector<PackedEntry> dropped_;  // entries of weight zero, if drops_zeros_
  EntryList entries_;
};

/// Reads the requested graph, or else the one with most edges, and lists all graphs.
class Document : public XmlReader {
 public:
  Document(std::string_view file, const LoadOptions& options, JobContext& context)
      : XmlReader(file, context), options_(options), all_(kFormat, file, options) {}

  Matrix matrix(ByteSource& source) {
    read(source);
    (void)all_.choose();  // finds the graph that was kept, or fails
    const Graph::Facts& facts = kept_->facts;
    if (kept_->nodes() == 0) fail_at(facts.line, "the graph has no <node>.", "Open a graph with nodes.");
    if (const auto mention = kept_->without_node())
      fail_at(mention->line,
              std::string("the ") + (mention->is_target ? "target" : "source") + " of the edge is " +
                  in_quotes(kept_->id(mention->number)) + "; expected the id of a node.",
              "Correct the <edge>, or add the <node>.");
    Matrix matrix = std::move(*kept_).matrix();
    std::vector<std::string> notes = std::move(matrix.report.notes);
    matrix.report.notes.clear();
    all_.report(matrix.report);
    if (has_late_key_) notes.emplace_back("A key named weight stands after the first graph and was ignored.");
    std::ranges::move(notes, std::back_inserter(matrix.report.notes));
    return matrix;
  }

 private:
  enum class Kind { graphml, key, default_value, graph, node, edge, hyperedge, data, other };
  static Kind kind_of(std::string_view name) {
    constexpr std::array<std::string_view, 8> kNames{"graphml", "key",  "default",   "graph",
                                                     "node",    "edge", "hyperedge", "data"};
    return static_cast<Kind>(std::ranges::find(kNames, name) - kNames.begin());
  }

  void begin(std::string_view name, const XmlAttributes& attributes) override {
    const Kind kind = kind_of(name);
    const Kind parent = kinds_.empty() ? Kind::other : kinds_.back();
    kinds_.push_back(kind);
    if (kinds_.size() == 1 && kind != Kind::graphml)
      fail("the document is a <" + escaped(name.substr(0, 40)) + ">; expected <graphml>.",
           "Check that this is a GraphML file.");
    if (kinds_.size() == 2 && kind == Kind::key) begin_key(attributes);
    if (kinds_.size() == 2 && kind == Kind::graph) begin_graph(attributes);
    if (kinds_.size() == 3 && kind == Kind::default_value && key_ != nullptr) collect();
    // Nodes and edges of a graph within a node are added to the graph around it.
    if (kinds_.size() <= 2 || kinds_[1] != Kind::graph) return;
    MatrixInFile& listed = graphs_.back();
    if (kind == Kind::node) listed.cols = ++listed.rows;
    if (kind == Kind::edge) ++listed.stored;
    if (graph_ == nullptr) return;
    if (kind == Kind::node) add_node(attributes);
    if (kind == Kind::edge) begin_edge(attributes);
    if (kind == Kind::data && parent == Kind::edge) begin_data(attributes);
    graph_->facts.nested = graph_->facts.nested || kind == Kind::graph;
    graph_->facts.hyperedges += kind == Kind::hyperedge ? 1 : 0;
  }

  void end() override {
    const Kind kind = kinds_.back();
    if (kinds_.size() == collecting_depth_) {
      kind == Kind::data ? end_data() : end_default();
      collecting_depth_ = 0;
    }
    if (kind == Kind::edge && !open_edges_.empty()) end_edge();
    kinds_.pop_back();
    if (kinds_.size() == 1) key_ = nullptr;
    if (kinds_.size() == 1 && kind == Kind::graph) end_graph();
    if (kinds_.empty() && graphs_.empty())
      fail("the document holds no <graph>.", "Check that this is a GraphML file with a graph.");
  }

  /// Collects the text directly within the present element.
  void collect() {
    text_.clear();
    collecting_depth_ = kinds_.size();
  }
  void text(std::string_view part) override {
    if (kinds_.size() != collecting_depth_) return;
    if (text_.size() + part.size() > kLongestNumber)
      fail("a weight is longer than " + grouped(kLongestNumber) + " characters; expected a number.",
           "Correct the weight.");
    text_ += part;
  }

  void begin_key(const XmlAttributes& key) {
    const char* const domain = key.find("for");
    const bool is_of_edges =
        domain == nullptr || domain == std::string_view("edge") || domain == std::string_view("all");
    const std::string_view type = key.text("attr.type");
    const bool is_weight =
        std::ranges::equal(key.text("attr.name"), std::string_view("weight"), {}, lower_case);
    if (!is_weight || !is_of_edges || type == "string" || type == "boolean") return;
    has_late_key_ = has_late_key_ || !graphs_.empty();
    if (!graphs_.empty()) return;
    bool& is_integer = keys_[std::string(key.text("id"))];
    is_integer = type == "int" || type == "long";
    key_ = &is_integer;
  }

  void end_default() {
    const std::string_view value = trimmed(text_);
    default_ = classify_real(value) == ValueKind::malformed ? "" : value;
    default_is_integer_ = *key_;
  }

  void begin_graph(const XmlAttributes& attributes) {
    const std::string id(attributes.text("id"));
    const bool is_unnamed =
        id.empty() || std::ranges::find(graphs_, id, &MatrixInFile::name) != graphs_.end();
    graphs_.push_back({is_unnamed ? "graph " + std::to_string(graphs_.size() + 1) : id, "graph", 0, 0, 0});
    const std::string_view requested = options_.matrix;
    const std::string& name = graphs_.back().name;
    if (!requested.empty() && requested != name && requested != '/' + name) return;
    const char* const stated = attributes.find("edgedefault");
    const std::string_view direction = stated == nullptr ? "undirected" : stated;
    if (direction != "directed" && direction != "undirected")
      fail("the graph's edgedefault is " + in_quotes(direction) + R"(; expected "directed" or "undirected".)",
           "Correct the element <graph>.");
    graph_ = std::make_unique<Graph>(options_, kept_ == nullptr, context());
    graph_->facts.line = line();
    graph_->facts.directed = direction == "directed";
    graph_->facts.has_default = stated != nullptr;
  }
  void end_graph() {
    all_.add(graphs_.back());
    if (graph_ != nullptr && (kept_ == nullptr || graph_->edges() > kept_->edges()))
      kept_ = std::move(graph_);
    graph_.reset();
  }

  void add_node(const XmlAttributes& node) {
    const char* const id = node.find("id");
    if (id == nullptr) fail("a node has no id.", "Give every <node> an id.");
    check_room();
    if (!graph_->add_node(id))
      fail("a second node has the id " + in_quotes(id) + ".", "Give every <node> an id of its own.");
  }
  void check_room() const {
    if (graph_->is_full())
      fail("the graph has more than " + grouped(kLargestSide) +
               " nodes, which is the most that can be opened.",
           "Open a part of the graph.");
  }

  void begin_edge(const XmlAttributes& attributes) {
    const auto end_of = [&](const char* which) {
      const char* const id = attributes.find(which);
      if (id == nullptr)
        fail(std::string("an edge has no ") + which + "; expected source and target.", "Correct the <edge>.");
      check_room();
      return graph_->end_of_edge(id, line(), which == std::string_view("target"));
    };
    Edge edge{.from = end_of("source"), .to = end_of("target"), .directed = graph_->facts.directed};
    if (const char* const directed = attributes.find("directed")) {
      const std::string_view text = directed;
      edge.directed = text == "true" || text == "1";
      if (!edge.directed && text != "false" && text != "0")
        fail("the edge says directed=" + in_quotes(text) + R"(; expected "true" or "false".)",
             "Correct the <edge>.");
    }
    open_edges_.push_back(std::move(edge));
  }
  void begin_data(const XmlAttributes& data) {
    const auto key = keys_.find(std::string(data.text("key")));
    if (key == keys_.end()) return;
    open_edges_.back().weight_is_integer = key->second;
    collect();
  }
  void end_data() {
    const std::string_view weight = trimmed(text_);
    if (classify_real(weight) == ValueKind::malformed)
      fail("found " + in_quotes(weight) + " as the weight of an edge; expected a number.",
           "Correct the <data>.");
    open_edges_.back().weight = weight;
    ++graph_->facts.weights;
  }
  void end_edge() {
    Edge& edge = open_edges_.back();
    if (edge.weight.empty() && !default_.empty()) {
      edge.weight = default_;
      edge.weight_is_integer = default_is_integer_;
    }
    graph_->add_edge(edge);
    open_edges_.pop_back();
  }

  LoadOptions options_;
  SeveralMatrices all_;
  std::vector<MatrixInFile> graphs_;
  std::unordered_map<std::string, bool> keys_;  // by id, those named weight: whether they are integers
  std::string default_;                         // weight of edges without one; empty: none
  bool default_is_integer_ = false;
  bool has_late_key_ = false;
  std::vector<Kind> kinds_;  // of the open elements
  std::vector<Edge> open_edges_;
  const bool* key_ = nullptr;         // the element of keys_ that is being read
  std::size_t collecting_depth_ = 0;  // of the element whose text is collected; 0: none
  std::string text_;
  std::unique_ptr<Graph> graph_;  // the graph that is being read, unless another one is requested
  std::unique_ptr<Graph> kept_;   // the graph of the matrix, so far
};

Recognition recognise(std::span<const char> head) {
  const std::string_view text(head.data(), head.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const bool is_xml = first != std::string_view::npos && text[first] == '<';
  // The element's name may have the prefix of a namespace.
  const bool is_graphml =
      text.find("<graphml") != std::string_view::npos || text.find(":graphml") != std::string_view::npos;
  return is_xml && is_graphml ? Recognition::certain : Recognition::none;
}

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  return Document(name, options, context).matrix(source);
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::graphml_reader
