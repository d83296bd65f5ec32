//! What kernels print, and assertions that fail (CUDA C++ Programming Guide, "Formatted Output" and "Assertion").

use std::{
    ffi::{CStr, CString, c_char, c_int},
    io::Write,
    ptr,
    sync::{Mutex, PoisonError},
};

use super::call::{Functions, block, fail, functions};
use crate::exec::{failure::Cause, thread::Thread};

pub static FUNCTIONS: Functions = functions![vprintf, assert_fail];

/// The output of kernels that is not written yet.
static PRINTED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Bytes that are written before a launch ends.
const FLUSH_BYTES: usize = 1 << 20;

/// Writes what kernels have printed.
pub fn flush() {
    write(&mut PRINTED.lock().unwrap_or_else(PoisonError::into_inner), true);
}

/// Writes whole lines, or all.
fn write(printed: &mut Vec<u8>, all: bool) {
    let end = if all { printed.len() } else { printed.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1) };
    if end > 0 {
        let mut output = std::io::stdout().lock();
        // A program that has closed its output does not want it.
        let _ = output.write_all(&printed[..end]).and_then(|()| output.flush());
        printed.drain(..end);
    }
}

/// Formats as C does, with arguments that lie one after another, each aligned to its size of 4 or 8 bytes. Returns how many there were, or
/// -1 for a format that is none.
unsafe extern "C" fn vprintf(_thread: *mut Thread, _site: u32, form: *const c_char, arguments: *const u8) -> c_int {
    // SAFETY: the kernel's addresses; where they are none this faults.
    let Some((text, count)) = (unsafe { format(CStr::from_ptr(form).to_bytes(), Arguments { start: arguments, at: 0, count: 0 }) }) else {
        return -1;
    };
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    printed.extend_from_slice(&text);
    if printed.len() > FLUSH_BYTES {
        write(&mut printed, false);
    }
    count
}

struct Arguments {
    start: *const u8,
    at: usize,
    count: c_int,
}

impl Arguments {
    /// # Safety
    ///
    /// There is one more, of this type.
    unsafe fn next<T: Copy>(&mut self) -> T {
        self.at = self.at.next_multiple_of(size_of::<T>());
        // SAFETY: the caller's.
        let value = unsafe { self.start.add(self.at).cast::<T>().read_unaligned() };
        self.at += size_of::<T>();
        self.count += 1;
        value
    }
}

/// Formats one argument with the C library.
fn one(spec: &[u8], write: impl Fn(*mut c_char, usize, *const c_char) -> c_int) -> Option<Vec<u8>> {
    let spec = CString::new(spec).ok()?;
    let mut buffer = vec![0u8; 512];
    loop {
        let length = usize::try_from(write(buffer.as_mut_ptr().cast(), buffer.len(), spec.as_ptr())).ok()?;
        if length < buffer.len() {
            buffer.truncate(length);
            return Some(buffer);
        }
        buffer.resize(length + 1, 0);
    }
}

/// The text and the number of arguments.
///
/// # Safety
///
/// The arguments are those of the format.
unsafe fn format(form: &[u8], mut arguments: Arguments) -> Option<(Vec<u8>, c_int)> {
    let mut text = Vec::new();
    let mut rest = form.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            text.push(byte);
            continue;
        }
        let mut spec = vec![b'%'];
        while let Some(flag) = rest.next_if(|byte| b"-+ #0".contains(byte)) {
            spec.push(flag);
        }
        // Width and precision, each a number or an argument.
        for dot in [false, true] {
            if dot && rest.next_if_eq(&b'.').is_none() {
                continue;
            }
            if dot {
                spec.push(b'.');
            }
            if rest.next_if_eq(&b'*').is_some() {
                // SAFETY: the caller's.
                let number: i32 = unsafe { arguments.next() };
                if dot && number < 0 {
                    spec.pop();
                } else {
                    spec.extend_from_slice(number.to_string().as_bytes());
                }
            }
            while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
                spec.push(digit);
            }
        }
        let mut modifiers = Vec::new();
        while let Some(modifier) = rest.next_if(|byte| b"hljztL".contains(byte)) {
            modifiers.push(modifier);
        }
        let is_wide = matches!(modifiers.as_slice(), b"l" | b"ll" | b"j" | b"z" | b"t");
        let conversion = rest.next()?;
        // SAFETY: the caller's, each argument has the type that its conversion says; the C library is given the same.
        let formatted = unsafe {
            match conversion {
                b'%' => Some(vec![b'%']),
                b'd' | b'i' | b'u' | b'o' | b'x' | b'X' if is_wide => {
                    spec.extend_from_slice(b"ll");
                    spec.push(conversion);
                    let value: i64 = arguments.next();
                    one(&spec, |to, room, spec| libc::snprintf(to, room, spec, value))
                }
                b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'c' => {
                    spec.extend(modifiers.iter().filter(|modifier| **modifier == b'h'));
                    spec.push(conversion);
                    let value: i32 = arguments.next();
                    one(&spec, |to, room, spec| libc::snprintf(to, room, spec, value))
                }
                b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                    spec.push(conversion);
                    let value: f64 = arguments.next();
                    one(&spec, |to, room, spec| libc::snprintf(to, room, spec, value))
                }
                b'p' | b's' => {
                    spec.push(conversion);
                    let address: u64 = arguments.next();
                    let value = ptr::with_exposed_provenance::<c_char>(address as usize);
                    one(&spec, |to, room, spec| libc::snprintf(to, room, spec, value))
                }
                _ => None,
            }
        };
        text.extend_from_slice(&formatted?);
    }
    Some((text, arguments.count))
}

/// Ends the launch as `assert` of CUDA C++ does, with its message.
unsafe extern "C" fn assert_fail(
    thread: *mut Thread,
    site: u32,
    message: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
    _char_size: u64,
) {
    // SAFETY: the kernel's strings.
    let [message, file, function] = [message, file, function].map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy());
    // SAFETY: images pass their current thread.
    let ([x, y, z], [tx, ty, tz]) = unsafe { (block(thread).position, (&*thread).thread) };
    let text = format!("{file}:{line}: {function}: block: [{x},{y},{z}], thread: [{tx},{ty},{tz}] Assertion `{message}` failed.");
    drop((message, file, function));
    // SAFETY: as above.
    unsafe { fail(thread, site, Cause::Assert, text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(form: &str, words: &[u64]) -> Option<(String, c_int)> {
        let arguments = Arguments { start: words.as_ptr().cast(), at: 0, count: 0 };
        // SAFETY: the tests give what their formats ask for.
        unsafe { format(form.as_bytes(), arguments) }.map(|(text, count)| (String::from_utf8(text).unwrap(), count))
    }

    #[test]
    fn arguments_are_formatted_as_in_c() {
        let name = c"name";
        let address = name.as_ptr().expose_provenance() as u64;
        assert_eq!(formatted("no %% arguments\n", &[]), Some(("no % arguments\n".into(), 0)));
        // Two of 32 bits lie in one word.
        assert_eq!(formatted("%d and %5u|", &[7 << 32 | 0xffff_ffff]), Some(("-1 and     7|".into(), 2)));
        assert_eq!(formatted("%x %.2f", &[0xab, 2.5f64.to_bits()]), Some(("ab 2.50".into(), 2)));
        assert_eq!(formatted("%lld %s", &[u64::MAX, address]), Some(("-1 name".into(), 2)));
        assert_eq!(formatted("%-*d|", &[42 << 32 | 5]), Some(("42   |".into(), 2)));
        assert_eq!(formatted("%hhu %c", &[u64::from(b'z') << 32 | 0x1ff]), Some(("255 z".into(), 2)));
        assert_eq!(formatted("%q", &[0]), None);
        assert_eq!(formatted("half %", &[]), None);
    }
}
