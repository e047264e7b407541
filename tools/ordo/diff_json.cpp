#include "tools/ordo/diff_json.h"

#include <ordo/ordo.h>

namespace {

using namespace ordo::audit;

Json place(const Position& p) {
  return {
      {"text", p.str()},        {"kind", p.kind},           {"name", p.name},         {"module", p.path},
      {"backward", p.backward}, {"step", p.step},           {"call", p.occurrence},   {"thread", p.thread},
      {"record", p.index},      {"depth", p.depth},         {"level", name(p.level)}, {"algorithm", name(p.algorithm)},
      {"device", p.device},     {"arguments", p.arguments}, {"inputs", p.inputs},     {"outputs", p.outputs}};
}

Json divergence(const Divergence& p) {
  return {
      {"cause", name(p.cause)}, {"what", p.what}, {"a", p.a ? place(*p.a) : Json()}, {"b", p.b ? place(*p.b) : Json()}};
}

}  // namespace

Json to_json(const TraceDiff& d) {
  return {{"format", "ordo diff"},
          {"equal", d.equal},
          {"compared", d.compared},
          {"different", d.different},
          {"only_a", d.only_a},
          {"only_b", d.only_b},
          {"cause", name(d.first.cause)},
          {"first", divergence(d.first)},
          {"remedy", d.remedy},
          {"others", json_list(d.others, divergence)},
          {"spread", json_list(d.spread, place)},
          {"before", json_list(d.before, place)},
          {"steps", json_list(d.steps,
                              [](const StepDiff& s) -> Json {
                                return {{"step", s.step}, {"events", s.events}, {"different", s.different}};
                              })},
          {"notes", d.notes}};
}

Json to_json(const ValueDiff& d) {
  return {{"tensor", d.name},   {"note", d.note}, {"dtype", d.dtype},           {"elements", d.elements},
          {"differ", d.differ}, {"nans", d.nans}, {"nan_in_one", d.nan_in_one}, {"nans_a", d.nans_a},
          {"nans_b", d.nans_b}, {"ulps", d.ulps}, {"absolute", d.absolute},     {"index", d.index},
          {"a", d.a},           {"b", d.b}};
}
