//! Places: every step – deref, field, index, constant index from either end, subslice, downcast – after every other, read and written.

use meaning::{cases, traps};

#[derive(Clone, Copy)]
struct Leaf {
    small: u8,
    large: u32,
}

#[derive(Clone, Copy)]
struct Branch {
    leaf: Leaf,
    leaves: [Leaf; 3],
    numbers: [u32; 3],
    pair: (u8, u32),
    choice: Choice,
}

#[derive(Clone, Copy)]
enum Choice {
    Number(u8, u32),
    Leaf(Leaf),
    Array { pad: u8, numbers: [u32; 2] },
    Nothing,
}

fn leaf(a: u32) -> Leaf {
    Leaf { small: a as u8, large: a }
}

fn branch(a: u32) -> Branch {
    let choice = match a % 4 {
        0 => Choice::Number(1, a),
        1 => Choice::Leaf(leaf(a)),
        2 => Choice::Array { pad: 5, numbers: [a, 4] },
        _ => Choice::Nothing,
    };
    Branch { leaf: leaf(a), leaves: [leaf(1), leaf(a / 2), leaf(3)], numbers: [a, 7, 9], pair: (3, a), choice }
}

/// A case that multiplies what is in the place by `b` and shows it and all around it.
macro_rules! places {
    ($($name:ident ($root:ident, $i:ident, $j:ident) $place:expr;)*) => {
        cases! {$(
            fn $name(a: u32, b: u32, i: usize) -> (u32, u32, u32) {
                #[inline(never)]
                fn change($root: &mut [Branch; 2], b: u32, $i: usize, $j: usize) -> (u32, u32) {
                    let _ = ($i, $j);
                    // SAFETY: the raw pointers are of parts of the root, in bounds.
                    #[allow(unused_unsafe)]
                    unsafe {
                        let before = $place as u32;
                        $place = $place.wrapping_mul(b as _);
                        (before, $place as u32)
                    }
                }
                let mut root = [branch(a), branch(a ^ 5)];
                let (before, after) = change(&mut root, b, i % 2, i / 2 % 3);
                (before, after, sum(&root))
            }
        )*

            fn downcast_then_field(a: u32, b: u32) -> (u32, u32) {
                let mut root = [branch(a), branch(b)];
                if let Choice::Number(_, number) = &mut root[0].choice {
                    *number ^= b;
                }
                if let Choice::Leaf(Leaf { large, .. }) = &mut root[1].choice {
                    *large = 8;
                }
                if let [_, Branch { choice: Choice::Leaf(leaf), .. }] = &mut root {
                    leaf.small ^= 1;
                }
                (sum(&root), matches!(root[0].choice, Choice::Number(1, 0..=50)) as u32)
            }

            fn downcast_then_index(a: u32, b: u32, i: usize) -> (u32, u32) {
                let mut root = [branch(a), branch(b)];
                for branch in &mut root {
                    if let Choice::Array { numbers, pad } = &mut branch.choice {
                        numbers[i % 2] = b;
                        *pad = 1;
                    }
                }
                let seen = match root {
                    [Branch { choice: Choice::Array { numbers: [first, _], .. }, .. }, _] => first,
                    [_, Branch { choice: Choice::Array { numbers: [.., last], .. }, .. }] => last,
                    _ => 1,
                };
                (sum(&root), seen)
            }

            fn downcast_assigned(a: u32, b: u32) -> (u32, u32) {
                let mut root = [branch(a), branch(b)];
                let old = std::mem::replace(&mut root[1].choice, Choice::Array { pad: 1, numbers: [b, a] });
                root[0].choice = old;
                if let Choice::Array { numbers: [_, second], .. } = root[1].choice {
                    root[0].numbers[2] = second;
                }
                (sum(&root), root[0].numbers[2])
            }

            fn subslice_then_index(a: u32, b: u32, i: usize) -> (u32, u32) {
                let mut root = [branch(a), branch(b)];
                let [_, rest @ ..] = &mut root[0].leaves;
                rest[i % 2].large = b;
                let [front @ .., _] = &mut root[1].numbers[..] else { return (0, 0) };
                front[i % 2] ^= a;
                (sum(&root), front_sum(&root[1].numbers))
            }

            fn subslice_then_constant_index(a: u32, b: u32) -> (u32, u32) {
                let mut root = [branch(a), branch(b)];
                let [_, [second, .., last]] = &mut [root[0].leaves, root[1].leaves];
                second.small ^= 3;
                std::mem::swap(second, last);
                root[0].leaf = *second;
                root[1].leaf = *last;
                if let [.., middle, _] = &mut root[0].leaves[..] {
                    middle.large = 77;
                }
                (sum(&root), root[0].leaf.large)
            }

            fn through_boxes_of_references(a: u32, b: u32, i: usize) -> (u32, u32) {
                let mut root = [branch(a), branch(b)];
                let [first, second] = &mut root;
                let mut both = [first, second];
                both[i % 2].leaves[i % 3].large = 5;
                let through = &mut both;
                (*through)[1].numbers[0] = 6;
                let (one, two) = (&raw mut through[0].pair, &mut through[1].pair.1);
                *two ^= 1;
                // SAFETY: the first of two parts.
                unsafe { (*one).1 = *two };
                let found = through[0].pair.1;
                (sum(&root), found)
            }

            fn tuple_of_arrays_of_tuples(a: u32, b: u8, i: usize) -> (u32, u8, u32) {
                let mut value = ([(a, [b; 2]); 2], (1u32, [(b, 2u32); 3]));
                value.0[i % 2].1[1] ^= 9;
                value.0[1].0 = 3;
                value.1.1[i % 3].1 = a;
                value.1.1[2].0 = 4;
                value.1.0 += 1;
                let sum = value.1.1.iter().fold(value.1.0, |sum, pair| sum.wrapping_add(pair.1 ^ pair.0 as u32));
                (value.0[0].0 ^ value.0[1].0, value.0[0].1[1] ^ value.0[1].1[0], sum)
            }
        }
    };
}

fn front_sum(numbers: &[u32; 3]) -> u32 {
    numbers[0].wrapping_add(numbers[1])
}

#[inline(never)]
fn sum(root: &[Branch; 2]) -> u32 {
    let leaf = |leaf: &Leaf| leaf.large.wrapping_mul(3).wrapping_add(leaf.small as u32);
    root.iter().fold(0, |sum: u32, branch| {
        let choice = match &branch.choice {
            Choice::Number(small, large) => *small as u32 ^ large,
            Choice::Leaf(inner) => leaf(inner),
            Choice::Array { pad, numbers } => numbers[0].wrapping_add(numbers[1]).wrapping_add(*pad as u32),
            Choice::Nothing => 11,
        };
        let leaves = branch.leaves.iter().fold(leaf(&branch.leaf), |sum, one| sum.rotate_left(5) ^ leaf(one));
        let numbers = branch.numbers.iter().fold(branch.pair.1, |sum, number| sum.rotate_left(7) ^ number);
        sum.wrapping_mul(31).wrapping_add(choice).wrapping_add(leaves).wrapping_add(numbers).wrapping_add(branch.pair.0 as u32)
    })
}

places! {
    index_field_field (root, i, j) root[i].leaf.large;
    index_field_small (root, i, j) root[i].leaf.small;
    constant_field_index (root, i, j) root[1].numbers[j];
    index_field_constant (root, i, j) root[i].numbers[2];
    index_field_index_field (root, i, j) root[i].leaves[j].large;
    index_field_constant_field (root, i, j) root[i].leaves[1].small;
    constant_field_tuple (root, i, j) root[0].pair.1;
    index_field_tuple (root, i, j) root[i].pair.0;
    slice_index_field (root, i, j) root[..][i].leaves[1..][j % 2].large;
    field_of_a_reference (root, i, j) (*(&mut root[i].leaf)).large;
    reference_to_an_array (root, i, j) (&mut root[i].leaves)[j].small;
    reference_to_an_element (root, i, j) (*(&mut (&mut root[i].leaves)[j])).large;
    raw_field (root, i, j) (*(&raw mut root[i].leaves[j])).large;
    raw_array (root, i, j) (*(&raw mut root[i])).numbers[j];
    raw_element (root, i, j) *(&raw mut root[i].numbers).cast::<u32>().add(j);
    twice_through_references (root, i, j) (**(&mut &mut root[i])).numbers[j];
}

traps! {
    fn place_out_of_bounds(a: u32, i: usize, j: usize) -> u32 {
        let mut root = [branch(a), branch(2)];
        root[i].leaves[j].large = 1;
        sum(&root)
    } [(1, 1, 2), (1, 2, 0), (1, 0, 3)]
}
