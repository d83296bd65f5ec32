//! Collective operations of a warp: shuffles, votes, matches, reductions, elections, `activemask`, and the warp's barrier.
//!
//! Meanings are those of the PTX ISA:
//!
//! - `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync` and `elect.sync` wait for the threads of the mask that have not exited; they must
//!   execute the same instruction with the same mask. Lanes at two calls of one kind have diverged, and do not complete each other's.
//! - `bar.warp.sync` waits for the mask's threads to reach any such barrier with this mask.
//! - `activemask` gives the lanes that are at the same call once no other lane of the warp can reach it without them.
//!
//! Nothing here runs code: it takes the states of a warp's threads, and makes those ready that may continue.

use super::wait::{Collective, Match, Redux, Shuffle, ThreadState, Vote, Wait, WaitReason};

/// The lanes that execute an operation together, each with its operands.
pub type Participants = [(usize, Collective)];

/// A shuffle from a lane that does not participate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InactiveSource {
    /// The lane that reads.
    pub lane: usize,
    /// The lane whose value it reads.
    pub source: u32,
    /// The call site.
    pub site: u32,
}

/// Completes the operations of a warp whose masks are complete, and returns whether there were any. `completed` receives the participants
/// of each, with the shuffles among them from lanes that do not participate.
///
/// # Errors
///
/// The lane that uses a mask which does not include it.
pub fn complete_collectives(warp: &mut [ThreadState], mut completed: impl FnMut(&Participants, &[InactiveSource])) -> Result<bool, usize> {
    let mut any = false;
    for lane in 0..warp.len() {
        let Some(Wait { site, reason: WaitReason::Collective { mask, collective } }) = warp[lane].waits() else { continue };
        if mask >> lane & 1 == 0 {
            return Err(lane);
        }
        let lanes = || (0..warp.len()).filter(move |lane| mask >> lane & 1 == 1);
        let here = |state: &ThreadState| match state.waits() {
            Some(Wait { site: its_site, reason: WaitReason::Collective { mask: its_mask, collective: its } })
                if its_mask == mask && its.matches(collective) && (its_site == site || collective == Collective::Barrier) =>
            {
                Some(its)
            }
            _ => None,
        };
        if lanes().all(|lane| warp[lane] == ThreadState::Exited || here(&warp[lane]).is_some()) {
            let participants: Vec<(usize, Collective)> = lanes().filter_map(|lane| Some((lane, here(&warp[lane])?))).collect();
            for &(lane, collective) in &participants {
                warp[lane] = ThreadState::Ready(result(lane, collective, mask, &participants));
            }
            let inactive_source = |&(lane, collective)| inactive_source(lane, collective, site, &participants);
            let inactive: Vec<InactiveSource> = participants.iter().filter_map(inactive_source).collect();
            completed(&participants, &inactive);
            any = true;
        }
    }
    Ok(any)
}

/// Whether a lane reads the value of one that does not participate. A shuffle up or down does so at the edge of a mask, where programs
/// ignore the value.
fn inactive_source(lane: usize, collective: Collective, site: u32, participants: &Participants) -> Option<InactiveSource> {
    let Collective::Shuffle { mode: mode @ (Shuffle::Xor | Shuffle::Index), lane: operand, clamp, .. } = collective else { return None };
    let source = shuffle_source(mode, lane as u32, operand, clamp);
    participants.iter().all(|(lane, _)| *lane as u32 != source).then_some(InactiveSource { lane, source, site })
}

/// The result of a lane of an operation.
fn result(lane: usize, collective: Collective, mask: u32, participants: &Participants) -> u32 {
    let votes = || {
        participants.iter().filter_map(|&(lane, its)| match its {
            Collective::Vote { predicate, .. } => Some((lane, predicate)),
            _ => None,
        })
    };
    let matches = || {
        participants.iter().filter_map(|&(lane, its)| match its {
            Collective::Match { value, .. } => Some((lane, value)),
            _ => None,
        })
    };
    match collective {
        Collective::Barrier => 0,
        // PTX leaves the choice of the lane open: it is the first one.
        Collective::Elect => participants.first().map_or(lane, |(first, _)| *first) as u32,
        Collective::Vote { mode: Vote::All, .. } => votes().all(|(_, predicate)| predicate).into(),
        Collective::Vote { mode: Vote::Any, .. } => votes().any(|(_, predicate)| predicate).into(),
        Collective::Vote { mode: Vote::Ballot, .. } => votes().map(|(lane, predicate)| u32::from(predicate) << lane).sum(),
        Collective::Match { mode: Match::Any, value } => matches().filter(|&(_, its)| its == value).map(|(lane, _)| 1 << lane).sum(),
        Collective::Match { mode: Match::All, value } if matches().all(|(_, its)| its == value) => mask,
        Collective::Match { mode: Match::All, .. } => 0,
        Collective::Redux { mode, .. } => {
            let values =
                participants.iter().filter_map(|&(_, its)| if let Collective::Redux { value, .. } = its { Some(value) } else { None });
            values.reduce(|one, two| reduce(mode, one, two)).unwrap_or_default()
        }
        Collective::Shuffle { mode, value, lane: operand, clamp } => {
            let source = shuffle_source(mode, lane as u32, operand, clamp);
            participants
                .iter()
                .find_map(|&(lane, its)| match its {
                    Collective::Shuffle { value, .. } if lane as u32 == source => Some(value),
                    _ => None,
                })
                // The value of a lane that does not participate is undefined; one's own is as good as any.
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

/// The source lane of a shuffle (PTX ISA, `shfl.sync`): its own where the requested one is outside the segment.
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

/// Completes `activemask` for the lanes at one call, and returns whether there were any.
pub fn complete_active_masks(warp: &mut [ThreadState]) -> bool {
    let Some(site) = warp.iter().find_map(|state| state.waits().filter(|wait| wait.reason == WaitReason::ActiveMask)).map(|wait| wait.site)
    else {
        return false;
    };
    let together = ThreadState::Waits(Wait { site, reason: WaitReason::ActiveMask });
    let mask = (0..warp.len()).map(|lane| u32::from(warp[lane] == together) << lane).sum();
    for state in warp.iter_mut().filter(|state| **state == together) {
        *state = ThreadState::Ready(mask);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(collective: impl Fn(u32) -> Collective, mask: u32, count: u32) -> Vec<ThreadState> {
        (0..count)
            .map(|lane| ThreadState::Waits(Wait { site: 0, reason: WaitReason::Collective { mask, collective: collective(lane) } }))
            .collect()
    }

    fn results(warp: &[ThreadState]) -> Vec<u32> {
        warp.iter()
            .map(|state| match state {
                ThreadState::Ready(result) => *result,
                other => panic!("{other:?} has no result"),
            })
            .collect()
    }

    fn shuffled(mode: Shuffle, lane: u32, clamp: u32) -> Vec<u32> {
        let mut warp = lanes(|own| Collective::Shuffle { mode, value: 100 + own, lane, clamp }, u32::MAX, 32);
        assert_eq!(complete_collectives(&mut warp, |_, _| ()), Ok(true));
        results(&warp).iter().map(|value| value - 100).collect()
    }

    #[test]
    fn shuffles_read_the_lane_of_the_ptx_isa() {
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
            let mut warp = lanes(|lane| Collective::Vote { mode, predicate: lane % 2 == 1 }, 0b1111, 4);
            assert_eq!(complete_collectives(&mut warp, |_, _| ()), Ok(true));
            assert_eq!(results(&warp), [expected; 4]);
        }
    }

    #[test]
    fn lanes_wait_for_lanes_that_have_not_exited() {
        let mut warp = lanes(|_| Collective::Barrier, 0b111, 3);
        warp[1] = ThreadState::Ready(0);
        assert_eq!(complete_collectives(&mut warp, |_, _| ()), Ok(false));
        warp[1] = ThreadState::Exited;
        assert_eq!(complete_collectives(&mut warp, |_, _| ()), Ok(true));
        assert_eq!(warp, [ThreadState::Ready(0), ThreadState::Exited, ThreadState::Ready(0)]);
    }

    #[test]
    fn different_operations_do_not_complete_each_other() {
        let mut warp = lanes(|_| Collective::Barrier, 0b11, 2);
        warp[1] = lanes(|_| Collective::Vote { mode: Vote::Any, predicate: true }, 0b11, 1)[0];
        assert_eq!(complete_collectives(&mut warp, |_, _| ()), Ok(false));
    }

    #[test]
    fn a_lane_outside_its_mask_is_an_error() {
        assert_eq!(complete_collectives(&mut lanes(|_| Collective::Barrier, 0b01, 2), |_, _| ()), Err(1));
    }

    #[test]
    fn lanes_at_one_call_are_active_together() {
        let at = |site| ThreadState::Waits(Wait { site, reason: WaitReason::ActiveMask });
        let mut warp = [at(3), ThreadState::Exited, at(3), at(4)];
        assert!(complete_active_masks(&mut warp));
        assert_eq!(warp, [ThreadState::Ready(0b101), ThreadState::Exited, ThreadState::Ready(0b101), at(4)]);
        assert!(complete_active_masks(&mut warp));
        assert_eq!(warp[3], ThreadState::Ready(0b1000));
        assert!(!complete_active_masks(&mut warp));
    }

    #[test]
    fn matches_and_reductions_are_over_the_mask() {
        let results_of = |collective: fn(u32) -> Collective| {
            let mut warp = lanes(collective, 0b1111, 4);
            assert_eq!(complete_collectives(&mut warp, |participants, _| assert_eq!(participants.len(), 4)), Ok(true));
            results(&warp)
        };
        assert_eq!(results_of(|lane| Collective::Match { mode: Match::Any, value: u64::from(lane / 2) }), [0b0011, 0b0011, 0b1100, 0b1100]);
        assert_eq!(results_of(|lane| Collective::Match { mode: Match::All, value: u64::from(lane / 4) }), [0b1111; 4]);
        assert_eq!(results_of(|lane| Collective::Match { mode: Match::All, value: u64::from(lane / 2) }), [0; 4]);
        assert_eq!(results_of(|lane| Collective::Redux { mode: Redux::Add, value: lane + 1 }), [10; 4]);
        assert_eq!(results_of(|lane| Collective::Redux { mode: Redux::Xor, value: lane + 1 }), [4; 4]);
        assert_eq!(results_of(|lane| Collective::Redux { mode: Redux::MinSigned, value: lane.wrapping_sub(2) }), [-2i32 as u32; 4]);
        assert_eq!(results_of(|lane| Collective::Redux { mode: Redux::MinUnsigned, value: lane.wrapping_sub(2) }), [0; 4]);
        assert_eq!(results_of(|_| Collective::Elect), [0; 4]);
    }

    #[test]
    fn lanes_at_two_calls_have_diverged() {
        let mut warp = lanes(|_| Collective::Elect, 0b11, 2);
        warp[1] = ThreadState::Waits(Wait { site: 1, reason: WaitReason::Collective { mask: 0b11, collective: Collective::Elect } });
        assert_eq!(complete_collectives(&mut warp, |_, _| ()), Ok(false));
    }
}
