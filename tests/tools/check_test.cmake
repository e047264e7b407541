# cmake -DORDO=PROGRAM -DPLANTED=PROGRAM -DTRAIN=PROGRAM -DFILLED=0 -DEMULATED=0 -DDIRECTORY=... -P check_test.cmake: `ordo check` names each of eleven planted causes
# and accuses no other program; `ordo diff` on its traces; and what both say where nothing can be compared. docs/audit.md
# shows these commands.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
file(REMOVE_RECURSE ${DIRECTORY})
file(MAKE_DIRECTORY ${DIRECTORY})

expect(0 "run_to_run +runs +3  equal, [0-9]+ events.*contents of new memory +2  equal.*CPU threads +3  equal"
       check --runs 3 --threads 1,2 -- ${PLANTED} none)
expect(0 "run_to_run +instruction sets +[0-9]+  equal" check --vectors --no-fill -- ${PLANTED} none)
expect(0 "run_to_run +load on the machine +2  equal" check --load --no-fill -- ${PLANTED} none)
expect(1 "not_guaranteed +runs.*different.*operation  embedding_backward.*module +Net.words.*called at  planted.cpp:[0-9]+ .*backward.*cause +additions.*use_deterministic_algorithms"
       check --runs 40 --no-fill -- ${PLANTED} atomic)
expect(1 "not_guaranteed +runs +40  [0-9]+ different.*run_to_run +runs +40  equal.*operation  embedding_backward.*cause +additions"
       check --runs 40 --no-fill --levels not_guaranteed,run_to_run -- ${PLANTED} atomic)
expect(1 "not_guaranteed +level run_to_run +2  differs, as levels may.*Other bits at level not_guaranteed than at level run_to_run, as levels may have.*operation +embedding_backward.*module +Net.words.*cause +additions.*output-0: [0-9]+ of [0-9]+ float32 values differ, by [0-9]+ ulps"
       check --runs 40 --no-fill --levels not_guaranteed,run_to_run --json ${DIRECTORY}/levels.json -- ${PLANTED} atomic)
file(READ ${DIRECTORY}/levels.json json)
string(JSON allowed GET "${json}" rows 2 allowed)
if(NOT allowed STREQUAL "ON")
  message(SEND_ERROR "check --json: levels that differ are not told apart: ${json}")
endif()
# Levels are no failure by themselves: one thread adds in one order, which is not that of the ordered algorithm.
expect(0 "not_guaranteed +runs +3  equal.*run_to_run +runs +3  equal.*not_guaranteed +level run_to_run +2  (differs, as levels may|the same bits)"
       check --runs 3 --no-fill --levels not_guaranteed,run_to_run -- env OMP_NUM_THREADS=1 ${PLANTED} atomic)
expect(0 "not_guaranteed +level run_to_run +2  the same bits, [0-9]+ events.*not_guaranteed +level device_to_device +2  the same.*run_to_run +level device_to_device +2  the same"
       check --no-fill --levels not_guaranteed,run_to_run,device_to_device -- ${TRAIN} vae --steps 2 --rows 8 --test-rows 4 --batch 4 --width 0.25 --threads 1 --level {level} --quiet)
expect(1 "run_to_run +level asked for +2  1 different.*cause +seed" check --no-fill --levels not_guaranteed,run_to_run -- ${PLANTED} seed)
expect(0 "run_to_run +runs +2  equal" check --no-fill --levels device_to_device -- ${PLANTED} none)  # which sets its own
expect(1 "cause +seed.*values +none: .*manual_seed" check -- ${PLANTED} seed)
expect(1 "operation +batch.*cause +data_order" check --runs 4 -- ${PLANTED} order)
if(FILLED)  # ORDO_POISON_RESULTS: this build fills all memory itself
  expect(0 "contents of new memory +2  equal" check -- ${PLANTED} uninitialized)
else()
  expect(1 "contents of new memory +2  1 different.*operation +clamp.*step +3, forward.*cause +uninitialized.*input-0: 16384 of 16384 float32 values differ, by [0-9]+ ulps.*zeros"
         check --json ${DIRECTORY}/check.json --dump ${DIRECTORY}/dump -- ${PLANTED} uninitialized)
endif()
expect(1 "operation +narrow.*called at  planted.cpp:[0-9]+ .*step +3, forward.*cause +shapes" check --runs 4 -- ${PLANTED} shape)
# A program without lines: its function at best, and no line of the library that calls main().
find_program(OBJCOPY objcopy REQUIRED)
execute_process(COMMAND ${OBJCOPY} --strip-debug ${PLANTED} ${DIRECTORY}/planted_without_lines COMMAND_ERROR_IS_FATAL ANY)
expect(1 "called at  [a-z_:]+ .compiled without lines: -g1 gives them" check --runs 4 -- ${DIRECTORY}/planted_without_lines shape)
if(output MATCHES "libc")
  message(SEND_ERROR "ordo check names a line that is not the program's: ${output}")
endif()
expect(1 "operation +mean.*step +3, forward.*input 0 has other bits, which no operation before it gave.*cause +outside.*values.*kept/values-1.*input-0: 1 of 1 float32 values differ"
       check --runs 8 --keep ${DIRECTORY}/kept -- ${PLANTED} outside)
expect(1 "operation +mean.*called at  planted.cpp:[0-9]+ .*step +3, forward.*input 0 is another tensor; in this step.*cause +other_tensor"
       check --runs 8 --no-fill -- ${PLANTED} pointers)

expect(1 "operation +clamp.*step +3, forward.*what +input 0 .*NaNs among its 4096 values, in further runs: [0-9]+ in A, [0-9]+ in B.*cause +nan.*input-0: [0-9]+ of 4096 float32 values differ, [0-9]+ of them NaN in a run.*One run has NaNs where the other has numbers"
       check --no-fill -- ${PLANTED} nan)
expect(1 "step +3, forward.*cause +shapes.*also +operation index_add.* another algorithm computes, (exact in A and sorted|sorted in A and exact) in B"
       check --no-fill --runs 20 -- ${PLANTED} algorithm)
expect(1 "run_to_run +runs +3  equal.*instruction sets +[0-9]+  [0-9]+ different.*operation +sum_of_lanes.*step +3, forward.*cause +processor.*output-0: 1 of 1 float32 values differ"
       check --no-fill --runs 3 --vectors -- ${PLANTED} vectors)
expect(0 "run_to_run +instruction sets +[0-9]+  equal, [0-9]+ events"
       check --no-fill --vectors -- ${TRAIN} resnet18 --steps 2 --rows 16 --test-rows 4 --batch 8 --width 0.125 --quiet --deterministic)

# A row alone and beside others; a step in other batches.
expect(0 "rows beside a row +3  equal, [0-9]+ events" check --no-fill --batch 1,3,7 -- ${PLANTED} rows {batch})
expect(1 "runs +2  equal.*rows beside a row +2  1 different.*operation +batch_norm.*of the row in a batch of 3 in A and of 7 in B.*cause +neighbours"
       check --no-fill --batch 3,7 -- ${PLANTED} neighbours {batch})
set(parts ${TRAIN} transformer --rows 32 --test-rows 8 --width 0.25 --batch {batch} --accumulate {accumulate} --steps 3 --quiet --deterministic)
expect(0 "batches of a step +4  equal, 3 events" check --no-fill --accumulate 32x1,8x4,16x2,5x7 -- ${parts} --shard-rows 4)
expect(1 "runs +2  equal.*batches of a step +2  1 different.*step +1" check --no-fill --accumulate 32x1,8x4 -- ${parts})
expect(2 "--accumulate: takes rows x batches, as 32x1,8x4, not '32'" check --accumulate 32,8x4 -- ${parts})
expect(2 "--accumulate: needs at least two" check --accumulate 8x4 -- ${parts})
expect(2 "nothing to compare" check --no-fill --accumulate 1x1,1x2 -- ${PLANTED} rows 1{accumulate}{batch})
expect(2 "--batch: needs {batch} among" check --batch 1,7 -- ${PLANTED} none)

# Runs for the values end where the event has ended: the nine before have printed the weights.
file(READ ${DIRECTORY}/kept/run-9.log whole)
file(READ ${DIRECTORY}/kept/run-10.log values)
if(NOT whole MATCHES "weights" OR values MATCHES "weights")
  message(SEND_ERROR "check --keep: a run for the values goes on after them")
endif()
expect(1 "cause +outside.*values +of two further runs.*input-0: 1 of 1 float32 values differ"
       check --runs 8 --no-fill -- sh -c "${PLANTED} outside || exit 9")  # a script around it ends as it likes

if(NOT FILLED)
  file(READ ${DIRECTORY}/check.json json)
  string(JSON cause GET "${json}" rows 1 diff cause)
  if(NOT cause STREQUAL "uninitialized")
    message(SEND_ERROR "check --json: the cause is ${cause}")
  endif()
  # clamp(-1, 1) of 0xaa... and 0xd5...: a little below 0, and -1
  string(JSON values GET "${json}" rows 1 values 1)
  string(JSON tensor GET "${values}" tensor)
  string(JSON ulps GET "${values}" ulps)
  string(JSON absolute GET "${values}" absolute)
  string(JSON b GET "${values}" b)
  if(NOT tensor STREQUAL "output-0" OR NOT ulps EQUAL 349525334 OR NOT absolute MATCHES "^(1.0|0.99999)" OR NOT b STREQUAL "-1")
    message(SEND_ERROR "check --json: ${values}")
  endif()
  foreach(file IN ITEMS a/input-0 a/output-0 b/input-0 b/output-0)
    if(NOT EXISTS ${DIRECTORY}/dump/values-1/${file}.npy)
      message(SEND_ERROR "check --dump: no ${file}.npy")
    endif()
  endforeach()
endif()

expect(0 "devices +2  equal" check --no-fill --devices none,none -- ${PLANTED} {device})
expect(1 "runs +2  equal.*devices +2  1 different.*cause +seed" check --no-fill --devices none,seed -- ${PLANTED} {device})
expect(2 "usage: planted" check --threads 1,2 -- ${PLANTED} --none)  # its option, not check's
expect(2 "needs {device} among" check --devices cpu,cuda -- ${PLANTED} none)
if(EMULATED)
  set(graph ${TRAIN} graph --steps 2 --rows 8 --test-rows 4 --batch 4 --width 0.25 --quiet)
  expect(0 "device_to_device +devices +2  equal, [0-9]+ events"
         check --no-fill --devices cpu,cuda -- ${graph} --level device_to_device --device {device})
  expect(0 "run_to_run +schedules of the emulator +4  equal" check --no-fill --schedules 3 -- ${graph} --deterministic --device cuda)
  expect(1 "schedules of the emulator +4  [1-3] different.*operation  index_add.*backward.*cause +additions.*output-0: [0-9]+ of 1024 float32 values differ"
         check --no-fill --schedules 3 -- ${graph} --device cuda)
  expect(1 "not_guaranteed +runs +2  equal.*devices +2  1 different.*operation +scatter_reduce.*module +Net.*cause +additions.*output-0: [0-9]+ of 1024 float32 values differ, by [0-9]+ ulps"
         check --no-fill --devices cpu,cuda -- ${graph} --device {device})
  expect(0 "not_guaranteed +level run_to_run +2  differs, as levels may.*run_to_run +level device_to_device +2  the same bits.*operation +scatter_reduce.*output-0: [0-9]+ of 1024 float32 values differ, by [0-9]+ ulps"
         check --no-fill --levels not_guaranteed,run_to_run,device_to_device -- ${graph} --level {level} --device cuda)
endif()

set(a ${DIRECTORY}/kept/run-1.trace)
foreach(run RANGE 2 8)  # the first that differs: threads may have come in one order twice
  set(b ${DIRECTORY}/kept/run-${run}.trace)
  execute_process(COMMAND ${ORDO} diff ${a} ${b} RESULT_VARIABLE differs OUTPUT_QUIET)
  if(differs EQUAL 1)
    break()
  endif()
endforeach()
expect(0 "^equal: [0-9]+ events" diff ${a} ${a})
expect(1 "first: operation mean, step 3.*cause: outside.*ORDO_TRACE_DUMP='step=3,call=1,thread=0,kind=operation,phase=forward,name=mean,node=,module='" diff --json ${DIRECTORY}/diff.json --html ${DIRECTORY}/diff.html
       ${a} ${b})
expect(1 "first: operation mean.*called at  planted.cpp:[0-9]+ .train" diff --dump ${DIRECTORY}/kept/values-1/a ${a} ${b})
expect(2 "calls.txt" diff --dump ${DIRECTORY} ${a} ${b})
file(READ ${DIRECTORY}/diff.json json)
string(JSON equal GET "${json}" equal)
string(JSON steps LENGTH "${json}" steps)
if(NOT equal STREQUAL "OFF" OR steps LESS 6)
  message(SEND_ERROR "diff --json: equal ${equal}, ${steps} steps")
endif()
file(READ ${DIRECTORY}/diff.html html)
if(NOT html MATCHES "^<!DOCTYPE html>.*<svg.*The first difference.*outside.*</html>")
  message(SEND_ERROR "diff --html wrote no page")
endif()
if(html MATCHES "(src|href)=\"[^d]")
  message(SEND_ERROR "diff --html: the page needs other files")
endif()

expect(2 "no-such.trace" diff ${a} no-such.trace)
file(WRITE ${DIRECTORY}/text.trace "this is a text, and not a trace at all")
expect(2 "text.trace: at byte 0: this is no trace" diff ${a} ${DIRECTORY}/text.trace)
expect(2 "cannot be opened" diff --json ${DIRECTORY}/no/such/file ${a} ${a})
expect(2 "A is required" diff)
expect(2 "run 1: false ended with status 1" check -- false)
expect(2 "run 1: .* was killed by signal 9" check -- sh -c "kill -9 $$")
expect(2 "run 1: sleep had not ended after [0-9]+ s.*--timeout" check --timeout 0.2 -- sleep 30)
expect(2 "run 1: true ended well and left no trace" check -- true)
expect(2 "run 1: sh ended well and left no file as its trace" check -- sh -c "mkfifo $ORDO_TRACE")  # it would never be read
expect(2 "run 1: sh ended well and left no file as its trace" check -- sh -c "mkdir $ORDO_TRACE")
expect(2 "cannot be started: No such file" check -- ${DIRECTORY}/no-such-program)
expect(2 "ended with status 2. Its last lines:.*usage: planted" check -- ${PLANTED} nothing)
expect(2 "frobnicate.*is not a level" check --levels frobnicate -- true)
expect(2 "runs" check --runs 1 -- true)
