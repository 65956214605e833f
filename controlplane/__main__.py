"""`python -m controlplane`: builds the programs and prints where they are; starts nothing."""

import functools
import sys

from controlplane import building, toolchain


def main() -> int:
    """Build what is missing; 1 if that fails."""
    try:
        binaries = building.ensure(functools.partial(print, flush=True))
    except (building.BuildError, toolchain.ToolchainError) as error:
        print(f"control plane: {error}", file=sys.stderr)
        return 1
    print(f"control plane: {binaries.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
