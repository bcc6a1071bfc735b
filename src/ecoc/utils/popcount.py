"""Count the set bits of a word by the processor's own instruction, for compiled kernels."""

from typing import Any

from numba import config, types
from numba.extending import intrinsic


def _popcount(typing_context: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


def _in_python(word: Any) -> int:
    return int(word).bit_count()


popcount: Any = _in_python if config.DISABLE_JIT else intrinsic(_popcount)  # type: ignore[attr-defined]
