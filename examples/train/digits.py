#!/usr/bin/env python3
"""Trains the network of `train digits` in PyTorch, with the kernels that the C program compiles. Their bits are the same."""

import argparse
import pathlib

import numpy
import torch
from torch import nn

import actgen
import actgen.torch


class SwiGLU(nn.Module):
    """Two linear layers and a gate between them."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.before, self.after = nn.Linear(inputs, 2 * hidden), nn.Linear(hidden, outputs)
        self.gate = actgen.torch.as_torch(actgen.compile("swiglu", profile="portable-nofma"))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns the results [rows, outputs] for x [rows, inputs]."""
        gate, up = self.before(x).chunk(2, dim=-1)
        return self.after(self.gate(gate, up))


def right(network: nn.Module, x: torch.Tensor, digits: torch.Tensor) -> float:
    """Returns the percentage of rows whose largest output is the right digit."""
    with torch.no_grad():
        return 100 * (network(x).argmax(1) == digits).float().mean().item()


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--epochs", type=int, default=30)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
torch.manual_seed(options.seed)

folder = pathlib.Path(__file__).parents[1] / "data"
x = torch.from_numpy(numpy.load(folder / "digits.npy").reshape(-1, 64)).float() / 16
digits = torch.from_numpy(numpy.load(folder / "digits_labels.npy")).long()
unseen = torch.arange(len(x)) % 5 == 4
target = nn.functional.one_hot(digits, 10).float()

network = SwiGLU(64, 64, 10)
adam = torch.optim.Adam(network.parameters(), lr=0.001)
seen = (~unseen).nonzero().squeeze(1)
for epoch in range(1, options.epochs + 1):
    losses = []
    for batch in seen[torch.randperm(len(seen))].split(32):
        loss = nn.functional.mse_loss(network(x[batch]), target[batch])
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item() * len(batch))
    if epoch in (1, 10, 100, options.epochs):
        print(f"digits   swiglu           epoch {epoch:5}  loss {sum(losses) / len(seen):.9g}")
print(
    f"digits   swiglu           right: {right(network, x[seen], digits[seen]):.2f} % of {len(seen)} seen, "
    f"{right(network, x[unseen], digits[unseen]):.2f} % of {int(unseen.sum())} unseen"
)
