"""What a fault is: in `file`, `before` (which occurs exactly once) becomes `after`."""

# Tests that are tried first, by the beginning of the file's path. The others run when none of these fails.
FIRST = {
    "cmake/": "*Registry*",
    "kernels/accumulate/exact": "*Exact*",
    "kernels/ordering/": "*Rule1*:*OrderedSum*:*Accumulate*",
    "kernels/accumulate/sorted/": "*Rule1*:*index_add*:*scatter_add*:*bincount*:*Accumulate*:*embedding*",
    "kernels/accumulate/": "*index_add*:*scatter_add*:*bincount*:*Accumulate*:*embedding*",
    "kernels/reduce/": "*/sum:*/mean:*/amax:*/argmin:*/var:*/max:*/norm:*batch_norm*",
    "kernels/matmul/": "*/matmul:*/bmm:*/linear:*Matmul*",
    "kernels/copy/": "*/contiguous:*/clone:*/copy_:*/permute:*/transpose:*Copy*",
    "kernels/softmax/": "*softmax*",
    "kernels/bincount/": "*bincount*:*Bincount*",
    "kernels/pooling/": "*pool2d*:*Pool*",
    "kernels/embedding_bag/": "*embedding_bag*:*EmbeddingBag*:IndexPlan*",
    "kernels/convolution/": "*conv*:*Conv*",
    "kernels/random/": "*/rand:*/randn:*/uniform_:*/dropout:*Random*",
    "engine/memory": "Memory*:*Cuda*",
    "engine/create": "UninitializedMemory*:Determinism*",
    "engine/determinism": "Determinism*:UninitializedMemory*",
    "engine/generator": "Generator*:Random*:DataLoader*",
    "engine/randomness": "SeedEverything*",
    "engine/index_check": "IndexCheck*:BadInput*",
    "engine/dtype": "DType*:Promotion*",
    "engine/parallel": "Parallel*:Threads*",
    "engine/philox": "Philox*",
    "engine/files": "SpecialFiles*:TraceFile*",
    "engine/half": "Half*:BFloat16*",
    "engine/print": "Tensor*",
    "nn/optim/": "SGD*:Adam*:RMSprop*:Adagrad*:Optimizers*:Schedule*:Plateau*:ClipGrad*:EMA*",
    "nn/train/": "Trainer*:*TrainerForgets*:Metrics*:Kill*",
    "nn/state/": "Checkpoint*:Safetensors*:Npy*:Resume*:SpecialFiles*:Mnist*",
    "autograd/ops/": "*Gradient*",
    "nn/init": "Init*:Layers*:Module*",
    "nn/checksum": "Sha256*",
    "nn/data/": "DataLoader*:Workers*:Samplers*:Transforms*:Subsets*:Csv*:Text*:Image*:Cifar10*:Mnist*:Synthetic*:Normalize*",
    "nn/": "Layers*:Module*:Training*:MultiheadAttention*:Transformer*:Autocast*:GradScaler*",
    "engine/cuda/": "*Cuda*:*Simt*:*Streams*:*Stream*:*IndexCheck*:*Tensor*",
}


def fault(name, file, before, after):
    first = next((tests for path, tests in FIRST.items() if file.startswith(path)), "*")
    return {"name": name, "file": file, "before": before, "after": after, "first": first}
