// SPDX-License-Identifier: Apache-2.0
// GraphML (U. Brandes, M. Eiglsperger, I. Herman, M. Himsolt, M. S. Marshall, GD 2001;
// http://graphml.graphdrawing.org): nodes in the order of the document are the rows and columns, an edge is
// an entry, or two where it has no direction. A file with a document type is refused, so no entity is ever
// expanded and nothing outside of the file is read. The whole document is parsed at once, by pugixml, from a
// text that is held in memory; a stop ends that through pugixml's allocations.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <pugixml.hpp>
#include <unordered_map>

#include "core/base/text.hpp"
#include "core/io/binary_file.hpp"
#include "core/io/quote.hpp"
#include "core/io/several_matrices.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum {

namespace {

constexpr std::array<std::string_view, 1> kEndings{".graphml"};
constexpr FormatInfo kFormat{
    .id = "graphml", .name = "GraphML", .endings = kEndings, .beginning = "<graphml"};

constexpr int kMostDepth = 64;
constexpr std::size_t kPiece = std::size_t{1} << 20U;

/// The job whose document this thread parses.
thread_local const JobContext* parsing_job = nullptr;

/// pugixml allocates memory every few kilobytes of a document and ends if an allocation fails: the only way
/// to stop it.
void* allocate_unless_stopped(std::size_t bytes) {
  if (parsing_job != nullptr && parsing_job->stop_requested()) return nullptr;
  return std::malloc(bytes);
}

pugi::xml_parse_result parse_in_place(pugi::xml_document& document, std::span<char> text, unsigned flags,
                                      const JobContext& context) {
  static const bool is_set = [] {
    pugi::set_memory_management_functions(allocate_unless_stopped, std::free);
    return true;
  }();
  (void)is_set;
  parsing_job = &context;
  const pugi::xml_parse_result result = document.load_buffer_inplace(text.data(), text.size(), flags);
  parsing_job = nullptr;
  context.check_stop();
  return result;
}

/// The name of an element without the prefix of its namespace.
std::string_view local_name(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  return name.substr(name.find(':') + 1);
}

/// The types of edge values according to the keys of the document.
struct Weights {
  std::unordered_map<std::string_view, bool> keys;  ///< id of a key named weight: whether it is an integer
  std::string_view default_value;
  bool default_is_integer = false;
};

/// An edge of a graph: numbers of its nodes, and its value.
struct Edge {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  bool directed = false;
  std::string_view weight;  ///< empty: it has none
  bool weight_is_integer = false;
};

class Document {
 public:
  Document(ByteSource& source, std::string_view name, JobContext& context) : name_(name), context_(context) {
    read(source);
    parse();
  }

  [[noreturn]] void fail(std::ptrdiff_t byte, const std::string& what, const std::string& advice) const {
    throw Failure(ErrorCode::bad_input,
                  name_ + ", byte " + grouped(static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(0, byte))) +
                      ": " + what,
                  advice);
  }
  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& what,
                         const std::string& advice) const {
    fail(node.offset_debug(), what, advice);
  }

  [[nodiscard]] const std::vector<pugi::xml_node>& graphs() const { return graphs_; }
  [[nodiscard]] const Weights& weights() const { return weights_; }

  /// Calls use(element) for every element inside `root`, in the order of the document. Throws
  /// Failure{bad_input} where elements are nested deeper than kMostDepth.
  template <class Use>
  void for_each_element(const pugi::xml_node& root, const Use& use) const {
    std::uint64_t count = 0;
    int depth = 0;
    for (pugi::xml_node node = root.first_child(); node && node != root;) {
      if (count++ % 4096 == 0) context_.check_stop();
      if (node.type() == pugi::node_element) use(node);
      if (node.first_child()) {
        if (++depth > kMostDepth)
          fail(node, "elements are nested deeper than " + std::to_string(kMostDepth) + " levels.",
               "Check that this is a GraphML file.");
        node = node.first_child();
        continue;
      }
      while (node != root && !node.next_sibling()) {
        node = node.parent();
        --depth;
      }
      if (node != root) node = node.next_sibling();
    }
  }

 private:
  void read(ByteSource& source) {
    BookedList<char> text(context_, "text of the file");
    (void)BinaryFile(source, name_, context_).append(text, ~std::uint64_t{0});
    text_ = std::move(text).take();
  }

  void parse() {
    // pugixml's nodes have 64 bytes and its attributes 40. A < begins a node, a > text that is one; every
    // attribute has an =. Text of two bytes a character is converted into twice its size at most.
    std::uint64_t angles = 0;
    std::uint64_t equals = 0;
    for (std::size_t at = 0; at < text_.data.size(); at += kPiece) {
      context_.check_stop();
      for (const char c : std::span(text_.data).subspan(at, std::min(kPiece, text_.data.size() - at))) {
        angles += c == '<' || c == '>' ? 1 : 0;
        equals += c == '=' ? 1 : 0;
      }
    }
    tree_ = Booking(context_.memory(), 64 * angles + 40 * equals + 2 * text_.data.size() + 65536,
                    "elements of the file");
    constexpr unsigned kFlags = pugi::parse_default | pugi::parse_doctype;
    const pugi::xml_parse_result result = parse_in_place(document_, text_.data, kFlags, context_);
    for (const pugi::xml_node& node : document_.children())
      if (node.type() == pugi::node_doctype)
        fail(node,
             "found a document type (<!DOCTYPE); it can define entities and name files, and is refused.",
             "Remove the document type: GraphML needs none.");
    if (!result)
      fail(result.offset, std::string("the XML is damaged or cut off here (") + result.description() + ").",
           "Get the file again, or check the program that wrote it.");
    const pugi::xml_node root = document_.document_element();
    if (local_name(root) != "graphml")
      fail(root,
           "the document is a <" + escaped(std::string_view(root.name()).substr(0, 40)) +
               ">; expected <graphml>.",
           "Check that this is a GraphML file.");
    for_each_element(root, [&](const pugi::xml_node& node) {
      const std::string_view kind = local_name(node);
      // Graphs inside of nodes belong to the graph around them.
      if (kind == "graph" && node.parent() == root) graphs_.push_back(node);
      if (kind == "key" && node.parent() == root) take_key(node);
    });
    if (graphs_.empty())
      fail(root, "the document holds no <graph>.", "Check that this is a GraphML file with a graph.");
  }

  void take_key(const pugi::xml_node& key) {
    const std::string_view domain = key.attribute("for").as_string("all");
    if (std::string_view(key.attribute("attr.name").value()) != "weight" ||
        (domain != "edge" && domain != "all"))
      return;
    const std::string_view type = key.attribute("attr.type").value();
    if (type == "string" || type == "boolean") return;  // no numbers
    const bool is_integer = type == "int" || type == "long";
    weights_.keys.emplace(key.attribute("id").value(), is_integer);
    for (const pugi::xml_node& value : key.children()) {
      if (local_name(value) != "default") continue;
      weights_.default_value = value.text().get();
      weights_.default_is_integer = is_integer;
    }
  }

  std::string name_;
  JobContext& context_;
  BookedVector<char> text_;
  Booking tree_;
  pugi::xml_document document_;
  std::vector<pugi::xml_node> graphs_;
  Weights weights_;
};

/// Nodes and edges of one graph.
class Graph {
 public:
  Graph(const Document& document, const pugi::xml_node& graph, JobContext& context)
      : document_(document), context_(context) {
    const std::string_view direction = graph.attribute("edgedefault").value();
    if (direction != "directed" && direction != "undirected")
      document.fail(
          graph,
          "the graph's edgedefault is " + in_quotes(direction) + R"(; expected "directed" or "undirected".)",
          "Correct the element <graph>.");
    directed_ = direction == "directed";
    document.for_each_element(graph, [&](const pugi::xml_node& node) {
      const std::string_view kind = local_name(node);
      if (kind == "node") add_node(node);
      nested_ = nested_ || kind == "graph";
      hyperedges_ += kind == "hyperedge" ? 1 : 0;
    });
    if (nodes_.empty()) document.fail(graph, "the graph has no <node>.", "Open a graph with nodes.");
    document.for_each_element(graph, [&](const pugi::xml_node& node) {
      if (local_name(node) == "edge") add_edge(node);
    });
  }

  [[nodiscard]] std::uint64_t nodes() const { return nodes_.size(); }

  Matrix matrix(const LoadOptions& options) && {
    const bool weighted =
        !edges_.empty() && std::ranges::none_of(edges_, [](const Edge& edge) { return edge.weight.empty(); });
    const bool integer = std::ranges::all_of(edges_, &Edge::weight_is_integer);
    const auto is_directed = [](const Edge& edge) { return edge.directed; };
    const auto directed = static_cast<std::uint64_t>(std::ranges::count_if(edges_, is_directed));
    EntryList entries(options, context_);
    entries.begin_preview(nodes_.size(), nodes_.size(), edges_.size());
    std::uint64_t zeros = 0;
    for (std::size_t k = 0; k < edges_.size(); ++k) {
      if (k % 4096 == 0) context_.checkpoint(k, edges_.size());
      const Edge& edge = edges_[k];
      const bool is_zero = weighted && classify_real(edge.weight) == ValueKind::zero;
      zeros += is_zero ? 1 : 0;
      const auto add = [&](std::uint64_t from, std::uint64_t to) {
        if (weighted)
          entries.add(from, to, is_zero, [&] { return Value(number_of(edge.weight)); });
        else
          entries.add(from, to);
      };
      add(edge.from, edge.to);
      if (!edge.directed && edge.from != edge.to) add(edge.to, edge.from);
    }
    Matrix matrix = std::move(entries).matrix(nodes_.size(), nodes_.size());
    LoadReport& report = matrix.report;
    report.entries_in_file = static_cast<std::int64_t>(edges_.size());
    report.explicit_zeros = static_cast<std::int64_t>(zeros);
    report.field = !weighted ? "pattern" : integer ? "integer" : "real";
    const bool is_symmetric = directed == 0 && !(edges_.empty() && directed_);
    if (is_symmetric) report.symmetry = "symmetric";
    std::vector<std::string>& notes = report.notes;
    notes.emplace_back(is_symmetric                ? "Edges have no direction: both were filled in."
                       : directed == edges_.size() ? "Edges were taken in their direction."
                                                   : "Edges with and without direction: of those without, "
                                                     "both were filled in.");
    if (!weighted && weights_seen_ != 0)
      notes.push_back("Only " + grouped(weights_seen_) + " of " + counted(edges_.size(), "edge", "edges") +
                      " have a weight: weights were left out.");
    if (nested_) notes.emplace_back("Graphs inside of nodes were taken as parts of the graph around them.");
    if (hyperedges_ != 0) notes.push_back(counted(hyperedges_, "hyperedge", "hyperedges") + " left out.");
    return matrix;
  }

 private:
  void add_node(const pugi::xml_node& node) {
    const pugi::xml_attribute id = node.attribute("id");
    if (!id) document_.fail(node, "a node has no id.", "Give every <node> an id.");
    book(nodes_.size() + 1, 64);
    if (!nodes_.emplace(id.value(), nodes_.size()).second)
      document_.fail(node, "a second node has the id " + in_quotes(id.value()) + ".",
                     "Give every <node> an id of its own.");
  }

  std::uint64_t node_of(const pugi::xml_node& edge, const char* end) const {
    const pugi::xml_attribute id = edge.attribute(end);
    if (!id)
      document_.fail(edge, std::string("an edge has no ") + end + "; expected source and target.",
                     "Correct the <edge>.");
    const auto found = nodes_.find(id.value());
    if (found == nodes_.end())
      document_.fail(edge,
                     std::string("the ") + end + " of the edge is " + in_quotes(id.value()) +
                         "; expected the id of a node.",
                     "Correct the <edge>, or add the <node>.");
    return found->second;
  }

  void add_edge(const pugi::xml_node& node) {
    Edge edge;
    edge.from = node_of(node, "source");
    edge.to = node_of(node, "target");
    const pugi::xml_attribute directed = node.attribute("directed");
    const std::string_view text = directed.value();
    if (directed && text != "true" && text != "false" && text != "1" && text != "0")
      document_.fail(node, "the edge says directed=" + in_quotes(text) + R"(; expected "true" or "false".)",
                     "Correct the <edge>.");
    edge.directed = directed ? text == "true" || text == "1" : directed_;
    const Weights& weights = document_.weights();
    for (const pugi::xml_node& data : node.children()) {
      if (local_name(data) != "data") continue;
      const auto key = weights.keys.find(data.attribute("key").value());
      if (key == weights.keys.end()) continue;
      edge.weight = trimmed(data.text().get());
      edge.weight_is_integer = key->second;
      if (classify_real(edge.weight) == ValueKind::malformed)
        document_.fail(data,
                       "found " + in_quotes(edge.weight) + " as the weight of an edge; expected a number.",
                       "Correct the <data>.");
      ++weights_seen_;
    }
    if (edge.weight.empty() && classify_real(weights.default_value) != ValueKind::malformed) {
      edge.weight = weights.default_value;
      edge.weight_is_integer = weights.default_is_integer;
    }
    book(edges_.size() + 1, sizeof(Edge));
    edges_.push_back(edge);
  }

  /// Books what `count` elements of `bytes` each need, by doubling.
  void book(std::uint64_t count, std::uint64_t bytes) {
    const std::uint64_t needed = 2 * count * bytes;
    if (needed <= booked_) return;
    booked_ = 2 * needed;
    bookings_.emplace_back(context_.memory(), booked_, "nodes and edges");
  }

  const Document& document_;
  JobContext& context_;
  bool directed_ = false;
  bool nested_ = false;
  std::uint64_t hyperedges_ = 0;
  std::uint64_t weights_seen_ = 0;
  std::unordered_map<std::string_view, std::uint64_t> nodes_;
  std::vector<Edge> edges_;
  std::uint64_t booked_ = 0;
  std::vector<Booking> bookings_;
};

class GraphmlReader : public Reader {
 public:
  [[nodiscard]] const FormatInfo& format() const override { return kFormat; }

  [[nodiscard]] Recognition recognise(std::span<const char> head) const override {
    const std::string_view text(head.data(), head.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    const bool is_xml = first != std::string_view::npos && text[first] == '<';
    // With the prefix of a namespace or without.
    const bool is_graphml =
        text.find("<graphml") != std::string_view::npos || text.find(":graphml") != std::string_view::npos;
    return is_xml && is_graphml ? Recognition::certain : Recognition::none;
  }

  [[nodiscard]] Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options,
                            JobContext& context) const override {
    context.begin_stage("read");
    const Document document(source, name, context);
    SeveralMatrices all(kFormat, name, options);
    std::vector<std::string> names;
    for (const pugi::xml_node& graph : document.graphs()) {
      const std::string id = graph.attribute("id").value();
      names.push_back(id.empty() || std::ranges::find(names, id) != names.end()
                          ? "graph " + std::to_string(names.size() + 1)
                          : id);
      std::uint64_t nodes = 0;
      std::uint64_t edges = 0;
      document.for_each_element(graph, [&](const pugi::xml_node& node) {
        nodes += local_name(node) == "node" ? 1 : 0;
        edges += local_name(node) == "edge" ? 1 : 0;
      });
      all.add({names.back(), "graph", nodes, nodes, edges});
    }
    const MatrixInFile& chosen = all.choose();
    const auto index = static_cast<std::size_t>(std::ranges::find(names, chosen.name) - names.begin());
    Graph graph(document, document.graphs()[index], context);
    if (graph.nodes() > kLargestSide)
      document.fail(document.graphs()[index],
                    "the graph has " + grouped(graph.nodes()) + " nodes; at most " + grouped(kLargestSide) +
                        " can be opened.",
                    "Open a part of the graph.");
    Matrix matrix = std::move(graph).matrix(options);
    std::vector<std::string> notes = std::move(matrix.report.notes);
    matrix.report.notes.clear();
    all.report(matrix.report);
    std::ranges::move(notes, std::back_inserter(matrix.report.notes));
    return matrix;
  }
};

}  // namespace

std::unique_ptr<Reader> make_graphml_reader() { return std::make_unique<GraphmlReader>(); }

}  // namespace spyctrum
