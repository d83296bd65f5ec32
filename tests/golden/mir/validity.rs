// What `mem::zeroed` asserts of its type is decided by rustc: nothing is left of it, or the panic.

use cuda_device::kernel;

#[kernel]
pub unsafe fn zeroed(out: *mut u32, references: bool) {
    unsafe {
        if references {
            #[allow(invalid_value)]
            let reference: &u32 = std::mem::zeroed();
            *out = *reference;
        } else {
            *out = std::mem::zeroed();
        }
    }
}

fn main() {}
// ---- out
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr, %1: i8):
//   %2 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "out"} : () -> !llvm.ptr
//   %3 = "mir.alloca"() {size = 1 : i64, align = 1 : i64, hint = "references"} : () -> !llvm.ptr
//   %4 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   %5 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %6 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %7 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   %8 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %9 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %10 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %2) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.store"(%1, %3) {align = 1 : i64} : (i8, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %11 = "mir.load"(%3) {align = 1 : i64} : (!llvm.ptr) -> i8
//   %12 = "mir.int_cast"(%11) : (i8) -> i1
//   "mir.switch"(%12)[^bb2, ^bb3] {cases = [0 : i64]} : (i1) -> ()
// ^bb2:
//   "mir.panic"() {message = "attempted to zero-initialize type `&u32`, which is invalid"} : () -> ()
// ^bb3:
//   %13 = "mir.constant"() {bits = 0 : i64} : () -> i32
//   "mir.store"(%13, %4) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.store"(%4, %5) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %14 = "mir.load"(%5) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%14, %6) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %15 = "mir.constant"() {bits = 1 : i64} : () -> i64
//   %16 = "mir.constant"() {bits = 4 : i64} : () -> i64
//   %17 = "mir.mul"(%15, %16) : (i64, i64) -> i64
//   %18 = "mir.load"(%6) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %19 = "mir.constant"() {bits = 0 : i64} : () -> i8
//   "mir.set_bytes"(%18, %19, %17) {align = 4 : i64} : (!llvm.ptr, i8, i64) -> ()
//   "mir.goto"()[^bb4] : () -> ()
// ^bb4:
//   %20 = "mir.load"(%4) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%20, %7) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.store"(%7, %8) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %21 = "mir.load"(%8) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%21, %9) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %22 = "mir.load"(%9) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %23 = "mir.load"(%22) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%23, %10) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %24 = "mir.load"(%2) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %25 = "mir.load"(%10) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%25, %24) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.return"() : () -> ()
// }) {sym_name = "zeroed", params = [!llvm.ptr, i8], kernel, signature = "{\22version\22:1,\22name\22:\22zeroed\22,\22params\22:[{\22name\22:\22out\22,\22rust\22:\22*mut u32\22,\22type\22:{\22kind\22:\22pointer\22,\22mutable\22:true,\22element\22:{\22kind\22:\22int\22,\22bits\22:32,\22signed\22:false}}},{\22name\22:\22references\22,\22rust\22:\22bool\22,\22type\22:{\22kind\22:\22bool\22}}]}"} : () -> ()
