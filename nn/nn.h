// All of nn: modules, losses, initialisers, optimisers, data.
#pragma once

#include <ordo/nn/activations.h>
#include <ordo/nn/batch_norm2d.h>
#include <ordo/nn/checksum.h>
#include <ordo/nn/conv2d.h>
#include <ordo/nn/data/cifar10.h>
#include <ordo/nn/data/data_loader.h>
#include <ordo/nn/data/dataset.h>
#include <ordo/nn/data/mnist.h>
#include <ordo/nn/data/synthetic.h>
#include <ordo/nn/dropout.h>
#include <ordo/nn/embedding.h>
#include <ordo/nn/embedding_bag.h>
#include <ordo/nn/flatten.h>
#include <ordo/nn/init.h>
#include <ordo/nn/linear.h>
#include <ordo/nn/losses.h>
#include <ordo/nn/module.h>
#include <ordo/nn/module_list.h>
#include <ordo/nn/optim/adam.h>
#include <ordo/nn/optim/optimizer.h>
#include <ordo/nn/optim/sgd.h>
#include <ordo/nn/parameter.h>
#include <ordo/nn/pooling.h>
#include <ordo/nn/recurrent.h>
#include <ordo/nn/sequential.h>
