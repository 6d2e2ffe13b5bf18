"""The methods of the library as scikit-learn regressors."""

from ._base import Regressor

__all__ = [
    "NOMURegressor",
    "DeepEnsembleRegressor",
    "HyperDeepEnsembleRegressor",
    "MCDropoutRegressor",
    "GPRegressor",
    "LaplaceRegressor",
    "NeuralLinearRegressor",
]


class NOMURegressor(Regressor):
    """NOMU: a mean network and a sigma network that is pinned to zero at the data and lifted everywhere else.

    Parameters
    ----------
    hidden : sequence of int, optional
        Units per hidden layer; default: chosen from the rows.
    epochs : int, optional
        Passes over the rows; default: chosen from the rows.
    learning_rate : float, optional
        Adam's learning rate.
    l2 : float, optional
        L2 penalty.
    ensemble : int, optional
        Number of network pairs, from different seeds, that form one model; default: 5.
    mu_sqr, mu_exp, c_exp : float, optional
        Weights and exponent of the loss (Definition 3.1 of the paper).
    preset : str
        "auto", or the paper's "published" and "written".
    """

    _method = "nomu"
    _names = {
        "hidden": ("mean_net.hidden", "sigma_net.hidden"),
        "epochs": ("train.epochs",),
        "learning_rate": ("train.learning_rate",),
        "l2": ("l2",),
        "ensemble": ("ensemble",),
        "mu_sqr": ("mu_sqr",),
        "mu_exp": ("mu_exp",),
        "c_exp": ("c_exp",),
    }

    def __init__(
        self, hidden=None, epochs=None, learning_rate=None, l2=None, ensemble=None, mu_sqr=None, mu_exp=None,
        c_exp=None, *, calibration="auto", level=None, noise="auto", preset="auto", settings=None, range=None,
        random_state=1, device="auto", threads=0, progress=None,
    ):  # fmt: skip
        super().__init__(calibration, level, noise, preset, settings, range, random_state, device, threads, progress)
        self.hidden = hidden
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.l2 = l2
        self.ensemble = ensemble
        self.mu_sqr = mu_sqr
        self.mu_exp = mu_exp
        self.c_exp = c_exp


class DeepEnsembleRegressor(Regressor):
    """A deep ensemble: networks that differ in their random initialisation; their spread is the model uncertainty.

    Parameters
    ----------
    hidden : sequence of int, optional
        Units per hidden layer; default: chosen from the rows.
    epochs : int, optional
        Passes over the rows; default: chosen from the rows.
    learning_rate : float, optional
        Adam's learning rate.
    l2 : float, optional
        L2 penalty.
    networks : int, optional
        Number of networks; default: 5.
    preset : str
        "auto", or the paper's "published".
    """

    _method = "deep_ensemble"
    _names = {
        "hidden": ("net.hidden",),
        "epochs": ("train.epochs",),
        "learning_rate": ("train.learning_rate",),
        "l2": ("l2",),
        "networks": ("networks",),
    }

    def __init__(
        self, hidden=None, epochs=None, learning_rate=None, l2=None, networks=None, *, calibration="auto", level=None,
        noise="auto", preset="auto", settings=None, range=None, random_state=1, device="auto", threads=0, progress=None,
    ):  # fmt: skip
        super().__init__(calibration, level, noise, preset, settings, range, random_state, device, threads, progress)
        self.hidden = hidden
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.l2 = l2
        self.networks = networks


class HyperDeepEnsembleRegressor(Regressor):
    """A hyper deep ensemble: networks that also differ in dropout and L2 penalty, chosen greedily.

    Parameters
    ----------
    hidden : sequence of int, optional
        Units per hidden layer; default: chosen from the rows.
    epochs : int, optional
        Passes over the rows; default: chosen from the rows.
    learning_rate : float, optional
        Adam's learning rate.
    networks : int, optional
        Largest number of distinct networks in the ensemble.
    candidates : int, optional
        Number of pairs of dropout and L2 penalty to try.
    preset : str
        "auto", or the paper's "published".
    """

    _method = "hyper_deep_ensemble"
    _names = {
        "hidden": ("net.hidden",),
        "epochs": ("train.epochs",),
        "learning_rate": ("train.learning_rate",),
        "networks": ("networks",),
        "candidates": ("candidates",),
    }

    def __init__(
        self, hidden=None, epochs=None, learning_rate=None, networks=None, candidates=None, *, calibration="auto",
        level=None, noise="auto", preset="auto", settings=None, range=None, random_state=1, device="auto", threads=0,
        progress=None,
    ):  # fmt: skip
        super().__init__(calibration, level, noise, preset, settings, range, random_state, device, threads, progress)
        self.hidden = hidden
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.networks = networks
        self.candidates = candidates


class MCDropoutRegressor(Regressor):
    """MC dropout: one network that drops units at random in prediction as well.

    Parameters
    ----------
    hidden : sequence of int, optional
        Units per hidden layer; default: chosen from the rows.
    epochs : int, optional
        Passes over the rows; default: chosen from the rows.
    learning_rate : float, optional
        Adam's learning rate.
    l2 : float, optional
        L2 penalty.
    dropout : float, optional
        Share of the units that a pass drops; default: chosen automatically.
    passes : int, optional
        Number of stochastic passes per prediction.
    preset : str
        "auto", or the paper's "published".
    """

    _method = "mc_dropout"
    _names = {
        "hidden": ("net.hidden",),
        "epochs": ("train.epochs",),
        "learning_rate": ("train.learning_rate",),
        "l2": ("l2",),
        "dropout": ("dropout",),
        "passes": ("passes",),
    }

    def __init__(
        self, hidden=None, epochs=None, learning_rate=None, l2=None, dropout=None, passes=None, *, calibration="auto",
        level=None, noise="auto", preset="auto", settings=None, range=None, random_state=1, device="auto", threads=0,
        progress=None,
    ):  # fmt: skip
        super().__init__(calibration, level, noise, preset, settings, range, random_state, device, threads, progress)
        self.hidden = hidden
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.l2 = l2
        self.dropout = dropout
        self.passes = passes


class GPRegressor(Regressor):
    """A Gaussian process with a squared exponential kernel whose settings maximise the evidence.

    Parameters
    ----------
    length_per_input : bool, optional
        One length per input column instead of one for all; default: True.
    restarts : int, optional
        Additional random starts of the search; default: 5.
    preset : str
        "auto", or the paper's "published".
    """

    _method = "gp"
    _names = {
        "length_per_input": ("length_per_input",),
        "restarts": ("restarts",),
    }

    def __init__(
        self, length_per_input=None, restarts=None, *, calibration="auto", level=None, noise="auto", preset="auto",
        settings=None, range=None, random_state=1, device="auto", threads=0, progress=None,
    ):  # fmt: skip
        super().__init__(calibration, level, noise, preset, settings, range, random_state, device, threads, progress)
        self.length_per_input = length_per_input
        self.restarts = restarts


class LaplaceRegressor(Regressor):
    """Linearised Laplace: a trained network with a Gaussian posterior over its parameters.

    Parameters
    ----------
    hidden : sequence of int, optional
        Units per hidden layer; default: one layer of 50.
    epochs : int, optional
        Passes over the rows; default: chosen from the rows.
    learning_rate : float, optional
        Adam's learning rate.
    l2 : float, optional
        L2 penalty.
    weights : str, optional
        Which parameters are uncertain: "auto", "full" or "last_layer".
    preset : str
        "auto".
    """

    _method = "laplace"
    _names = {
        "hidden": ("net.hidden",),
        "epochs": ("train.epochs",),
        "learning_rate": ("train.learning_rate",),
        "l2": ("l2",),
        "weights": ("weights",),
    }

    def __init__(
        self, hidden=None, epochs=None, learning_rate=None, l2=None, weights=None, *, calibration="auto", level=None,
        noise="auto", preset="auto", settings=None, range=None, random_state=1, device="auto", threads=0, progress=None,
    ):  # fmt: skip
        super().__init__(calibration, level, noise, preset, settings, range, random_state, device, threads, progress)
        self.hidden = hidden
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.l2 = l2
        self.weights = weights


class NeuralLinearRegressor(Regressor):
    """A network whose last layer is replaced by Bayesian linear regression.

    Parameters
    ----------
    hidden : sequence of int, optional
        Units per hidden layer; default: one layer of 50.
    epochs : int, optional
        Passes over the rows; default: chosen from the rows.
    learning_rate : float, optional
        Adam's learning rate.
    l2 : float, optional
        L2 penalty.
    preset : str
        "auto".
    """

    _method = "neural_linear"
    _names = {
        "hidden": ("net.hidden",),
        "epochs": ("train.epochs",),
        "learning_rate": ("train.learning_rate",),
        "l2": ("l2",),
    }

    def __init__(
        self, hidden=None, epochs=None, learning_rate=None, l2=None, *, calibration="auto", level=None, noise="auto",
        preset="auto", settings=None, range=None, random_state=1, device="auto", threads=0, progress=None,
    ):  # fmt: skip
        super().__init__(calibration, level, noise, preset, settings, range, random_state, device, threads, progress)
        self.hidden = hidden
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.l2 = l2
