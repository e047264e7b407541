# A machine for bench/gpu.sh: docker build -f bench/gpu.Dockerfile -t ordo-gpu . && docker run --gpus all -it ordo-gpu
# BASE is any of NVIDIA's development images with cuDNN on Ubuntu 24.04 or Debian 12.
ARG BASE=nvidia/cuda:13.0.1-cudnn-devel-ubuntu24.04
FROM ${BASE}
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      g++ cmake ninja-build libeigen3-dev libfmt-dev libhwy-dev nlohmann-json3-dev libdlpack-dev zlib1g-dev \
      libpng-dev libjpeg-dev libzip-dev libpcre2-dev libutf8proc-dev python3 libcli11-dev libgtest-dev libbenchmark-dev \
      libopenmpi-dev openmpi-bin \
    && rm -rf /var/lib/apt/lists/*
COPY . /ordo
WORKDIR /ordo
CMD ["bash", "-c", "until bench/gpu.sh; do [ $? = 10 ] || break; done"]
