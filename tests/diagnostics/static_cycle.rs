// PTX has no way to initialise statics that point at each other.

use cuda_device::kernel;

struct Node {
    value: u32,
    next: &'static Node,
}

static FIRST: Node = Node { value: 1, next: &SECOND };
static SECOND: Node = Node { value: 2, next: &FIRST };

#[kernel]
pub unsafe fn walks(out: *mut u32, steps: u32) {
    let mut node = &FIRST;
    for _ in 0..steps {
        node = node.next;
    }
    unsafe { *out = node.value }
}

fn main() {}
// ---- out
// error: statics that refer to each other in a cycle are not available in kernels: `FIRST`, `SECOND` [OX303]
//   --> static_cycle.rs:10:1
//    |
// 10 | static FIRST: Node = Node { value: 1, next: &SECOND };
//    | ^^^^^^^^^^^^^^^^^^
//    |
//    = help: use indices instead of references
