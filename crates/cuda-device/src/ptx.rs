//! Inline PTX: what `ptx_asm!` becomes.

/// One `ptx_asm!`: its text, where `$0` and so on are the outputs and then the inputs, and LLVM's constraints of those.
#[doc(hidden)]
pub const REGISTER_ONLY: u32 = 1;
/// Threads may have parted there.
#[doc(hidden)]
pub const MAY_DIVERGE: u32 = 2;

/// Runs the text: parts of the template, and in turn with them strings that stand in it as they are. `outputs` is a tuple of the addresses that results go to, `inputs` one of values; the compiler replaces it.
///
/// # Safety
///
/// The text does what the constraints and options declare, and is sound.
#[doc(hidden)]
#[inline(never)]
pub unsafe fn assembly<Outputs, Inputs>(
    _text: &'static [&'static [u8]],
    _constraints: &'static str,
    _options: u32,
    _outputs: Outputs,
    _inputs: Inputs,
) {
    panic!("inline PTX runs only in a kernel")
}
