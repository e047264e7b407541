#include <ordo/nn/audit/encoding.h>

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iterator>

#include <ordo/engine/calls/error.h>
#include <ordo/engine/run/about.h>
#include <ordo/engine/run/emulation.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/vectors/vector_targets.h>
#include <ordo/nn/audit/trace.h>

namespace ordo::audit {

static std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> arguments;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find('\0', at), all.size());
    arguments.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return arguments;
}

template <class N>
static N number_of(const std::string& name, const std::string& text) {
  N n{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size())
    throw Damage{fmt::format("'{}' is no number of the header's '{}'", text.substr(0, 40), name)};
  return n;
}

constexpr std::string_view kDetails[] = {"operations", "steps", "parameters"};
std::string_view name(Detail detail) { return kDetails[size_t(detail)]; }

std::optional<Detail> detail_from_name(std::string_view name) {
  const auto* const found = std::find(std::begin(kDetails), std::end(kDetails), name);
  return found == std::end(kDetails) ? std::nullopt : std::optional(Detail(found - kDetails));
}

std::string_view name(Record::Kind kind) {
  constexpr std::string_view kNames[] = {"operation", "draw", "batch", "step", "summary"};
  return kNames[size_t(kind)];
}

Header current_header(Detail detail, const std::string& filters) {
  Header h;
  h.format = int(kFormat);
  h.version = version();
  h.ordering_contract = ordering_contract();
  h.level = determinism();
  for (const DeviceDescription& d : devices()) h.device += (h.device.empty() ? "" : ", ") + d.name;
  h.library_settings = fmt::format("{}", fmt::join(library_settings(), ", "));
  h.threads = num_threads();
  h.seed = default_generator().state().seed;
  h.instruction_set = kernels::cpu::vector_targets()[0];
  h.command_line = command_line();
  h.emulated = cuda::is_simulated();
  if (h.emulated) h.schedule = cuda::schedule_text(cuda::schedule());
  h.detail = detail;
  h.filters = filters;
  return h;
}

Encoder encode(const Header& h) {
  std::vector<std::pair<std::string, std::string>> pairs{{"version", h.version},
                                                         {"ordering_contract", std::to_string(h.ordering_contract)},
                                                         {"level", std::string(name(h.level))},
                                                         {"device", h.device},
                                                         {"library_settings", h.library_settings},
                                                         {"threads", std::to_string(h.threads)},
                                                         {"instruction_set", h.instruction_set},
                                                         {"emulated", h.emulated ? "1" : "0"},
                                                         {"schedule", h.schedule},
                                                         {"detail", std::string(name(h.detail))},
                                                         {"filters", h.filters}};
  if (h.rows > 0) pairs.emplace_back("rows", std::to_string(h.rows));
  if (h.seed) pairs.emplace_back("seed", std::to_string(*h.seed));
  for (const std::string& argument : h.command_line) pairs.emplace_back("argument", argument);
  for (const auto& other : h.others) pairs.push_back(other);
  Encoder body(RecordType::header);
  body.varint(pairs.size());
  for (const auto& [name, value] : pairs) body.text(name), body.text(value);
  return body;
}

Header decode_header(Decoder& body) {
  Header h;
  for (uint64_t n = body.varint(body.left(), "the number of the header's pairs"); n > 0; --n) {
    const std::string key(body.text()), value(body.text());
    if (key == "version") {
      h.version = value;
    } else if (key == "ordering_contract") {
      h.ordering_contract = number_of<int>(key, value);
    } else if (key == "level") {
      try {
        h.level = determinism_from_name(value);
      } catch (const ValueError&) {
        throw Damage{fmt::format("the header's 'level' is '{}'", value.substr(0, 40))};
      }
    } else if (key == "device") {
      h.device = value;
    } else if (key == "library_settings") {
      h.library_settings = value;
    } else if (key == "threads") {
      h.threads = number_of<int>(key, value);
    } else if (key == "instruction_set") {
      h.instruction_set = value;
    } else if (key == "emulated") {
      h.emulated = value == "1";
    } else if (key == "schedule") {
      h.schedule = value;
    } else if (key == "detail") {
      h.detail = detail_from_name(value).value_or(Detail::operations);
    } else if (key == "rows") {
      h.rows = number_of<int64_t>(key, value);
    } else if (key == "filters") {
      h.filters = value;
    } else if (key == "seed") {
      h.seed = number_of<uint64_t>(key, value);
    } else if (key == "argument") {
      h.command_line.push_back(value);
    } else {
      h.others[key] = value;
    }
  }
  return h;
}

}  // namespace ordo::audit
