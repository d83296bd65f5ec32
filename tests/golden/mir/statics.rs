// Statics and constants are bytes, with relocations where they hold addresses.

use cuda_device::kernel;

static FIRST: u32 = 5;
static BOTH: [&u32; 2] = [&FIRST, &SECOND.1];
static SECOND: (u8, u32) = (1, 0x01020304);
static NAME: &str = "oxide";

#[kernel]
pub unsafe fn statics(out: *mut u32, i: usize) {
    unsafe { *out = *BOTH[i & 1] + NAME.as_bytes()[i & 3] as u32 }
}

fn main() {}
// ---- out
// "mir.global"() {sym_name = "_RNvCs_7statics5FIRST", size = 4 : i64, align = 4 : i64, space = 1 : i64, constant, content = "05000000"} : () -> ()
// "mir.global"() {sym_name = "_RNvCs_7statics6SECOND", size = 8 : i64, align = 4 : i64, space = 1 : i64, constant, content = "0100000004030201"} : () -> ()
// "mir.global"() {sym_name = "_RNvCs_7statics4BOTH", size = 16 : i64, align = 8 : i64, space = 1 : i64, constant, content = "00000000000000000400000000000000", relocations = [[0 : i64, @_RNvCs_7statics5FIRST, 0 : i64], [8 : i64, @_RNvCs_7statics6SECOND, 4 : i64]]} : () -> ()
// "mir.global"() {sym_name = "const$2", size = 5 : i64, align = 1 : i64, space = 1 : i64, constant, content = "6f78696465"} : () -> ()
// "mir.global"() {sym_name = "_RNvCs_7statics4NAME", size = 16 : i64, align = 8 : i64, space = 1 : i64, constant, content = "00000000000000000500000000000000", relocations = [[0 : i64, @const$2, 0 : i64]]} : () -> ()
// "mir.func"() ({
// ^bb0(%0: !llvm.ptr, %1: i64):
//   %2 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "out"} : () -> !llvm.ptr
//   %3 = "mir.alloca"() {size = 8 : i64, align = 8 : i64, hint = "i"} : () -> !llvm.ptr
//   %4 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %5 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %6 = "mir.alloca"() {size = 1 : i64, align = 1 : i64} : () -> !llvm.ptr
//   %7 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %8 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   %9 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %10 = "mir.alloca"() {size = 16 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %11 = "mir.alloca"() {size = 16 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %12 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %13 = "mir.alloca"() {size = 8 : i64, align = 8 : i64} : () -> !llvm.ptr
//   %14 = "mir.alloca"() {size = 1 : i64, align = 1 : i64} : () -> !llvm.ptr
//   %15 = "mir.alloca"() {size = 1 : i64, align = 1 : i64} : () -> !llvm.ptr
//   %16 = "mir.alloca"() {size = 4 : i64, align = 4 : i64} : () -> !llvm.ptr
//   "mir.store"(%0, %2) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.store"(%1, %3) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   "mir.goto"()[^bb1] : () -> ()
// ^bb1:
//   %17 = "mir.address_of"() {symbol = @_RNvCs_7statics4BOTH} : () -> !llvm.ptr
//   "mir.store"(%17, %4) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %18 = "mir.load"(%3) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %19 = "mir.constant"() {bits = 1 : i64} : () -> i64
//   %20 = "mir.and"(%18, %19) : (i64, i64) -> i64
//   "mir.store"(%20, %5) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   %21 = "mir.load"(%5) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %22 = "mir.constant"() {bits = 2 : i64} : () -> i64
//   %23 = "mir.compare"(%21, %22) {predicate = "lt"} : (i64, i64) -> i1
//   %24 = "mir.int_cast"(%23) : (i1) -> i8
//   "mir.store"(%24, %6) {align = 1 : i64} : (i8, !llvm.ptr) -> ()
//   %25 = "mir.load"(%6) {align = 1 : i64} : (!llvm.ptr) -> i8
//   %26 = "mir.int_cast"(%25) : (i8) -> i1
//   "mir.assert"(%26)[^bb2] {expected = true, message = "index out of bounds"} : (i1) -> ()
// ^bb2:
//   %27 = "mir.load"(%4) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %28 = "mir.load"(%5) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %29 = "mir.index"(%27, %28) {stride = 8 : i64} : (!llvm.ptr, i64) -> !llvm.ptr
//   %30 = "mir.load"(%29) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.store"(%30, %7) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %31 = "mir.load"(%7) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %32 = "mir.load"(%31) {align = 4 : i64} : (!llvm.ptr) -> i32
//   "mir.store"(%32, %8) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %33 = "mir.address_of"() {symbol = @_RNvCs_7statics4NAME} : () -> !llvm.ptr
//   "mir.store"(%33, %9) {align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %34 = "mir.load"(%9) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   "mir.copy"(%10, %34) {size = 16 : i64, align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   "mir.copy"(%11, %10) {size = 16 : i64, align = 8 : i64} : (!llvm.ptr, !llvm.ptr) -> ()
//   %35 = "mir.load"(%3) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %36 = "mir.constant"() {bits = 3 : i64} : () -> i64
//   %37 = "mir.and"(%35, %36) : (i64, i64) -> i64
//   "mir.store"(%37, %12) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   %38 = "mir.load"(%11) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %39 = "mir.offset"(%11) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %40 = "mir.load"(%39) {align = 8 : i64} : (!llvm.ptr) -> i64
//   "mir.store"(%40, %13) {align = 8 : i64} : (i64, !llvm.ptr) -> ()
//   %41 = "mir.load"(%12) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %42 = "mir.load"(%13) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %43 = "mir.compare"(%41, %42) {predicate = "lt"} : (i64, i64) -> i1
//   %44 = "mir.int_cast"(%43) : (i1) -> i8
//   "mir.store"(%44, %14) {align = 1 : i64} : (i8, !llvm.ptr) -> ()
//   %45 = "mir.load"(%14) {align = 1 : i64} : (!llvm.ptr) -> i8
//   %46 = "mir.int_cast"(%45) : (i8) -> i1
//   "mir.assert"(%46)[^bb3] {expected = true, message = "index out of bounds"} : (i1) -> ()
// ^bb3:
//   %47 = "mir.load"(%11) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %48 = "mir.offset"(%11) {bytes = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %49 = "mir.load"(%48) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %50 = "mir.load"(%12) {align = 8 : i64} : (!llvm.ptr) -> i64
//   %51 = "mir.index"(%47, %50) {stride = 1 : i64} : (!llvm.ptr, i64) -> !llvm.ptr
//   %52 = "mir.load"(%51) {align = 1 : i64} : (!llvm.ptr) -> i8
//   "mir.store"(%52, %15) {align = 1 : i64} : (i8, !llvm.ptr) -> ()
//   %53 = "mir.load"(%15) {align = 1 : i64} : (!llvm.ptr) -> i8
//   %54 = "mir.int_cast"(%53) : (i8) -> i32
//   "mir.store"(%54, %16) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   %55 = "mir.load"(%2) {align = 8 : i64} : (!llvm.ptr) -> !llvm.ptr
//   %56 = "mir.load"(%8) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %57 = "mir.load"(%16) {align = 4 : i64} : (!llvm.ptr) -> i32
//   %58 = "mir.add"(%56, %57) : (i32, i32) -> i32
//   "mir.store"(%58, %55) {align = 4 : i64} : (i32, !llvm.ptr) -> ()
//   "mir.return"() : () -> ()
// }) {sym_name = "statics", params = [!llvm.ptr, i64], kernel, signature = "{\22version\22:1,\22name\22:\22statics\22,\22params\22:[{\22name\22:\22out\22,\22rust\22:\22*mut u32\22,\22type\22:{\22kind\22:\22pointer\22,\22mutable\22:true,\22element\22:{\22kind\22:\22int\22,\22bits\22:32,\22signed\22:false}}},{\22name\22:\22i\22,\22rust\22:\22usize\22,\22type\22:{\22kind\22:\22int\22,\22bits\22:64,\22signed\22:false}}]}"} : () -> ()
