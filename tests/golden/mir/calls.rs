// A result of one register is returned, a larger one written where the first pointer says; a value in memory is passed as a copy's address.

use cuda_device::kernel;

#[inline(never)]
fn one(a: u32) -> u32 {
    a ^ 1
}

#[inline(never)]
fn large(words: [u64; 4], part: &[u8]) -> (u64, usize) {
    (words[1], part.len())
}

#[kernel]
pub unsafe fn calls(out: *mut u64, words: [u64; 4], part: &[u8]) {
    let (word, length) = large(words, part);
    let apply: fn(u32) -> u32 = one;
    unsafe { *out = word + apply(length as u32) as u64 }
}

fn main() {}
// ---- out
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: i64):
//   %4 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "out"} : () -> !llvm.ptr
//   %5 = "mir.alloca"() {size = 32 : i64, align = 8 : i64, hint = "words"} : () -> !llvm.ptr
//   %6 = "mir.alloca"() {size = 16 : i64, align = 8 : i64, hint = "part"} : () -> !llvm.ptr
//   %7 = "mir.alloca"() {size = 32 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %8 = "mir.alloca"() {size = 16 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %9 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "word"} : () -> !llvm.ptr
//   %10 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "length"} : () -> !llvm.ptr
//   %11 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "apply"} : () -> !llvm.ptr
//   %12 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   %13 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   %14 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %4) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.copy"(%5, %1) {size = 32 : i64, align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.store"(%2, %6) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %15 = "mir.offset"(%6) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%3, %15) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   "mir.copy"(%7, %5) {size = 32 : i64, align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %16 = "mir.load"(%6) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %17 = "mir.offset"(%6) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %18 = "mir.load"(%17) {align = 8 : i64} : (!llvm.ptr) -> i64
//   "mir.call"(%8, %7, %16, %18) {callee = @_RNvCs_5calls5large} : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
//   "mir.goto"()[^bb2] : () -> ()
// ^bb2:
//   %19 = "mir.load"(%8) {align = 8 : i64} : (!llvm.ptr) -> i64
//   "mir.store"(%19, %9) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   %20 = "mir.offset"(%8) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %21 = "mir.load"(%20) {align = 8 : i64} : (!llvm.ptr) -> i64
//   "mir.store"(%21, %10) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   %22 = "mir.address_of"() {symbol = @_RNvCs_5calls3one} : () -> !llvm.ptr
//   "mir.store"(%22, %11) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %23 = "mir.load"(%10) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %24 = "mir.int_cast"(%23) : (i64) -> i32
//   "mir.store"(%24, %12) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %25 = "mir.load"(%11) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %26 = "mir.load"(%12) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %27 = "mir.call_pointer"(%25, %26) : (!llvm.ptr, i32) -> i32
//   "mir.store"(%27, %13) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.goto"()[^bb3] : () -> ()
// ^bb3:
//   %28 = "mir.load"(%13) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %29 = "mir.int_cast"(%28) : (i32) -> i64
//   "mir.store"(%29, %14) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   %30 = "mir.load"(%4) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %31 = "mir.load"(%9) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %32 = "mir.load"(%14) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %33 = "mir.add"(%31, %32) : (i64, i64) -> i64
//   "mir.store"(%33, %30) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   "mir.return"() : () -> ()
// }) {sym_name = "calls", params = [!llvm.ptr, {type = !llvm.ptr, byval = [32 : i64, 8 : i64], noalias = true, readonly = true}, {type = !llvm.ptr, noalias = true, readonly = true}, i64], kernel, signature = "{\22version\22:1,\22name\22:\22calls\22,\22params\22:[{\22name\22:\22out\22,\22rust\22:\22*mut u64\22,\22type\22:{\22kind\22:\22pointer\22,\22mutable\22:true,\22element\22:{\22kind\22:\22int\22,\22bits\22:64,\22signed\22:false}}},{\22name\22:\22words\22,\22rust\22:\22[u64; 4]\22,\22type\22:{\22kind\22:\22array\22,\22element\22:{\22kind\22:\22int\22,\22bits\22:64,\22signed\22:false},\22count\22:4}},{\22name\22:\22part\22,\22rust\22:\22&[u8]\22,\22type\22:{\22kind\22:\22slice\22,\22element\22:{\22kind\22:\22int\22,\22bits\22:8,\22signed\22:false},\22mutable\22:false}}]}"} : () -> ()
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: i64):
//   %4 = "mir.alloca"() {size = 32 : i64, align = 8 : i64, hint = "words"} : () -> !llvm.ptr
//   %5 = "mir.alloca"() {size = 16 : i64, align = 8 : i64, hint = "part"} : () -> !llvm.ptr
//   %6 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %7 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %8 = "mir.alloca"() {size = 16 : i64, align = 8 : i64} : () -> !llvm.ptr
//   "mir.copy"(%4, %1) {size = 32 : i64, align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.store"(%2, %5) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %9 = "mir.offset"(%5) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%3, %9) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %10 = "mir.offset"(%4) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %11 = "mir.load"(%10) {align = 8 : i64} : (!llvm.ptr) -> i64
//   "mir.store"(%11, %6) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   %12 = "mir.load"(%5) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %13 = "mir.offset"(%5) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %14 = "mir.load"(%13) {align = 8 : i64} : (!llvm.ptr) -> i64
//   "mir.store"(%14, %7) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   %15 = "mir.load"(%6) {align = 8 : i64} : (!llvm.ptr) -> i64
//   "mir.store"(%15, %8) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   %16 = "mir.load"(%7) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %17 = "mir.offset"(%8) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%16, %17) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   "mir.copy"(%0, %8) {size = 16 : i64, align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.return"() : () -> ()
// }) {sym_name = "_RNvCs_5calls5large", params = [!llvm.ptr, !llvm.ptr, !llvm.ptr, i64], inline = "never"} : () -> ()
// "mir.func"() ({
// ^bb0(%0: i32):
//   %1 = "mir.alloca"() {size = 4 : i64, align = 4 : i64, hint = "a"} : () -> !llvm.ptr
//   %2 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %1) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %3 = "mir.load"(%1) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %4 = "mir.constant"() {bits = 1 : i64} : () -> i32
//   %5 = "mir.xor"(%3, %4) : (i32, i32) -> i32
//   "mir.store"(%5, %2) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %6 = "mir.load"(%2) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.return"(%6) : (i32) -> ()
// }) {sym_name = "_RNvCs_5calls3one", params = [i32], result = i32, inline = "never"} : () -> ()
