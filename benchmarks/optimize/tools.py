"""The tools: each is a class with ask() -> point and tell(point, value or None for a failure). All minimise."""

import json
import os
import tempfile
import warnings
from pathlib import Path


class Nomu:
    """`nomu`, `nomu:gp`, `nomu:auto`, ...: what follows the colon is the setting `method`; without it, the default."""

    def __init__(self, problem, seed, budget, method=None):
        import nomu.optimize as nomu
        space = {}
        for v in problem.variables:
            if v["type"] == "categorical":
                space[v["name"]] = v["choices"]
            elif v["type"] == "integer":
                space[v["name"]] = nomu.integer(v["low"], v["high"])
            else:
                space[v["name"]] = nomu.real(v["low"], v["high"], log=v["log"])
        settings = {"method": method} if method else {}
        settings.update(json.loads(os.environ.get("NOMU_STUDY_SETTINGS", "{}")))
        self.study = nomu.Study(space, seed=seed, noisy=problem.noise > 0, budget=budget, progress=False, **settings)
        self.pending = []

    def ask(self):
        trial = self.study.ask()
        self.pending.append(trial)
        return trial.params

    def ask_many(self, count):
        self.pending = self.study.ask(count)
        return [trial.params for trial in self.pending]

    def tell(self, point, value):
        trial = self.pending.pop(0)
        if value is None:
            self.study.fail(trial.number, "no result here")
        else:
            self.study.tell(trial.number, value)


class Optuna:
    def __init__(self, problem, seed, sampler):
        import optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.filterwarnings("ignore")
        if sampler == "gp":
            import torch
            torch.set_num_threads(1)
            made = optuna.samplers.GPSampler(seed=seed, deterministic_objective=problem.noise == 0)
        else:
            made = optuna.samplers.TPESampler(seed=seed)
        self.optuna = optuna
        self.study = optuna.create_study(sampler=made)
        d = optuna.distributions
        self.space = {}
        for v in problem.variables:
            if v["type"] == "categorical":
                self.space[v["name"]] = d.CategoricalDistribution(v["choices"])
            elif v["type"] == "integer":
                self.space[v["name"]] = d.IntDistribution(v["low"], v["high"])
            else:
                self.space[v["name"]] = d.FloatDistribution(v["low"], v["high"], log=v["log"])
        self.pending = []

    def ask(self):
        self.pending.append(self.study.ask(self.space))
        return dict(self.pending[-1].params)

    def ask_many(self, count):
        return [self.ask() for _ in range(count)]

    def tell(self, point, value):
        trial = self.pending.pop(0)
        if value is None:
            self.study.tell(trial, state=self.optuna.trial.TrialState.FAIL)
        else:
            self.study.tell(trial, value)


class Cube:
    """Maps the unit cube to points: one coordinate a number, one a choice for categories (the largest one counts)."""

    def __init__(self, variables):
        self.variables = variables
        self.width = sum(len(v["choices"]) if v["type"] == "categorical" else 1 for v in variables)

    def point(self, unit):
        import math
        point, at = {}, 0
        for v in self.variables:
            if v["type"] == "categorical":
                share = list(unit[at:at + len(v["choices"])])
                point[v["name"]] = v["choices"][share.index(max(share))]
                at += len(v["choices"])
                continue
            share = min(max(float(unit[at]), 0.0), 1.0)
            at += 1
            low, high = v["low"], v["high"]
            if v["type"] == "integer":
                value = min(int(low + share * (high - low + 1)), high)
            elif v["log"]:
                value = math.exp(math.log(low) + share * (math.log(high) - math.log(low)))
            else:
                value = low + share * (high - low)
            point[v["name"]] = value
        return point

    def unit(self, point):
        import math
        unit = []
        for v in self.variables:
            value = point[v["name"]]
            if v["type"] == "categorical":
                unit += [1.0 if value == c else 0.0 for c in v["choices"]]
            elif v["type"] == "integer":
                unit.append((value - v["low"] + 0.5) / (v["high"] - v["low"] + 1))
            elif v["log"]:
                unit.append(math.log(value / v["low"]) / math.log(v["high"] / v["low"]))
            else:
                unit.append((value - v["low"]) / (v["high"] - v["low"]))
        return unit


class Sobol:
    def __init__(self, problem, seed):
        from scipy.stats import qmc
        self.cube = Cube(problem.variables)
        self.sequence = qmc.Sobol(self.cube.width, scramble=True, seed=seed)

    def ask(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.cube.point(self.sequence.random(1)[0])

    def ask_many(self, count):
        return [self.ask() for _ in range(count)]

    def tell(self, point, value):
        pass


class Botorch:
    """SingleTaskGP as it comes, log expected improvement, 10 restarts, 512 samples. A failure counts as the worst result."""

    def __init__(self, problem, seed):
        import torch
        warnings.filterwarnings("ignore")
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.torch = torch
        self.cube = Cube(problem.variables)
        self.sequence = torch.quasirandom.SobolEngine(self.cube.width, scramble=True, seed=seed)
        self.initial = problem.initial
        self.x, self.y, self.asked = [], [], 0
        self.noisy = problem.noise > 0

    def ask(self):
        return self.ask_many(1)[0]

    def ask_many(self, count):
        torch = self.torch
        self.asked += count
        known = [y for y in self.y if y is not None]
        if self.asked <= self.initial or len(known) < 2:
            return [self.cube.point(u.tolist()) for u in self.sequence.draw(count).double()]
        from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import SingleTaskGP
        from botorch.models.transforms import Standardize
        from botorch.optim import optimize_acqf
        from gpytorch.mlls import ExactMarginalLogLikelihood
        x = torch.tensor(self.x, dtype=torch.double)
        worst = max(known)
        y = -torch.tensor([[worst if v is None else v] for v in self.y], dtype=torch.double)
        model = SingleTaskGP(x, y, outcome_transform=Standardize(1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        kind = LogExpectedImprovement if count == 1 else qLogExpectedImprovement
        bounds = torch.stack([torch.zeros(self.cube.width), torch.ones(self.cube.width)]).double()
        units, _ = optimize_acqf(kind(model, best_f=y.max()), bounds, q=count, num_restarts=10, raw_samples=512)
        return [self.cube.point(u.tolist()) for u in units]

    def tell(self, point, value):
        self.x.append(self.cube.unit(point))
        self.y.append(value)


class Smac:
    """The facade for tuning: a random forest, expected improvement, a first design of Sobol's sequence. A failure counts as
    the worst result: its own infinite cost of a failure ends the study."""

    def __init__(self, problem, seed, budget):
        from ConfigSpace import Categorical, ConfigurationSpace, Float, Integer
        from smac import HyperparameterOptimizationFacade as Facade
        from smac import Scenario
        from smac.runhistory import TrialValue
        self.value = TrialValue
        warnings.filterwarnings("ignore")
        space = ConfigurationSpace(seed=seed)
        for v in problem.variables:
            if v["type"] == "categorical":
                space.add(Categorical(v["name"], v["choices"]))
            else:
                kind = Integer if v["type"] == "integer" else Float
                space.add(kind(v["name"], (v["low"], v["high"]), log=v["log"]))
        self.folder = tempfile.TemporaryDirectory()
        scenario = Scenario(space, n_trials=budget, seed=seed, deterministic=problem.noise == 0,
                            output_directory=Path(self.folder.name))
        design = Facade.get_initial_design(scenario, n_configs=problem.initial)
        self.facade = Facade(scenario, lambda config, seed=0: 0.0, initial_design=design, overwrite=True,
                             logging_level=50)
        self.pending, self.worst = [], 0.0

    def ask(self):
        self.pending.append(self.facade.ask())
        return dict(self.pending[-1].config)

    def ask_many(self, count):
        return [self.ask() for _ in range(count)]

    def tell(self, point, value):
        self.worst = self.worst if value is None else max(self.worst, value)
        self.facade.tell(self.pending.pop(0), self.value(cost=self.worst if value is None else value))


def make(tool, problem, seed, budget):
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    name, _, rest = tool.partition(":")
    if name == "nomu":
        return Nomu(problem, seed, budget, rest or None)
    if name == "optuna":
        return Optuna(problem, seed, rest)
    if name == "botorch":
        return Botorch(problem, seed)
    if name == "sobol":
        return Sobol(problem, seed)
    if name == "smac":
        return Smac(problem, seed, budget)
    raise SystemExit(f"there is no tool '{tool}'; there are nomu, nomu:METHOD, optuna:tpe, optuna:gp, botorch, smac, sobol")
