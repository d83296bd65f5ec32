// A method of a trait object is read from its vtable: three words of drop glue, size and alignment, then the methods.

use cuda_device::kernel;

trait Shape {
    fn corners(&self) -> u32;
}

struct Square;
struct Polygon(u32);

impl Shape for Square {
    fn corners(&self) -> u32 {
        4
    }
}

impl Shape for Polygon {
    fn corners(&self) -> u32 {
        self.0
    }
}

#[inline(never)]
fn ask(shape: &dyn Shape) -> u32 {
    shape.corners()
}

#[kernel]
pub unsafe fn objects(out: *mut u32, corners: u32) {
    let polygon = Polygon(corners);
    unsafe { *out = ask(&Square) + ask(&polygon) }
}

fn main() {}
// ---- out
// "mir.global"() {sym_name = "const$1", size = 0 : i64, align = 1 : i64, space = 1 : i64, constant, content = ""} : () -> ()
// "mir.global"() {sym_name = "const$0", size = 32 : i64, align = 8 : i64, space = 1 : i64, constant, content = "0000000000000000000000000000000001000000000000000000000000000000", relocations = [[24 : i64, @_RNvXCs_7objectsNtB2_6SquareNtB2_5Shape7corners, 0 : i64]]} : () -> ()
// "mir.global"() {sym_name = "const$2", size = 32 : i64, align = 8 : i64, space = 1 : i64, constant, content = "0000000000000000040000000000000004000000000000000000000000000000", relocations = [[24 : i64, @_RNvXs_Cs_7objectsNtB4_7PolygonNtB4_5Shape7corners, 0 : i64]]} : () -> ()
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr, %1: i32):
//   %2 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "out"} : () -> !llvm.ptr
//   %3 = "mir.alloca"() {size = 4 : i64, align = 4 : i64, hint = "corners"} : () -> !llvm.ptr
//   %4 = "mir.alloca"() {size = 4 : i64, align = 4 : i64, hint = "polygon"} : () -> !llvm.ptr
//   %5 = "mir.alloca"() {size = 16 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %6 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %7 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   %8 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %9 = "mir.alloca"() {size = 16 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %10 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %2) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.store"(%1, %3) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %11 = "mir.load"(%3) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%11, %4) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %12 = "mir.address_of"() {symbol = @const$1} : () -> !llvm.ptr
//   "mir.store"(%12, %6) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %13 = "mir.load"(%6) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %14 = "mir.address_of"() {symbol = @const$0} : () -> !llvm.ptr
//   "mir.store"(%13, %5) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %15 = "mir.offset"(%5) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%14, %15) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %16 = "mir.load"(%5) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %17 = "mir.offset"(%5) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %18 = "mir.load"(%17) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %19 = "mir.call"(%16, %18) {callee = @_RNvCs_7objects3ask} : (!llvm.ptr, !llvm.ptr) -> i32
//   "mir.store"(%19, %7) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.goto"()[^bb2] : () -> ()
// ^bb2:
//   "mir.store"(%4, %8) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %20 = "mir.load"(%8) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %21 = "mir.address_of"() {symbol = @const$2} : () -> !llvm.ptr
//   "mir.store"(%20, %9) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %22 = "mir.offset"(%9) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%21, %22) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %23 = "mir.load"(%9) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %24 = "mir.offset"(%9) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %25 = "mir.load"(%24) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %26 = "mir.call"(%23, %25) {callee = @_RNvCs_7objects3ask} : (!llvm.ptr, !llvm.ptr) -> i32
//   "mir.store"(%26, %10) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.goto"()[^bb3] : () -> ()
// ^bb3:
//   %27 = "mir.load"(%2) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %28 = "mir.load"(%7) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %29 = "mir.load"(%10) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %30 = "mir.add"(%28, %29) : (i32, i32) -> i32
//   "mir.store"(%30, %27) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.return"() : () -> ()
// }) {sym_name = "objects", params = [!llvm.ptr, i32], kernel, signature = "{\22version\22:1,\22name\22:\22objects\22,\22params\22:[{\22name\22:\22out\22,\22rust\22:\22*mut u32\22,\22type\22:{\22kind\22:\22pointer\22,\22mutable\22:true,\22element\22:{\22kind\22:\22int\22,\22bits\22:32,\22signed\22:false}}},{\22name\22:\22corners\22,\22rust\22:\22u32\22,\22type\22:{\22kind\22:\22int\22,\22bits\22:32,\22signed\22:false}}]}"} : () -> ()
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr):
//   %1 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "self"} : () -> !llvm.ptr
//   %2 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %1) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %3 = "mir.constant"() {bits = 4 : i64} : () -> i32
//   "mir.store"(%3, %2) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %4 = "mir.load"(%2) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.return"(%4) : (i32) -> ()
// }) {sym_name = "_RNvXCs_7objectsNtB2_6SquareNtB2_5Shape7corners", params = [!llvm.ptr], result = i32} : () -> ()
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr, %1: !llvm.ptr):
//   %2 = "mir.alloca"() {size = 16 : i64, align = 8 : i64, hint = "shape"} : () -> !llvm.ptr
//   %3 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %2) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %4 = "mir.offset"(%2) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%1, %4) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %5 = "mir.load"(%2) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %6 = "mir.offset"(%2) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %7 = "mir.load"(%6) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %8 = "mir.offset"(%7) {bytes = 24 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %9 = "mir.load"(%8) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %10 = "mir.call_pointer"(%9, %5) : (!llvm.ptr, !llvm.ptr) -> i32
//   "mir.store"(%10, %3) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.goto"()[^bb2] : () -> ()
// ^bb2:
//   %11 = "mir.load"(%3) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.return"(%11) : (i32) -> ()
// }) {sym_name = "_RNvCs_7objects3ask", params = [!llvm.ptr, !llvm.ptr], result = i32, inline = "never"} : () -> ()
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr):
//   %1 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "self"} : () -> !llvm.ptr
//   %2 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %1) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %3 = "mir.load"(%1) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %4 = "mir.load"(%3) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%4, %2) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %5 = "mir.load"(%2) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.return"(%5) : (i32) -> ()
// }) {sym_name = "_RNvXs_Cs_7objectsNtB4_7PolygonNtB4_5Shape7corners", params = [!llvm.ptr], result = i32} : () -> ()
