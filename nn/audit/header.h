// A trace's header: what it is made from, and how it is written. Internal to nn.
#pragma once

#include <ordo/nn/audit/encoding.h>
#include <ordo/nn/audit/record.h>

namespace ordo::audit {

/// Of this process, as it is now.
Header current_header(Detail detail, const std::string& filters);
Encoder encode(const Header& header);
/// Throws Damage. The type has been read.
Header decode_header(Decoder& body);

}  // namespace ordo::audit
