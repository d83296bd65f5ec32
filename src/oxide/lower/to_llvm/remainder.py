"""The remainder of floats, exactly: LLVM's own code for NVPTX rounds the quotient first and is wrong for large ones.

    llvm.Call(None, (x, y), remainder_function(b, F32), F32)      # call float @oxide$fmod_f32(float %x, float %y)

`x % y` is `x - y * trunc(x / y)` without rounding, with the sign of `x` (Rust reference, "Arithmetic and Logical Binary Operators"; C's
`fmod`). The significands are integers, so it is their remainder, taken a few bits of the quotient at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm
from oxide.ir import I1, I64, Array, Block, FloatType, Function, Int, Param, Symbol
from oxide.lower.to_llvm.float_formats import FORMATS

if TYPE_CHECKING:
    from oxide.ir import IntType, Op, Value
    from oxide.lower.registry import Builder


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

    def value(self, op: Op) -> Value:
        """Append an op and return its result."""
        self.block.ops.append(op)
        (found,) = op.results()
        return found

    def number(self, value: int, ty: IntType = I64) -> Value:
        """Return a number."""
        return self.value(llvm.Constant(value, ty))

    def end(self, op: Op, then: Block) -> None:
        """End the block and go on in another."""
        self.block.ops.append(op)
        self.block = then

    def compare(self, predicate: str, lhs: Value, rhs: Value) -> Value:
        """Compare integers."""
        return self.value(llvm.ICmp(lhs, rhs, predicate))

    def smaller(self, lhs: Value, rhs: Value) -> Value:
        """Return the smaller of two unsigned numbers."""
        return self.value(llvm.Select(self.compare("ult", lhs, rhs), lhs, rhs))

    def variable(self, value: Value) -> Value:
        """Return memory that holds a value; LLVM makes a register of it."""
        address = self.value(llvm.Alloca(self.number(1), Array(8, Int(8)), 8))
        self.block.ops.append(llvm.Store(value, address, 8))
        return address

    def split(self, magnitude: Value) -> tuple[Value, Value]:
        """Return the exponent field, at least 1, and the significand with its leading 1 if it has one."""
        field = self.value(llvm.LShr(magnitude, self.number(self.significant - 1)))
        leading = self.number(1 << (self.significant - 1))
        fraction = self.value(llvm.And(magnitude, self.number((1 << (self.significant - 1)) - 1)))
        normal = self.compare("ne", field, self.number(0))
        exponent = self.value(llvm.Select(normal, field, self.number(1)))
        return exponent, self.value(llvm.Select(normal, self.value(llvm.Or(fraction, leading)), fraction))

    def build(self, x: Value, y: Value) -> None:
        """Fill the function."""
        special, ordinary, unchanged, start, loop, step, done = (self.function.add_block() for _ in range(7))
        width = self.ty.width
        as_int = Int(width)
        bits, other = (self.value(llvm.Bitcast(value, as_int)) for value in (x, y))
        if as_int is not I64:
            bits, other = (self.value(llvm.ZExt(value, I64)) for value in (bits, other))
        mask = self.number((1 << (width - 1)) - 1)
        magnitude, divisor = (self.value(llvm.And(value, mask)) for value in (bits, other))
        infinity = self.number(((1 << (width - self.significant)) - 1) << (self.significant - 1))
        undefined = self.value(llvm.Or(self.compare("eq", divisor, self.number(0)), self.compare("uge", magnitude, infinity)))
        undefined = self.value(llvm.Or(undefined, self.compare("ugt", divisor, infinity)))
        self.end(llvm.CondBr(undefined, special, ordinary), special)
        nan = ((1 << (width - self.significant + 1)) - 1) << (self.significant - 2)
        self.end(llvm.Return(self.value(llvm.Constant(nan, self.ty))), ordinary)
        self.end(llvm.CondBr(self.compare("ult", magnitude, divisor), unchanged, start), unchanged)
        self.end(llvm.Return(x), start)

        exponent, dividend = self.split(magnitude)
        scale, modulus = self.split(divisor)
        rest = self.variable(self.value(llvm.URem(dividend, modulus)))
        left = self.variable(self.value(llvm.Sub(exponent, scale)))
        self.end(llvm.Br(loop), loop)
        count = self.value(llvm.Load(left, I64, 8))
        self.end(llvm.CondBr(self.compare("eq", count, self.number(0)), done, step), step)
        shift = self.smaller(count, self.number(64 - self.significant))
        shifted = self.value(llvm.Shl(self.value(llvm.Load(rest, I64, 8)), shift))
        self.block.ops.append(llvm.Store(self.value(llvm.URem(shifted, modulus)), rest, 8))
        self.block.ops.append(llvm.Store(self.value(llvm.Sub(count, shift)), left, 8))
        self.end(llvm.Br(loop), done)

        remainder = self.value(llvm.Load(rest, I64, 8))
        zeros = self.value(llvm.CallIntrinsic((remainder, self.number(0, I1)), "llvm.ctlz.i64", I64))
        missing = self.value(llvm.Sub(zeros, self.number(64 - self.significant)))
        shift = self.smaller(missing, self.value(llvm.Sub(scale, self.number(1))))
        # The leading 1 adds one to the exponent; what has none is subnormal, and its exponent field is 0.
        field = self.value(llvm.Sub(self.value(llvm.Sub(scale, shift)), self.number(1)))
        field = self.value(llvm.Shl(field, self.number(self.significant - 1)))
        found = self.value(llvm.Add(field, self.value(llvm.Shl(remainder, shift))))
        found = self.value(llvm.Select(self.compare("eq", remainder, self.number(0)), self.number(0), found))
        sign = self.value(llvm.And(bits, self.number(1 << (width - 1))))
        found = self.value(llvm.Or(found, sign))
        if as_int is not I64:
            found = self.value(llvm.Trunc(found, as_int))
        self.block.ops.append(llvm.Return(self.value(llvm.Bitcast(found, self.ty))))
