// PNG by libpng, whose errors leave it by longjmp: functions that call setjmp have no objects with destructors.
#include <ordo/nn/data/image.h>

#ifdef ORDO_HAS_PNG
#include <png.h>

#include <csetjmp>
#include <cstring>
#endif

namespace ordo::data {

#ifdef ORDO_HAS_PNG

namespace {

constexpr size_t kReason = 128;

struct Reader {
  const char* data;
  size_t size, at = 0;
  char reason[kReason] = "";
  png_structp png = nullptr;
  png_infop info = nullptr;
  png_uint_32 width = 0, height = 0;
  int channels = 0;
  size_t row_bytes = 0;

  Reader(const std::string& contents) : data(contents.data()), size(contents.size()) {}
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(Reader&&) = delete;
};

void on_error(png_structp png, png_const_charp message) {
  std::strncpy(static_cast<char*>(png_get_error_ptr(png)), message, kReason - 1);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep to, size_t bytes) {
  auto* reader = static_cast<Reader*>(png_get_io_ptr(png));
  if (bytes > reader->size - reader->at) png_error(png, "the file ends too early");
  std::memcpy(to, reader->data + reader->at, bytes);
  reader->at += bytes;
}

/// Up to the pixels.
bool read_header(Reader& r) {
  if (setjmp(png_jmpbuf(r.png))) return false;
  png_set_read_fn(r.png, &r, on_read);
  png_set_user_limits(r.png, 0x7fffffff, 0x7fffffff);  // ours are checked afterwards
  png_set_chunk_cache_max(r.png, 1);  // no texts and palettes that nobody reads, which may unpack to gigabytes
  png_set_chunk_malloc_max(r.png, 1 << 20);
  png_read_info(r.png, r.info);
  r.width = png_get_image_width(r.png, r.info);
  r.height = png_get_image_height(r.png, r.info);
  return true;
}

/// Makes room for a row; what follows are 1 or 3 bytes for each pixel.
bool choose_form(Reader& r) {
  if (setjmp(png_jmpbuf(r.png))) return false;
  png_set_expand(r.png);
  png_set_scale_16(r.png);
  png_set_strip_alpha(r.png);
  png_set_interlace_handling(r.png);
  png_read_update_info(r.png, r.info);
  r.channels = png_get_channels(r.png, r.info);
  r.row_bytes = png_get_rowbytes(r.png, r.info);
  return true;
}

bool read_rows(Reader& r, png_bytepp rows) {
  if (setjmp(png_jmpbuf(r.png))) return false;
  png_read_image(r.png, rows);
  png_read_end(r.png, nullptr);
  return true;
}

struct Writer {
  std::string contents;
  char reason[kReason] = "";
  png_structp png = nullptr;
  png_infop info = nullptr;

  Writer() = default;
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(Writer&&) = delete;
};

void on_write(png_structp png, png_bytep from, size_t bytes) {
  if (!appended(static_cast<Writer*>(png_get_io_ptr(png))->contents, from, bytes)) png_error(png, "out of memory");
}

void on_flush(png_structp) {}

bool write_rows(Writer& w, const Pixels& pixels, int compression_level) {
  if (setjmp(png_jmpbuf(w.png))) return false;
  png_set_write_fn(w.png, &w, on_write, on_flush);
  png_set_user_limits(w.png, 0x7fffffff, 0x7fffffff);
  png_set_compression_level(w.png, compression_level);
  png_set_IHDR(w.png, w.info, png_uint_32(pixels.width), png_uint_32(pixels.height), 8,
               pixels.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(w.png, w.info);
  for (const uint8_t* row = pixels.bytes.data(); row != pixels.bytes.data() + pixels.bytes.size();
       row += pixels.channels * pixels.width)
    png_write_row(w.png, row);
  png_write_end(w.png, nullptr);
  return true;
}

}  // namespace

std::string encode_png(const std::string& path, const Pixels& pixels, int compression_level) {
  Writer writer;
  writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, writer.reason, on_error, on_warning);
  if (writer.png) writer.info = png_create_info_struct(writer.png);
  if (!writer.info || !write_rows(writer, pixels, compression_level))
    ordo::detail::fail<DataError>("write_image", "{}: libpng cannot write it: {}", path, writer.reason);
  return std::move(writer.contents);
}

Pixels decode_png(const ImageSource& source) {
  Reader reader(source.contents);
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader.reason, on_error, on_warning);
  if (reader.png) reader.info = png_create_info_struct(reader.png);
  if (!reader.info) source.fail("libpng has no memory left, or is another version than the one Ordo was compiled with");
  const auto corrupt = [&] { source.fail("the PNG data is corrupt: {}", reader.reason); };
  if (!read_header(reader)) corrupt();
  // A byte of deflate holds at most 1032 bytes, and a row has at least a bit for each of its pixels.
  if (uint64_t(reader.height) * (reader.width / 8 + 1) > (uint64_t(source.contents.size()) + 1) * 1032)
    source.fail("the PNG data is corrupt: the header promises more pixels than the file can hold");
  source.expect_sizes(reader.height, reader.width);
  if (!choose_form(reader)) corrupt();
  Pixels pixels = source.room_for(reader.channels, reader.height, reader.width);
  if (reader.row_bytes != size_t(pixels.channels * pixels.width)) source.fail("libpng returns another form of pixels");
  std::vector<png_bytep> rows;
  for (int64_t y = 0; y < pixels.height; ++y) rows.push_back(pixels.bytes.data() + y * int64_t(reader.row_bytes));
  if (!read_rows(reader, rows.data())) corrupt();
  return pixels;
}

#else

std::string encode_png(const std::string& path, const Pixels&, int) {
  ordo::detail::fail<DataError>("write_image",
                                "{}: Ordo was configured without libpng; install libpng-dev and configure again", path);
}

Pixels decode_png(const ImageSource& source) {
  source.fail("this is a PNG file, and Ordo was configured without libpng; install libpng-dev and configure again");
}

#endif

}  // namespace ordo::data
