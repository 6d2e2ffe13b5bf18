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

/// zlib counts in unsigned int and takes its input without const.
void give(z_stream& stream, std::string_view bytes) {
  if (bytes.size() > std::numeric_limits<uInt>::max()) throw DataError(where, "more than 4 GiB in one file of rows");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
}

/// Calls step until it says other than "more"; returns that and what came out.
template <class Step>
int drain(z_stream& stream, std::string& out, const Step& step) {
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
    throw Error(where, "cannot start compressing");
  }
  give(stream, text);
  std::string out;
  const int state = drain(stream, out, [](z_stream* s) { return deflate(s, Z_FINISH); });
  deflateEnd(&stream);
  if (state != Z_STREAM_END) throw Error(where, "compressing failed");
  return out;
}

std::string gunzip(std::string_view bytes, const std::string& name) {
  z_stream stream{};
  if (inflateInit2(&stream, gzip_window) != Z_OK) throw Error(where, "cannot start decompressing");
  give(stream, bytes);
  std::string out;
  const int state = drain(stream, out, [](z_stream* s) { return inflate(s, Z_NO_FLUSH); });
  inflateEnd(&stream);
  if (state != Z_STREAM_END || stream.avail_in != 0) {
    throw DataError(where, fmt::format("'{}' is no gzip file, or it is damaged or cut off; get it again", name));
  }
  return out;
}

}  // namespace nomu
