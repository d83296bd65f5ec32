// Drop glue is called where the value's scope ends, and only where it does something.

use std::cell::Cell;

use cuda_device::kernel;

struct Counted<'a>(&'a Cell<u32>);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[inline(never)]
fn scope(count: &Cell<u32>) {
    let _counted = Counted(count);
    let _plain = [1, 2];
}

#[kernel]
pub unsafe fn drops(out: *mut u32) {
    let count = Cell::new(0);
    scope(&count);
    unsafe { *out = count.get() }
}

fn main() {}
// ---- out
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr):
//   %1 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "out"} : () -> !llvm.ptr
//   %2 = "mir.alloca"() {size = 4 : i64, align = 4 : i64, hint = "count"} : () -> !llvm.ptr
//   %3 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %4 = "mir.alloca"() {size = 0 : i64, align = 1 : i64} : () -> !llvm.ptr
//   %5 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %6 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %7 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %1) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %8 = "mir.constant"() {bits = 0 : i64} : () -> i32
//   "mir.store"(%8, %2) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.store"(%2, %3) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %9 = "mir.load"(%3) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.call"(%9) {callee = @_RNvCs_5drops5scope} : (!llvm.ptr) -> ()
//   "mir.goto"()[^bb2] : () -> ()
// ^bb2:
//   "mir.store"(%2, %5) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %10 = "mir.load"(%5) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%10, %6) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %11 = "mir.load"(%6) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %12 = "mir.load"(%11) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%12, %7) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %13 = "mir.load"(%1) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %14 = "mir.load"(%7) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%14, %13) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.return"() : () -> ()
// }) {sym_name = "drops", params = [!llvm.ptr], kernel, signature = "{\22version\22:1,\22name\22:\22drops\22,\22params\22:[{\22name\22:\22out\22,\22rust\22:\22*mut u32\22,\22type\22:{\22kind\22:\22pointer\22,\22mutable\22:true,\22element\22:{\22kind\22:\22int\22,\22bits\22:32,\22signed\22:false}}}]}"} : () -> ()
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr):
//   %1 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "count"} : () -> !llvm.ptr
//   %2 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "_counted"} : () -> !llvm.ptr
//   %3 = "mir.alloca"() {size = 8 : i64, align = 4 : i64, hint = "_plain"} : () -> !llvm.ptr
//   "mir.store"(%0, %1) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %4 = "mir.load"(%1) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%4, %2) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %5 = "mir.constant"() {bits = 1 : i64} : () -> i32
//   "mir.store"(%5, %3) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %6 = "mir.constant"() {bits = 2 : i64} : () -> i32
//   %7 = "mir.offset"(%3) {bytes = 4 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%6, %7) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.call"(%2) {callee = @_RINvNtCs_4core3ptr13drop_in_placeNtCs_5drops7CountedEBI_} : (!llvm.ptr) -> ()
//   "mir.goto"()[^bb2] : () -> ()
// ^bb2:
//   "mir.return"() : () -> ()
// }) {sym_name = "_RNvCs_5drops5scope", params = [!llvm.ptr], inline = "never"} : () -> ()
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr):
//   %1 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %2 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %3 = "mir.alloca"() {size = 0 : i64, align = 1 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %1) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %4 = "mir.load"(%1) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%4, %2) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %5 = "mir.load"(%2) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.call"(%5) {callee = @_RNvXCs_5dropsNtB2_7CountedNtNtNtCs_4core3ops4drop4Drop4drop} : (!llvm.ptr) -> ()
//   "mir.goto"()[^bb2] : () -> ()
// ^bb2:
//   "mir.return"() : () -> ()
// }) {sym_name = "_RINvNtCs_4core3ptr13drop_in_placeNtCs_5drops7CountedEBI_", params = [!llvm.ptr]} : () -> ()
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr):
//   %1 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "self"} : () -> !llvm.ptr
//   %2 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %3 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %4 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %5 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %6 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   %7 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   %8 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %9 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %1) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %10 = "mir.load"(%1) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %11 = "mir.load"(%10) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%11, %2) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %12 = "mir.load"(%1) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %13 = "mir.load"(%12) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%13, %3) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %14 = "mir.load"(%3) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%14, %4) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %15 = "mir.load"(%4) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%15, %5) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %16 = "mir.load"(%5) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %17 = "mir.load"(%16) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%17, %6) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %18 = "mir.load"(%6) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %19 = "mir.constant"() {bits = 1 : i64} : () -> i32
//   %20 = "mir.add"(%18, %19) : (i32, i32) -> i32
//   "mir.store"(%20, %7) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %21 = "mir.load"(%2) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%21, %8) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %22 = "mir.load"(%8) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%22, %9) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %23 = "mir.load"(%9) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %24 = "mir.load"(%7) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%24, %23) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.return"() : () -> ()
// }) {sym_name = "_RNvXCs_5dropsNtB2_7CountedNtNtNtCs_4core3ops4drop4Drop4drop", params = [!llvm.ptr]} : () -> ()
