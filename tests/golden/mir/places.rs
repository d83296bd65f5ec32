// A place is an address at rustc's offsets: fields that were reordered, elements, what a reference points to.

use cuda_device::kernel;

pub struct Element {
    small: u8,
    large: u64,
    array: [u16; 3],
}

#[kernel]
pub unsafe fn places(elements: *mut [Element; 4], i: usize) {
    let elements = unsafe { &mut *elements };
    elements[i].array[1] = 7;
    elements[2].large = elements[i].small as u64;
}

fn main() {}
// ---- out
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr, %1: i64):
//   %2 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "elements"} : () -> !llvm.ptr
//   %3 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "i"} : () -> !llvm.ptr
//   %4 = "mir.alloca"() {size = 1 : i64, align = 1 : i64} : () -> !llvm.ptr
//   %5 = "mir.alloca"() {size = 1 : i64, align = 1 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %2) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.store"(%1, %3) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %6 = "mir.load"(%3) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %7 = "mir.constant"() {bits = 4 : i64} : () -> i64
//   %8 = "mir.compare"(%6, %7) {predicate = "lt"} : (i64, i64) -> i1
//   %9 = "mir.int_cast"(%8) : (i1) -> i8
//   "mir.store"(%9, %4) {align = 1 : i64} : (i8, !llvm.ptr) -> ()
//   %10 = "mir.load"(%4) {align = 1 : i64} : (!llvm.ptr) -> i8
//   %11 = "mir.int_cast"(%10) : (i8) -> i1
//   "mir.assert"(%11)[^bb2] {expected = true, message = "index out of bounds"} : (i1) -> ()
// ^bb2:
//   %12 = "mir.load"(%2) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %13 = "mir.load"(%3) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %14 = "mir.index"(%12, %13) {stride = 16 : i64} : (!llvm.ptr, i64) -> !llvm.ptr
//   %15 = "mir.constant"() {bits = 7 : i64} : () -> i16
//   %16 = "mir.offset"(%14) {bytes = 10 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%15, %16) {align = 2 : i64} : (i16, !llvm.ptr) -> ()
//   %17 = "mir.load"(%2) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %18 = "mir.load"(%3) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %19 = "mir.index"(%17, %18) {stride = 16 : i64} : (!llvm.ptr, i64) -> !llvm.ptr
//   %20 = "mir.offset"(%19) {bytes = 14 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %21 = "mir.load"(%20) {align = 2 : i64} : (!llvm.ptr) -> i8
//   "mir.store"(%21, %5) {align = 1 : i64} : (i8, !llvm.ptr) -> ()
//   %22 = "mir.load"(%2) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %23 = "mir.load"(%5) {align = 1 : i64} : (!llvm.ptr) -> i8
//   %24 = "mir.int_cast"(%23) : (i8) -> i64
//   %25 = "mir.offset"(%22) {bytes = 32 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%24, %25) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   "mir.return"() : () -> ()
// }) {sym_name = "places", params = [!llvm.ptr, i64], kernel, signature = "{\22version\22:1,\22name\22:\22places\22,\22params\22:[{\22name\22:\22elements\22,\22rust\22:\22*mut [Element; 4]\22,\22type\22:{\22kind\22:\22pointer\22,\22mutable\22:true,\22element\22:{\22kind\22:\22array\22,\22element\22:{\22kind\22:\22record\22,\22size\22:16,\22align\22:8,\22fields\22:[{\22name\22:\22small\22,\22offset\22:14,\22type\22:{\22kind\22:\22int\22,\22bits\22:8,\22signed\22:false}},{\22name\22:\22large\22,\22offset\22:0,\22type\22:{\22kind\22:\22int\22,\22bits\22:64,\22signed\22:false}},{\22name\22:\22array\22,\22offset\22:8,\22type\22:{\22kind\22:\22array\22,\22element\22:{\22kind\22:\22int\22,\22bits\22:16,\22signed\22:false},\22count\22:3}}]},\22count\22:4}}},{\22name\22:\22i\22,\22rust\22:\22usize\22,\22type\22:{\22kind\22:\22int\22,\22bits\22:64,\22signed\22:false}}]}"} : () -> ()
