#pragma once
// Every formula of the training step, once: activations, row losses with their slopes, Adam, the readout map.
// Templates over the number type, shared by the reference (double), the CPU and the CUDA engine (float).

#include <cmath>
#include <cstddef>

#include "core/host_device.hpp"
#include "nomu/nn/loss.hpp"
#include "nomu/nn/network.hpp"

namespace nomu::engine {

template <class T>
NOMU_HD T softplus(T z) {
  // log(1 + e^z) without overflow for large z and without cancellation for small e^z.
  return (z > T(0) ? z : T(0)) + std::log1p(std::exp(z > T(0) ? -z : z));
}

template <class T>
NOMU_HD T sigmoid(T z) {
  const T e = std::exp(z > T(0) ? -z : z);
  return z > T(0) ? T(1) / (T(1) + e) : e / (T(1) + e);
}

template <class T>
NOMU_HD T activate(Activation kind, T z) {
  switch (kind) {
    case Activation::relu: return z > T(0) ? z : T(0);
    case Activation::tanh: return std::tanh(z);
    case Activation::softplus: return softplus(z);
    case Activation::identity: break;
  }
  return z;
}

/// Derivative of the activation, from the activated value: no pre-activation needs to be kept.
template <class T>
NOMU_HD T activation_slope(Activation kind, T a) {
  switch (kind) {
    case Activation::relu: return a > T(0) ? T(1) : T(0);
    case Activation::tanh: return T(1) - a * a;
    case Activation::softplus: return -std::expm1(-a);
    case Activation::identity: break;
  }
  return T(1);
}

inline constexpr std::size_t most_outputs = 3;

/// The loss of one row and its derivative with respect to each output.
template <class T>
struct RowLoss {
  T value = T(0);
  T slope[most_outputs] = {T(0), T(0), T(0)};
};

/// One member's loss settings.
template <class T>
struct LossSettings {
  LossKind kind;
  bool stable;
  bool fit_mean;
  T noise_floor, mu_sqr, mu_exp, c_exp;
  bool around_mean;
};

template <class T>
struct ValueSlope {
  T value, slope;
};

/// Term (b) per row: r^2, or its bounded-slope version.
template <class T>
NOMU_HD ValueSlope<T> pinning(bool stable, T r) {
  if (!stable || (r <= T(1) && r >= T(-1))) return {r * r, T(2) * r};
  return r > T(0) ? ValueSlope<T>{T(2) * r - T(1), T(2)} : ValueSlope<T>{T(-2) * r - T(1), T(-2)};
}

/// Term (c) per artificial row: e^{-c z}, continued by its tangent for z < 0 in the stable version.
template <class T>
NOMU_HD ValueSlope<T> lifting(bool stable, T c, T z) {
  if (stable && z < T(0)) return {T(1) - c * z, -c};
  const T e = std::exp(-c * z);
  return {e, -c * e};
}

/// Outputs of a row: [f], [f, noise], [f, r], [f, noise, r], [f, upper, lower], [f, upper] or [f, lower], by kind.
template <class T>
NOMU_HD RowLoss<T> data_loss(const LossSettings<T>& s, const T* out, T y, T known_noise) {
  RowLoss<T> loss;
  const T error = out[0] - y;
  switch (s.kind) {
    case LossKind::squared_error: {
      loss.value = error * error;
      loss.slope[0] = T(2) * error;
      return loss;
    }
    case LossKind::nomu: {  // Def. 3.1 (a), (b)
      const ValueSlope<T> b = pinning(s.stable, out[1]);
      loss.value = (s.fit_mean ? error * error : T(0)) + s.mu_sqr * b.value;
      loss.slope[0] = s.fit_mean ? T(2) * error : T(0);
      loss.slope[1] = s.mu_sqr * b.slope;
      return loss;
    }
    case LossKind::nomu_known: {  // Appendix C.1, sigma_noise given
      const T precision = T(0.5) / (known_noise * known_noise);
      const ValueSlope<T> b = pinning(s.stable, out[1]);
      loss.value = precision * ((s.fit_mean ? error * error : T(0)) + s.mu_sqr * b.value);
      loss.slope[0] = s.fit_mean ? precision * T(2) * error : T(0);
      loss.slope[1] = precision * s.mu_sqr * b.slope;
      return loss;
    }
    case LossKind::gaussian_nll:
    case LossKind::nomu_noise: {  // Appendix C.1; without r it is the Gaussian likelihood
      const T noise = softplus(out[1]) + s.noise_floor;
      const T precision = T(0.5) / (noise * noise);
      const bool with_r = s.kind == LossKind::nomu_noise;
      const ValueSlope<T> b = with_r ? pinning(s.stable, out[2]) : ValueSlope<T>{T(0), T(0)};
      const T squares = (s.fit_mean ? error * error : T(0)) + s.mu_sqr * b.value;
      loss.value = precision * squares + (s.fit_mean ? std::log(noise) : T(0));
      loss.slope[0] = s.fit_mean ? precision * T(2) * error : T(0);
      loss.slope[1] = ((s.fit_mean ? T(1) : T(0)) - T(2) * precision * squares) / noise * sigmoid(out[1]);
      if (with_r) loss.slope[2] = precision * s.mu_sqr * b.slope;
      return loss;
    }
    case LossKind::directed: {  // Appendix C.2 (a'), (b')
      const T above = out[1] - y;
      const T below = out[2] - y;
      loss.value = (s.fit_mean ? error * error : T(0)) + s.mu_sqr * (above * above + below * below);
      loss.slope[0] = s.fit_mean ? T(2) * error : T(0);
      loss.slope[1] = T(2) * s.mu_sqr * above;
      loss.slope[2] = T(2) * s.mu_sqr * below;
      return loss;
    }
    case LossKind::directed_upper:
    case LossKind::directed_lower: {  // the same with one bound
      const T gap = out[1] - y;
      loss.value = (s.fit_mean ? error * error : T(0)) + s.mu_sqr * gap * gap;
      loss.slope[0] = s.fit_mean ? T(2) * error : T(0);
      loss.slope[1] = T(2) * s.mu_sqr * gap;
      return loss;
    }
  }
  return loss;
}

/// Term (c') of Appendix C.2: -u(upper) - u(-lower) as printed, or of their distances to the mean, which keep e^{-c z}
/// in range; the mean itself gets no gradient from here. u(z) = -e^{-c z}, always in the stable form.
template <class T>
NOMU_HD RowLoss<T> directed_lift(const LossSettings<T>& s, const T* out) {
  RowLoss<T> loss;
  const T centre = s.around_mean ? out[0] : T(0);
  T sum = T(0);
  if (s.kind != LossKind::directed_lower) {
    const ValueSlope<T> up = lifting(true, s.c_exp, out[1] - centre);
    sum += up.value;
    loss.slope[1] = s.mu_exp * up.slope;
  }
  if (s.kind != LossKind::directed_upper) {
    const std::size_t lower = s.kind == LossKind::directed ? 2 : 1;
    const ValueSlope<T> down = lifting(true, s.c_exp, centre - out[lower]);
    sum += down.value;
    loss.slope[lower] = -s.mu_exp * down.slope;
  }
  loss.value = s.mu_exp * sum;
  return loss;
}

/// Term (c) of one artificial row, before division by the number of rows.
template <class T>
NOMU_HD RowLoss<T> augmented_loss(const LossSettings<T>& s, const T* out) {
  if (s.kind == LossKind::directed || s.kind == LossKind::directed_upper || s.kind == LossKind::directed_lower)
    return directed_lift(s, out);
  RowLoss<T> loss;
  const std::size_t r = s.kind == LossKind::nomu_noise ? 2 : 1;
  const ValueSlope<T> c = lifting(s.stable, s.c_exp, out[r]);
  loss.value = s.mu_exp * c.value;
  loss.slope[r] = s.mu_exp * c.slope;
  return loss;
}

/// Adam in the Keras form: `rate` already holds the bias correction, epsilon stands outside the root.
template <class T>
struct AdamStep {
  T rate, beta1, beta2, epsilon;
};

/// `power1`, `power2`: the betas to the power of the 1-based step number.
template <class T>
NOMU_HD T adam_rate(T learning_rate, T power1, T power2) {
  return learning_rate * std::sqrt(T(1) - power2) / (T(1) - power1);
}

template <class T>
NOMU_HD T adam_rate(T learning_rate, T beta1, T beta2, long step) {
  const T t = static_cast<T>(step);
  return adam_rate(learning_rate, std::pow(beta1, t), std::pow(beta2, t));
}

/// A quotient of Adam's step. On a GPU its last two bits may be off: exact roots and quotients branch for every number,
/// which delays the reads of the next ones.
template <class T>
NOMU_HD T adam_quotient(T numerator, T second, T epsilon) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) == sizeof(float)) {
    float root = 0.0F;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(second));
    return __fdividef(numerator, root + epsilon);
  }
#endif
  return numerator / (std::sqrt(second) + epsilon);
}

template <class T>
NOMU_HD void adam(const AdamStep<T>& a, T gradient, T& weight, T& first, T& second) {
  first = a.beta1 * first + (T(1) - a.beta1) * gradient;
  second = a.beta2 * second + (T(1) - a.beta2) * gradient * gradient;
  weight -= adam_quotient(a.rate * first, second, a.epsilon);
}

/// AMSGrad: divides by the largest second moment so far (not bias-corrected, as Keras has it).
template <class T>
NOMU_HD void amsgrad(const AdamStep<T>& a, T gradient, T& weight, T& first, T& second, T& largest) {
  first = a.beta1 * first + (T(1) - a.beta1) * gradient;
  second = a.beta2 * second + (T(1) - a.beta2) * gradient * gradient;
  largest = second > largest ? second : largest;
  weight -= adam_quotient(a.rate * first, largest, a.epsilon);
}

}  // namespace nomu::engine
