operations! {
    /// The four bytes of `a` by those of `b`, all with signs, and `c`.
    fn(a: u32, b: u32, c: i32) -> i32: dp4a_s32;
    /// The four bytes of `a` by those of `b`, and `c`.
    fn(a: u32, b: u32, c: u32) -> u32: dp4a_u32;
    /// The two halves of `a` by the two lowest bytes of `b`, all with signs, and `c`.
    fn(a: u32, b: u32, c: i32) -> i32: dp2a_s32;
    /// The two halves of `a` by the two lowest bytes of `b`, and `c`.
    fn(a: u32, b: u32, c: u32) -> u32: dp2a_u32;
}
