"""The IR: types, values, ops, functions and modules, their text form and their rules."""

from oxide.ir.location import Location
from oxide.ir.module import CONSTANT_SPACE, GLOBAL_SPACE, LAUNCH_FACTS, SHARED_SPACE, Block, Function, Global, Module, Param, Relocation
from oxide.ir.ops import (
    ALIGNMENT,
    OPS,
    SIZE,
    Op,
    Rule,
    SameTypeOperands,
    Symbol,
    Value,
    attribute,
    check_call,
    check_return,
    operand,
    operands,
    optional_operand,
    optional_result,
    result,
    successor,
    successors,
)
from oxide.ir.types import (
    F16,
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    I128,
    PTR,
    Array,
    ArrayType,
    Float,
    FloatType,
    Int,
    IntType,
    NumberType,
    Pointer,
    PointerType,
    ScalarType,
    Struct,
    StructType,
    Type,
)
from oxide.ir.verifier import VerifyError, verify

__all__ = [
    "ALIGNMENT", "CONSTANT_SPACE", "F16", "F32", "F64", "GLOBAL_SPACE", "I1", "I8", "I16", "I32", "I64", "I128", "LAUNCH_FACTS", "OPS",
    "PTR", "SHARED_SPACE", "SIZE",
    "Array", "ArrayType", "Block", "Float", "FloatType", "Function", "Global", "Int", "IntType", "Location", "Module", "NumberType", "Op",
    "Param", "Pointer", "PointerType", "Relocation", "Rule", "SameTypeOperands", "ScalarType", "Struct", "StructType", "Symbol", "Type",
    "Value", "VerifyError", "attribute", "check_call", "check_return", "operand", "operands", "optional_operand", "optional_result",
    "result", "successor", "successors", "verify",
]  # fmt: skip
