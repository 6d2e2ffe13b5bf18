#!/usr/bin/env python3
"""Measures JAX, on the processor, on one benchmark case and prints one JSON line."""

from __future__ import annotations

import os
from functools import partial

import case as shared

VARIANTS = ("vmap", "sharded")


def main() -> None:
    """Limits the process before JAX is loaded, then measures."""
    options = shared.arguments(__doc__, VARIANTS)
    shared.limit_cpus(options.threads)
    shared.keep_memory()
    devices = options.threads if options.variant == "sharded" else 1
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = (
        f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    )
    import jax
    from jax_members import Members

    build = partial(Members, devices=devices)
    shared.run_peer("jax", jax.__version__, options, build)


if __name__ == "__main__":
    main()
