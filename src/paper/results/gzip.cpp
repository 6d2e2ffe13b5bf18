#include "paper/results/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <limits>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "paper/store";
constexpr int gzip_window = 15 + 16;  // the largest window, with a gzip header

/// zlib sizes are unsigned int, and its input pointer is not const.
void set_input(z_stream& stream, std::string_view bytes) {
  if (bytes.size() > std::numeric_limits<uInt>::max()) throw DataError(where, "a file of rows must not exceed 4 GiB");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
}

/// Calls step until it returns something other than Z_OK, and returns that; appends the output to `out`.
template <class Step>
int run_to_end(z_stream& stream, std::string& out, const Step& step) {
  std::array<char, 1U << 16U> buffer{};
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    const int state = step(&stream);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
    if (state != Z_OK) return state;
  }
}

}  // namespace

std::string gzip(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error(where, "cannot start gzip compression");
  }
  set_input(stream, text);
  std::string out;
  const int state = run_to_end(stream, out, [](z_stream* s) { return deflate(s, Z_FINISH); });
  deflateEnd(&stream);
  if (state != Z_STREAM_END) throw Error(where, "gzip compression failed");
  return out;
}

std::string gunzip(std::string_view bytes, const std::string& name) {
  z_stream stream{};
  if (inflateInit2(&stream, gzip_window) != Z_OK) throw Error(where, "cannot start gzip decompression");
  set_input(stream, bytes);
  std::string out;
  const int state = run_to_end(stream, out, [](z_stream* s) { return inflate(s, Z_NO_FLUSH); });
  inflateEnd(&stream);
  if (state != Z_STREAM_END || stream.avail_in != 0) {
    throw DataError(where, fmt::format("'{}' is not a gzip file, or it is damaged or cut off; fetch it again", name));
  }
  return out;
}

}  // namespace nomu
