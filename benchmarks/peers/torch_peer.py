#!/usr/bin/env python3
"""PyTorch on one benchmark case; prints one JSON line."""

from __future__ import annotations

import case as shared

VARIANTS = ("stacked_fused", "stacked", "eager", "compiled")


def main() -> None:
    """Limits the process before PyTorch is loaded, then measures."""
    options = shared.arguments(VARIANTS)
    shared.limit_cpus(options.threads)
    shared.keep_memory()
    import torch
    from torch_members import build

    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(shared.SEED)
    case = shared.load_case(options.case, options.members, options.steps)
    shared.run_peer("torch", torch.__version__, case, options, build)


if __name__ == "__main__":
    main()
