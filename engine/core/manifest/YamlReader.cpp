// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// YAML or JSON text as a tree of located nodes; yaml-cpp's only home.
#include "core/manifest/YamlReader.h"

#include "llvm/ADT/STLExtras.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <optional>
#include <sstream>

using namespace lh;

static constexpr size_t maximumBytes = size_t(4) << 20;
static constexpr size_t maximumDepth = 64;
static constexpr size_t maximumNodes = 100000;

const YamlNode *YamlNode::find(StringRef key) const {
  for (size_t i = 0; i < keys.size(); ++i)
    if (keys[i].value == key)
      return &items[i];
  return nullptr;
}

const SourceSpan &YamlNode::whereKey(StringRef key) const {
  for (const Located<std::string> &candidate : keys)
    if (candidate.value == key)
      return candidate.where;
  return where;
}

static size_t nodeCount(const YamlNode &node) {
  size_t count = 1;
  for (const YamlNode &item : node.items)
    count += nodeCount(item);
  return count;
}

namespace {

/// Builds the tree from the parser's events.
class TreeBuilder : public YAML::EventHandler {
public:
  TreeBuilder(StringRef text, StringRef file, DiagnosticSink &sink)
      : source(text), file(file), sink(sink) {
    lineStarts.push_back(0);
    for (size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n')
        lineStarts.push_back(i + 1);
  }

  std::optional<YamlNode> root;

  /// Whether input beyond a limit was left out.
  bool isTruncated() const { return stopped; }

  SourceSpan spanAt(const YAML::Mark &mark, size_t length = 0) const {
    if (mark.is_null())
      return {file.str(), 1, 1, 0};
    return {file.str(), unsigned(mark.line + 1), unsigned(mark.column + 1),
            unsigned(length)};
  }

  void OnDocumentStart(const YAML::Mark &) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark &mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark &mark, const std::string &tag,
                YAML::anchor_t anchor, const std::string &value) override;
  void OnSequenceStart(const YAML::Mark &mark, const std::string &tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::Sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark &mark, const std::string &tag,
                  YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::Mapping, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

private:
  /// A collection whose end hasn't been seen.
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
    std::optional<Located<std::string>> key; ///< waits for its value
    std::map<std::string, size_t> seen;      ///< keys, with their index
    bool dropValue = false;                  ///< the key was refused
  };

  void open(YamlNode::Kind kind, const YAML::Mark &mark, const std::string &tag,
            YAML::anchor_t anchor);
  void close();
  void addNode(YamlNode node, YAML::anchor_t anchor);
  void addKey(Open &mapping, YamlNode node);
  void refuseTwice(Open &mapping, size_t first, const YamlNode &second);
  bool withinLimits(const SourceSpan &where, size_t nodes);
  void checkTag(const std::string &tag, YamlNode &node);
  void locateContent(YamlNode &node);

  StringRef source, file;
  DiagnosticSink &sink;
  std::vector<size_t> lineStarts;
  std::vector<Open> stack;
  std::map<YAML::anchor_t, YamlNode> anchors;
  size_t nodes = 0;
  bool stopped = false;   ///< beyond a limit: the rest is ignored
  size_t ignoredOpen = 0; ///< collections opened since then
};

} // namespace

bool TreeBuilder::withinLimits(const SourceSpan &where, size_t count) {
  if (stopped)
    return false;
  nodes += count;
  if (nodes <= maximumNodes && stack.size() < maximumDepth)
    return true;
  stopped = true;
  (void)sink.error(DiagKind::ManifestLimit, where,
                   nodes > maximumNodes
                       ? "more than " + Twine(maximumNodes) +
                             " values in one file, aliases expanded"
                       : "nested more than " + Twine(maximumDepth) +
                             " levels deep");
  return false;
}

void TreeBuilder::checkTag(const std::string &tag, YamlNode &node) {
  // "?" marks a plain value and "!" a quoted one.
  if (tag.empty() || tag == "?" || tag == "!")
    return;
  node.isBroken = true;
  (void)sink.error(DiagKind::ManifestSyntax, node.where,
                   "the tag '" + tag +
                       "' is not supported; values have no tags here");
}

/// Columns within a scalar are exact only if the source shows it unescaped.
void TreeBuilder::locateContent(YamlNode &node) {
  if (node.where.line == 0 || node.where.line > lineStarts.size())
    return;
  size_t offset = lineStarts[node.where.line - 1] + node.where.column - 1;
  StringRef rest = source.substr(offset);
  if (node.quoted)
    rest = rest.drop_front();
  if (!rest.starts_with(node.text))
    return;
  node.contentColumn = node.where.column + (node.quoted ? 1 : 0);
  node.where.length = unsigned(node.text.size() + (node.quoted ? 2 : 0));
}

void TreeBuilder::OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) {
  YamlNode node;
  node.where = spanAt(mark);
  if (withinLimits(node.where, 1))
    addNode(std::move(node), anchor);
}

void TreeBuilder::OnScalar(const YAML::Mark &mark, const std::string &tag,
                           YAML::anchor_t anchor, const std::string &value) {
  YamlNode node;
  node.kind = YamlNode::Kind::Scalar;
  node.text = value;
  node.quoted = tag == "!";
  node.where = spanAt(mark);
  if (!withinLimits(node.where, 1))
    return;
  checkTag(tag, node);
  locateContent(node);
  addNode(std::move(node), anchor);
}

void TreeBuilder::OnAlias(const YAML::Mark &mark, YAML::anchor_t anchor) {
  SourceSpan where = spanAt(mark);
  auto named = anchors.find(anchor);
  if (named == anchors.end()) {
    if (withinLimits(where, 1)) {
      (void)sink.error(DiagKind::ManifestSyntax, where,
                       "an alias inside the value that it stands for");
      YamlNode node;
      node.where = where;
      node.isBroken = true;
      addNode(std::move(node), YAML::NullAnchor);
    }
    return;
  }
  if (withinLimits(where, nodeCount(named->second)))
    addNode(named->second, YAML::NullAnchor);
}

void TreeBuilder::open(YamlNode::Kind kind, const YAML::Mark &mark,
                       const std::string &tag, YAML::anchor_t anchor) {
  SourceSpan where = spanAt(mark);
  if (!withinLimits(where, 1)) {
    ++ignoredOpen;
    return;
  }
  Open next;
  next.node.kind = kind;
  next.node.where = where;
  checkTag(tag, next.node);
  next.anchor = anchor;
  stack.push_back(std::move(next));
}

void TreeBuilder::close() {
  if (ignoredOpen != 0) {
    --ignoredOpen;
    return;
  }
  Open done = std::move(stack.back());
  stack.pop_back();
  addNode(std::move(done.node), done.anchor);
}

void TreeBuilder::addNode(YamlNode node, YAML::anchor_t anchor) {
  if (anchor != YAML::NullAnchor)
    anchors[anchor] = node;
  if (stack.empty()) {
    root = std::move(node);
    return;
  }
  Open &parent = stack.back();
  if (parent.node.isSequence()) {
    parent.node.items.push_back(std::move(node));
  } else if (!parent.key) {
    addKey(parent, std::move(node));
  } else {
    if (!parent.dropValue) {
      // The mark of a value that isn't there is that of the next token.
      if (node.kind == YamlNode::Kind::Null)
        node.where = parent.key->where;
      parent.node.keys.push_back(std::move(*parent.key));
      parent.node.items.push_back(std::move(node));
    }
    parent.key.reset();
    parent.dropValue = false;
  }
}

/// Which of the two is meant, nobody knows: the first one stays, as broken, and
/// may lack what the other one holds.
void TreeBuilder::refuseTwice(Open &mapping, size_t first,
                              const YamlNode &second) {
  YamlNode &kept = mapping.node.items[first];
  kept.isBroken = kept.lacksKeys = true;
  (void)sink.error(DiagKind::ManifestDuplicateKey, second.where,
                   "duplicate key '" + second.text + "'",
                   {{mapping.node.keys[first].where, "first given here"}});
}

void TreeBuilder::addKey(Open &mapping, YamlNode node) {
  mapping.key = Located<std::string>{node.text, node.where};
  mapping.dropValue = true;
  if (!node.isScalar()) {
    mapping.node.lacksKeys = true;
    (void)sink.error(DiagKind::ManifestSyntax, node.where,
                     "a key must be a name");
  } else if (node.text == "<<" && !node.quoted) {
    mapping.node.lacksKeys = true;
    (void)sink.error(DiagKind::ManifestMergeKey, node.where,
                     "the merge key '<<' is not supported; write the keys "
                     "out, or use an alias for a whole value");
  } else {
    auto [first, isNew] =
        mapping.seen.try_emplace(node.text, mapping.node.keys.size());
    mapping.dropValue = !isNew;
    if (!isNew)
      refuseTwice(mapping, first->second, node);
  }
}

/// yaml-cpp's words, in our form.
static std::string syntaxMessage(StringRef message) {
  return message.empty() ? "not valid YAML" : message.rtrim('.').lower();
}

FailureOr<YamlNode> lh::readYaml(StringRef text, StringRef file,
                                 DiagnosticSink &sink) {
  SourceSpan start{file.str(), 1, 1, 0};
  if (text.size() > maximumBytes)
    return sink.error(DiagKind::ManifestLimit, start,
                      "the file is larger than " + Twine(maximumBytes >> 20) +
                          " MiB");
  unsigned errors = sink.errorCount();
  TreeBuilder builder(text, file, sink);
  std::istringstream stream(text.str());
  try {
    YAML::Parser parser(stream);
    bool any = parser.HandleNextDocument(builder);
    if (!any || !builder.root)
      return sink.errorCount() != errors
                 ? failure()
                 : sink.error(DiagKind::ManifestSyntax, start,
                              "the file is empty");
    YamlNode first = std::move(*builder.root);
    if (parser.HandleNextDocument(builder))
      return sink.error(DiagKind::ManifestSyntax,
                        builder.root ? builder.root->where : start,
                        "a second document; a file holds one");
    if (builder.isTruncated())
      return failure();
    return first;
  } catch (const YAML::DeepRecursion &error) {
    if (builder.isTruncated())
      return failure();
    return sink.error(DiagKind::ManifestLimit, builder.spanAt(error.mark),
                      "nested too deeply");
  } catch (const YAML::Exception &error) {
    if (builder.isTruncated())
      return failure();
    return sink.error(DiagKind::ManifestSyntax, builder.spanAt(error.mark),
                      syntaxMessage(error.msg));
  }
}
