#!/usr/bin/env python3
"""Writes gp_golden.txt: Gaussian processes by scikit-learn, to compare ours with.

usage: make_gp_golden.py > gp_golden.txt        (needs numpy and scikit-learn)
Each case is a line of its name and then one line each: log evidence, its gradient by the log settings (variance,
lengths, noise), the settings, predicted means, predicted standard deviations of the function without noise.
"""

import warnings

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

warnings.filterwarnings("ignore")


def rows(count, inputs):
    i, j = np.meshgrid(np.arange(count), np.arange(inputs), indexing="ij")
    return np.sin(1.7 * i + 2.9 * j).astype(np.float32).astype(float)


def targets(x):
    wiggle = 0.05 * np.cos(37.0 * np.arange(len(x)))
    return (np.cos(2.0 * x[:, 0]) + 0.5 * x[:, -1] + wiggle).astype(np.float32).astype(float)


def probes(inputs):
    q, j = np.meshgrid(np.arange(5), np.arange(inputs), indexing="ij")
    return (1.2 * np.sin(0.8 * q + 1.1 * j + 0.3)).astype(np.float32).astype(float)


def print_case(name, count, inputs, kernel, optimise):
    x, y = rows(count, inputs), targets(rows(count, inputs))
    start = kernel.theta.copy()
    model = GaussianProcessRegressor(kernel, alpha=1e-7, normalize_y=False, n_restarts_optimizer=30 if optimise else 0,
                                     optimizer="fmin_l_bfgs_b" if optimise else None, random_state=1)
    model.fit(x, y - y.mean())
    theta = model.kernel_.theta
    assert optimise or np.array_equal(theta, start)
    value, gradient = model.log_marginal_likelihood(theta, eval_gradient=True)
    mean, total = model.predict(probes(inputs), return_std=True)
    noise = np.exp(theta[-1])
    print(name)
    for numbers in ([value], gradient, np.exp(theta), mean + y.mean(), np.sqrt(total**2 - noise)):
        print(*(repr(float(number)) for number in numbers))


bounds = (1e-5, 1e5)
noises = (1e-8, 1e2)
print_case("given", 6, 2, ConstantKernel(1.7, bounds) * RBF([0.6, 1.3], bounds) + WhiteKernel(0.01, noises), False)
print_case("isotropic", 9, 3, ConstantKernel(0.4, bounds) * RBF(0.9, bounds) + WhiteKernel(0.002, noises), False)
print_case("fitted", 20, 2, ConstantKernel(1.0, bounds) * RBF([1.0, 1.0], bounds) + WhiteKernel(0.01, noises), True)
