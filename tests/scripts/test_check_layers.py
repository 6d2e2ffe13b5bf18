"""Tests scripts/check_layers: a small tree for each rule, and the finding it must give.

usage: test_check_layers.py
"""

import importlib.machinery
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path


def load(script):
    """A script without suffix as a module."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(script.name, str(script))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(script.name, loader))
    loader.exec_module(module)
    return module


check_layers = load(Path(__file__).resolve().parents[2] / "scripts" / "check_layers")


def findings(files):
    """What check_layers says about a tree given as {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        checker = check_layers.Checker(Path(folder))
        checker.run()
    return checker.findings


def including(path, include):
    return findings({path: f'#include "{include}"\n'})


class Includes(unittest.TestCase):
    def allowed(self, path, include):
        self.assertEqual(including(path, include), [])

    def refused(self, path, include, message):
        lines = including(path, include)
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith(f"{path}:1: "), lines[0])
        self.assertIn(message, lines[0])

    def test_layers_point_to_the_left(self):
        self.allowed("src/engine/plan.cpp", "nomu/data/cohort.hpp")
        self.refused("src/data/cohort.cpp", "nomu/nn/loss.hpp", "nn is no lower layer")
        self.refused("src/models/fit/model.cpp", "nomu/bo/study.hpp", "bo is no lower layer")
        self.allowed("src/report/study/page.cpp", "nomu/bo/study.hpp")
        self.refused("src/bo/study/study.cpp", "nomu/report/plot.hpp", "report is no lower layer")
        self.allowed("src/paper/tables/tables.cpp", "nomu/report/plot.hpp")
        self.refused("src/report/page/html.cpp", "paper/tables/tables.hpp", "paper is no lower layer")
        self.refused("src/core/file.cpp", "nomu/experiment/experiment.hpp", "no layer called 'experiment'")

    def test_interchange_is_for_the_interfaces(self):
        self.allowed("cli/model/export.cpp", "nomu/interchange/onnx.hpp")
        self.allowed("python/bindings/bind_onnx.cpp", "nomu/interchange/onnx.hpp")
        self.refused("src/report/model/page.cpp", "nomu/interchange/onnx.hpp", "interchange is no lower layer")

    def test_no_concrete_method_above_models(self):
        self.allowed("src/bo/search/proposal.cpp", "nomu/models/method.hpp")
        self.allowed("src/paper/kinds/kind.cpp", "models/fit/members.hpp")
        for path in ("src/bo/search/a.cpp", "src/report/model/a.cpp", "src/paper/kinds/a.cpp"):
            self.refused(path, "nomu/models/laplace.hpp", "of models it may see")

    def test_models(self):
        self.allowed("src/models/nomu/nomu.cpp", "models/network/train.hpp")
        self.allowed("src/models/attached/foreign.cpp", "models/nomu/nomu_plan.hpp")
        self.allowed("src/models/fit/warm_start.cpp", "models/nomu/fitted_nomu.hpp")
        self.refused("src/models/network/train.cpp", "models/nomu/nomu_plan.hpp", "in no lower folder")
        self.refused("src/models/nomu/nomu.cpp", "models/attached/foreign_plan.hpp", "in no lower folder")
        for folder in ("ensembles", "bayes", "gp"):
            self.refused(f"src/models/{folder}/a.cpp", "models/nomu/nomu_plan.hpp", "in no lower folder")

    def test_bo(self):
        self.allowed("src/bo/study/study.cpp", "bo/store/study_store.hpp")
        self.allowed("src/bo/worker/worker.cpp", "bo/study/study_replay.hpp")
        self.refused("src/bo/store/study_store.cpp", "bo/search/suggester.hpp", "in no lower folder")
        self.refused("src/bo/search/proposal.cpp", "bo/database/database.hpp", "in no lower folder")
        self.refused("src/bo/study/study.cpp", "bo/worker/worker.hpp", "in no lower folder")

    def test_report_and_paper(self):
        self.refused("src/report/plot/plot.cpp", "report/page/html.hpp", "in no lower folder")
        self.refused("src/report/model/model.cpp", "report/study/study_figures.hpp", "in no lower folder")
        self.allowed("src/paper/tables/tables.cpp", "paper/run/runner.hpp")
        self.refused("src/paper/results/store.cpp", "paper/kinds/kind.hpp", "in no lower folder")
        self.refused("src/paper/tables/tables.cpp", "paper/figures/toy.hpp", "in no lower folder")

    def test_engine(self):
        self.allowed("src/engine/cpu/cpu.cpp", "engine/plan.hpp")
        self.allowed("src/engine/cpu/cpu.cpp", "engine/cpu/kernels/isa.hpp")
        self.allowed("src/engine/engine.cpp", "engine/cpu/cpu.hpp")
        self.refused("src/engine/plan.cpp", "engine/cpu/cpu.hpp", "in no lower folder")
        self.refused("src/engine/cpu/cpu.cpp", "engine/reference/reference.hpp", "in no lower folder")
        self.refused("src/engine/cpu/kernels/isa_x86.cpp", "engine/cpu/program.hpp", "in no lower folder")
        self.refused("src/engine/cuda/kernels/copy.cu", "engine/cuda/device.hpp", "in no lower folder")
        self.refused("src/engine/cuda/resident/resident.cu", "engine/cuda/tiles/slab.cuh", "in no lower folder")
        self.refused("src/models/fit/model.cpp", "engine/reference/reference.hpp", "only engine sees that folder")

    def test_interchange(self):
        self.allowed("src/interchange/onnx_export.cpp", "interchange/graph/network_graph.hpp")
        self.refused("src/interchange/graph/graph.cpp", "interchange/foreign/onnx_node.hpp", "in no lower folder")
        self.refused("src/interchange/foreign/node.cpp", "interchange/graph/network_graph.hpp", "in no lower folder")

    def test_private_headers_of_the_interfaces(self):
        self.allowed("cli/paper/reproduce.cpp", "paper/run/runner.hpp")
        self.allowed("cli/engine/bench.cpp", "engine/benchmark.hpp")
        self.refused("cli/engine/bench.cpp", "engine/backend.hpp", "the private header engine/backend.hpp")
        self.refused("cli/model/fit.cpp", "models/fit/members.hpp", "the private header models/fit/members.hpp")
        self.refused("python/bindings/bind_model.cpp", "core/team.hpp", "the private header core/team.hpp")
        self.refused("python/bindings/bind_model.cpp", "paper/run/runner.hpp", "paper is no lower layer")
        own = findings({"cli/model/fit.cpp": '#include "model/output.hpp"\n', "cli/model/output.hpp": "#pragma once\n"})
        self.assertEqual(own, [])

    def test_public_headers(self):
        self.refused("include/nomu/bo/study.hpp", "bo/database/database.hpp", "includes the private header")
        self.refused("include/nomu/nn/loss.hpp", "Eigen/Dense", "names a backend")
        self.refused("src/bo/study/study.cpp", "nomu/nomu.hpp", "is for users")
        self.allowed("cli/main.cpp", "nomu/nomu.hpp")


class Sources(unittest.TestCase):
    def finds(self, files, message):
        lines = findings(files)
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(message, lines[0])

    def test_full_folder(self):
        self.assertEqual(findings({f"src/core/a{i}.cpp": "" for i in range(25)}), [])
        self.finds({f"src/core/a{i}.cpp": "" for i in range(26)}, "26 sources in one folder")
        self.finds({f"python/nomu/a{i}.py": "" for i in range(26)}, "26 sources in one folder")
        self.assertEqual(findings({f"python/tests/a{i}.py": "" for i in range(26)}), [])

    def test_unknown_folder(self):
        self.finds({"src/models/extra/a.cpp": ""}, "'src/models/extra' is not among the folders of models")
        self.finds({"src/core/extra/a.cpp": ""}, "'src/core/extra' is not among the folders of core")
        self.finds({"src/experiment/a.cpp": ""}, "no layer called 'experiment'")

    def test_library_neither_prints_nor_ends(self):
        self.finds({"src/core/a.cpp": 'void f() { printf("x"); }\n'}, "must not print")
        self.finds({"src/core/a.cpp": "void f() { std::exit(1); }\n"}, "must not end the process")
        self.assertEqual(findings({"src/core/a.cpp": '// printf("x")\n', "cli/main.cpp": 'void f() { printf("x"); }\n'}), [])

    def test_public_header_text(self):
        self.finds({"include/nomu/core/a.hpp": "#ifdef X\n#endif\n"}, "in a public header")
        self.finds({"include/nomu/core/a.hpp": "Eigen::MatrixXd f();\n"}, "names a backend")

    def test_one_name_is_one_type(self):
        header = "namespace nomu {{\nstruct {} {{\n  struct Part {{}};\n}};\n}}\n".format
        twice = {"include/nomu/core/a.hpp": header("Answer"), "src/bo/space/b.hpp": header("Answer")}
        self.finds(twice, "nomu::Answer is defined in include/nomu/core/a.hpp as well")
        self.assertEqual(findings({"src/core/a.hpp": header("Answer"), "src/core/b.hpp": header("Answer::Parts")}), [])

    def test_names(self):
        self.finds({"src/core/utils.hpp": ""}, "'utils.hpp' says nothing")


if __name__ == "__main__":
    unittest.main()
