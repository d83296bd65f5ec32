"""The remainder of floats, exactly: LLVM's own code for NVPTX rounds the quotient first and is wrong for large ones.

    llvm.Call(None, (x, y), remainder_function(b, F32), F32)      # call float @oxide$fmod_f32(float %x, float %y)

`x % y` is `x - y * trunc(x / y)` without rounding, with the sign of `x` (Rust reference, "Arithmetic and Logical Binary Operators"; C's
`fmod`). The significands are integers, so it is their remainder, taken a few bits of the quotient at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm
from oxide.ir import I64, Array, FloatType, Function, Int, Param, Symbol
from oxide.lower.to_llvm.expressions import Expression
from oxide.lower.to_llvm.float_formats import FORMATS

if TYPE_CHECKING:
    from oxide.ir import Block, Op, Value
    from oxide.lower.registry import Builder
    from oxide.lower.to_llvm.expressions import AnyOp


def remainder_function(b: Builder, ty: FloatType) -> Symbol:
    """Return the function for a type, made when it is first asked for."""
    symbol = Symbol(f"oxide$fmod_{ty}")
    if symbol not in b.helpers:
        b.helpers[symbol] = Remainder(ty, symbol).function
    return symbol


class Remainder:
    """Builds the function: special cases, a loop over the quotient's bits, and the float put together again."""

    def __init__(self, ty: FloatType, symbol: Symbol) -> None:
        self.ty = ty
        self.function = Function(symbol, (Param(ty), Param(ty)), ty)
        self.significant = FORMATS[ty.width].significant
        self.block = self.function.add_block()
        self.build(*self.function.arguments)

    def append(self, op: AnyOp) -> AnyOp:
        """Append an op to the current block."""
        self.block.ops.append(op)
        return op

    def end(self, op: Op, then: Block) -> None:
        """End the block and go on in another."""
        self.append(op)
        self.block = then

    def load(self, address: Value) -> Expression:
        """Read a variable."""
        return Expression(self.append, self.append(llvm.Load(address, I64, 8)).value)

    def store(self, value: Expression, address: Value) -> None:
        """Write a variable."""
        self.append(llvm.Store(value.value, address, 8))

    def variable(self, value: Expression) -> Value:
        """Return memory that holds a value; LLVM makes a register of it."""
        address = self.append(llvm.Alloca(value.constant(1).value, Array(8, Int(8)), 8)).value
        self.store(value, address)
        return address

    def split(self, magnitude: Expression) -> tuple[Expression, Expression]:
        """Return the exponent field, at least 1, and the significand with its leading 1 if it has one."""
        field = magnitude >> (self.significant - 1)
        leading = magnitude.constant(1 << (self.significant - 1))
        fraction = magnitude & ((1 << (self.significant - 1)) - 1)
        normal = field.compare("ne", 0)
        exponent = normal.choose(field, field.constant(1))
        return exponent, normal.choose(fraction | leading, fraction)

    def build(self, x: Value, y: Value) -> None:
        """Fill the function."""
        special, ordinary, unchanged, start, loop, step, done = (self.function.add_block() for _ in range(7))
        width, as_int = self.ty.width, Int(self.ty.width)
        bits, other = (Expression(self.append, value).cast(llvm.Bitcast, as_int) for value in (x, y))
        if as_int is not I64:
            bits, other = (value.cast(llvm.ZExt, I64) for value in (bits, other))
        mask = bits.constant((1 << (width - 1)) - 1)
        magnitude, divisor = bits & mask, other & mask
        infinity = bits.constant(((1 << (width - self.significant)) - 1) << (self.significant - 1))
        undefined = divisor.compare("eq", 0) | magnitude.compare("uge", infinity)
        undefined = undefined | divisor.compare("ugt", infinity)
        self.end(llvm.CondBr(undefined.value, special, ordinary), special)
        nan = ((1 << (width - self.significant + 1)) - 1) << (self.significant - 2)
        self.end(llvm.Return(bits.constant(nan, self.ty).value), ordinary)
        self.end(llvm.CondBr(magnitude.compare("ult", divisor).value, unchanged, start), unchanged)
        self.end(llvm.Return(x), start)

        exponent, dividend = self.split(magnitude)
        scale, modulus = self.split(divisor)
        rest = self.variable(dividend % modulus)
        left = self.variable(exponent - scale)
        self.end(llvm.Br(loop), loop)
        count = self.load(left)
        self.end(llvm.CondBr(count.compare("eq", 0).value, done, step), step)
        shift = smaller(count, count.constant(64 - self.significant))
        self.store((self.load(rest) << shift) % modulus, rest)
        self.store(count - shift, left)
        self.end(llvm.Br(loop), done)

        remainder = self.load(rest)
        missing = remainder.leading_zeros() - (64 - self.significant)
        shift = smaller(missing, scale - 1)
        # The leading 1 adds one to the exponent; what has none is subnormal, and its exponent field is 0.
        field = (scale - shift - 1) << (self.significant - 1)
        found = field + (remainder << shift)
        found = remainder.compare("eq", 0).choose(0, found)
        found = found | (bits & (1 << (width - 1)))
        if as_int is not I64:
            found = found.cast(llvm.Trunc, as_int)
        self.append(llvm.Return(found.cast(llvm.Bitcast, self.ty).value))


def smaller(lhs: Expression, rhs: Expression) -> Expression:
    """Return the smaller of two unsigned numbers."""
    return lhs.compare("ult", rhs).choose(lhs, rhs)
