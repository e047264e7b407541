// JPEG by libjpeg, whose errors leave it by longjmp: functions that call setjmp have no objects with destructors.
#include <ordo/nn/data/image.h>

#ifdef ORDO_HAS_JPEG
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it

#include <jpeglib.h>

#include <jerror.h>
#endif

namespace ordo::data {

#ifdef ORDO_HAS_JPEG

namespace {

struct Errors {
  jpeg_error_mgr errors{};
  std::jmp_buf back;
  char reason[JMSG_LENGTH_MAX] = "";
  bool created = false;

  Errors() = default;
  Errors(Errors&&) = delete;
};

struct Reader : Errors {
  jpeg_decompress_struct jpeg{};
  ~Reader() {
    if (created) jpeg_destroy_decompress(&jpeg);
  }
};

[[noreturn]] void on_error(j_common_ptr jpeg) {
  auto* errors = static_cast<Errors*>(jpeg->client_data);
  jpeg->err->format_message(jpeg, errors->reason);
  std::longjmp(errors->back, 1);
}

/// Negative levels are warnings: of data that is broken, which libjpeg would guess.
void on_message(j_common_ptr jpeg, int level) {
  if (level < 0) on_error(jpeg);
}

bool read_header(Reader& r, const unsigned char* data, unsigned long bytes) {
  r.jpeg.err = jpeg_std_error(&r.errors);
  r.errors.error_exit = on_error;
  r.errors.emit_message = on_message;
  r.jpeg.client_data = static_cast<Errors*>(&r);
  if (setjmp(r.back)) return false;
  r.created = true;
  jpeg_create_decompress(&r.jpeg);
  jpeg_mem_src(&r.jpeg, data, bytes);
  jpeg_read_header(&r.jpeg, TRUE);
  return true;
}

bool read_rows(Reader& r, unsigned char* to, size_t row_bytes) {
  if (setjmp(r.back)) return false;
  r.jpeg.dct_method = JDCT_ISLOW;
  jpeg_start_decompress(&r.jpeg);
  while (r.jpeg.output_scanline < r.jpeg.output_height) {
    JSAMPROW row = to + size_t(r.jpeg.output_scanline) * row_bytes;
    jpeg_read_scanlines(&r.jpeg, &row, 1);
  }
  jpeg_finish_decompress(&r.jpeg);
  return true;
}

struct Writer : Errors {
  jpeg_compress_struct jpeg{};
  jpeg_destination_mgr destination{};
  std::string contents;
  unsigned char buffer[4096];
  ~Writer() {
    if (created) jpeg_destroy_compress(&jpeg);
  }
};

Writer& writer_of(j_compress_ptr jpeg) { return *static_cast<Writer*>(static_cast<Errors*>(jpeg->client_data)); }

/// Gives libjpeg the buffer.
void on_begin(j_compress_ptr jpeg) {
  jpeg->dest->next_output_byte = writer_of(jpeg).buffer;
  jpeg->dest->free_in_buffer = sizeof writer_of(jpeg).buffer;
}

/// Appends the first bytes of the buffer.
void append(j_compress_ptr jpeg, size_t bytes) {
  if (!appended(writer_of(jpeg).contents, writer_of(jpeg).buffer, bytes)) ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
}

::boolean on_full(j_compress_ptr jpeg) {
  append(jpeg, sizeof writer_of(jpeg).buffer);
  on_begin(jpeg);
  return TRUE;
}

void on_end(j_compress_ptr jpeg) { append(jpeg, sizeof writer_of(jpeg).buffer - jpeg->dest->free_in_buffer); }

bool write_rows(Writer& w, const Pixels& pixels, int quality) {
  w.jpeg.err = jpeg_std_error(&w.errors);
  w.errors.error_exit = on_error;
  w.jpeg.client_data = static_cast<Errors*>(&w);
  if (setjmp(w.back)) return false;
  w.created = true;
  jpeg_create_compress(&w.jpeg);
  w.destination.init_destination = on_begin;
  w.destination.empty_output_buffer = on_full;
  w.destination.term_destination = on_end;
  w.jpeg.dest = &w.destination;
  w.jpeg.image_width = JDIMENSION(pixels.width);
  w.jpeg.image_height = JDIMENSION(pixels.height);
  w.jpeg.input_components = int(pixels.channels);
  w.jpeg.in_color_space = pixels.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&w.jpeg);
  w.jpeg.dct_method = JDCT_ISLOW;
  jpeg_set_quality(&w.jpeg, quality, TRUE);
  jpeg_start_compress(&w.jpeg, TRUE);
  while (w.jpeg.next_scanline < w.jpeg.image_height) {
    const int64_t at = int64_t(w.jpeg.next_scanline) * pixels.channels * pixels.width;
    JSAMPROW row = const_cast<JSAMPROW>(pixels.bytes.data() + at);  // libjpeg does not write there
    jpeg_write_scanlines(&w.jpeg, &row, 1);
  }
  jpeg_finish_compress(&w.jpeg);
  return true;
}

}  // namespace

std::string encode_jpeg(const std::string& path, const Pixels& pixels, int quality) {
  Writer writer;
  if (!write_rows(writer, pixels, quality))
    ordo::detail::fail<DataError>("write_image", "{}: libjpeg cannot write it: {}", path, writer.reason);
  return std::move(writer.contents);
}

Pixels decode_jpeg(const ImageSource& source) {
  Reader reader;
  const auto corrupt = [&] { source.fail("the JPEG data is corrupt: {}", reader.reason); };
  if (!read_header(reader, reinterpret_cast<const unsigned char*>(source.contents.data()), source.contents.size()))
    corrupt();
  if (reader.jpeg.num_components != 1 && reader.jpeg.num_components != 3)
    source.fail("expected a JPEG file of 1 or 3 channels, found {}", reader.jpeg.num_components);
  source.expect_sizes(reader.jpeg.image_height, reader.jpeg.image_width);
  // Huffman codes have at least a bit for each block of 8 x 8 pixels of the channel that has most.
  if (!reader.jpeg.arith_code &&
      uint64_t(reader.jpeg.image_height) * reader.jpeg.image_width > (uint64_t(source.contents.size()) + 1) * 512)
    source.fail("the JPEG data is corrupt: the header promises more pixels than the file can hold");
  reader.jpeg.out_color_space = reader.jpeg.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  Pixels pixels = source.room_for(reader.jpeg.num_components, reader.jpeg.image_height, reader.jpeg.image_width);
  if (!read_rows(reader, pixels.bytes.data(), size_t(pixels.channels * pixels.width))) corrupt();
  return pixels;
}

#else

std::string encode_jpeg(const std::string& path, const Pixels&, int) {
  ordo::detail::fail<DataError>(
      "write_image", "{}: Ordo was configured without libjpeg; install libjpeg-dev and configure again", path);
}

Pixels decode_jpeg(const ImageSource& source) {
  source.fail("this is a JPEG file, and Ordo was configured without libjpeg; install libjpeg-dev and configure again");
}

#endif

}  // namespace ordo::data
