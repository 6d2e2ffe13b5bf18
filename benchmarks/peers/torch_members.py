"""The training step in PyTorch: one member with modules, or a stack of them in batched tensors."""

from __future__ import annotations

import case as shared
import torch
from case import Case, Weights
from torch import Tensor, nn
from torch.nn import functional


def data_loss(case: Case, f: Tensor, r: Tensor | None, y: Tensor) -> Tensor:
    """The loss of each member without the penalty; the rows are the last axis but one."""
    error = (f - y).square().sum(dim=(-2, -1))
    if r is None:
        return error / case.rows
    real, artificial = r[..., : case.rows, :], r[..., case.rows :, :]
    spread = torch.exp(-shared.C_EXP * artificial).sum(dim=(-2, -1))
    square = real.square().sum(dim=(-2, -1))
    return error + shared.MU_SQR * square + shared.MU_EXP / case.augment * spread


class Layers(nn.Module):
    """Hidden ReLU layers and a scalar head."""

    def __init__(self, case: Case, head_inputs: int) -> None:
        super().__init__()
        widths = (case.inputs, *case.hidden)
        self.hidden = nn.ModuleList(map(nn.Linear, widths[:-1], widths[1:]))
        self.head = nn.Linear(head_inputs, 1)
        self.dropout = case.dropout

    def features(self, x: Tensor) -> Tensor:
        """The last hidden layer."""
        for layer in self.hidden:
            x = functional.relu(layer(x), inplace=True)
            x = functional.dropout(x, self.dropout) if self.dropout > 0.0 else x
        return x

    def load(self, net: str, weights: dict[str, Tensor]) -> None:
        """Takes the start weights of the network called `net`."""
        for index, layer in enumerate(self.hidden):
            layer.weight.data = weights[f"{net}.{index}.w"].T.contiguous()
            layer.bias.data = weights[f"{net}.{index}.b"][0]
        kernel = weights[f"{net}.head.w"]
        if f"{net}.head.mean" in weights:
            kernel = torch.cat([weights[f"{net}.head.mean"], kernel])
        self.head.weight.data = kernel.T.contiguous()
        self.head.bias.data = weights[f"{net}.head.b"][0]


class Module(nn.Module):
    """One network, or one pair of networks, written the plain way."""

    def __init__(self, case: Case, weights: dict[str, Tensor]) -> None:
        super().__init__()
        self.case = case
        self.mean = Layers(case, case.hidden[-1])
        self.mean.load("mean", weights)
        if case.pair:
            self.sigma = Layers(case, 2 * case.hidden[-1])
            self.sigma.load("sigma", weights)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """The loss of one step without the penalty."""
        rows = self.case.rows
        if not self.case.pair:
            return data_loss(self.case, self.mean.head(self.mean.features(x)), None, y)
        if self.case.stopped:
            real = self.mean.features(x[:rows])
            with torch.no_grad():
                features = torch.cat([real, self.mean.features(x[rows:])])
        else:
            features = self.mean.features(x)
            real = features[:rows]
        r = self.sigma.head(torch.cat([features, self.sigma.features(x)], dim=1))
        return data_loss(self.case, self.mean.head(real), r, y)


class Stack(nn.Module):
    """All members at once; every tensor has the members as its first axis."""

    def __init__(self, case: Case, weights: dict[str, Tensor]) -> None:
        super().__init__()
        self.case = case
        for name, value in weights.items():
            self.register_parameter(name.replace(".", "_"), nn.Parameter(value))

    def features(self, net: str, x: Tensor) -> Tensor:
        """The last hidden layer of one of the two networks."""
        for layer in range(len(self.case.hidden)):
            kernel = getattr(self, f"{net}_{layer}_w")
            x = torch.relu_(torch.baddbmm(getattr(self, f"{net}_{layer}_b"), x, kernel))
            x = functional.dropout(x, self.case.dropout) if self.case.dropout > 0.0 else x
        return x

    def head(self, net: str, features: Tensor) -> Tensor:
        """The scalar output of one of the two networks."""
        kernel, bias = getattr(self, f"{net}_head_w"), getattr(self, f"{net}_head_b")
        return torch.baddbmm(bias, features, kernel)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """The loss of one step without the penalty, member by member."""
        rows = self.case.rows
        if not self.case.pair:
            return data_loss(self.case, self.head("mean", self.features("mean", x)), None, y)
        if self.case.stopped:
            real = self.features("mean", x[:, :rows])
            with torch.no_grad():
                features = torch.cat([real, self.features("mean", x[:, rows:])], dim=1)
        else:
            features = self.features("mean", x)
            real = features[:, :rows]
        own = self.head("sigma", self.features("sigma", x))
        r = torch.baddbmm(own, features, self.sigma_head_mean)
        return data_loss(self.case, self.head("mean", real), r, y)


class Members:
    """A module with its batch and its optimiser."""

    def __init__(self, case: Case, module: nn.Module, axes: tuple[int, ...], fused: bool) -> None:
        self.case = case
        self.module = module
        self.step_loss = module
        self.parameters = list(module.parameters())
        dtype = self.parameters[0].dtype
        rows, self.y = (torch.tensor(part, dtype=dtype) for part in shared.training_rows(case))
        self.x = torch.empty(*axes, case.rows + case.augment, case.inputs, dtype=dtype)
        self.x[..., : case.rows, :] = rows
        self.artificial = self.x[..., case.rows :, :]
        # The snapshot: parameters of each member's best loss so far.
        self.best = [value.detach().clone() for value in self.parameters] if case.keeps_best else []
        self.best_loss = torch.full(axes, torch.inf, dtype=dtype)
        self.adam = torch.optim.Adam(
            self.parameters,
            lr=shared.LEARNING_RATE,
            betas=shared.BETAS,
            eps=shared.EPSILON,
            weight_decay=2.0 * shared.L2,  # the gradient of the penalty l2 * w^2
            fused=fused,
        )

    def draw(self) -> None:
        """Fresh artificial points, in place."""
        self.artificial.uniform_(-shared.BOX, shared.BOX)

    @torch.no_grad()
    def keep(self, losses: Tensor) -> None:
        """Keeps the parameters of the members whose loss is the best so far."""
        better = losses < self.best_loss
        self.best_loss = torch.where(better, losses, self.best_loss)
        for best, value in zip(self.best, self.parameters):
            torch.where(better.view(-1, *[1] * (value.dim() - better.dim())), value, best, out=best)

    def step(self) -> None:
        """One step on the points last drawn."""
        self.adam.zero_grad()
        losses = self.step_loss(self.x, self.y)
        losses.sum().backward()
        if self.best:
            self.keep(losses.detach())
        self.adam.step()

    def train(self, steps: int) -> None:
        """See `case.Peer`."""
        for _ in range(steps):
            self.draw()
            self.step()
        if self.x.is_cuda:
            torch.cuda.synchronize()

    @torch.no_grad()
    def loss(self) -> float:
        """See `case.Peer`."""
        self.draw()
        penalty = shared.L2 * sum(value.square().sum() for value in self.parameters)
        return (self.module(self.x, self.y).sum() + penalty).item() / self.case.members


def build(
    variant: str, case: Case, weights: Weights, dtype: torch.dtype = torch.float32
) -> Members:
    """Members in the form that a variant names; `eager` takes one at a time."""
    tensors = {name: torch.tensor(value, dtype=dtype) for name, value in weights.items()}
    if variant == "eager":
        single = {name: value[0] for name, value in tensors.items()}
        return Members(case, Module(case, single), (), fused=True)
    fused = variant in ("stacked_fused", "compiled")
    members = Members(case, Stack(case, tensors), (case.members,), fused)
    if variant == "compiled":
        members.step_loss = torch.compile(members.module)
    return members
