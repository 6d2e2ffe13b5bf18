"""The training step in PyTorch: `Eager` members one by one, `Stacked` members in batched tensors."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

import case as shared
from case import Case, Weights


def data_loss(case: Case, f: Tensor, r: Tensor | None, y: Tensor) -> Tensor:
    """The loss without the penalty, summed over members; rows are the last axis but one."""
    if r is None:
        return (f - y).square().sum() / case.rows
    real, artificial = r[..., : case.rows, :], r[..., case.rows :, :]
    loss = (f[..., : case.rows, :] - y).square().sum() + shared.MU_SQR * real.square().sum()
    return loss + shared.MU_EXP / case.augment * torch.exp(-shared.C_EXP * artificial).sum()


def penalty(tensors: list[Tensor]) -> float:
    """The L2 term of the loss; its gradient is the optimiser's weight decay."""
    return shared.L2 * sum(float(tensor.detach().square().sum()) for tensor in tensors)


def adam(tensors: list[Tensor], **form: bool) -> torch.optim.Adam:
    """Adam with the L2 term as weight decay: d/dw l2 w^2 = 2 l2 w."""
    return torch.optim.Adam(
        tensors,
        lr=shared.LEARNING_RATE,
        betas=shared.BETAS,
        eps=shared.EPSILON,
        weight_decay=2.0 * shared.L2,
        **form,
    )


def batch(case: Case, members: tuple[int, ...], dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Inputs of a step, training rows first and room for the artificial ones, and the targets."""
    rows, targets = (torch.tensor(part, dtype=dtype) for part in shared.training_rows(case))
    x = torch.empty(*members, case.rows + case.augment, case.inputs, dtype=dtype)
    x[..., : case.rows, :] = rows
    return x, targets


class Layers(nn.Module):
    """Hidden ReLU layers and a scalar head."""

    def __init__(self, case: Case, head_inputs: int) -> None:
        super().__init__()
        widths = (case.inputs, *case.hidden)
        self.hidden = nn.ModuleList(map(nn.Linear, widths[:-1], widths[1:]))
        self.head = nn.Linear(head_inputs, 1)

    def features(self, x: Tensor) -> Tensor:
        """The last hidden layer."""
        for layer in self.hidden:
            x = functional.relu(layer(x), inplace=True)
        return x


class Member(nn.Module):
    """One network, or one pair of networks, written the plain way."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        self.case = case
        self.mean = Layers(case, case.hidden[-1])
        self.sigma = Layers(case, 2 * case.hidden[-1]) if case.pair else None

    def load(self, weights: Weights, member: int) -> None:
        """Takes the start weights of one member."""
        own = {name: torch.tensor(value[member]) for name, value in weights.items()}
        for net in ("mean", "sigma") if self.sigma else ("mean",):
            layers = getattr(self, net)
            for index, layer in enumerate(layers.hidden):
                layer.weight.data = own[f"{net}.{index}.w"].T.contiguous()
                layer.bias.data = own[f"{net}.{index}.b"][0]
            kernel = own[f"{net}.head.w"]
            if net == "sigma":
                kernel = torch.cat([own["sigma.head.mean"], kernel])
            layers.head.weight.data = kernel.T.contiguous()
            layers.head.bias.data = own[f"{net}.head.b"][0]

    def loss(self, x: Tensor, y: Tensor) -> Tensor:
        """The loss of one step without the penalty."""
        rows = self.case.rows
        if self.sigma is None:
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


class Eager:
    """Members trained one after the other."""

    def __init__(self, case: Case, dtype: torch.dtype = torch.float32, **form: bool) -> None:
        self.case = case
        self.x, self.y = batch(case, (), dtype)
        weights = shared.initial_weights(case)
        self.members = [Member(case) for _ in range(case.members)]
        for index, member in enumerate(self.members):
            member.load(weights, index)
            member.to(dtype)
        self.adams = [adam(list(member.parameters()), **form) for member in self.members]

    def train(self, steps: int) -> None:
        """See `case.Peer`."""
        artificial = self.x[self.case.rows :]
        for member, optimiser in zip(self.members, self.adams):
            for _ in range(steps):
                artificial.uniform_(-shared.BOX, shared.BOX)
                optimiser.zero_grad()
                member.loss(self.x, self.y).backward()
                optimiser.step()

    def loss(self) -> float:
        """See `case.Peer`."""
        self.x[self.case.rows :].uniform_(-shared.BOX, shared.BOX)
        parts = [
            member.loss(self.x, self.y).item() + penalty(list(member.parameters()))
            for member in self.members
        ]
        return sum(parts) / len(parts)


class Stacked:
    """All members at once; every tensor has the members as its first axis."""

    def __init__(
        self, case: Case, dtype: torch.dtype = torch.float32, compiled: bool = False, **form: bool
    ) -> None:
        self.case = case
        self.x, self.y = batch(case, (case.members,), dtype)
        self.weights = {
            name: torch.tensor(value, dtype=dtype, requires_grad=True)
            for name, value in shared.initial_weights(case).items()
        }
        self.adam = adam(list(self.weights.values()), **form)
        self.step_loss = torch.compile(self.data_loss) if compiled else self.data_loss

    def features(self, net: str, x: Tensor) -> Tensor:
        """The last hidden layer of one of the two networks."""
        for layer in range(len(self.case.hidden)):
            kernel, bias = self.weights[f"{net}.{layer}.w"], self.weights[f"{net}.{layer}.b"]
            x = torch.relu_(torch.baddbmm(bias, x, kernel))
        return x

    def head(self, net: str, features: Tensor) -> Tensor:
        """The scalar output of one of the two networks."""
        return torch.baddbmm(self.weights[f"{net}.head.b"], features, self.weights[f"{net}.head.w"])

    def data_loss(self, x: Tensor, y: Tensor) -> Tensor:
        """The loss of one step without the penalty, summed over the members."""
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
        r = self.head("sigma", self.features("sigma", x))
        r = torch.baddbmm(r, features, self.weights["sigma.head.mean"])
        return data_loss(self.case, self.head("mean", real), r, y)

    def train(self, steps: int) -> None:
        """See `case.Peer`."""
        artificial = self.x[:, self.case.rows :]
        for _ in range(steps):
            artificial.uniform_(-shared.BOX, shared.BOX)
            self.adam.zero_grad()
            self.step_loss(self.x, self.y).backward()
            self.adam.step()

    def loss(self) -> float:
        """See `case.Peer`."""
        self.x[:, self.case.rows :].uniform_(-shared.BOX, shared.BOX)
        total = self.data_loss(self.x, self.y).item() + penalty(list(self.weights.values()))
        return total / self.case.members


def build(case: Case, variant: str) -> Eager | Stacked:
    """The members in the form that a variant names."""
    if variant == "eager":
        return Eager(case, fused=True)
    if variant == "stacked":
        return Stacked(case)
    return Stacked(case, fused=True, compiled=variant == "compiled")
