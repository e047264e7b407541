// JPEG by libjpeg, whose errors leave it by longjmp: functions that call setjmp have no objects with destructors.
#include <ordo/nn/data/image.h>

#ifdef ORDO_HAS_JPEG
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it

#include <jpeglib.h>
#endif

namespace ordo::data {

#ifdef ORDO_HAS_JPEG

namespace {

struct Reader {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  std::jmp_buf back;
  char reason[JMSG_LENGTH_MAX] = "";
  bool created = false;

  Reader() = default;
  ~Reader() {
    if (created) jpeg_destroy_decompress(&jpeg);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
};

[[noreturn]] void on_error(j_common_ptr jpeg) {
  auto* reader = static_cast<Reader*>(jpeg->client_data);
  jpeg->err->format_message(jpeg, reader->reason);
  std::longjmp(reader->back, 1);
}

/// Negative levels are warnings: of data that is broken, which libjpeg would guess.
void on_message(j_common_ptr jpeg, int level) {
  if (level < 0) on_error(jpeg);
}

bool read_header(Reader& r, const unsigned char* data, unsigned long bytes) {
  r.jpeg.err = jpeg_std_error(&r.errors);
  r.errors.error_exit = on_error;
  r.errors.emit_message = on_message;
  r.jpeg.client_data = &r;
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

}  // namespace

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

Pixels decode_jpeg(const ImageSource& source) {
  source.fail("this is a JPEG file, and Ordo was configured without libjpeg; install libjpeg-dev and configure again");
}

#endif

}  // namespace ordo::data
