import math

import pytest

pytest.importorskip("gest_api")
from gest_api.vocs import VOCS  # noqa: E402

import nomu  # noqa: E402
from nomu.gest import NomuGenerator  # noqa: E402


def vocs(**more):
    return VOCS(**{"variables": {"x": [0.0, 1.0], "kind": {"a", "b"}}, "objectives": {"f": "MINIMIZE"}, "constants": {"k": 3}, **more})


def test_suggests_learns_and_finds_the_best():
    generator = NomuGenerator(vocs(), method="gp", initial=6)
    for _ in range(4):
        points = generator.suggest(3)
        assert len(points) == 3 and all(set(p) == {"x", "kind", "k", "_id"} and p["kind"] in ("a", "b") for p in points)
        generator.ingest([{**p, "f": (p["x"] - 0.3) ** 2 + (p["kind"] == "b")} for p in points])
    generator.finalize()
    assert generator.study.status["finished"] == 12
    assert generator.study.best.value < 0.1


def test_points_of_others_failures_and_ids():
    generator = NomuGenerator(vocs(), method="random")
    generator.ingest([{"x": 0.5, "kind": "a", "k": 3, "f": 1.0}])
    (point,) = generator.suggest()
    generator.ingest([{**point, "f": math.nan}])
    assert generator.study.status["failed"] == 1 and generator.study.status["finished"] == 1
    with pytest.raises(ValueError, match="_id 99"):
        generator.ingest([{"x": 0.5, "kind": "a", "k": 3, "f": 1.0, "_id": 99}])
    short = NomuGenerator(vocs(), method="random", budget=2)
    with pytest.raises(ValueError, match="only 2 are left"):
        short.suggest(5)
    assert [p["_id"] for p in short.suggest(2)] == [1, 2]


def test_a_study_in_a_file_goes_on(tmp_path):
    first = NomuGenerator(vocs(), tmp_path / "study.db", method="random")
    first.ingest([{**p, "f": p["x"]} for p in first.suggest(4)])
    second = NomuGenerator(vocs(), tmp_path / "study.db", method="random")
    assert len(second.study.trials()) == 4
    with pytest.raises(ValueError, match="other variables"):
        NomuGenerator(vocs(variables={"y": [0.0, 1.0]}), tmp_path / "study.db")


def test_a_study_that_does_not_match_is_refused(tmp_path):
    NomuGenerator(vocs(), tmp_path / "study.db", method="random")
    for more, text in (
        ({"variables": {"x": [0.0, 2.0], "kind": {"a", "b"}}}, "other variables"),
        ({"variables": {"x": [0.0, 1.0], "kind": {"a", "b", "c"}}}, "other variables"),
        ({"variables": {"x": [0.0, 1.0], "kind": [0.0, 1.0]}}, "other variables"),
        ({"objectives": {"f": "MAXIMIZE"}}, "another direction"),
    ):
        with pytest.raises(ValueError, match=text):
            NomuGenerator(vocs(**more), tmp_path / "study.db")


def test_results_for_another_process_and_points_given_back(tmp_path):
    first = NomuGenerator(vocs(), tmp_path / "study.db", method="random")
    points = first.suggest(3)
    first.ingest([{**points[0], "f": 1.0}])
    second = NomuGenerator(vocs(), tmp_path / "study.db")
    second.ingest([{**points[1], "f": 0.5}])  # suggested by the first
    assert second.study.status["finished"] == 2
    with pytest.raises(ValueError, match="'x'"):
        second.ingest([{**points[2], "f": 2.0}, {"x": 7.0, "kind": "a", "k": 3, "f": 1.0}])
    assert second.study.status["finished"] == 2  # all or none
    assert [worker["trial"] for worker in second.study.workers()] == [points[2]["_id"]]
    first.finalize()
    assert second.study.workers() == []
    assert [p["_id"] for p in second.suggest(1)] == [points[2]["_id"]]


def test_what_it_cannot_do_is_refused():
    with pytest.raises(ValueError, match="one objective"):
        NomuGenerator(vocs(objectives={"f": "MINIMIZE", "g": "MAXIMIZE"}))
    with pytest.raises(ValueError, match="no constraints"):
        NomuGenerator(vocs(constraints={"c": ["LESS_THAN", 0.0]}))
    with pytest.raises(ValueError, match="only explore"):
        NomuGenerator(vocs(objectives={"f": "EXPLORE"}))
    assert issubclass(NomuGenerator, nomu.gest.Generator)


def test_it_runs_under_libensemble(tmp_path, monkeypatch):
    libe = pytest.importorskip("libensemble")
    from libensemble import Ensemble
    from libensemble.alloc_funcs.start_only_persistent import only_persistent_gens
    from libensemble.specs import AllocSpecs, ExitCriteria, GenSpecs, LibeSpecs, SimSpecs

    assert libe
    monkeypatch.chdir(tmp_path)
    continuous = VOCS(variables={"x": [0.0, 1.0], "y": [0.0, 1.0]}, objectives={"f": "MINIMIZE"})
    generator = NomuGenerator(continuous, method="gp", initial=4)
    ensemble = Ensemble(
        libE_specs=LibeSpecs(nworkers=2, comms="threads", gen_on_manager=True, disable_log_files=True, save_every_k_gens=1000),
        gen_specs=GenSpecs(generator=generator, vocs=continuous, initial_batch_size=4, batch_size=2),
        sim_specs=SimSpecs(sim_f=_simulate, inputs=["x", "y"], outputs=[("f", float)]),
        alloc_specs=AllocSpecs(alloc_f=only_persistent_gens, user={"async_return": False}),
        exit_criteria=ExitCriteria(sim_max=12),
    )
    history, _, flag = ensemble.run()
    assert flag == 0
    assert sum(history["sim_ended"]) >= 12
    assert generator.study.status["finished"] >= 8


def _simulate(history, *_):
    import numpy as np

    result = np.zeros(len(history), dtype=[("f", float)])
    result["f"] = (history["x"] - 0.3) ** 2 + history["y"]
    return result
