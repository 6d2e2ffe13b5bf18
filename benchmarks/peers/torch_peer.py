#!/usr/bin/env python3
"""Measures PyTorch on one benchmark case and prints one JSON line."""

from __future__ import annotations

from functools import partial

import case as shared

VARIANTS = ("stacked_fused", "stacked", "eager", "compiled")


def main() -> None:
    """Limits the process before PyTorch is loaded, then measures."""
    options = shared.arguments(__doc__, VARIANTS)
    if options.variant == "compiled" and options.group:
        raise SystemExit("--group: every group would be compiled anew")
    shared.limit_process(options)
    import torch
    from torch_members import build

    if options.device == "gpu":
        torch.set_default_device("cuda")
        torch.backends.cuda.matmul.allow_tf32 = options.precision == "tf32"
    else:
        torch.set_num_threads(options.threads)
        torch.set_flush_denormal(True)
    torch.manual_seed(shared.SEED)
    if options.variant == "eager":
        options.group = 1
    shared.run_peer("torch", torch.__version__, options, partial(build, options.variant))


if __name__ == "__main__":
    main()
