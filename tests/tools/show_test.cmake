# cmake -DORDO=PROGRAM -DEMULATED=0 -DDIRECTORY=SCRATCH -P show_test.cmake: what `ordo show` draws, writes and refuses.
# The trees themselves are held against docs/ordering.md by show_sums_test.cpp.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
file(REMOVE_RECURSE ${DIRECTORY})
file(MAKE_DIRECTORY ${DIRECTORY})

expect(0 "not_guaranteed, run_to_run, device_to_device\n +tree +a balanced tree over 16 values, .*16 at 4\n.*has the bits of the first result\n +results +the same bits in 20 runs.* 0  8  4 12  2 10 "
       show sum)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../docs/determinism.md page)
string(FIND "${page}" "$ ordo show sum\n${output}" at)
if(at EQUAL -1)
  message(SEND_ERROR "docs/determinism.md shows other output of ordo show sum than\n${output}")
endif()
set(old "left to right over 17 values")
expect(0 "atomic .chosen at not_guaranteed.\n +tree +${old} .old, 0 .. 15.*sorted .when asked for by name.\n +tree +${old} .0 .. old.*exact .chosen at run_to_run, device_to_device.\n +tree +no order can be seen.*the same bits in 6 runs"
       show index_add --seeds 6)
expect(0 "12 parts\n +11 times, the first left to right over 256 values .0 .. 255.*fused multiply-add.*brackets"
       show matmul --size 3000 --level device_to_device)
expect(0 "not_guaranteed, run_to_run, device_to_device\n +tree +left to right over 2 parts.*64 .. 99"
       show cumsum --size 100 --dtype float64)
expect(0 "no order can be seen.*the same bits.*which is the true sum" show sum --dtype int64)
expect(0 "tree +value 0\n" show sum --size 1)

set(picture ${DIRECTORY}/sum.svg)
expect(0 "sum of 16" show sum --svg ${picture})
file(READ ${picture} svg)
string(REGEX MATCHALL "class=\"plus\"" additions "${svg}")
list(LENGTH additions count)
if(NOT count EQUAL 15 OR NOT svg MATCHES "^<svg .*<title>sum of 16 float32 values on cpu</title>.*>15</text>.*</svg>\n$")
  message(SEND_ERROR "${count} additions in\n${svg}")
endif()

if(EMULATED)
  expect(0 "on cuda:0.*trees +[2-9][0-9]* different ones with 5 seeds.*has the bits of the first result.* in 5 seeds of the schedule"
         show index_add --size 300 --device cuda --level not_guaranteed --seeds 5)
  expect(0 "on cuda:0.*trees +the same with 3 seeds.*the same bits in 3 seeds" show sum --device cuda --seeds 3)
endif()

# A sum of somebody else, where it is here: eight lanes, then halves.
execute_process(COMMAND python3 -c "import numpy" RESULT_VARIABLE numpy ERROR_QUIET)
if(numpy EQUAL 0)
  expect(0 "NumPy [0-9.]+\n +tree +a balanced tree over 8 parts\n +8 times, the first left to right over 8 values .0, 8 .. 56.\n.*has the bits of the first"
         show sum --size 64 --level run_to_run --peer numpy)
  expect(2 "at most 1024 values" show sum --size 1025 --peer numpy)
else()
  expect(2 "needs.*python3" show sum --peer numpy)
endif()
set(path "$ENV{PATH}")
set(ENV{PATH} ${DIRECTORY})
expect(2 "needs python3, which cannot be started" show sum --peer numpy)
set(ENV{PATH} "${path}")

expect(2 "OP" show)
expect(2 "sort" show sort)
expect(2 "size" show sum --size 0)
expect(2 "size" show sum --size 16385)
expect(2 "dtype" show sum --dtype float16)
expect(2 "level" show sum --level always)
expect(2 "no device cuda:99" show sum --device cuda:99)
expect(2 "cannot write" show sum --svg no-such-directory/sum.svg)
expect(0 "sum, cumsum, index_add, matmul.*--size.*--dtype.*--level.*--device.*--seeds.*--peer.*--svg" show --help)
