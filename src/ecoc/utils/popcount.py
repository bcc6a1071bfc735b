"""How many bits of a word are set? The processor's own instruction, for compiled kernels."""

from typing import Any

from numba import types
from numba.extending import intrinsic


def _popcount(typing_context: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


popcount: Any = intrinsic(_popcount)
