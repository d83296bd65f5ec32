//! Faults of the processor in a kernel: the signal ends the fiber, so that the launch fails and the program continues.

use std::{
    cell::Cell,
    ffi::{c_int, c_void},
    mem::MaybeUninit,
    ptr,
    sync::OnceLock,
};

use corosensei::trap::CoroutineTrapHandler;
use libc::{siginfo_t, ucontext_t};

/// A fault of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An access to an address that is not mapped, or not for that.
    Address(usize),
    /// A fault without an address: a misaligned or non-canonical one.
    NoAddress,
    /// No stack is left.
    Stack,
    /// A division that has no result.
    Arithmetic,
    /// Code that the compiler takes for unreachable.
    Instruction,
}

/// How a fiber ended.
#[derive(Clone, Copy)]
pub enum Exit {
    Returned,
    Fault(Fault),
}

const SIGNALS: [c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// A fault so close to the stack pointer, in bytes, is one of the stack.
const STACK_REACH: usize = 64 << 10;

/// Bytes of the stack that signals are handled on.
const SIGNAL_STACK_BYTES: usize = 64 << 10;

type Handler = CoroutineTrapHandler<Exit>;

thread_local! {
    /// The trap handler of the fiber that runs on this thread of the system.
    static HANDLER: Cell<Option<Handler>> = const { Cell::new(None) };
}

/// While it lives, a fault on this thread of the system ends the fiber that the handler is of.
pub struct TrapScope;

impl TrapScope {
    pub fn new(handler: Handler) -> Self {
        HANDLER.set(Some(handler));
        Self
    }
}

impl Drop for TrapScope {
    fn drop(&mut self) {
        HANDLER.set(None);
    }
}

/// A stack for signal handlers on this thread of the system, until this is dropped.
pub struct SignalStack {
    _memory: Vec<u8>,
    before: libc::stack_t,
}

impl SignalStack {
    /// Also installs the handlers, once in the process.
    pub fn new() -> Self {
        install();
        let mut memory = Vec::<u8>::with_capacity(SIGNAL_STACK_BYTES);
        let stack = libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: SIGNAL_STACK_BYTES };
        let mut before = MaybeUninit::<libc::stack_t>::zeroed();
        // SAFETY: the memory lives until `drop` names another stack; zeros are a value of `stack_t`, should the call fail.
        let before = unsafe {
            libc::sigaltstack(&stack, before.as_mut_ptr());
            before.assume_init()
        };
        Self { _memory: memory, before }
    }
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        // SAFETY: it was this thread's stack before.
        unsafe { libc::sigaltstack(&self.before, ptr::null_mut()) };
    }
}

/// The actions before ours, in the order of [`SIGNALS`].
static BEFORE: OnceLock<[libc::sigaction; 4]> = OnceLock::new();

fn install() {
    BEFORE.get_or_init(|| {
        SIGNALS.map(|signal| {
            // SAFETY: zeros are an action; the handler has the type that SA_SIGINFO asks for.
            unsafe {
                let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
                action.sa_sigaction = handle as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                let mut before = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
                libc::sigaction(signal, &action, &mut before);
                before
            }
        })
    });
}

extern "C" fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes both to a handler with SA_SIGINFO.
    let (info_ref, registers) = unsafe { (&*info, &mut (*context.cast::<ucontext_t>()).uc_mcontext.gregs) };
    let stack_pointer = registers[libc::REG_RSP as usize] as usize;
    let Some(handler) = HANDLER.get().filter(|handler| handler.stack_ptr_in_bounds(stack_pointer)) else {
        return pass_on(signal, info, context);
    };
    // SAFETY: these signals come with an address.
    let address = unsafe { info_ref.si_addr() } as usize;
    let fault = match signal {
        libc::SIGFPE => Fault::Arithmetic,
        libc::SIGILL => Fault::Instruction,
        libc::SIGSEGV if info_ref.si_code == libc::SI_KERNEL => Fault::NoAddress,
        _ if address.abs_diff(stack_pointer) < STACK_REACH => Fault::Stack,
        _ => Fault::Address(address),
    };
    // SAFETY: the stack pointer is in the fiber, which is abandoned there; the registers are updated as asked.
    let new = unsafe { handler.setup_trap_handler(move || Exit::Fault(fault)) };
    registers[libc::REG_RIP as usize] = new.rip as i64;
    registers[libc::REG_RSP as usize] = new.rsp as i64;
    registers[libc::REG_RBP as usize] = new.rbp as i64;
    registers[libc::REG_RDI as usize] = new.rdi as i64;
    registers[libc::REG_RSI as usize] = new.rsi as i64;
}

/// Does what the process did for the signal before.
fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let position = SIGNALS.iter().position(|&it| it == signal);
    let before = BEFORE.get().zip(position).map(|(actions, position)| actions[position]);
    match before {
        Some(action) if action.sa_sigaction != libc::SIG_DFL && action.sa_sigaction != libc::SIG_IGN => {
            if action.sa_flags & libc::SA_SIGINFO != 0 {
                // SAFETY: an action with SA_SIGINFO is a function of this type.
                let handler =
                    unsafe { std::mem::transmute::<usize, extern "C" fn(c_int, *mut siginfo_t, *mut c_void)>(action.sa_sigaction) };
                handler(signal, info, context);
            } else {
                // SAFETY: an action without SA_SIGINFO is a function of this type.
                let handler = unsafe { std::mem::transmute::<usize, extern "C" fn(c_int)>(action.sa_sigaction) };
                handler(signal);
            }
        }
        // The instruction is tried once more, and the signal ends the process.
        // SAFETY: the default action is always allowed.
        _ => unsafe {
            libc::signal(signal, libc::SIG_DFL);
        },
    }
}
