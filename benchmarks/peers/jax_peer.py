#!/usr/bin/env python3
"""Measures JAX on one benchmark case and prints one JSON line."""

from __future__ import annotations

import os
from functools import partial

import case as shared

VARIANTS = ("vmap", "sharded")


def main() -> None:
    """Limits the process before JAX is loaded, then measures."""
    options = shared.arguments(__doc__, VARIANTS)
    shared.limit_process(options)
    devices = options.threads if options.variant == "sharded" else 1
    os.environ["JAX_PLATFORMS"] = "cuda" if options.device == "gpu" else "cpu"
    os.environ["XLA_FLAGS"] = (
        f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    )
    import jax
    from jax_members import Members

    precision = "tensorfloat32" if options.precision == "tf32" else "float32"
    jax.config.update("jax_default_matmul_precision", precision)
    build = partial(Members, devices=devices)
    shared.run_peer("jax", jax.__version__, options, build)


if __name__ == "__main__":
    main()
