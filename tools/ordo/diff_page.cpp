#include "tools/ordo/diff_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/ordo/escaped.h"
#include "tools/ordo/page.h"

namespace {

using namespace ordo;
using namespace ordo::audit;
using Json = nlohmann::ordered_json;

Json json_of(const std::optional<Place>& p) {
  if (!p) return nullptr;
  return {{"kind", p->kind},
          {"name", p->name},
          {"module", p->path},
          {"backward", p->backward},
          {"step", p->step},
          {"call", p->occurrence},
          {"thread", p->thread},
          {"record", p->index},
          {"depth", p->depth},
          {"level", name(p->level)},
          {"algorithm", name(p->algorithm)},
          {"device", p->device},
          {"arguments", p->arguments},
          {"inputs", p->inputs},
          {"outputs", p->outputs}};
}

Json json_of(const Parting& p) {
  return {{"cause", name(p.cause)}, {"what", p.what}, {"a", json_of(p.a)}, {"b", json_of(p.b)}};
}

constexpr const char* kStyle = R"(
body { max-width: 70em; } .bad { color: #c0392b; } svg { height: 42px; } .first td { background: #c0392b22; }
@media (prefers-color-scheme: dark) { .bad { color: #ff9c8f; } })";

/// A bar for each step, as red as many of its events differ.
std::string strip(const std::vector<StepDiff>& steps) {
  constexpr size_t kMost = 1000;  // bars
  if (steps.empty()) return "";
  const size_t each = (steps.size() + kMost - 1) / kMost, bars = (steps.size() + each - 1) / each;
  std::string svg =
      fmt::format("<svg viewBox=\"0 0 {} 40\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{} steps\">\n",
                  bars * 10, steps.size());
  for (size_t i = 0; i < bars; ++i) {
    int64_t events = 0, different = 0;
    const size_t end = std::min(steps.size(), (i + 1) * each);
    for (size_t k = i * each; k < end; ++k) events += steps[k].events, different += steps[k].different;
    const double share = events ? double(different) / double(events) : 0;
    const double height = different ? std::max(4.0, 40 * share) : 40;
    svg += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"9\" height=\"{:.1f}\" fill=\"{}\">", i * 10, 40 - height,
                       height, different ? "#c0392b" : "#2e8b5755");
    svg += fmt::format("<title>step {}{}: {} of {} events differ</title></rect>\n", steps[i * each].step,
                       end - i * each > 1 ? fmt::format(" to {}", steps[end - 1].step) : "", different, events);
  }
  return svg + "</svg>\n";
}

std::string tensors(const std::vector<std::string>& of, const std::vector<std::string>& other) {
  std::string cell;
  for (size_t i = 0; i < of.size(); ++i) {
    const bool same = i < other.size() && other[i] == of[i];
    cell += fmt::format("<code{}>{}</code><br>", same ? "" : " class=\"bad\"", escaped(of[i]));
  }
  return cell;
}

std::string side_by_side(const Parting& p) {
  const Place none;
  const Place &a = p.a ? *p.a : none, &b = p.b ? *p.b : none;
  std::string rows = "<table><tr><th></th><th>A</th><th>B</th></tr>\n";
  const auto row = [&](const char* what, const std::string& x, const std::string& y) {
    if (!x.empty() || !y.empty()) rows += fmt::format("<tr><th>{}</th><td>{}</td><td>{}</td></tr>\n", what, x, y);
  };
  const auto of = [](const std::optional<Place>& place, const std::string& text) { return place ? text : ""; };
  row("event", of(p.a, escaped(a.str())), of(p.b, escaped(b.str())));
  row("record", of(p.a, std::to_string(a.index)), of(p.b, std::to_string(b.index)));
  row("level", of(p.a, std::string(name(a.level))), of(p.b, std::string(name(b.level))));
  row("algorithm", of(p.a, std::string(name(a.algorithm))), of(p.b, std::string(name(b.algorithm))));
  row("arguments", escaped(a.arguments), escaped(b.arguments));
  row("inputs", tensors(a.inputs, b.inputs), tensors(b.inputs, a.inputs));
  row("outputs", tensors(a.outputs, b.outputs), tensors(b.outputs, a.outputs));
  return rows + "</table>\n";
}

std::string list(const char* title, const std::vector<Place>& places, const Place* last) {
  if (places.empty() && !last) return "";
  std::string rows = fmt::format("<h2>{}</h2>\n<table><tr><th>record</th><th>event</th></tr>\n", title);
  const auto row = [&](const Place& p, const char* style) {
    rows += fmt::format("<tr{}><td>{}</td><td style=\"padding-left:{}em\">{}</td></tr>\n", style, p.index, p.depth + 1,
                        escaped(p.str()));
  };
  for (const Place& p : places) row(p, "");
  if (last) row(*last, " class=\"first\"");
  return rows + "</table>\n";
}

}  // namespace

Json to_json(const TraceDiff& d) {
  Json root{{"format", "ordo diff"},        {"equal", d.equal},          {"compared", d.compared},
            {"different", d.different},     {"only_a", d.only_a},        {"only_b", d.only_b},
            {"cause", name(d.first.cause)}, {"first", json_of(d.first)}, {"remedy", d.remedy}};
  root["others"] = Json::array(), root["spread"] = Json::array(), root["before"] = Json::array();
  root["steps"] = Json::array();
  for (const Parting& p : d.others) root["others"].push_back(json_of(p));
  for (const Place& p : d.spread) root["spread"].push_back(json_of(p));
  for (const Place& p : d.before) root["before"].push_back(json_of(p));
  for (const StepDiff& s : d.steps)
    root["steps"].push_back({{"step", s.step}, {"events", s.events}, {"different", s.different}});
  root["notes"] = d.notes;
  return root;
}

std::string diff_page(const TraceDiff& d, const std::string& a, const std::string& b) {
  std::string page = fmt::format("<p>A: <code>{}</code><br>B: <code>{}</code></p>\n", escaped(a), escaped(b));
  page += fmt::format("<p>{} pairs of events, {} differ; {} only in A, {} only in B.</p>\n", d.compared, d.different,
                      d.only_a, d.only_b);
  page += "<h2>Steps</h2>\n" + strip(d.steps);
  if (!d.equal) {
    page += fmt::format("<h2>The first difference</h2>\n<p><b>{}</b><br>{} (cause: {})<br>{}</p>\n",
                        escaped(d.first.place().str()), escaped(d.first.what), name(d.first.cause), escaped(d.remedy));
    page += side_by_side(d.first);
    page += list("Before it", d.before, &d.first.place());
    page += list("Spread to", d.spread, nullptr);
    if (!d.others.empty()) page += "<h2>Others that part by themselves</h2>\n<ul>\n";
    for (const Parting& p : d.others)
      page += fmt::format("<li>{}: {} ({})</li>\n", escaped(p.place().str()), escaped(p.what), name(p.cause));
    if (!d.others.empty()) page += "</ul>\n";
  }
  if (!d.notes.empty()) page += "<h2>Notes</h2>\n<ul>\n";
  for (const std::string& note : d.notes) page += fmt::format("<li>{}</li>\n", escaped(note));
  if (!d.notes.empty()) page += "</ul>\n";
  return html_page(d.equal ? "Two equal traces" : "Two different traces", page, kStyle);
}
