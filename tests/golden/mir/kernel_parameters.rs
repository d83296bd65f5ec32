// A kernel takes what the host passes: a slice as address and length, a scalar as itself, anything else as bytes.

use cuda_device::{DisjointSlice, kernel};

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pair {
    a: u8,
    b: u64,
}

#[kernel]
pub fn takes(input: &[f32], output: DisjointSlice<u32>, pair: Pair, flag: bool, address: *mut u16, nothing: ()) {}

fn main() {}
// ---- out
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr, %1: i64, %2: !llvm.ptr, %3: i64, %4: !llvm.ptr, %5: i8, %6: !llvm.ptr):
//   %7 = "mir.alloca"() {size = 16 : i64, align = 8 : i64, hint = "input"} : () -> !llvm.ptr
//   %8 = "mir.alloca"() {size = 16 : i64, align = 8 : i64, hint = "output"} : () -> !llvm.ptr
//   %9 = "mir.alloca"() {size = 16 : i64, align = 8 : i64, hint = "pair"} : () -> !llvm.ptr
//   %10 = "mir.alloca"() {size = 1 : i64, align = 1 : i64, hint = "flag"} : () -> !llvm.ptr
//   %11 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "address"} : () -> !llvm.ptr
//   %12 = "mir.alloca"() {size = 0 : i64, align = 1 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %7) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %13 = "mir.offset"(%7) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%1, %13) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   "mir.store"(%2, %8) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %14 = "mir.offset"(%8) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%3, %14) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   "mir.copy"(%9, %4) {size = 16 : i64, align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.store"(%5, %10) {align = 1 : i64} : (i8, !llvm.ptr) -> ()
//   "mir.store"(%6, %11) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   "mir.return"() : () -> ()
// }) {sym_name = "takes", params = [{type = !llvm.ptr, noalias = true, readonly = true}, i64, !llvm.ptr, i64, {type = !llvm.ptr, byval = [16 : i64, 8 : i64], noalias = true, readonly = true}, i8, !llvm.ptr], kernel, signature = "{\22version\22:1,\22name\22:\22takes\22,\22params\22:[{\22name\22:\22input\22,\22rust\22:\22&[f32]\22,\22type\22:{\22kind\22:\22slice\22,\22element\22:{\22kind\22:\22float\22,\22bits\22:32},\22mutable\22:false}},{\22name\22:\22output\22,\22rust\22:\22DisjointSlice<u32>\22,\22type\22:{\22kind\22:\22slice\22,\22element\22:{\22kind\22:\22int\22,\22bits\22:32,\22signed\22:false},\22mutable\22:true}},{\22name\22:\22pair\22,\22rust\22:\22Pair\22,\22type\22:{\22kind\22:\22record\22,\22size\22:16,\22align\22:8,\22fields\22:[{\22name\22:\22a\22,\22offset\22:0,\22type\22:{\22kind\22:\22int\22,\22bits\22:8,\22signed\22:false}},{\22name\22:\22b\22,\22offset\22:8,\22type\22:{\22kind\22:\22int\22,\22bits\22:64,\22signed\22:false}}]}},{\22name\22:\22flag\22,\22rust\22:\22bool\22,\22type\22:{\22kind\22:\22bool\22}},{\22name\22:\22address\22,\22rust\22:\22*mut u16\22,\22type\22:{\22kind\22:\22pointer\22,\22mutable\22:true,\22element\22:{\22kind\22:\22int\22,\22bits\22:16,\22signed\22:false}}},{\22name\22:\22nothing\22,\22rust\22:\22()\22,\22type\22:{\22kind\22:\22nothing\22}}]}"} : () -> ()
