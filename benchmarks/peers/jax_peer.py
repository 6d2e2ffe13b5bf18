#!/usr/bin/env python3
"""JAX on one benchmark case, on the processor; prints one JSON line."""

from __future__ import annotations

import os

import case as shared

VARIANTS = ("vmap", "sharded", "map")


def main() -> None:
    """Limits the process before JAX is loaded, then measures."""
    options = shared.arguments(VARIANTS)
    shared.limit_cpus(options.threads)
    shared.keep_memory()
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + (
        f" --xla_force_host_platform_device_count={options.threads}"
        if options.variant == "sharded"
        else ""
    )
    import jax
    from jax_members import build

    case = shared.load_case(options.case, options.members, options.steps)
    shared.run_peer("jax", jax.__version__, case, options, build)


if __name__ == "__main__":
    main()
