"""Trains a small model with the project's operators in PyTorch, and exports it both ways.

    python train.py FOLDER

Run by `run.py` in an environment that has PyTorch. It leaves in FOLDER: dynamo.onnx, legacy.onnx,
input.npy, eager.npy (what PyTorch computes).
"""

from __future__ import annotations

import sys
from pathlib import Path

import contoso_npu_torch as ops
import numpy as np
import torch
from contoso_npu_torch.export import export

STEPS = 300


class Regressor(torch.nn.Module):
    """Two linear layers with a gate between them, and a clip at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.value = torch.nn.Linear(4, 16)
        self.gate = torch.nn.Linear(4, 16)
        self.bias = torch.nn.Parameter(torch.zeros(16))
        self.last = torch.nn.Linear(16, 1)
        self.gated = ops.GatedUnit(slope=2.0)
        self.without_bias = ops.GatedUnit()
        self.clip = ops.Clip(lo=-2.0, hi=2.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.gated(self.value(x), self.gate(x), self.bias)
        hidden = self.without_bias(hidden, hidden)  # the optional input is left out
        return self.clip(self.last(hidden))


def train(model: Regressor) -> tuple[float, float]:
    """Fits a smooth function. Returns the loss before and after."""
    x = torch.rand(256, 4) * 2 - 1
    wanted = torch.sin(2 * x[:, :1]) * x[:, 1:2] + 0.5 * x[:, 2:3]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), wanted)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses[0], losses[-1]


def main(folder: Path) -> int:
    """Trains, exports, and writes down what PyTorch computes."""
    torch.manual_seed(0)
    model = Regressor()
    before, after = train(model)
    print(f"PyTorch: loss {before:.3f} -> {after:.4f} in {STEPS} steps")
    if not after < before / 10:
        print("the model has learned nothing: are the gradients right?", file=sys.stderr)
        return 1
    model.eval()
    x = torch.rand(5, 4) * 2 - 1
    for exporter in ("dynamo", "legacy"):
        export(
            model,
            (x,),
            folder / f"{exporter}.onnx",
            exporter=exporter,
            input_names=["x"],
            output_names=["y"],
            dynamic={"x": {0: "batch"}},
        )
    np.save(folder / "input.npy", x.numpy())
    with torch.no_grad():
        np.save(folder / "eager.npy", model(x).numpy())
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
