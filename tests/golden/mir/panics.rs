// A panic keeps its message where that is a literal; nothing of the formatting is compiled.

use cuda_device::kernel;

#[kernel]
pub unsafe fn panics(out: *mut u32, a: u32) {
    if a == 3 {
        panic!("three");
    }
    assert!(a < 10, "a is {a}");
    unsafe { *out = a.checked_sub(1).expect("at least one") }
}

fn main() {}
// ---- out
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr, %1: i32):
//   %2 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "out"} : () -> !llvm.ptr
//   %3 = "mir.alloca"() {size = 4 : i64, align = 4 : i64, hint = "a"} : () -> !llvm.ptr
//   %4 = "mir.alloca"() {size = 1 : i64, align = 1 : i64} : () -> !llvm.ptr
//   %5 = "mir.alloca"() {size = 1 : i64, align = 1 : i64} : () -> !llvm.ptr
//   %6 = "mir.alloca"() {size = 8 : i64, align = 4 : i64} : () -> !llvm.ptr
//   %7 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   %8 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %9 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %2) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.store"(%1, %3) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %10 = "mir.load"(%3) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.switch"(%10)[^bb3, ^bb2] {cases = [3 : i64]} : (i32) -> ()
// ^bb2:
//   "mir.panic"() {message = "three"} : () -> ()
// ^bb3:
//   %11 = "mir.load"(%3) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %12 = "mir.constant"() {bits = 10 : i64} : () -> i32
//   %13 = "mir.compare"(%11, %12) {predicate = "lt"} : (i32, i32) -> i1
//   %14 = "mir.int_cast"(%13) : (i1) -> i8
//   "mir.store"(%14, %4) {align = 1 : i64} : (i8, !llvm.ptr) -> ()
//   %15 = "mir.load"(%4) {align = 1 : i64} : (!llvm.ptr) -> i8
//   %16 = "mir.int_cast"(%15) : (i8) -> i1
//   "mir.switch"(%16)[^bb4, ^bb5] {cases = [0 : i64]} : (i1) -> ()
// ^bb4:
//   %17 = "mir.load"(%3) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %18 = "mir.constant"() {bits = 1 : i64} : () -> i32
//   %19 = "mir.compare"(%17, %18) {predicate = "lt"} : (i32, i32) -> i1
//   %20 = "mir.int_cast"(%19) : (i1) -> i8
//   "mir.store"(%20, %5) {align = 1 : i64} : (i8, !llvm.ptr) -> ()
//   %21 = "mir.load"(%5) {align = 1 : i64} : (!llvm.ptr) -> i8
//   %22 = "mir.int_cast"(%21) : (i8) -> i1
//   "mir.switch"(%22)[^bb6, ^bb7] {cases = [0 : i64]} : (i1) -> ()
// ^bb5:
//   "mir.panic"() {message = "a is {}"} : () -> ()
// ^bb6:
//   %23 = "mir.constant"() {bits = 0 : i64} : () -> i32
//   %24 = "mir.constant"() {bits = 0 : i64} : () -> i32
//   "mir.store"(%23, %6) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %25 = "mir.offset"(%6) {bytes = 4 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%24, %25) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.goto"()[^bb8] : () -> ()
// ^bb7:
//   %26 = "mir.load"(%3) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %27 = "mir.constant"() {bits = 1 : i64} : () -> i32
//   %28 = "mir.unchecked_sub"(%26, %27) {signed = false} : (i32, i32) -> i32
//   "mir.store"(%28, %7) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %29 = "mir.load"(%7) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %30 = "mir.offset"(%6) {bytes = 4 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%29, %30) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.set_discriminant"(%6) {tag_type = i32, tag_offset = 0 : i64, align = 4 : i64, niche = [], variant = 1 : i64, discriminant = 1 : i64} : (!llvm.ptr) -> ()
//   "mir.goto"()[^bb8] : () -> ()
// ^bb8:
//   %31 = "mir.discriminant"(%6) {tag_type = i32, tag_offset = 0 : i64, align = 4 : i64, niche = []} : (!llvm.ptr) -> i64
//   "mir.store"(%31, %8) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   %32 = "mir.load"(%8) {align = 8 : i64} : (!llvm.ptr) -> i64
//   "mir.switch"(%32)[^bb9, ^bb10, ^bb11] {cases = [0 : i64, 1 : i64]} : (i64) -> ()
// ^bb9:
//   "mir.unreachable"() : () -> ()
// ^bb10:
//   "mir.panic"() {message = "at least one"} : () -> ()
// ^bb11:
//   %33 = "mir.offset"(%6) {bytes = 4 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %34 = "mir.load"(%33) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%34, %9) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %35 = "mir.load"(%2) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %36 = "mir.load"(%9) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%36, %35) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.return"() : () -> ()
// }) {sym_name = "panics", params = [!llvm.ptr, i32], kernel, signature = "{\22version\22:1,\22name\22:\22panics\22,\22params\22:[{\22name\22:\22out\22,\22rust\22:\22*mut u32\22,\22type\22:{\22kind\22:\22pointer\22,\22mutable\22:true,\22element\22:{\22kind\22:\22int\22,\22bits\22:32,\22signed\22:false}}},{\22name\22:\22a\22,\22rust\22:\22u32\22,\22type\22:{\22kind\22:\22int\22,\22bits\22:32,\22signed\22:false}}]}"} : () -> ()
