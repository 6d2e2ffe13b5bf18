"""Tuning tasks: models of scikit-learn on data it ships, scored by cross-validation."""

import functools

SVM_SPACE = [
    {"name": "C", "type": "real", "low": 1e-3, "high": 1e4, "log": True},
    {"name": "gamma", "type": "real", "low": 1e-6, "high": 1e1, "log": True},
    {"name": "components", "type": "integer", "low": 2, "high": 60, "log": False},
    {"name": "kernel", "type": "categorical", "choices": ["rbf", "poly", "sigmoid"]},
]

KERNEL_SPACE = [{"name": f"scale{i + 1}", "type": "real", "low": 1e-3, "high": 1e1, "log": True} for i in range(10)] + [
    {"name": "alpha", "type": "real", "low": 1e-4, "high": 1e2, "log": True}]


@functools.cache
def digits():
    from sklearn.datasets import load_digits
    x, y = load_digits(return_X_y=True)
    return x[:500] / 16.0, y[:500]


def svm_digits(seed):
    """Mean log loss is too coarse with few rows; the error rate is smoothed by the margin of the decision."""
    import numpy as np
    from sklearn.decomposition import PCA
    from sklearn.model_selection import StratifiedKFold
    from sklearn.svm import SVC
    x, y = digits()
    folds = list(StratifiedKFold(3, shuffle=True, random_state=seed).split(x, y))

    def value(point):
        losses = []
        for train, test in folds:
            pca = PCA(int(point["components"]), random_state=0).fit(x[train])
            model = SVC(C=point["C"], gamma=point["gamma"], kernel=point["kernel"], decision_function_shape="ovr")
            model.fit(pca.transform(x[train]), y[train])
            scores = model.decision_function(pca.transform(x[test]))
            own = scores[np.arange(len(test)), y[test]]
            scores[np.arange(len(test)), y[test]] = -np.inf
            losses.append(np.mean(1.0 / (1.0 + np.exp(np.clip(4.0 * (own - scores.max(axis=1)), -50, 50)))))
        return float(np.mean(losses))

    return value


@functools.cache
def diabetes():
    from sklearn.datasets import load_diabetes
    x, y = load_diabetes(return_X_y=True)
    return x / x.std(axis=0), (y - y.mean()) / y.std()


def kernel_diabetes(seed):
    """Kernel ridge regression with a scale for every input: mean squared error of five folds."""
    import numpy as np
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.model_selection import KFold
    x, y = diabetes()
    folds = list(KFold(5, shuffle=True, random_state=seed).split(x))

    def value(point):
        scaled = x * np.array([point[f"scale{i + 1}"] for i in range(10)])
        model = KernelRidge(alpha=point["alpha"], kernel="rbf", gamma=0.5)
        return float(np.mean([np.mean((model.fit(scaled[a], y[a]).predict(scaled[b]) - y[b]) ** 2) for a, b in folds]))

    return value
