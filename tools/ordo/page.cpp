#include "tools/ordo/page.h"

#include <fmt/format.h>
#include <ordo/nn/state/whole_file.h>

#include "tools/ordo/escaped.h"

std::string html_page(const std::string& title, const std::string& body, const std::string& style) {
  constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --line: #8886; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; overflow-wrap: anywhere; }
h1, h2 { line-height: 1.25; } table { border-collapse: collapse; margin: 1em 0; }
td, th { border: 1px solid var(--line); padding: .25em .6em; text-align: left; } svg { width: 100%; height: auto; }
.wide { overflow-x: auto; } code, pre { font-size: 90%; } pre { overflow-x: auto; }
@media print { body { max-width: none; } section { break-inside: avoid; } })";
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{0}</title>\n"
      "<style>{1}{3}</style></head><body>\n<h1>{0}</h1>\n{2}</body></html>\n",
      escaped(title), kStyle, body, style);
}

void write_file(const std::string& command, const std::string& file, const std::string& text) {
  ordo::nn::WholeFile out(file, command);
  out.write(text);
  out.commit();
}
