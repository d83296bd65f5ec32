operations! {
    /// The bytes that the four lowest digits of `selector` number; a digit from 8 on is the sign of byte `digit - 8`, eight times.
    fn(a: u32, b: u32, selector: u32) -> u32: prmt;
    /// Four bytes on from byte `selector % 4`.
    fn(a: u32, b: u32, selector: u32) -> u32: prmt_f4e;
    /// Four bytes back from byte `selector % 4`, after the first of which comes the last.
    fn(a: u32, b: u32, selector: u32) -> u32: prmt_b4e;
    /// Byte `selector % 4`, four times.
    fn(a: u32, selector: u32) -> u32: prmt_rc8;
    /// The four bytes, where those before byte `selector % 4` are that one.
    fn(a: u32, selector: u32) -> u32: prmt_ecl;
    /// The four bytes, where those after byte `selector % 4` are that one.
    fn(a: u32, selector: u32) -> u32: prmt_ecr;
    /// The lower 16 bits twice where `selector` is even, else the upper ones.
    fn(a: u32, selector: u32) -> u32: prmt_rc16;
}
