// All of Ordo's public interface.
#pragma once

#include <ordo/autograd/autograd.h>
#include <ordo/engine/determinism.h>
#include <ordo/engine/device.h>
#include <ordo/engine/dtype.h>
#include <ordo/engine/error.h>
#include <ordo/engine/generator.h>
#include <ordo/engine/memory.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/parallel.h>
#include <ordo/engine/tensor.h>
