//! Where threads wait for one another, and when they may go on: exchanges of the warp, barriers of the block, the cluster and the grid.
//!
//! Meanings are those of the PTX ISA:
//!
//! - `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync` and `elect.sync` wait for the threads of the mask that have not exited; they must
//!   come to the same instruction with the same mask. Lanes at two calls of one kind have diverged, and do not meet.
//! - `bar.warp.sync` waits for the mask's threads to come to any such barrier with this mask.
//! - `barrier.cta` counts threads, whole warps at a time: all of the block, or as many as it is told. Hardware since Volta goes on when
//!   those that have not exited are there, and so hides that some never came; here a barrier that a thread exits without reaching is an
//!   error. Those of the `aligned` form, the only one here, take all threads of a warp to one instruction.
//! - `barrier.cluster.wait` waits until all threads of the cluster that have not exited have come with `barrier.cluster.arrive`.
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
    /// The same, of an index that is out of bounds.
    OutOfBounds { index: u64, length: u64 },
    /// Nothing: a function of the device has left a failure in the thread, and the launch ends.
    Failure,
    /// Another thread to run: this one has exited.
    NextThread,
    /// A barrier of the block, for so many threads, whole warps of them.
    Barrier { number: u32, count: u32, reduce: Option<(Reduce, bool)> },
    /// Nothing: it has come to a barrier of the block and goes on.
    Arrive { number: u32, count: u32 },
    /// Nothing: it has come to the cluster's barrier and goes on; what it did before is known to those that wait where it `releases` that.
    ClusterArrive { releases: bool },
    /// The cluster's barrier, which it has come to before.
    ClusterWait,
    /// All threads of a cooperative launch.
    Grid,
    /// What another thread is to write: the address that it looks at, and what is there.
    Spin { what: Spin, address: usize, value: u64 },
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
    Match { mode: Match, value: u64 },
    Redux { mode: Redux, value: u32 },
    Elect,
}

/// What a thread that spins looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spin {
    Memory,
    Mbarrier,
    /// Nothing: it sleeps.
    Sleep,
}

/// What a block barrier tells of the predicates that the threads bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    Count,
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    Any,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redux {
    Add,
    And,
    Or,
    Xor,
    MinUnsigned,
    MinSigned,
    MaxUnsigned,
    MaxSigned,
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
    /// It has not started, and can.
    New,
    /// It can run, with this answer to what it waited for.
    Ready(u32),
    Waits(Wait),
    Exited,
}

impl State {
    pub fn waits(&self) -> Option<Wait> {
        if let Self::Waits(wait) = self { Some(*wait) } else { None }
    }

    pub fn spins(&self) -> bool {
        matches!(self, Self::Waits(Wait { why: Why::Spin { .. }, .. }))
    }

    /// What a message says of it: threads that differ only in the values that they bring do the same.
    pub fn without_values(self) -> Self {
        let Self::Waits(Wait { site, why }) = self else { return if let Self::Ready(_) = self { Self::Ready(0) } else { self } };
        let why = match why {
            Why::Lanes { mask, exchange } => Why::Lanes { mask, exchange: exchange.without_values() },
            Why::Barrier { number, count, reduce } => Why::Barrier { number, count, reduce: reduce.map(|(reduce, _)| (reduce, false)) },
            Why::Spin { what: Spin::Memory, .. } => Why::Spin { what: Spin::Memory, address: 0, value: 0 },
            other => other,
        };
        Self::Waits(Wait { site, why })
    }
}

impl Exchange {
    fn without_values(self) -> Self {
        match self {
            Self::Barrier | Self::Elect => self,
            Self::Shuffle { mode, .. } => Self::Shuffle { mode, value: 0, lane: 0, clamp: 0 },
            Self::Vote { mode, .. } => Self::Vote { mode, predicate: false },
            Self::Match { mode, .. } => Self::Match { mode, value: 0 },
            Self::Redux { mode, .. } => Self::Redux { mode, value: 0 },
        }
    }

    /// Whether two lanes do the same, each with its own values.
    pub fn meets(self, other: Self) -> bool {
        self.without_values() == other.without_values()
    }
}

/// Lanes that met, each with what it brought.
pub type Came = [(usize, Exchange)];

/// A lane that reads the value of one that takes no part: which, whose, and at which call.
pub type Stranger = (usize, u32, u32);

/// Lets the lanes of a warp go on whose masks are complete; each set of lanes that met is given to `met`, with those of them that read the
/// value of a lane which takes no part.
///
/// # Errors
///
/// The lane that uses a mask which it is not in.
pub fn meet_lanes(warp: &mut [State], mut met: impl FnMut(&Came, &[Stranger])) -> Result<bool, usize> {
    let mut any = false;
    for lane in 0..warp.len() {
        let Some(Wait { site, why: Why::Lanes { mask, exchange } }) = warp[lane].waits() else { continue };
        if mask >> lane & 1 == 0 {
            return Err(lane);
        }
        let lanes = || (0..warp.len()).filter(move |lane| mask >> lane & 1 == 1);
        let here = |state: &State| match state.waits() {
            Some(Wait { site: its_site, why: Why::Lanes { mask: its_mask, exchange: its } })
                if its_mask == mask && its.meets(exchange) && (its_site == site || exchange == Exchange::Barrier) =>
            {
                Some(its)
            }
            _ => None,
        };
        if lanes().all(|lane| warp[lane] == State::Exited || here(&warp[lane]).is_some()) {
            let came: Vec<(usize, Exchange)> = lanes().filter_map(|lane| Some((lane, here(&warp[lane])?))).collect();
            for &(lane, exchange) in &came {
                warp[lane] = State::Ready(answer(lane, exchange, mask, &came));
            }
            let strangers: Vec<Stranger> = came.iter().filter_map(|&(lane, exchange)| stranger(lane, exchange, site, &came)).collect();
            met(&came, &strangers);
            any = true;
        }
    }
    Ok(any)
}

/// Whether a lane reads the value of one that takes no part. A shuffle up or down does so at the edge of a mask, where programs leave the
/// value alone.
fn stranger(lane: usize, exchange: Exchange, site: u32, came: &Came) -> Option<Stranger> {
    let Exchange::Shuffle { mode: mode @ (Shuffle::Xor | Shuffle::Index), lane: operand, clamp, .. } = exchange else { return None };
    let source = shuffle_source(mode, lane as u32, operand, clamp);
    came.iter().all(|(lane, _)| *lane as u32 != source).then_some((lane, source, site))
}

/// What a lane gets from the exchange that the lanes in `came` take part in.
fn answer(lane: usize, exchange: Exchange, mask: u32, came: &[(usize, Exchange)]) -> u32 {
    let votes = || {
        came.iter().filter_map(|&(lane, its)| match its {
            Exchange::Vote { predicate, .. } => Some((lane, predicate)),
            _ => None,
        })
    };
    let matches = || {
        came.iter().filter_map(|&(lane, its)| match its {
            Exchange::Match { value, .. } => Some((lane, value)),
            _ => None,
        })
    };
    match exchange {
        Exchange::Barrier => 0,
        // The lane that PTX leaves open is the first one.
        Exchange::Elect => came.first().map_or(lane, |(first, _)| *first) as u32,
        Exchange::Vote { mode: Vote::All, .. } => votes().all(|(_, predicate)| predicate).into(),
        Exchange::Vote { mode: Vote::Any, .. } => votes().any(|(_, predicate)| predicate).into(),
        Exchange::Vote { mode: Vote::Ballot, .. } => votes().map(|(lane, predicate)| u32::from(predicate) << lane).sum(),
        Exchange::Match { mode: Match::Any, value } => matches().filter(|&(_, its)| its == value).map(|(lane, _)| 1 << lane).sum(),
        Exchange::Match { mode: Match::All, value } if matches().all(|(_, its)| its == value) => mask,
        Exchange::Match { mode: Match::All, .. } => 0,
        Exchange::Redux { mode, .. } => {
            let values = came.iter().filter_map(|&(_, its)| if let Exchange::Redux { value, .. } = its { Some(value) } else { None });
            values.reduce(|one, two| reduce(mode, one, two)).unwrap_or_default()
        }
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

fn reduce(mode: Redux, one: u32, two: u32) -> u32 {
    match mode {
        Redux::Add => one.wrapping_add(two),
        Redux::And => one & two,
        Redux::Or => one | two,
        Redux::Xor => one ^ two,
        Redux::MinUnsigned => one.min(two),
        Redux::MaxUnsigned => one.max(two),
        Redux::MinSigned => (one as i32).min(two as i32) as u32,
        Redux::MaxSigned => (one as i32).max(two as i32) as u32,
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

/// Barriers that a block has (PTX ISA, `barrier.cta`).
pub const BARRIERS: usize = 16;

/// Threads of a block, one bit each.
type Threads = [u64; 16];

/// One of the barriers of a block.
#[derive(Clone, Copy, Default)]
pub struct Barrier {
    /// How many threads complete it, of those that have come so far.
    count: u32,
    came: Threads,
}

/// What is wrong with a thread that comes to a barrier of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// The barrier has no such number.
    Number,
    /// The count is no multiple of the warp's size, or 0.
    Count,
    /// Threads before it came with this count.
    OtherCount(u32),
    /// It has come before, and the barrier is not complete.
    Twice,
    /// The barrier is complete without its whole warp.
    TooMany,
}

impl Barrier {
    /// Takes note of a thread that has come for `count` threads, of a block of `threads`; returns whether all have now.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn come(&mut self, thread: usize, count: u32, threads: usize) -> Result<bool, Misuse> {
        if count == 0 || !count.is_multiple_of(WARP as u32) {
            return Err(Misuse::Count);
        }
        if self.count != 0 && self.count != count {
            return Err(Misuse::OtherCount(self.count));
        }
        self.count = count;
        let bit = 1 << (thread % 64);
        if self.came[thread / 64] & bit != 0 {
            return Err(Misuse::Twice);
        }
        self.came[thread / 64] |= bit;
        let came: usize = self.came.iter().map(|word| word.count_ones() as usize).sum();
        // A warp that is not full counts as one that is.
        let last = threads % WARP;
        let first = threads - last;
        let is_last_here = last > 0 && (first..threads).all(|thread| self.has(thread));
        let came = came + if is_last_here { WARP - last } else { 0 };
        if came > count as usize { Err(Misuse::TooMany) } else { Ok(came == count as usize) }
    }

    pub fn has(&self, thread: usize) -> bool {
        self.came[thread / 64] >> (thread % 64) & 1 == 1
    }
}

/// The answer of a block barrier that combines the predicates of its threads.
pub fn reduce_predicates(reduce: Reduce, predicates: impl Iterator<Item = bool>) -> u32 {
    let (mut count, mut true_ones) = (0, 0);
    for predicate in predicates {
        count += 1;
        true_ones += u32::from(predicate);
    }
    match reduce {
        Reduce::Count => true_ones,
        Reduce::And => (true_ones == count).into(),
        Reduce::Or => (true_ones > 0).into(),
    }
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
        assert_eq!(meet_lanes(&mut warp, |_, _| ()), Ok(true));
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
            assert_eq!(meet_lanes(&mut warp, |_, _| ()), Ok(true));
            assert_eq!(answers(&warp), [expected; 4]);
        }
    }

    #[test]
    fn lanes_wait_for_those_that_have_not_exited() {
        let mut warp = lanes(|_| Exchange::Barrier, 0b111, 3);
        warp[1] = State::Ready(0);
        assert_eq!(meet_lanes(&mut warp, |_, _| ()), Ok(false));
        warp[1] = State::Exited;
        assert_eq!(meet_lanes(&mut warp, |_, _| ()), Ok(true));
        assert_eq!(warp, [State::Ready(0), State::Exited, State::Ready(0)]);
    }

    #[test]
    fn different_exchanges_do_not_meet() {
        let mut warp = lanes(|_| Exchange::Barrier, 0b11, 2);
        warp[1] = lanes(|_| Exchange::Vote { mode: Vote::Any, predicate: true }, 0b11, 1)[0];
        assert_eq!(meet_lanes(&mut warp, |_, _| ()), Ok(false));
    }

    #[test]
    fn a_lane_outside_its_mask_is_an_error() {
        assert_eq!(meet_lanes(&mut lanes(|_| Exchange::Barrier, 0b01, 2), |_, _| ()), Err(1));
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
    fn matches_and_reductions_are_over_the_mask() {
        let answers_of = |exchange: fn(u32) -> Exchange| {
            let mut warp = lanes(exchange, 0b1111, 4);
            assert_eq!(meet_lanes(&mut warp, |came, _| assert_eq!(came.len(), 4)), Ok(true));
            answers(&warp)
        };
        assert_eq!(answers_of(|lane| Exchange::Match { mode: Match::Any, value: u64::from(lane / 2) }), [0b0011, 0b0011, 0b1100, 0b1100]);
        assert_eq!(answers_of(|lane| Exchange::Match { mode: Match::All, value: u64::from(lane / 4) }), [0b1111; 4]);
        assert_eq!(answers_of(|lane| Exchange::Match { mode: Match::All, value: u64::from(lane / 2) }), [0; 4]);
        assert_eq!(answers_of(|lane| Exchange::Redux { mode: Redux::Add, value: lane + 1 }), [10; 4]);
        assert_eq!(answers_of(|lane| Exchange::Redux { mode: Redux::Xor, value: lane + 1 }), [4; 4]);
        assert_eq!(answers_of(|lane| Exchange::Redux { mode: Redux::MinSigned, value: lane.wrapping_sub(2) }), [-2i32 as u32; 4]);
        assert_eq!(answers_of(|lane| Exchange::Redux { mode: Redux::MinUnsigned, value: lane.wrapping_sub(2) }), [0; 4]);
        assert_eq!(answers_of(|_| Exchange::Elect), [0; 4]);
    }

    #[test]
    fn lanes_at_two_calls_have_diverged() {
        let mut warp = lanes(|_| Exchange::Elect, 0b11, 2);
        warp[1] = State::Waits(Wait { site: 1, why: Why::Lanes { mask: 0b11, exchange: Exchange::Elect } });
        assert_eq!(meet_lanes(&mut warp, |_, _| ()), Ok(false));
    }

    #[test]
    fn a_barrier_counts_whole_warps() {
        let mut barrier = Barrier::default();
        assert_eq!(barrier.come(0, 31, 48), Err(Misuse::Count));
        for thread in 0..32 {
            assert_eq!(barrier.come(thread, 64, 48), Ok(false));
        }
        assert_eq!(barrier.come(3, 64, 48), Err(Misuse::Twice));
        assert_eq!(barrier.come(40, 32, 48), Err(Misuse::OtherCount(64)));
        for thread in 32..47 {
            assert_eq!(barrier.come(thread, 64, 48), Ok(false));
        }
        assert_eq!(barrier.come(47, 64, 48), Ok(true));
    }

    #[test]
    fn predicates_are_combined() {
        let answer = |reduce| reduce_predicates(reduce, [true, false, true].into_iter());
        assert_eq!([Reduce::Count, Reduce::And, Reduce::Or].map(answer), [2, 0, 1]);
    }
}
