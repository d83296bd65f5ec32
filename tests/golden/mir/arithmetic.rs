// Operators are ops with the sign that the type has; a plain shift is masked, so it says nothing of its amount.

use cuda_device::kernel;

#[kernel]
pub unsafe fn arithmetic(out: *mut i32, a: i32, b: u64, c: f32) {
    let sum = a + (c as i32);
    let shifted = (b >> 3) as i32;
    unsafe { *out = if a < shifted { sum * -a } else { sum ^ shifted } };
}

fn main() {}
// ---- out
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr, %1: i32, %2: i64, %3: f32):
//   %4 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "out"} : () -> !llvm.ptr
//   %5 = "mir.alloca"() {size = 4 : i64, align = 4 : i64, hint = "a"} : () -> !llvm.ptr
//   %6 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "b"} : () -> !llvm.ptr
//   %7 = "mir.alloca"() {size = 4 : i64, align = 4 : i64, hint = "c"} : () -> !llvm.ptr
//   %8 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   %9 = "mir.alloca"() {size = 4 : i64, align = 4 : i64, hint = "sum"} : () -> !llvm.ptr
//   %10 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %11 = "mir.alloca"() {size = 4 : i64, align = 4 : i64, hint = "shifted"} : () -> !llvm.ptr
//   %12 = "mir.alloca"() {size = 1 : i64, align = 1 : i64} : () -> !llvm.ptr
//   %13 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   %14 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %4) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.store"(%1, %5) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.store"(%2, %6) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   "mir.store"(%3, %7) {align = 4 : i64} : (f32, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %15 = "mir.load"(%7) {align = 4 : i64} : (!llvm.ptr) -> f32
//   %16 = "mir.float_to_int"(%15) {signed = true} : (f32) -> i32
//   "mir.store"(%16, %8) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %17 = "mir.load"(%5) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %18 = "mir.load"(%8) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %19 = "mir.add"(%17, %18) : (i32, i32) -> i32
//   "mir.store"(%19, %9) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %20 = "mir.load"(%6) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %21 = "mir.constant"() {bits = 3 : i64} : () -> i32
//   %22 = "mir.shr"(%20, %21) : (i64, i32) -> i64
//   "mir.store"(%22, %10) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   %23 = "mir.load"(%10) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %24 = "mir.int_cast"(%23) : (i64) -> i32
//   "mir.store"(%24, %11) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %25 = "mir.load"(%5) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %26 = "mir.load"(%11) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %27 = "mir.compare"(%25, %26) {predicate = "lt", signed = true} : (i32, i32) -> i1
//   %28 = "mir.int_cast"(%27) : (i1) -> i8
//   "mir.store"(%28, %12) {align = 1 : i64} : (i8, !llvm.ptr) -> ()
//   %29 = "mir.load"(%12) {align = 1 : i64} : (!llvm.ptr) -> i8
//   %30 = "mir.int_cast"(%29) : (i8) -> i1
//   "mir.switch"(%30)[^bb2, ^bb3] {cases = [0 : i64]} : (i1) -> ()
// ^bb2:
//   %31 = "mir.load"(%5) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %32 = "mir.neg"(%31) : (i32) -> i32
//   "mir.store"(%32, %13) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %33 = "mir.load"(%9) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %34 = "mir.load"(%13) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %35 = "mir.mul"(%33, %34) : (i32, i32) -> i32
//   "mir.store"(%35, %14) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.goto"()[^bb4] : () -> ()
// ^bb3:
//   %36 = "mir.load"(%9) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %37 = "mir.load"(%11) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %38 = "mir.xor"(%36, %37) : (i32, i32) -> i32
//   "mir.store"(%38, %14) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.goto"()[^bb4] : () -> ()
// ^bb4:
//   %39 = "mir.load"(%4) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %40 = "mir.load"(%14) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%40, %39) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.return"() : () -> ()
// }) {sym_name = "arithmetic", params = [!llvm.ptr, i32, i64, f32], kernel, signature = "{\22version\22:1,\22name\22:\22arithmetic\22,\22params\22:[{\22name\22:\22out\22,\22rust\22:\22*mut i32\22,\22type\22:{\22kind\22:\22pointer\22,\22mutable\22:true,\22element\22:{\22kind\22:\22int\22,\22bits\22:32,\22signed\22:true}}},{\22name\22:\22a\22,\22rust\22:\22i32\22,\22type\22:{\22kind\22:\22int\22,\22bits\22:32,\22signed\22:true}},{\22name\22:\22b\22,\22rust\22:\22u64\22,\22type\22:{\22kind\22:\22int\22,\22bits\22:64,\22signed\22:false}},{\22name\22:\22c\22,\22rust\22:\22f32\22,\22type\22:{\22kind\22:\22float\22,\22bits\22:32}}]}"} : () -> ()
