// An enum is read and written by rustc's layout of it: a tag of its own, or a niche in a payload.

use cuda_device::kernel;

#[derive(Clone, Copy)]
pub enum Shape {
    Dot,
    Line(u32),
}

#[kernel]
pub unsafe fn enums(out: *mut Shape, letter: Option<char>) {
    let shape = match letter {
        Some(letter) => Shape::Line(letter as u32),
        None => Shape::Dot,
    };
    unsafe { *out = shape }
}

fn main() {}
// ---- out
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr, %1: i32):
//   %2 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "out"} : () -> !llvm.ptr
//   %3 = "mir.alloca"() {size = 4 : i64, align = 4 : i64, hint = "letter"} : () -> !llvm.ptr
//   %4 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %5 = "mir.alloca"() {size = 8 : i64, align = 4 : i64, hint = "shape"} : () -> !llvm.ptr
//   %6 = "mir.alloca"() {size = 4 : i64, align = 4 : i64, hint = "letter"} : () -> !llvm.ptr
//   %7 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %2) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.store"(%1, %3) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %8 = "mir.discriminant"(%3) {tag_type = i32, tag_offset = 0 : i64, align = 4 : i64, niche = [1 : i64, 0 : i64, 0 : i64, 1114112 : i64]} : (!llvm.ptr) -> i64
//   "mir.store"(%8, %4) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   %9 = "mir.load"(%4) {align = 8 : i64} : (!llvm.ptr) -> i64
//   "mir.switch"(%9)[^bb2, ^bb3, ^bb4] {cases = [0 : i64, 1 : i64]} : (i64) -> ()
// ^bb2:
//   "mir.unreachable"() : () -> ()
// ^bb3:
//   %10 = "mir.constant"() {bits = 0 : i64} : () -> i32
//   %11 = "mir.constant"() {bits = 0 : i64} : () -> i32
//   "mir.store"(%10, %5) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %12 = "mir.offset"(%5) {bytes = 4 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%11, %12) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.goto"()[^bb5] : () -> ()
// ^bb4:
//   %13 = "mir.load"(%3) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%13, %6) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %14 = "mir.load"(%6) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%14, %7) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %15 = "mir.load"(%7) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %16 = "mir.offset"(%5) {bytes = 4 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%15, %16) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.set_discriminant"(%5) {tag_type = i32, tag_offset = 0 : i64, align = 4 : i64, niche = [], variant = 1 : i64, discriminant = 1 : i64} : (!llvm.ptr) -> ()
//   "mir.goto"()[^bb5] : () -> ()
// ^bb5:
//   %17 = "mir.load"(%2) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.copy"(%17, %5) {size = 8 : i64, align = 4 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.return"() : () -> ()
// }) {sym_name = "enums", params = [!llvm.ptr, i32], kernel, signature = "{\22version\22:1,\22name\22:\22enums\22,\22params\22:[{\22name\22:\22out\22,\22rust\22:\22*mut Shape\22,\22type\22:{\22kind\22:\22pointer\22,\22mutable\22:true,\22element\22:{\22kind\22:\22opaque\22,\22size\22:8,\22align\22:4,\22why\22:\22an enum with payloads exists in Rust only: pass its parts\22}}},{\22name\22:\22letter\22,\22rust\22:\22Option<char>\22,\22type\22:{\22kind\22:\22opaque\22,\22size\22:4,\22align\22:4,\22why\22:\22an enum with payloads exists in Rust only: pass its parts\22}}]}"} : () -> ()
