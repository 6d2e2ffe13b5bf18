#include "nomu/core/error.hpp"
#include "nomu/serve/serve.hpp"
#include "serve/http/guard.hpp"
#include "serve/serve_check.hpp"

namespace nomu {

Fields fields_of(ServeSpec& spec) {
  Fields fields("serve");
  fields.add("host", spec.host, "name or address to listen on; without a token only loopback is allowed");
  fields.add("port", spec.port, Range::between(0.0, 65535.0), "port to listen on; 0: any free one");
  fields.add("body", spec.body, Range::between(1024.0, 1073741824.0), "largest body of a request, in bytes");
  fields.add("connections", spec.connections, Range::between(8.0, 4096.0),
             "connections that are open at the same time; others wait");
  fields.add("watchers", spec.watchers, Range::between(0.0, 4000.0), "pages that are told of changes as they happen");
  return fields;
}

void check_serve_spec(const ServeSpec& given) {
  ServeSpec spec = given;
  const Fields fields = fields_of(spec);
  for (const Field& field : fields.list()) fields.set(field.name, field.get());  // ranges
  if (spec.watchers + 4 > spec.connections)
    throw ConfigError("serve", "watchers hold a connection each: connections must be larger by 4 at least");
  if (!spec.token.empty()) return check_token(spec.token);
  if (!is_loopback(spec.host)) {
    throw ConfigError("serve", "host '" + spec.host +
                                   "' can be reached from other machines, and there is no token: everybody there could "
                                   "change the study; give one with --token-file, or listen on 127.0.0.1");
  }
}

}  // namespace nomu
