// Indexing asserts its bound, and division that it neither divides by zero nor overflows.

use cuda_device::kernel;

#[kernel]
pub fn bounds(values: &[u32], at: usize, by: u32, out: *mut u32) {
    unsafe { *out = values[at] / by }
}

fn main() {}
// ---- out
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr, %1: i64, %2: i64, %3: i32, %4: !llvm.ptr):
//   %5 = "mir.alloca"() {size = 16 : i64, align = 8 : i64, hint = "values"} : () -> !llvm.ptr
//   %6 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "at"} : () -> !llvm.ptr
//   %7 = "mir.alloca"() {size = 4 : i64, align = 4 : i64, hint = "by"} : () -> !llvm.ptr
//   %8 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "out"} : () -> !llvm.ptr
//   %9 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %10 = "mir.alloca"() {size = 1 : i64, align = 1 : i64} : () -> !llvm.ptr
//   %11 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   %12 = "mir.alloca"() {size = 1 : i64, align = 1 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %5) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %13 = "mir.offset"(%5) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%1, %13) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   "mir.store"(%2, %6) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   "mir.store"(%3, %7) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.store"(%4, %8) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %14 = "mir.load"(%5) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %15 = "mir.offset"(%5) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %16 = "mir.load"(%15) {align = 8 : i64} : (!llvm.ptr) -> i64
//   "mir.store"(%16, %9) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   %17 = "mir.load"(%6) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %18 = "mir.load"(%9) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %19 = "mir.compare"(%17, %18) {predicate = "lt"} : (i64, i64) -> i1
//   %20 = "mir.int_cast"(%19) : (i1) -> i8
//   "mir.store"(%20, %10) {align = 1 : i64} : (i8, !llvm.ptr) -> ()
//   %21 = "mir.load"(%10) {align = 1 : i64} : (!llvm.ptr) -> i8
//   %22 = "mir.int_cast"(%21) : (i8) -> i1
//   "mir.assert"(%22)[^bb2] {expected = true, message = "index out of bounds"} : (i1) -> ()
// ^bb2:
//   %23 = "mir.load"(%5) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %24 = "mir.offset"(%5) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %25 = "mir.load"(%24) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %26 = "mir.load"(%6) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %27 = "mir.index"(%23, %26) {stride = 4 : i64} : (!llvm.ptr, i64) -> !llvm.ptr
//   %28 = "mir.load"(%27) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%28, %11) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %29 = "mir.load"(%7) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %30 = "mir.constant"() {bits = 0 : i64} : () -> i32
//   %31 = "mir.compare"(%29, %30) {predicate = "eq"} : (i32, i32) -> i1
//   %32 = "mir.int_cast"(%31) : (i1) -> i8
//   "mir.store"(%32, %12) {align = 1 : i64} : (i8, !llvm.ptr) -> ()
//   %33 = "mir.load"(%12) {align = 1 : i64} : (!llvm.ptr) -> i8
//   %34 = "mir.int_cast"(%33) : (i8) -> i1
//   "mir.assert"(%34)[^bb3] {expected = false, message = "attempt to divide by zero"} : (i1) -> ()
// ^bb3:
//   %35 = "mir.load"(%8) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %36 = "mir.load"(%11) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %37 = "mir.load"(%7) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %38 = "mir.div"(%36, %37) {signed = false} : (i32, i32) -> i32
//   "mir.store"(%38, %35) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.return"() : () -> ()
// }) {sym_name = "bounds", params = [{type = !llvm.ptr, noalias = true, readonly = true}, i64, i64, i32, !llvm.ptr], kernel, signature = "{\22version\22:1,\22name\22:\22bounds\22,\22params\22:[{\22name\22:\22values\22,\22rust\22:\22&[u32]\22,\22type\22:{\22kind\22:\22slice\22,\22element\22:{\22kind\22:\22int\22,\22bits\22:32,\22signed\22:false},\22mutable\22:false}},{\22name\22:\22at\22,\22rust\22:\22usize\22,\22type\22:{\22kind\22:\22int\22,\22bits\22:64,\22signed\22:false}},{\22name\22:\22by\22,\22rust\22:\22u32\22,\22type\22:{\22kind\22:\22int\22,\22bits\22:32,\22signed\22:false}},{\22name\22:\22out\22,\22rust\22:\22*mut u32\22,\22type\22:{\22kind\22:\22pointer\22,\22mutable\22:true,\22element\22:{\22kind\22:\22int\22,\22bits\22:32,\22signed\22:false}}}]}"} : () -> ()
