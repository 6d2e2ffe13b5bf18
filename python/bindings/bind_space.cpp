#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "nomu/bo/space.hpp"
#include "points.hpp"
#include "printed.hpp"

namespace nomu::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using Terms = std::vector<std::pair<std::string, double>>;
using Conditions = std::vector<std::pair<std::string, std::vector<std::string>>>;

LinearConstraint constraint(const Terms& terms, std::optional<double> at_least, std::optional<double> at_most) {
  LinearConstraint made{.terms = {}, .at_least = at_least, .at_most = at_most};
  for (const auto& [variable, coefficient] : terms) made.terms.push_back({variable, coefficient});
  return made;
}

const char* kind_of(const Variable& variable) {
  switch (variable.kind) {
    case Variable::Kind::real: return "real";
    case Variable::Kind::integer: return "integer";
    case Variable::Kind::categorical: break;
  }
  return "categorical";
}

}  // namespace

nb::dict params_of(const Space& space, const Point& point) {
  nb::dict params;
  const std::vector<bool> active = space.active(point);
  for (std::size_t j = 0; j < space.size(); ++j) {
    const Variable& v = space.variables()[j];
    const nb::str name(v.name.c_str());
    if (!active[j]) continue;
    if (v.kind == Variable::Kind::real) params[name] = point[j];
    if (v.kind == Variable::Kind::integer) params[name] = static_cast<std::int64_t>(point[j]);
    if (v.kind == Variable::Kind::categorical) params[name] = space.text(j, point[j]);
  }
  return params;
}

Point point_of(const Space& space, const nb::dict& params) {
  std::vector<std::optional<double>> values(space.size());
  for (const auto& [name, value] : params) {
    const std::size_t j = space.index_of(nb::cast<std::string>(name));
    const bool text = nb::isinstance<nb::str>(value);
    values[j] = text ? space.parse(j, nb::cast<std::string>(value)) : nb::cast<double>(value);
  }
  return space.complete(values);
}

void bind_space(nb::module_& m) {
  nb::class_<Variable>(m, "Variable", "A variable of a search space.")
      .def_static(
          "real",
          [](const std::string& name, double low, double high, bool log, const std::string& unit) {
            return Variable{.name = name, .low = low, .high = high, .log = log, .unit = unit};
          },
          "name"_a, "low"_a, "high"_a, "log"_a = false, "unit"_a = "")
      .def_static(
          "integer",
          [](const std::string& name, double low, double high, bool log, const std::string& unit) {
            return Variable{
                .name = name, .kind = Variable::Kind::integer, .low = low, .high = high, .log = log, .unit = unit};
          },
          "name"_a, "low"_a, "high"_a, "log"_a = false, "unit"_a = "")
      .def_static(
          "categorical",
          [](const std::string& name, std::vector<std::string> choices) {
            return Variable{.name = name, .kind = Variable::Kind::categorical, .choices = std::move(choices)};
          },
          "name"_a, "choices"_a)
      .def(
          "only_when",
          [](Variable self, const Conditions& when) {
            for (const auto& [variable, values] : when) self.when.push_back({variable, values});
            return self;
          },
          "when"_a, "The variable, active only where the named variables have one of these values.")
      .def_prop_ro(
          "when",
          [](const Variable& self) {
            Conditions when;
            for (const Condition& condition : self.when) when.emplace_back(condition.variable, condition.values);
            return when;
          },
          "Pairs of a variable and its values, all of which the variable needs in order to be active.")
      .def_ro("name", &Variable::name)
      .def_prop_ro("kind", &kind_of, R"("real", "integer" or "categorical")")
      .def_ro("low", &Variable::low)
      .def_ro("high", &Variable::high)
      .def_ro("log", &Variable::log)
      .def_ro("choices", &Variable::choices)
      .def_ro("unit", &Variable::unit, "shown on pages; may be empty")
      .def("__repr__", [](const Variable& v) { return "<nomu.Variable " + printed(v) + ">"; });
  nb::class_<LinearConstraint>(m, "Constraint", "at_least <= sum of coefficient * value <= at_most")
      .def(
          "__init__",
          [](LinearConstraint* self, const Terms& terms, std::optional<double> at_least,
             std::optional<double> at_most) { new (self) LinearConstraint(constraint(terms, at_least, at_most)); },
          "terms"_a, "at_least"_a = nb::none(), "at_most"_a = nb::none())
      .def("__repr__", [](const LinearConstraint& c) { return "<nomu.Constraint " + printed(c) + ">"; });
  nb::class_<Space>(m, "Space", "Named variables with bounds, and linear constraints between them.")
      .def(nb::init<std::vector<Variable>, std::vector<LinearConstraint>>(), "variables"_a,
           "constraints"_a = std::vector<LinearConstraint>{})
      .def_prop_ro("variables", &Space::variables)
      .def("__len__", &Space::size)
      .def("__repr__", [](const Space& space) { return "<nomu.Space " + printed(space) + ">"; });
}

}  // namespace nomu::python
