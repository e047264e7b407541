#include "check.h"
#include "exercise.h"

namespace {
// volatile: every sum is rounded to a float, whatever the compiler would like to do.
float added(float x, float y) {
  volatile float z = x + y;
  return z;
}
}  // namespace

void lesson::check() {
  const Three t = three_numbers();
  const float left = added(added(t.a, t.b), t.c), right = added(t.a, added(t.b, t.c));
  say("(a + b) + c = " + bits_text(left));
  say("a + (b + c) = " + bits_text(right));
  if (left == right)
    fail("SAME", LESSON_PLACE(three_numbers) +
                     ": both orders give the same number, so these three do not show that the order matters.");
  if (left != 1 || right != 0)
    fail("WRONG RESULT", LESSON_PLACE(three_numbers) + ": the orders differ; the first must give 1 and the second 0.");

  // 2^24 and 4096 ones: every single one is lost beside 2^24 + something odd.
  std::vector<float> v(4097, 1.f);
  v[0] = 16777216.f;
  const float total = sum(v.data(), int(v.size()));
  say("2^24 + 1 + 1 + ... (4096 ones) = " + bits_text(total));
  if (total == v[0])
    fail("LOST", LESSON_PLACE(sum) + ": the 4096 ones left no trace: each was added to 2^24 alone and rounded away.");
  expect_bits({total}, {16781312.f}, LESSON_PLACE(sum), "2^24 + 4096, which is a float");

  for (float& x : v) x = 0.25f;
  v[0] = 1048576.f;
  expect_bits({sum(v.data(), int(v.size()))}, {1049600.f}, LESSON_PLACE(sum), "2^20 + 4096 / 4");
  expect_bits({sum(v.data(), 1)}, {1048576.f}, LESSON_PLACE(sum), "the sum of one number");
}
