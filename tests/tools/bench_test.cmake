# cmake -DORDO=PROGRAM -DDIRECTORY=SCRATCH -P bench_test.cmake: what `ordo bench` prints and writes, what --compare finds,
# and what they say to bad input.
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
file(REMOVE_RECURSE ${DIRECTORY})
file(MAKE_DIRECTORY ${DIRECTORY})
set(results ${DIRECTORY}/results.json)

# A run: every path of the row is there, the deterministic one with one pattern.
set(index_add ^index_add/.*/uniform/32768:)
expect(0 "index_add +32768:2048:32 +float32 +uniform" bench --quick --no-peers --repeats 4 --threads 2
       --device cpu --filter ${index_add} --json ${results})
if(NOT output MATCHES "fast +determ. +ratio +patterns")
  message(SEND_ERROR "no head of the table in\n${output}")
endif()
file(READ ${results} json)
string(JSON count LENGTH "${json}" results)
string(JSON bandwidth GET "${json}" bandwidth cpu)
set(paths)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON path GET "${json}" results ${i} path)
  string(JSON median GET "${json}" results ${i} ms median)
  string(JSON distinct GET "${json}" results ${i} patterns distinct)
  string(JSON ulps GET "${json}" results ${i} max_ulp)
  list(APPEND paths ${path})
  if(NOT median GREATER 0 OR (NOT path STREQUAL atomic AND NOT distinct EQUAL 1))
    message(SEND_ERROR "${path}: ${median} ms, ${distinct} patterns")
  endif()
  if(path STREQUAL exact AND ulps GREATER 0.5)
    message(SEND_ERROR "exact is off by ${ulps} ulps")
  endif()
endforeach()
if(NOT paths STREQUAL "atomic;sorted;exact;run_to_run" OR NOT bandwidth GREATER 1e8)
  message(SEND_ERROR "paths ${paths}, ${bandwidth} bytes/s copied")
endif()
expect(0 "sum-rows.*train-digits_cnn" bench --quick --no-peers --repeats 1 --rounds 1 --device cpu
       --filter "^(sum-rows|train-digits_cnn)/.*/float32/")

# A line in a table is all that a benchmark of a known kind needs.
set(more "\"distribution\": \"rand\", \"dtype\": \"float32\"}")
set(pool "\"images\": 2, \"channels\": 2, \"size\": 6")
file(WRITE ${DIRECTORY}/lines.json "{\"quick\": [
  {\"family\": \"unary\", \"op\": [\"exp\", \"gelu\"], \"shape\": [{\"N\": 1000}], ${more},
  {\"family\": \"binary\", \"op\": \"pow\", \"shape\": [{\"N\": 1000}], ${more},
  {\"family\": \"reduction\", \"op\": [\"mean\", \"log_softmax\"], \"mode\": \"rows\", \"shape\": [{\"R\": 8, \"C\": 9}], ${more},
  {\"family\": \"pooling\", \"op\": \"max_pool1d\", \"shape\": [{${pool}, \"kernel\": 3, \"stride\": 2, \"padding\": 1}], ${more},
  {\"family\": \"pooling\", \"op\": \"adaptive_avg_pool3d\", \"shape\": [{${pool}, \"output\": 4}], ${more},
  {\"family\": \"convolution\", \"op\": \"conv3d\", \"mode\": \"weight_gradient\",
   \"shape\": [{\"images\": 1, \"in\": 2, \"out\": 2, \"size\": 5, \"kernel\": 3, \"padding\": 1}], ${more}]}")
expect(0 "exp +1000.*gelu +1000.*pow +1000.*mean-rows +8:9.*log_softmax-rows.*max_pool1d +2:2:6:3:2:1.*adaptive_avg_pool3d +2:2:6:4.*conv3d-weight_gradient"
       bench --quick --no-peers --repeats 1 --rounds 1 --device cpu --grid ${DIRECTORY}/lines.json)
function(expect_refused line text)
  file(WRITE ${DIRECTORY}/refused.json "{\"quick\": [{${line}, ${more}]}")
  expect(2 ${text} bench --quick --no-peers --device cpu --grid ${DIRECTORY}/refused.json)
endfunction()
expect_refused("\"family\": \"unary\", \"op\": \"warp\", \"N\": 10" "family 'unary' has no operation 'warp'")
expect_refused("\"family\": \"pooling\", \"op\": \"relu\", \"N\": 10" "'relu' is no pooling operation")
expect_refused("\"family\": \"sorting\", \"op\": \"sort\", \"N\": 10" "no family 'sorting'")

# Predictions need the machine that counts.
if(NOT DEFINED ENV{LD_LIBRARY_PATH} OR NOT "$ENV{LD_LIBRARY_PATH}" MATCHES "/ptx")
  expect(2 "--model counts on the PTX machine: ./run bench --model" bench --model --quick)
endif()

# Comparing: times as they are given here, so that the outcome is known.
function(write_results file path low median high patterns)
  file(WRITE ${DIRECTORY}/${file} "{\"format\": \"ordo bench\", \"version\": 1, \"threads\": 2, \"machine\": {}, \"results\": [
    {\"name\": \"x/${path}\", \"path\": \"${path}\", \"ms\": {\"low\": ${low}, \"median\": ${median}, \"high\": ${high}},
     \"patterns\": {\"distinct\": ${patterns}, \"repeats\": 100}}]}\n")
endfunction()
set(old ${DIRECTORY}/old.json)
set(new ${DIRECTORY}/new.json)
write_results(old.json sorted 0.9 1.0 1.1 1)
write_results(new.json sorted 1.05 1.2 1.4 1)
expect(0 "1 within the noise.*0 faster, 0 slower" bench --compare ${old} ${new})
write_results(new.json sorted 1.15 1.2 1.4 1)
expect(1 "20.0 %  slower: REGRESSION.*1 slower.*1 regression:" bench --compare ${old} ${new})
expect(0 "slower\n" bench --compare ${old} ${new} --threshold 25)
expect(0 "16.7 %  faster" bench --compare ${new} ${old})
write_results(new.json sorted 0.9 1.0 1.1 2)
expect(1 "more than one result: REGRESSION" bench --compare ${old} ${new})
write_results(old.json atomic 0.9 1.0 1.1 1)
write_results(new.json atomic 0.9 1.0 1.1 7)
expect(0 "1 with more than one result" bench --compare ${old} ${new})
write_results(old.json pytorch 0.9 1.0 1.1 1)
write_results(new.json pytorch 4 5 6 1)
expect(0 "slower\n" bench --compare ${old} ${new})
expect(0 "4 within the noise" bench --compare ${results} ${results})
expect(2 "no benchmark in common" bench --compare ${old} ${results})

file(WRITE ${DIRECTORY}/broken.json "{\"format\": ")
file(WRITE ${DIRECTORY}/foreign.json "{\"context\": {}, \"benchmarks\": []}")
file(WRITE ${DIRECTORY}/list.json "[1, 2]")
file(WRITE ${DIRECTORY}/odd.json "{\"format\": 7, \"version\": \"x\"}")
file(WRITE ${DIRECTORY}/late.json "{\"format\": \"ordo bench\", \"version\": 99, \"results\": []}")
file(WRITE ${DIRECTORY}/torn.json "{\"format\": \"ordo bench\", \"version\": 1, \"results\": [{\"name\": \"x\", \"path\": \"y\", \"ms\": 3}]}")
expect(2 "no such file" bench --compare ${old} ${DIRECTORY}/absent.json)
expect(2 "is not JSON" bench --compare ${DIRECTORY}/broken.json ${old})
foreach(file foreign list odd late torn)
  expect(2 "was not written by" bench --compare ${DIRECTORY}/${file}.json ${old})
endforeach()
expect(2 "compare" bench --compare ${old})
expect(2 "excludes" bench --quick --compare ${old} ${new})
expect(2 "matches no benchmark" bench --filter no_such_operation)
expect(2 "no regular expression" bench --filter "(")
expect(2 "no device cuda:99" bench --device cuda:99)
expect(2 "tpu.*is not a device" bench --device tpu)
expect(2 "cannot be opened" bench --json ${DIRECTORY}/absent/out.json)
expect(2 "no such file" bench --grid ${DIRECTORY}/absent.json)
expect(2 "not a table" bench --grid ${DIRECTORY}/foreign.json)
expect(2 "not a table" bench --grid ${DIRECTORY}/broken.json)
expect(2 "repeats" bench --repeats 0)
expect(2 "seconds" bench --seconds soon)

# A peer that throws in its deterministic mode, one that ends, and one that talks nonsense.
function(write_peer name answers)
  file(WRITE ${DIRECTORY}/${name} "#!/bin/sh\n[ \"$1\" != -B ] && exit 1\necho '{\"version\": \"Peer 1\"}'\n${answers}\n")
  file(CHMOD ${DIRECTORY}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  set(ENV{ORDO_PYTHON} ${DIRECTORY}/${name})
endfunction()
set(options bench --quick --repeats 1 --rounds 1 --device cpu --filter "^bincount/" --json ${DIRECTORY}/peer.json)
write_peer(throws "while read question; do case $question in
  *deterministic*) echo '{\"error\": \"bincount has no deterministic implementation\"}' ;;
  *) echo '{\"ms\": [1, 4, 2], \"patterns\": [\"a\", \"b\"], \"compared\": 3, \"max_ulp\": null}' ;; esac; done")
expect(0 "2.000 +throws\n" ${options})
file(READ ${DIRECTORY}/peer.json json)
string(JSON version GET "${json}" peers cpu)
string(JSON patterns GET "${json}" results 4 patterns distinct)
string(JSON error GET "${json}" results 5 error)
if(NOT version STREQUAL "Peer 1" OR NOT patterns EQUAL 2 OR NOT error MATCHES "no deterministic")
  message(SEND_ERROR "${version}, ${patterns} patterns, ${error}")
endif()
write_peer(ends "exit 0")
expect(0 "ended +ended\n" ${options})
write_peer(babbles "while read question; do echo hello; done")
expect(0 "ended +ended\n" ${options})

# A peer that cannot start is left out with a note.
set(ENV{ORDO_PYTHON} ${DIRECTORY}/no-python)
expect(0 "no peer on cpu: no PyTorch here" bench --quick --repeats 1 --rounds 1 --device cpu --filter "^bincount/")
unset(ENV{ORDO_PYTHON})

# A run that was ended goes on where it was.
set(part ${DIRECTORY}/part.json)
set(options bench --quick --no-peers --repeats 1 --rounds 1 --device cpu --json ${part})
expect(0 "bincount" ${options} --filter "^bincount/")
expect(0 "sum-rows" ${options} --filter "^(bincount|sum-rows)/" --resume)
if(output MATCHES "bincount +[0-9]")
  message(SEND_ERROR "measured again:\n${output}")
endif()
file(READ ${part} json)
string(JSON count LENGTH "${json}" results)
if(NOT count EQUAL 6)
  message(SEND_ERROR "${count} results, not the 4 of bincount and the 2 of sum-rows")
endif()
expect(2 "cannot be resumed: its machine" bench --resume --quick --device cpu --json ${old})
expect(2 "json" bench --quick --resume)
