//! Where threads wait for one another, and when they may go on: barriers of the block and exchanges of the warp.
//!
//! Meanings are those of the PTX ISA:
//!
//! - `shfl.sync` and `vote.sync` wait for the threads of the mask that have not exited; they must come with the same qualifiers and mask.
//! - `bar.warp.sync` likewise.
//! - `barrier.cta.sync` without a count is for all threads of the block. Hardware since Volta goes on when those that have not exited are
//!   there, and so hides that some never came; here a barrier that a thread exits without reaching is an error.
//! - `activemask` gives the lanes that are at the same call once no other lane of the warp can get there without them.
//!
//! Nothing here runs code: it looks at what a warp's or block's threads wait for, and answers those that may go on.

/// Threads of a warp.
pub const WARP: usize = 32;

/// What a thread waits for, at the call numbered `site`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    pub site: u32,
    pub why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nothing: the kernel has panicked, and the launch ends.
    Trap,
    /// The next block: the thread has exited.
    NextBlock,
    /// A barrier of the block, by its number.
    Barrier(u32),
    /// The lanes of its mask.
    Lanes { mask: u32, exchange: Exchange },
    /// The lanes that run together with it.
    ActiveMask,
}

/// What the lanes of a mask do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    Barrier,
    Shuffle { mode: Shuffle, value: u32, lane: u32, clamp: u32 },
    Vote { mode: Vote, predicate: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    Up,
    Down,
    Xor,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    All,
    Any,
    Ballot,
}

/// A thread, as the scheduler sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It can run, with this answer to what it waited for.
    Ready(u32),
    Waits(Wait),
    Exited,
}

impl State {
    fn waits(&self) -> Option<Wait> {
        if let Self::Waits(wait) = self { Some(*wait) } else { None }
    }

    /// What a message says of it: threads that differ only in the values that they bring do the same.
    pub fn without_values(self) -> Self {
        match self {
            Self::Waits(Wait { site, why: Why::Lanes { mask, exchange } }) => {
                let exchange = match exchange {
                    Exchange::Barrier => Exchange::Barrier,
                    Exchange::Shuffle { mode, .. } => Exchange::Shuffle { mode, value: 0, lane: 0, clamp: 0 },
                    Exchange::Vote { mode, .. } => Exchange::Vote { mode, predicate: false },
                };
                Self::Waits(Wait { site, why: Why::Lanes { mask, exchange } })
            }
            Self::Ready(_) => Self::Ready(0),
            other => other,
        }
    }
}

impl Exchange {
    /// Whether two lanes do the same, each with its own values.
    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Barrier, Self::Barrier) => true,
            (Self::Shuffle { mode: one, .. }, Self::Shuffle { mode: two, .. }) => one == two,
            (Self::Vote { mode: one, .. }, Self::Vote { mode: two, .. }) => one == two,
            _ => false,
        }
    }
}

/// Lets the lanes of a warp go on whose masks are complete, and returns whether there were any.
///
/// # Errors
///
/// The lane that uses a mask which it is not in.
pub fn meet_lanes(warp: &mut [State]) -> Result<bool, usize> {
    let mut any = false;
    for lane in 0..warp.len() {
        let Some(Wait { why: Why::Lanes { mask, exchange }, .. }) = warp[lane].waits() else { continue };
        if mask >> lane & 1 == 0 {
            return Err(lane);
        }
        let lanes = || (0..warp.len()).filter(move |lane| mask >> lane & 1 == 1);
        let here = |state: &State| match state.waits() {
            Some(Wait { why: Why::Lanes { mask: its_mask, exchange: its }, .. }) if its_mask == mask && its.meets(&exchange) => Some(its),
            _ => None,
        };
        if lanes().all(|lane| warp[lane] == State::Exited || here(&warp[lane]).is_some()) {
            let came: Vec<(usize, Exchange)> = lanes().filter_map(|lane| Some((lane, here(&warp[lane])?))).collect();
            for &(lane, exchange) in &came {
                warp[lane] = State::Ready(answer(lane, exchange, &came));
            }
            any = true;
        }
    }
    Ok(any)
}

/// What a lane gets from the exchange that the lanes in `came` take part in.
fn answer(lane: usize, exchange: Exchange, came: &[(usize, Exchange)]) -> u32 {
    let votes = || {
        came.iter().filter_map(|&(lane, its)| match its {
            Exchange::Vote { predicate, .. } => Some((lane, predicate)),
            _ => None,
        })
    };
    match exchange {
        Exchange::Barrier => 0,
        Exchange::Vote { mode: Vote::All, .. } => votes().all(|(_, predicate)| predicate).into(),
        Exchange::Vote { mode: Vote::Any, .. } => votes().any(|(_, predicate)| predicate).into(),
        Exchange::Vote { mode: Vote::Ballot, .. } => votes().map(|(lane, predicate)| u32::from(predicate) << lane).sum(),
        Exchange::Shuffle { mode, value, lane: operand, clamp } => {
            let source = shuffle_source(mode, lane as u32, operand, clamp);
            came.iter()
                .find_map(|&(lane, its)| match its {
                    Exchange::Shuffle { value, .. } if lane as u32 == source => Some(value),
                    _ => None,
                })
                // The value of a lane that does not take part is undefined; one's own is as good as any.
                .unwrap_or(value)
        }
    }
}

/// The lane that a shuffle reads (PTX ISA, `shfl.sync`): its own where the one asked for is out of the segment.
fn shuffle_source(mode: Shuffle, lane: u32, operand: u32, clamp: u32) -> u32 {
    let operand = operand & 31;
    let segment = clamp >> 8 & 31;
    let least = lane & segment;
    let most = least | clamp & 31 & !segment;
    let (source, inside) = match mode {
        Shuffle::Up => (lane.wrapping_sub(operand), lane.wrapping_sub(operand) as i32 >= most as i32),
        Shuffle::Down => (lane + operand, lane + operand <= most),
        Shuffle::Xor => (lane ^ operand, lane ^ operand <= most),
        Shuffle::Index => (least | operand & !segment, least | operand & !segment <= most),
    };
    if inside { source } else { lane }
}

/// Lets the lanes go on that wait to learn who runs with them, by call, and returns whether there were any.
pub fn meet_active(warp: &mut [State]) -> bool {
    let Some(site) = warp.iter().find_map(|state| state.waits().filter(|wait| wait.why == Why::ActiveMask)).map(|wait| wait.site) else {
        return false;
    };
    let together = State::Waits(Wait { site, why: Why::ActiveMask });
    let mask = (0..warp.len()).map(|lane| u32::from(warp[lane] == together) << lane).sum();
    for state in warp.iter_mut().filter(|state| **state == together) {
        *state = State::Ready(mask);
    }
    true
}

/// Lets a block go on whose threads all wait at the same barrier, and returns whether they do.
pub fn meet_block(block: &mut [State]) -> bool {
    let Some(Wait { why: Why::Barrier(number), .. }) = block.first().and_then(State::waits) else { return false };
    let here = |state: &State| state.waits().is_some_and(|wait| wait.why == Why::Barrier(number));
    let all = block.iter().all(here);
    if all {
        block.fill(State::Ready(0));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(exchange: impl Fn(u32) -> Exchange, mask: u32, count: u32) -> Vec<State> {
        (0..count).map(|lane| State::Waits(Wait { site: 0, why: Why::Lanes { mask, exchange: exchange(lane) } })).collect()
    }

    fn answers(warp: &[State]) -> Vec<u32> {
        warp.iter()
            .map(|state| match state {
                State::Ready(answer) => *answer,
                other => panic!("{other:?} has no answer"),
            })
            .collect()
    }

    fn shuffled(mode: Shuffle, lane: u32, clamp: u32) -> Vec<u32> {
        let mut warp = lanes(|own| Exchange::Shuffle { mode, value: 100 + own, lane, clamp }, u32::MAX, 32);
        assert_eq!(meet_lanes(&mut warp), Ok(true));
        answers(&warp).iter().map(|value| value - 100).collect()
    }

    #[test]
    fn shuffles_read_the_lane_that_ptx_says() {
        assert_eq!(shuffled(Shuffle::Down, 16, 31), (16..32).chain(16..32).collect::<Vec<_>>());
        assert_eq!(shuffled(Shuffle::Up, 1, 0), [0].into_iter().chain(0..31).collect::<Vec<_>>());
        assert_eq!(shuffled(Shuffle::Xor, 1, 31), (0..32).map(|lane| lane ^ 1).collect::<Vec<_>>());
        assert_eq!(shuffled(Shuffle::Index, 7, 31), [7; 32]);
        // Segments of 8 lanes.
        assert_eq!(shuffled(Shuffle::Index, 0, 24 << 8 | 31), (0..32).map(|lane| lane & !7).collect::<Vec<_>>());
    }

    #[test]
    fn votes_count_the_mask() {
        for (mode, expected) in [(Vote::All, 0), (Vote::Any, 1), (Vote::Ballot, 0b1010)] {
            let mut warp = lanes(|lane| Exchange::Vote { mode, predicate: lane % 2 == 1 }, 0b1111, 4);
            assert_eq!(meet_lanes(&mut warp), Ok(true));
            assert_eq!(answers(&warp), [expected; 4]);
        }
    }

    #[test]
    fn lanes_wait_for_those_that_have_not_exited() {
        let mut warp = lanes(|_| Exchange::Barrier, 0b111, 3);
        warp[1] = State::Ready(0);
        assert_eq!(meet_lanes(&mut warp), Ok(false));
        warp[1] = State::Exited;
        assert_eq!(meet_lanes(&mut warp), Ok(true));
        assert_eq!(warp, [State::Ready(0), State::Exited, State::Ready(0)]);
    }

    #[test]
    fn different_exchanges_do_not_meet() {
        let mut warp = lanes(|_| Exchange::Barrier, 0b11, 2);
        warp[1] = lanes(|_| Exchange::Vote { mode: Vote::Any, predicate: true }, 0b11, 1)[0];
        assert_eq!(meet_lanes(&mut warp), Ok(false));
    }

    #[test]
    fn a_lane_outside_its_mask_is_an_error() {
        assert_eq!(meet_lanes(&mut lanes(|_| Exchange::Barrier, 0b01, 2)), Err(1));
    }

    #[test]
    fn lanes_at_one_call_are_active_together() {
        let at = |site| State::Waits(Wait { site, why: Why::ActiveMask });
        let mut warp = [at(3), State::Exited, at(3), at(4)];
        assert!(meet_active(&mut warp));
        assert_eq!(warp, [State::Ready(0b101), State::Exited, State::Ready(0b101), at(4)]);
        assert!(meet_active(&mut warp));
        assert_eq!(warp[3], State::Ready(0b1000));
        assert!(!meet_active(&mut warp));
    }

    #[test]
    fn a_barrier_is_for_all() {
        let at = |number| State::Waits(Wait { site: 0, why: Why::Barrier(number) });
        assert!(meet_block(&mut [at(0), at(0)]));
        assert!(!meet_block(&mut [at(0), at(1)]));
        assert!(!meet_block(&mut [at(0), State::Exited]));
        assert!(!meet_block(&mut [State::Ready(0)]));
    }
}
