"""Writes the files of torch_file_test.cpp with PyTorch, and what they hold with safetensors: make_torch_files.py FOLDER"""
import pathlib
import sys
import zipfile

import torch
from safetensors.torch import save_file

folder = pathlib.Path(sys.argv[1])
torch.manual_seed(0)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(3, 4)
        self.second = torch.nn.Linear(4, 3)
        self.norm = torch.nn.BatchNorm1d(4)
        self.second.weight = torch.nn.Parameter(self.first.weight.detach().t())  # another view of its storage


def tensors_of(value, name=""):
    """What load_torch() gives for it."""
    if isinstance(value, torch.Tensor):
        return {name: value.detach().contiguous().clone()}
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else []
    return {k: t for key, part in items for k, t in tensors_of(part, f"{name}.{key}" if name else str(key)).items()}


def write(name, value, **options):
    torch.save(value, folder / f"{name}.pt", **options)
    save_file(tensors_of(value), folder / f"{name}.safetensors")


model = Model()
whole = torch.arange(24).reshape(4, 6)
write("state", model.state_dict())
write("dtypes", {str(d)[6:]: whole.to(d) for d in (torch.float32, torch.float64, torch.float16, torch.bfloat16,
                                                   torch.int64, torch.int32, torch.uint8, torch.bool)})
write("views", {"whole": whole, "column": whole[:, 2], "part": whole[1:3, 1:5:2], "turned": whole.t(), "same": whole,
                "one": whole[3, 5], "none": whole[:0], "empty": torch.zeros(2, 0, 3)})
optimizer = torch.optim.Adam([{"params": model.first.parameters()}, {"params": model.second.parameters(), "lr": 0.1}])
model.second(model.norm(model.first(torch.ones(2, 3)))).sum().backward()
optimizer.step()
write("run", {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "big": -(1 << 40),
              "loss": 0.5, "name": "the first", "best": None, "done": False, "sizes": torch.Size([2, 3]),
              "device": torch.device("cpu"), "list": [whole[0], (whole[1], torch.nn.Parameter(torch.ones(2)))]})
with zipfile.ZipFile(folder / "packed.pt", "w") as file:
    file.writestr(zipfile.ZipInfo("a/data.pkl"), b"N." * 100, zipfile.ZIP_DEFLATED)
write("protocol4", {"a": whole, "b": {"c": torch.ones(2)}}, pickle_protocol=4)
