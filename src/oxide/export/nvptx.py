"""Workarounds for miscompilations of LLVM 22.1's NVPTX code generation and of ptxas: one rule a defect, with the defect beside it.

    text = without_miscompilations(str(module))        # the same text where no rule applies
    ptx = for_ptxas(machine.emit_assembly(module))

The rules for LLVM rewrite its print of a module after its passes, right before code generation, since those passes would undo them:
InstCombine drops the mask of a shift that a comparison guards, and makes an exclusive or of a sign bit an `fneg` again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oxide.export.llvm_body import NAME, VALUE, callee, metadata, opcode, rewritten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.export.llvm_body import Body

SHIFT = re.compile(rf"  ({VALUE} = (?:shl|lshr|ashr) (?:(?:nuw|nsw|exact) )*)(<\d+ x )?i(\d+)(>?) (.*), ({VALUE})((?:, !.*)?)$")
TRUNCATION = re.compile(rf"trunc (?:(?:nuw|nsw) )*(?:<\d+ x )?i(\d+)>? ({VALUE}) to ")
SIGNED_LEFT = re.compile(r"(= shl (?:nuw )?)nsw ((<)?(?:\d+ x )?i(\d+)>? [^,]+, (-?\d+)?.*)$")
NUMBER = r"(?:<\d+ x )?(?:half|bfloat|float|double)>?"
OPERAND = rf"(?:noundef |nofpclass\([^)]*\) )*({VALUE}|[^,()]+|splat \([^)]*\)|<.*?>)"
SIGN = re.compile(
    rf"  (?P<result>{VALUE}) = (?:(?P<negate>fneg) (?P<flags>(?:\w+ )*)"
    rf"|(?:tail )?call (?P<called>(?:\w+(?:\([^)]*\))? )*)(?={NUMBER} @llvm\.(?:fabs|copysign)\.))(?P<type>{NUMBER}) (?P<rest>.*)$"
)
CALL_OF_SIGN = re.compile(rf"@llvm\.(fabs|copysign)\.\w+\({NUMBER} {OPERAND}(?:, {NUMBER} {OPERAND})?\)")
ATOMIC_WORDS = r"(?: syncscope\(\"\w+\"\))?(?: (?:unordered|monotonic|acquire|seq_cst))?"
CHANGING_LOAD = re.compile(rf" = load (?:atomic |volatile )+.*?, ptr(?: addrspace\(\d+\))? (.*?){ATOMIC_WORDS}, align")
WANTED = re.compile(r" = (?:shl|lshr|ashr) |fneg |@llvm\.(?:fabs|copysign)\.| = load (?:atomic|volatile) ")

BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}

AMOUNT_BITS = 32
"""The width of the amount of PTX's shifts."""


def without_miscompilations(text: str) -> str:
    """Return LLVM's print of an optimised module, rewritten where code generation would miscompile it."""
    changed: set[str] = set()
    text = rewritten(text, lambda body: changed.update(change(body)), WANTED)
    for name in changed:
        # The initial value stays; LLVM no longer assumes that nobody writes it.
        text = re.sub(rf"^({re.escape(name)} = (?:[\w()]+ )*?)constant ", r"\1global ", text, count=1, flags=re.MULTILINE)
    return text


def change(body: Body) -> Iterator[str]:
    """Apply every rule to a function; yield the names of constants that have to become variables."""
    for number, line in enumerate(body.lines):
        if " = " not in line:
            continue
        if (shift := SHIFT.match(line)) is not None and may_be_clamped(body, shift):
            body.replace(number, masked(body, shift, line))
        elif (left := SIGNED_LEFT.search(line)) is not None and not is_below_sign(left):
            body.replace(number, [line[: left.start()] + left[1] + left[2]])
        elif (sign := SIGN.match(line)) is not None and are_bits_seen(body, sign):
            body.replace(number, of_bits(body, sign, line))
        if (load := CHANGING_LOAD.search(line)) is not None:
            yield from changing(body, load[1])


# A dropped guard. `x << s` behind `s < 64`, else 0, becomes PTX's `shl`, which clamps its amount; but that has 32 bits, and an
# amount of 64 or 128 bits is cut to them, while the comparison of all its bits goes. (NVPTXISelLowering, PerformSELECTShiftCombine, looks
# through the truncation.) With a masked amount the comparison is not of what is shifted by, and stays.


def may_be_clamped(body: Body, shift: re.Match[str]) -> bool:
    """Return whether a shift's amount has more bits than PTX takes, and there may be a guard; always of vectors."""
    result, width, amount = shift[1].partition(" ")[0].strip(), int(shift[3]), shift[6]
    source = amount
    if (cut := TRUNCATION.match(body.definition(amount))) is not None:
        width, source = max(width, int(cut[1])), cut[2]
    if width <= AMOUNT_BITS:
        return False
    amounts = {same for name in (amount, source) for same in unfrozen(body, name)}
    compared = any(opcode(user) == "icmp" for name in amounts for _, user in body.users(name))
    return shift[2] is not None or compared or is_chosen(body, result)


def unfrozen(body: Body, name: str) -> set[str]:
    """Return a value, what it freezes, and what freezes either: code generation may take them for one."""
    frozen = body.definition(name)
    roots = {name, *(NAME.findall(frozen) if opcode(frozen) == "freeze" else ())}
    return roots | {result for root in roots for result, user in body.users(root) if opcode(user) == "freeze"}


def is_chosen(body: Body, name: str) -> bool:
    """Return whether a value, or what it is cast to, is chosen by a condition."""
    return any(
        opcode(user) == "select" or (opcode(user) in ("freeze", "trunc", "zext", "sext") and is_chosen(body, result))
        for result, user in body.users(name)
    )


def masked(body: Body, shift: re.Match[str], line: str) -> list[str]:
    """Return a shift by its amount modulo the width; of a width that is no power of two, by 0 where the amount is too large."""
    ty, width, amount, where = f"{shift[2] or ''}i{shift[3]}{shift[4]}", int(shift[3]), body.fresh(), metadata(line)
    most = f"splat (i{width} {width - 1})" if shift[2] else str(width - 1)
    if width & (width - 1) == 0:
        made = [f"  {amount} = and {ty} {shift[6]}, {most}{where}"]
    else:
        truth, bits = body.fresh(), f"{shift[2] or ''}i1{shift[4]}"
        none = "zeroinitializer" if shift[2] else "0"
        made = [
            f"  {truth} = icmp ule {ty} {shift[6]}, {most}{where}",
            f"  {amount} = select {bits} {truth}, {ty} {shift[6]}, {ty} {none}{where}",
        ]
    head = re.sub(r"\bnsw ", "", shift[1]) if "= shl " in shift[1] else shift[1]
    return [*made, f"  {head}{ty} {shift[5]}, {amount}{shift[7]}"]


# A product with another sign. `sext(shl nsw x, 31)` becomes `mul.wide.s32 x, 1 << 31`, whose factor is negative there. (NVPTXISelLowering,
# TryMULWIDECombine, makes a factor of the amount.) Without `nsw` the shift is not widened.


def is_below_sign(left: re.Match[str]) -> bool:
    """Return whether a shift to the left is by a constant that is not that of the sign bit."""
    return left[3] is None and left[5] is not None and 0 <= int(left[5]) < int(left[4]) - 1


# A lost sign and payload of a NaN. PTX's `neg` and `abs` of floats may give any NaN (PTX ISA, "neg", "abs"), and a GPU gives
# 0x7fffffff; in Rust, and in LLVM, they change the sign bit and nothing else. Where the bits are seen, they are operations of integers.
# In arithmetic, which may give any NaN, they stay, since negating an operand costs nothing there.

ARITHMETIC = frozenset(["fadd", "fsub", "fmul", "fdiv", "frem", "fcmp", "fptosi", "fptoui", "fpext", "fptrunc"])
MADE_BY_ARITHMETIC = frozenset(["fadd", "fsub", "fmul", "fdiv", "frem", "fptrunc", "fpext", "sitofp", "uitofp"])
PASSED_ON = frozenset(["phi", "select", "freeze", "fneg", "insertelement", "extractelement", "shufflevector"])
FUNCTIONS = re.compile(
    r"llvm\.(?:fma|fmuladd|sqrt|minnum|maxnum|minimum|maximum|minimumnum|maximumnum|floor|ceil|trunc|rint|nearbyint|round|roundeven|canonicalize"
    r"|fptosi\.sat|fptoui\.sat|exp2|log2|sin|cos|pow|powi"
    r"|nvvm\.(?:add|mul|fma|div|rcp|sqrt|rsqrt|ex2|lg2|sin|cos|tanh|fmin|fmax|[fd]2(?:i|ui|ll|ull|f|h|bf16)))\."
)
ATOMIC_ARITHMETIC = re.compile(r"atomicrmw (?:volatile )?f(?:add|sub|min|max|minimum|maximum) ")


def are_bits_seen(body: Body, sign: re.Match[str]) -> bool:
    """Return whether all bits of a number may be seen whose sign is changed, and may be those of a certain NaN."""
    if {"nnan", "fast"} & {*(sign["flags"] or "").split(), *(sign["called"] or "").split()}:
        return False
    if not is_seen(body, sign["result"], set()):
        return False
    return not all(is_unobservable_nan(body, name) for name in NAME.findall(sign["rest"]))


def is_seen(body: Body, name: str, looked: set[str]) -> bool:
    """Return whether the bits of a number go anywhere but into arithmetic."""
    if name in looked:
        return False
    looked.add(name)
    for result, user in body.users(name):
        kind, function = opcode(user), callee(user)
        if kind in ARITHMETIC or (kind == "call" and FUNCTIONS.match(function)) or ATOMIC_ARITHMETIC.match(user):
            continue
        if kind in PASSED_ON or function.startswith(("llvm.fabs.", "llvm.copysign.")):
            if is_seen(body, result, looked):
                return True
            continue
        return True
    return False


def is_unobservable_nan(body: Body, name: str) -> bool:
    """Return whether arithmetic made a number that is used once, so that nothing depends on which NaN it was."""
    text = body.definition(name)
    made = opcode(text) in MADE_BY_ARITHMETIC or (opcode(text) == "call" and FUNCTIONS.match(callee(text)) is not None)
    return made and len(body.used.get(name, ())) == 1


def of_bits(body: Body, sign: re.Match[str], line: str) -> list[str]:
    """Return a change of a number's sign as an operation of its bits; those of a vector are one integer.

    Code generation makes `neg` and `abs` again of `xor` and `and` with such a constant. It does not of the sum with the sign bit, and of
    the exclusive or with the sign.
    """
    ty, where = sign["type"], metadata(line)
    found = re.fullmatch(r"(?:<(\d+) x )?(\w+?)>?", ty)
    assert found is not None, f"{ty} is a number's type, or a vector's"
    count, width = int(found[1] or 1), BITS[found[2]]
    integer = f"i{count * width}"
    signs = sum(1 << (width * number - 1) for number in range(1, count + 1))
    made: list[str] = []

    def add(text: str) -> str:
        name = body.fresh()
        made.append(f"  {name} = {text}{where}")
        return name

    def bits(number: str) -> str:
        return add(f"bitcast {ty} {number} to {integer}")

    if sign["negate"]:
        operand = re.match(OPERAND, sign["rest"])
        assert operand is not None, f"`{line}` negates something"
        result = add(f"{'add' if count == 1 else 'xor'} {integer} {bits(operand[1])}, {signs}")
    else:
        call = CALL_OF_SIGN.match(sign["rest"])
        assert call is not None, f"`{line}` is given numbers"
        number = bits(call[2])
        if call[1] == "fabs":
            result = add(f"xor {integer} {number}, {add(f'and {integer} {number}, {signs}')}")
        else:
            taken = add(f"and {integer} {bits(call[3])}, {signs}")
            rest = add(f"and {integer} {number}, {(1 << count * width) - 1 - signs}")
            result = add(f"or disjoint {integer} {rest}, {taken}")
    return [*made, f"  {sign['result']} = bitcast {integer} {result} to {ty}{where}"]


# A load that looks once. Code generation takes what is read through a parameter that is `noalias readonly`, or from a constant, for
# something that never changes, without a look at whether the load is volatile or atomic (NVPTXTagInvariantLoads): `ld.global.nc`, and of
# an acquire an instruction that it cannot select.

ATTRIBUTES = r"(?:\w+(?:\((?:[^()]|\([^()]*\))*\))? )*"
"""Of a parameter: `readonly captures(address, read_provenance) initializes((0, 8)) align 8 `."""

DERIVED = frozenset(["getelementptr", "addrspacecast", "bitcast", "phi", "select", "freeze"])


def changing(body: Body, address: str) -> Iterator[str]:
    """Say that what an address points into may change: take `noalias` off a parameter, and yield the names of constants."""
    todo, looked = [address], set[str]()
    while todo:
        text = todo.pop()
        yield from re.findall(r"@[\w$.]+|@\"[^\"]*\"", text)
        for name in NAME.findall(text):
            if name in looked:
                continue
            looked.add(name)
            line = body.defined.get(name)
            if line == 0:
                head = body.changes.get(0, body.lines[:1])[0]
                body.replace(0, [re.sub(rf"\bnoalias ({ATTRIBUTES}{re.escape(name)}(?=[,)]))", r"\1", head)])
            elif opcode(definition := body.definition(name)) in DERIVED:
                todo.append(re.sub(r"\[ (\S+|.*?), %[^\]]* \]", r"\1", definition) if opcode(definition) == "phi" else definition)


# Numbers of 16 bits, which ptxas 13.0 keeps in registers of 32 and loses track of what the upper half is. nvcc computes in 32 bits, as C
# does; so do these instructions here. Each was seen to go wrong on an H200, for sm_90:
#
# - `neg.s16` and `abs.s16` of -32768 are 32768: a comparison, a shift to the right or an extension behind them sees a positive number.
#   (So it is with `sub.s16` from 0; a product with -1, and what comes back from 32 bits, are extended again.)
# - `min` and `max` whose result is compared with an operand become `VIMNMX.S16x2` with one predicate for both halves, that of the upper.
# - A byte whose sign is extended to 16 bits is taken for a number whose upper half is zero, and `shr.u16` shifts ones in.

REGISTER = r"(%rs\d+)"
WIDENED = (
    (re.compile(rf"^\tneg\.s16 \t{REGISTER}, {REGISTER};$", re.MULTILINE), r"\tmul.lo.s16 \t\1, \2, -1;"),
    (
        re.compile(rf"^\tabs\.s16 \t{REGISTER}, {REGISTER};$", re.MULTILINE),
        r"\t{ .reg .b32 %wide; cvt.s32.s16 %wide, \2; abs.s32 %wide, %wide; cvt.u16.u32 \1, %wide; }",
    ),
    (
        re.compile(rf"^\tcvt\.s16\.s8 \t{REGISTER}, {REGISTER};$", re.MULTILINE),
        r"\t{ .reg .b32 %wide; cvt.s32.s8 %wide, \2; cvt.u16.u32 \1, %wide; }",
    ),
    (
        re.compile(rf"^\tcvt\.s8\.[su](16|32|64) \t{REGISTER}, (%\w+);$", re.MULTILINE),
        r"\t{ .reg .b32 %wide; cvt.u32.u\1 %wide, \3; cvt.s32.s8 %wide, %wide; cvt.u16.u32 \2, %wide; }",
    ),
    (
        re.compile(rf"^\tld((?:\.\w+)*)\.s8 \t{REGISTER}, (.*);$", re.MULTILINE),
        r"\t{ .reg .b32 %wide; ld\1.s8 \t%wide, \3; cvt.u16.u32 \2, %wide; }",
    ),
)
EXTREME = re.compile(rf"^\t(min|max)\.([su])16 \t{REGISTER}, {REGISTER}, (?:{REGISTER}|(-?\d+));$", re.MULTILINE)


def for_ptxas(ptx: str) -> str:
    """Return LLVM's PTX, without the instructions that ptxas gets wrong."""
    for narrow, wide in WIDENED:
        ptx = narrow.sub(wide, ptx)
    return EXTREME.sub(extreme, ptx)


def extreme(found: re.Match[str]) -> str:
    """Return `min` or `max` of 16 bits as that of 32."""
    operation, sign, result, one, other, number = found.groups()
    constant = int(number or 0) & 0xFFFF if sign == "u" else int(number or 0)
    second = f"cvt.{sign}32.{sign}16 %wide1, {other}" if other else f"mov.b32 %wide1, {constant}"
    computed = f"cvt.{sign}32.{sign}16 %wide0, {one}; {second}; {operation}.{sign}32 %wide0, %wide0, %wide1"
    return f"\t{{ .reg .b32 %wide<2>; {computed}; cvt.u16.u32 {result}, %wide0; }}"
