#!/usr/bin/env python3
"""Trains tiny NOMU pairs with PyTorch in double precision and prints what came out.

An oracle that shares no line with the library: networks, loss and optimiser are written from the paper's formulas and
differentiated by PyTorch. `training_golden.txt` holds its output; the conformance tests compare every engine with it.

Usage: make_training_golden.py > training_golden.txt
"""

import math

import torch

torch.set_default_dtype(torch.float64)

ROWS, POINTS, INPUTS, HIDDEN, STEPS = 6, 9, 2, [7, 5], 12
MU_SQR, MU_EXP, C_EXP, L2, L2_SIGMA, L2_HEAD = 0.3, 0.2, 4.0, 1e-3, 3e-3, 2e-3
RATE, BETA1, BETA2, EPSILON = 5e-3, 0.9, 0.999, 1e-7


def wave(layer: int, index: int) -> float:
    """Initial parameter `index` of a layer: weights row by row, then biases."""
    return 0.5 * math.sin(1.0 + 7.0 * layer + 1.3 * index)


def make_layer(layer: int, inputs: int, units: int) -> tuple[torch.Tensor, torch.Tensor]:
    values = torch.tensor([wave(layer, i) for i in range(inputs * units + units)])
    weights = values[: inputs * units].reshape(inputs, units).clone().requires_grad_()
    bias = values[inputs * units :].clone().requires_grad_()
    return weights, bias


def hidden(x: torch.Tensor, layers: list, activation) -> torch.Tensor:
    for weights, bias in layers:
        x = activation(x @ weights + bias)
    return x


def squares(layers: list) -> torch.Tensor:
    return sum((weights**2).sum() + (bias**2).sum() for weights, bias in layers)


def train(coupled: bool, clip: float, amsgrad: bool, activation) -> tuple[list[float], torch.Tensor]:
    mean = [make_layer(0, INPUTS, HIDDEN[0]), make_layer(1, HIDDEN[0], HIDDEN[1]), make_layer(2, HIDDEN[1], 1)]
    sigma = [make_layer(3, INPUTS, HIDDEN[0]), make_layer(4, HIDDEN[0], HIDDEN[1]), make_layer(5, 2 * HIDDEN[1], 1)]
    x = torch.tensor([[math.sin(1.7 * i + 2.9 * j) for j in range(INPUTS)] for i in range(ROWS)])
    y = torch.tensor([math.cos(2.1 * i) for i in range(ROWS)])
    points = torch.tensor([[1.1 * math.sin(0.9 * i + 1.1 * j + 0.5) for j in range(INPUTS)] for i in range(POINTS)])
    tensors = [t for layer in mean + sigma for t in layer]
    moments = [[torch.zeros_like(t) for t in tensors] for _ in range(3)]

    def outputs(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = hidden(rows, mean[:-1], activation)
        f = features @ mean[-1][0] + mean[-1][1]
        linked = features if coupled else features.detach()
        # The head reads its own hidden layer first, then the mean network's.
        r = torch.cat([hidden(rows, sigma[:-1], activation), linked], dim=1) @ sigma[-1][0] + sigma[-1][1]
        return f[:, 0], r[:, 0]

    losses = []
    for step in range(1, STEPS + 1):
        f, r = outputs(x)
        lifted = outputs(points)[1]
        loss = ((f - y) ** 2).sum() + MU_SQR * (r**2).sum() + MU_EXP * torch.exp(-C_EXP * lifted).mean()
        loss = loss + L2 * squares(mean) + L2_SIGMA * squares(sigma[:-1]) + L2_HEAD * squares(sigma[-1:])
        losses.append(loss.item())
        gradients = torch.autograd.grad(loss, tensors)
        rate = RATE * math.sqrt(1 - BETA2**step) / (1 - BETA1**step)
        with torch.no_grad():
            for i, (tensor, gradient) in enumerate(zip(tensors, gradients)):
                norm = gradient.norm()
                if 0 < clip < norm:
                    gradient = gradient * (clip / norm)
                moments[0][i] = BETA1 * moments[0][i] + (1 - BETA1) * gradient
                moments[1][i] = BETA2 * moments[1][i] + (1 - BETA2) * gradient**2
                moments[2][i] = torch.maximum(moments[2][i], moments[1][i])
                divisor = moments[2][i] if amsgrad else moments[1][i]
                tensor -= rate * moments[0][i] / (divisor.sqrt() + EPSILON)
    return losses, torch.stack(outputs(x), dim=1).detach()


def main() -> None:
    for name, coupled, clip, amsgrad, activation in [
        ("coupled", True, 0.0, False, torch.relu),
        ("stopped", False, 0.0, False, torch.relu),
        ("clipped", True, 0.5, False, torch.tanh),
        ("amsgrad", True, 0.0, True, torch.nn.functional.softplus),
    ]:
        losses, predictions = train(coupled, clip, amsgrad, activation)
        print(name)
        print(" ".join(f"{value:.12g}" for value in losses))
        print(" ".join(f"{value:.12g}" for value in predictions.flatten().tolist()))


if __name__ == "__main__":
    main()
