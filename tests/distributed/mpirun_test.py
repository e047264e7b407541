#!/usr/bin/env python3
"""Trainings under mpirun: mpirun_test.py TEST MPI SAMPLES PLUGINS FOLDER

TEST is one of the functions below, MPI is openmpi or mpich, SAMPLES the folder of samples' programs, PLUGINS that of
Ordo's libraries. ORDO_TEST_STEPS is the number of steps of a training. Exit status 77, which is "skipped", where this MPI or Ordo's part for it is not here.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import uuid

test, mpi, samples, plugins, folder = sys.argv[1:6]
train = f"{samples}/train"
mpirun = shutil.which(f"mpirun.{mpi}") or shutil.which("mpirun")
WORLDS = [1, 2, 3, 4, 5, 8]
STEPS = int(os.environ.get("ORDO_TEST_STEPS", "30"))


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def is_of_this_mpi():
    text = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout
    return ("Open MPI" in text or "open-mpi" in text) == (mpi == "openmpi")


if not os.path.exists(f"{plugins}/libordo_{mpi}.so"):
    skip(f"Ordo was built without {mpi}")
if not mpirun or not is_of_this_mpi():
    skip(f"there is no mpirun of {mpi}")

ENVIRONMENT = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                   ORDO_DISTRIBUTED_TIMEOUT="30")
TRANSFORMER = ["transformer", "--rows", "640", "--test-rows", "32", "--batch", "32", "--width", "0.25"]
RESNET = ["resnet18", "--rows", "64", "--test-rows", "8", "--batch", "16", "--width", "0.125"]  # on drawn CIFAR-10
DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "nn", "models", "data")
LOW_RANK = [f"{DATA}/gpt2", "--text", f"{DATA}/tokens.npy", "--lora", "2", "--rows", "64", "--test-rows", "16", "--batch",
            "16"]  # most parameters are frozen
CIFAR = [f"{samples}/cifar10", "--rows", "640"]


def arguments(model, steps, level="device_to_device"):
    return [train, *model, "--steps", str(steps), "--quiet", "--level", level]


def in_eighths(model):
    """What mpirun makes of a batch."""
    return ["--shard-rows", str(int(model[model.index("--batch") + 1]) // 8)]


def finished(command, seconds=120, environment=None):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False,
                              env={**ENVIRONMENT, **(environment or {})})
    except subprocess.TimeoutExpired as error:
        for text in (error.stdout, error.stderr):
            print((text or b"").decode(errors="replace"))
        raise


def run(ranks, command, seconds=120, environment=None):
    return finished(([mpirun, "-n", str(ranks)] if ranks else []) + command, seconds, environment)


def weights(ranks, command, environment=None):
    done = run(ranks, command, environment=environment)
    lines = [line for line in done.stdout.splitlines() if "weights" in line]
    assert done.returncode == 0 and len(lines) == 1, f"{ranks} ranks: {done.returncode}\n{done.stdout}{done.stderr}"
    return lines[0].split()[-1]


def files_of(path):
    return {name: open(f"{path}/{name}", "rb").read() for name in sorted(os.listdir(path))}


def fresh(name):
    path = f"{folder}/{mpi}/{test}/{name}"
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def same_weights():
    for model in (TRANSFORMER, RESNET, LOW_RANK):
        command = arguments(model, STEPS)
        alone = weights(0, command + in_eighths(model))
        of = {ranks: weights(ranks, command) for ranks in WORLDS}
        print(model[0], alone, of)
        assert set(of.values()) == {alone}
        assert weights(2, command + ["--shard-optimizer"]) == alone
        assert weights(0, command) != alone, "one shard is another program"


def any_parts():
    """A step of 32 rows has the same bits whole, in four batches, in seven uneven ones, in any number of processes."""
    of = {}
    for batch, accumulate in ((32, 1), (8, 4), (5, 7)):
        command = [train, "transformer", "--rows", "32", "--test-rows", "32", "--batch", str(batch), "--accumulate",
                   str(accumulate), "--width", "0.25", "--steps", "5", "--shard-rows", "4", "--quiet", "--level",
                   "run_to_run"]
        of.update({(batch, ranks): weights(ranks, command) for ranks in (0, 1, 2, 3, 8)})
    print(of)
    assert len(set(of.values())) == 1


def own_loop():
    """A loop of one's own has the same weights in any number of processes."""
    own = [f"{samples}/own_loop"]
    alone = weights(0, own)
    of = {ranks: weights(ranks, own) for ranks in WORLDS}
    print(alone, of)
    assert set(of.values()) == {alone}


def tensor_parallel():
    """Layers in 1, 2, 4 and 8 processes, batches in others: the weights of one process."""
    own = f"{samples}/tensor_parallel"
    alone = weights(0, [own])
    of = {(ranks, share): weights(ranks, [own, str(share)])
          for ranks, share in ((1, 1), (2, 1), (2, 2), (4, 1), (4, 2), (4, 4), (6, 2), (8, 8))}
    print(alone, of)
    assert set(of.values()) == {alone}
    wrong = run(3, [own, "2"])
    assert wrong.returncode != 0 and "must be a multiple" in wrong.stderr, wrong.stderr


def check_ranks():
    """`ordo check --ranks` compares the parameters after each step."""
    base = [f"{samples}/ordo", "check", "--no-fill", "--ranks"]
    done = run(0, base + ["1,2,3", "--"] + arguments(TRANSFORMER, 4))
    print(done.stdout, done.stderr)
    assert done.returncode == 0 and re.search(r"processes +3  equal, 4 events", done.stdout)
    done = run(0, base + ["1,2,3,5", "--"] + arguments(TRANSFORMER, STEPS, "not_guaranteed"))
    print(done.stdout, done.stderr)
    assert done.returncode == 1 and re.search(r"processes +4  [1-3] different", done.stdout)


def cifar10():
    """The sample knows nothing of processes: all that it prints is the same, and its checkpoints are."""
    def output(ranks, steps, path):
        done = run(ranks, CIFAR + ["--steps", str(steps), "--folder", path])
        assert done.returncode == 0 and "accuracy" in done.stdout, done.stdout + done.stderr
        return done.stdout, files_of(path)[f"step-{steps:012}.safetensors"]
    alone = output(0, STEPS, fresh("alone"))
    print(alone[0])
    for ranks in WORLDS:
        assert output(ranks, STEPS, fresh(str(ranks))) == alone, f"{ranks} ranks"
    for ranks, steps in ((8, STEPS // 3), (3, 2 * STEPS // 3), (5, STEPS)):
        last = output(ranks, steps, fresh("run") if ranks == 8 else f"{folder}/{mpi}/{test}/run")
    assert last == alone, "8, 3 and 5 ranks, resumed"


STAND_IN = f"{plugins}/libordo_nccl_stand_in.so"
DEVICES_JOB = [f"{samples}/ordo_devices_job"]


def by_stand_in(*does):
    """The emulated devices' NCCL, which does as told."""
    return {"ORDO_NCCL": STAND_IN, "ORDO_NCCL_STAND_IN": ",".join(does)}


def emulated_devices():
    """Trainings on emulated devices, connected by the stand-in for NCCL and by the host, have the CPU's weights."""
    for model in (["resnet18", "--rows", "32", "--test-rows", "8", "--batch", "16", "--width", "0.0625"],
                  ["transformer", "--rows", "64", "--test-rows", "8", "--batch", "16", "--width", "0.125"]):
        command = arguments(model, 2)
        alone = weights(0, command + in_eighths(model))
        on_device = command + ["--device", "cuda"]
        of = {ranks: weights(ranks, on_device, by_stand_in()) for ranks in (2, 3, 5)}
        host = {ranks: weights(ranks, on_device, {"ORDO_NCCL": "OFF"}) for ranks in (3,)}
        print(model[0], alone, of, host)
        assert set(of.values()) == set(host.values()) == {alone}


def devices_by_nccl():
    """CUDA tensors by NCCL have the bits of CPU tensors by MPI, and are not copied to the host."""
    for ranks in (1, 2, 3, 4):
        done = run(ranks, DEVICES_JOB + ["nccl"], environment=by_stand_in())
        print(ranks, done.returncode, done.stdout.strip(), done.stderr)
        assert done.returncode == 0 and re.search(r"\d{3,} results have the same bytes", done.stdout)
        assert "[ordo]" not in done.stderr and "stand-in" not in done.stderr
    for ranks, of_machine in ((4, 2), (6, 3), (6, 2)):
        done = run(ranks, DEVICES_JOB + ["nccl", str(of_machine)], environment=by_stand_in())
        assert done.returncode == 0 and "results have the same bytes" in done.stdout, done.stdout + done.stderr
    done = run(3, DEVICES_JOB + ["host"], environment={"ORDO_NCCL": "OFF"})
    assert done.returncode == 0, done.stdout + done.stderr
    # Another order of the emulator's streams.
    for how in ({"ORDO_EMULATOR_ORDER": "reverse"}, {"ORDO_EMULATOR_EAGER": "1"}, {"ORDO_EMULATOR_SEED": "7"}):
        done = run(3, DEVICES_JOB + ["nccl"], environment={**by_stand_in(), **how})
        assert done.returncode == 0, f"{how}\n{done.stdout}{done.stderr}"
    # A training: buckets of gradients, on a thread of their own.
    command = arguments(["resnet18", "--rows", "16", "--test-rows", "8", "--batch", "8", "--width", "0.0625"], 2, "not_guaranteed")
    loose = [weights(3, command + ["--device", "cuda"], how) for how in (by_stand_in(), {"ORDO_NCCL": "OFF"})]
    print(loose)
    assert loose[0] != loose[1], "the library's order does not show"


def nccl_that_fails():
    """What keeps processes from NCCL at the beginning: the host's memory, said once. Later: the end, with the cause."""
    def through_host(why, environment, ranks=3):
        done = run(ranks, DEVICES_JOB + ["host"], environment=environment)
        print(done.stderr)
        assert done.returncode == 0 and "results have the same bytes" in done.stdout, done.stdout + done.stderr
        assert why in done.stderr and done.stderr.count("[ordo]") == 1, done.stderr

    def ends(why, environment, ranks=3):
        began = time.time()
        done = run(ranks, DEVICES_JOB + ["nccl"], environment=environment)
        print(f"{time.time() - began:.1f} seconds\n{done.stderr}")
        assert done.returncode != 0 and re.search(why, done.stderr), done.stderr
        assert "results have the same bytes" not in done.stdout

    host = "CUDA tensors travel by way of the host's memory: "
    through_host(host + "ranks 0 and 1 use the same GPU, GPU-39300000-0000-0000-0000-000000000000",
                 {**by_stand_in(), "ORDO_EMULATOR_UUID": "12345"})
    through_host(host + "ncclGetUniqueId: unhandled system error (no unique id", by_stand_in("unique_id=1"))
    through_host(host + "rank 1: ncclCommInitRank: internal error (ncclCommInitRank fails", by_stand_in("init=1"))
    # NCCL before 2.14, which begins in one call.
    done = run(2, DEVICES_JOB + ["nccl"], environment=by_stand_in("version=21300"))
    assert done.returncode == 0 and "stand-in" not in done.stderr, done.stdout + done.stderr
    ends(r"waited 3 seconds for NCCL in its beginning: another rank hangs, or has ended",
         {**by_stand_in("init_silence=1"), "ORDO_DISTRIBUTED_TIMEOUT": "3"})
    job = [mpirun, "-n", "1", "env", "ORDO_NCCL_STAND_IN=version=22001", *DEVICES_JOB, "host", ":", "-n", "2",
           *DEVICES_JOB, "host"]
    done = subprocess.run(job, capture_output=True, text=True, timeout=120, check=False,
                          env={**ENVIRONMENT, "ORDO_NCCL": STAND_IN})
    assert done.returncode == 0 and host + "rank 0 has NCCL 2.20.1, but rank 1 has 2.27.3" in done.stderr, done.stderr

    ends(r"ORDO_NCCL: /nowhere/libnccl.so.2 cannot be opened: ", {"ORDO_NCCL": "/nowhere/libnccl.so.2"})
    ends(r"ORDO_NCCL: .* has no function nccl", {"ORDO_NCCL": f"{plugins}/libordo.so"})
    ends(r"is NCCL 2\.4\.8; Ordo needs 2\.7 or a later 2", by_stand_in("version=2408"))
    # In the third group of messages.
    ends(r"rank 1 of 3: NCCL: [\w ]+: unhandled cuda error \(as ORDO_NCCL_STAND_IN asks\)|"
         r"rank [02] of 3: NCCL: [\w ]+: remote process exited or there was a network error \(rank [012] has gone\)",
         by_stand_in("error=1:3"))
    ends(r"NCCL: [\w ]+: unhandled system error \(a rank does not come\)", by_stand_in("silence=1:4", "patience=2"))
    ends(r"waited 3 seconds for NCCL in broadcast number \d+: another rank hangs, or has ended",
         {**by_stand_in("silence=1:4"), "ORDO_DISTRIBUTED_TIMEOUT": "3"})


# Algorithms of MPI_Allreduce. Open MPI's recursive doubling, ring, segmented ring and Rabenseifner's; MPICH's recursive
# doubling, and two of those that it has for reductions in the background.
FORCED = {"openmpi": [{"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_allreduce_algorithm": number}
                      for number in ("3", "4", "5", "6")],
          "mpich": [{"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "recursive_doubling"},
                    *({"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "nb", "MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM": name}
                      for name in ("tsp_ring", "tsp_tree"))]}[mpi]


def not_guaranteed():
    """The library's reductions depend on the number of processes, and on the algorithm; the tree does not."""
    command = arguments(TRANSFORMER, STEPS, "not_guaranteed")
    of = {ranks: weights(ranks, command) for ranks in (1, 2, 3, 5)}
    print(of)
    assert len(set(of.values())) > 1, "the order of sums does not show"
    forced = [weights(5, command, how) for how in FORCED]
    print(forced)
    assert len(set(forced)) > 1, "the algorithm does not show"
    for level in ("run_to_run", "device_to_device"):
        command = arguments(TRANSFORMER, STEPS, level)
        alone = weights(0, command + in_eighths(TRANSFORMER))
        forced = [weights(5, command, how) for how in FORCED]
        print(level, alone, forced)
        assert set(forced) == {alone}


def does_not_fit():
    # Processes of one job that differ in a level, in what they train, and in the MPI that started them.
    base = arguments(TRANSFORMER, 3)
    job = [mpirun, "-n", "2", *base, ":", "-n", "1", "env", "ORDO_DETERMINISM=device_to_device", *base]
    done = finished(job)
    print(done.stderr)
    assert done.returncode != 0
    assert "has 'level not_guaranteed', but rank 2 has 'level device_to_device'" in done.stderr
    assert done.stderr.count("[ordo]") == 1, "one message"
    job = [mpirun, "-n", "2", *base, ":", "-n", "1", *base, "--seed", "7"]
    done = finished(job)
    print(done.stderr)
    assert done.returncode != 0 and "has 'seed 1', but rank 2 has 'seed 7'" in done.stderr
    done = run(9, base)
    assert done.returncode != 0 and "9 processes cannot share 8 shards" in done.stderr
    assert done.stderr.count("[ordo]") == 1, "one message, though all ranks fail"


def start(ranks, command):
    """A job in a session of its own, and its processes by rank."""
    mark = str(uuid.uuid4())
    job = subprocess.Popen([mpirun, "-n", str(ranks), *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, env={**ENVIRONMENT, "ORDO_TEST_JOB": mark}, start_new_session=True)
    variable = "OMPI_COMM_WORLD_RANK=" if mpi == "openmpi" else "PMI_RANK="

    def processes():
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                texts = open(f"/proc/{pid}/environ", "rb").read().decode(errors="replace").split("\0")
            except OSError:
                continue
            ranks_of = [t for t in texts if t.startswith(variable)]
            if f"ORDO_TEST_JOB={mark}" in texts and ranks_of:
                found[int(ranks_of[0].split("=")[1])] = int(pid)
        return found

    return job, processes


def kills(count=None):
    count = count or int(os.environ.get("ORDO_TEST_KILLS", "6"))
    chance = random.Random(int(os.environ.get("ORDO_TEST_SEED", "1")))
    command = arguments(TRANSFORMER, 60)
    whole = fresh("whole")
    began = time.time()
    expected = weights(2, command + ["--folder", whole])
    usual = time.time() - began
    run_folder, killed, longest, trainings = fresh("run"), 0, 0.0, 0
    while killed < count:
        ranks = chance.choice([2, 3, 4])
        job, processes = start(ranks, command + ["--folder", run_folder, "--resume", "--save-every", "5"])
        time.sleep(chance.uniform(0.1, 0.1 + usual))
        victims = processes()
        if job.poll() is None and victims:
            victim = chance.choice(sorted(victims))
            try:
                os.kill(victims[victim], signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                pass
        began = time.time()
        out, err = job.communicate(timeout=60)
        longest = max(longest, time.time() - began)
        assert not any(".tmp" in name for name in os.listdir(run_folder)) or job.returncode != 0
        if job.returncode == 0:
            line = [text for text in out.splitlines() if "weights" in text]
            assert line and line[0].split()[-1] == expected, out + err
            run_folder, trainings = fresh("run"), trainings + 1
    out = run(3, command + ["--folder", run_folder, "--resume"]).stdout
    assert out.split()[-1] == expected
    print(f"{killed} kills, {trainings + 1} trainings, all with the weights {expected}; "
          f"the others ended within {longest:.1f} seconds")


def hangs():
    job, processes = start(3, arguments(TRANSFORMER, 100000))
    job_environment = processes
    began = time.time()
    while len(job_environment()) < 3 and time.time() - began < 20:
        time.sleep(0.1)
    time.sleep(2)
    stopped = processes()[1]
    os.kill(stopped, signal.SIGSTOP)
    began = time.time()
    try:
        _, err = job.communicate(timeout=90)
    finally:
        try:
            os.kill(stopped, signal.SIGKILL)
        except ProcessLookupError:
            pass
    print(f"{time.time() - began:.1f} seconds\n{err}")
    assert job.returncode != 0
    # Another may wait for one that waits for rank 1, and say so first.
    assert re.search(r"waited 5 seconds for rank (2, )?1(, 2)? in", err), err


TESTS = f"{samples}/ordo_tests"


def threads():
    for job, ranks in (("init_in_threads", 2), ("groups_of_threads", 4)):
        done = run(ranks, [TESTS, "job", job], 60)
        assert done.returncode == 0, f"{job}: {done.returncode}\n{done.stdout}{done.stderr}"


def init_is_missing():
    began = time.time()
    done = run(3, [TESTS, "job", "init_is_missing"], 40, {"ORDO_DISTRIBUTED_TIMEOUT": "3"})
    print(f"{time.time() - began:.1f} seconds\n{done.stderr}")
    assert done.returncode != 0
    assert "rank 0 of 3: waited 3 seconds in distributed::init for the others" in done.stderr


def two_hosts():
    """Two network namespaces with names of their own, joined by a veth pair, and two ranks in each."""
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("unshare"):
        skip("network namespaces need root, ip and unshare")
    tag = f"ordo{os.getpid()}"
    spaces, addresses = [f"{tag}a", f"{tag}b"], ["10.77.0.1", "10.77.0.2"]
    made = []

    def ip(*words):
        return subprocess.run(["ip", *words], capture_output=True, text=True, check=False)

    def inside(space, command):
        return ["ip", "netns", "exec", space, "unshare", "--uts", "sh", "-c", f"hostname {space}; exec {command}"]

    try:
        for space in spaces:
            done = ip("netns", "add", space)
            if done.returncode != 0:
                skip(f"no network namespaces here: {done.stderr.strip()}")
            made.append(space)
        done = ip("link", "add", "ordo0", "netns", spaces[0], "type", "veth", "peer", "name", "ordo0", "netns", spaces[1])
        if done.returncode != 0:
            skip(f"no veth pair here: {done.stderr.strip()}")
        for space, address in zip(spaces, addresses):
            ip("-n", space, "addr", "add", f"{address}/24", "dev", "ordo0")
            ip("-n", space, "link", "set", "ordo0", "up")
            ip("-n", space, "link", "set", "lo", "up")
        for space in spaces:  # the kernel takes a moment to see that the other end is up, and MPICH takes no other device
            while ip("netns", "exec", space, "cat", "/sys/class/net/ordo0/operstate").stdout.strip() != "up":
                time.sleep(0.02)
        agent = f"{fresh('agent')}/agent"  # what ssh would be: HOST COMMAND...
        with open(agent, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n"
                    "while [ \"${1#-}\" != \"$1\" ]; do shift; done\n"
                    "shift\n"
                    f"exec ip netns exec {spaces[1]} unshare --uts sh -c 'hostname {spaces[1]}; exec sh -c \"$*\"' sh \"$@\"\n")
        os.chmod(agent, 0o755)
        network = "10.77.0.0/24"
        hosts = ",".join(f"{a}:2" for a in addresses)
        if mpi == "openmpi":
            options = (f"--host {hosts} --mca plm_rsh_agent {agent} --mca btl tcp,self "
                       f"--mca btl_tcp_if_include {network} --mca oob_tcp_if_include {network}")
        else:
            options = (f"-hosts {hosts} -localhost {addresses[0]} -iface ordo0 -launcher ssh -launcher-exec {agent} "
                       "-genv UCX_TLS tcp,self -genv UCX_NET_DEVICES ordo0")
        launch = f"{mpirun} -n 4 {options}"
        command = arguments(TRANSFORMER, 20)
        alone = weights(0, command + in_eighths(TRANSFORMER))
        done = finished(inside(spaces[0], " ".join([launch, *command])))
        crossed = int(subprocess.run(["ip", "netns", "exec", spaces[0], "cat", "/sys/class/net/ordo0/statistics/tx_bytes"],
                                     capture_output=True, text=True, check=True).stdout)
        print(done.stdout, done.stderr, f"{crossed} bytes from one host to the other")
        assert done.returncode == 0 and done.stdout.split()[-1] == alone
        assert crossed > 20 * 4 * 7000, "the ranks have not used the network"
    finally:
        for space in made:
            ip("netns", "del", space)


ENVIRONMENT["ORDO_DISTRIBUTED_TIMEOUT"] = "5" if test == "hangs" else "60"
globals()[test]()
