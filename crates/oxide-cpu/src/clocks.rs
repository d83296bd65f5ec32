//! What a thread knows of the others: vector clocks, by which it is decided whether one access comes before another.
//!
//! A thread counts a step of its own with each release. That another thread's step is known means that all it did up to there comes before.
//! A clock is shared by all that met to make it, and holds the blocks of which anything is known.

use std::sync::Arc;

/// A thread: its block's number in the grid and its own in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Who {
    pub block: u32,
    pub thread: u32,
}

/// For each block of which anything is known, in order, the step that is known of each thread.
#[derive(Clone, Debug, Default)]
pub struct Clock(Vec<(u32, Arc<Vec<u32>>)>);

impl Clock {
    pub fn block(&self, block: u32) -> Option<&[u32]> {
        let at = self.0.binary_search_by_key(&block, |(block, _)| *block).ok()?;
        Some(&self.0[at].1)
    }

    /// The step that is known of a thread, 0 for none.
    pub fn step(&self, who: Who) -> u32 {
        self.block(who.block).map_or(0, |steps| steps[who.thread as usize])
    }

    fn steps(&mut self, block: u32, threads: usize) -> &mut Vec<u32> {
        let at = match self.0.binary_search_by_key(&block, |(block, _)| *block) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (block, Arc::new(vec![0; threads])));
                at
            }
        };
        Arc::make_mut(&mut self.0[at].1)
    }
}

/// Both together.
pub fn join(one: &Arc<Clock>, two: &Arc<Clock>) -> Arc<Clock> {
    if Arc::ptr_eq(one, two) || two.0.is_empty() {
        return one.clone();
    }
    if one.0.is_empty() {
        return two.clone();
    }
    let mut joined = Clock(one.0.clone());
    for (block, steps) in &two.0 {
        match joined.0.binary_search_by_key(block, |(block, _)| *block) {
            Err(at) => joined.0.insert(at, (*block, steps.clone())),
            Ok(at) if Arc::ptr_eq(&joined.0[at].1, steps) => {}
            Ok(at) => {
                let own = Arc::make_mut(&mut joined.0[at].1);
                own.iter_mut().zip(steps.iter()).for_each(|(own, step)| *own = (*own).max(*step));
            }
        }
    }
    Arc::new(joined)
}

/// What one thread knows.
#[derive(Clone)]
pub struct Knowledge {
    pub clock: Arc<Clock>,
    /// The step that the thread is in.
    pub step: u32,
    /// What its last releasing fence lets others know that see a write after it.
    pub released: Option<Arc<Clock>>,
    /// What its reads have seen that its next acquiring fence makes known.
    pub seen: Option<Arc<Clock>>,
}

impl Default for Knowledge {
    fn default() -> Self {
        Self { clock: Arc::default(), step: 1, released: None, seen: None }
    }
}

impl Knowledge {
    /// What others know that acquire what the thread releases now; a step of its own ends.
    pub fn release(&mut self, who: Who, threads: usize) -> Arc<Clock> {
        let mut clock = Clock(self.clock.0.clone());
        clock.steps(who.block, threads)[who.thread as usize] = self.step;
        self.step += 1;
        Arc::new(clock)
    }

    pub fn acquire(&mut self, clock: &Arc<Clock>) {
        self.clock = join(&self.clock, clock);
    }
}

/// What several threads release at one place, such as a barrier.
#[derive(Default)]
pub struct Gathering {
    clocks: Vec<Arc<Clock>>,
    steps: Vec<(Who, u32)>,
}

impl Gathering {
    /// Adds a thread, of which a step ends.
    pub fn add(&mut self, who: Who, knowledge: &mut Knowledge) {
        if !self.clocks.iter().any(|clock| Arc::ptr_eq(clock, &knowledge.clock)) {
            self.clocks.push(knowledge.clock.clone());
        }
        self.steps.push((who, knowledge.step));
        knowledge.step += 1;
    }

    /// Adds what a thread has released before.
    pub fn add_released(&mut self, clock: &Arc<Clock>) {
        self.clocks.push(clock.clone());
    }

    /// What all know together.
    pub fn finish(&self, threads: usize) -> Arc<Clock> {
        let joined = self.clocks.iter().fold(Arc::<Clock>::default(), |joined, clock| join(&joined, clock));
        let mut clock = Arc::unwrap_or_clone(joined);
        for &(who, step) in &self.steps {
            let known = &mut clock.steps(who.block, threads)[who.thread as usize];
            *known = step.max(*known);
        }
        Arc::new(clock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_meets_is_known_to_all() {
        let (one, two) = (Who { block: 0, thread: 0 }, Who { block: 7, thread: 1 });
        let (mut knows_one, mut knows_two) = (Knowledge::default(), Knowledge::default());
        let mut gathering = Gathering::default();
        gathering.add(one, &mut knows_one);
        gathering.add(two, &mut knows_two);
        let clock = gathering.finish(2);
        assert_eq!((clock.step(one), clock.step(two), knows_one.step), (1, 1, 2));
        assert_eq!(clock.step(Who { block: 0, thread: 1 }), 0);
    }

    #[test]
    fn a_release_is_known_to_those_that_acquire_it() {
        let (one, two) = (Who { block: 0, thread: 0 }, Who { block: 0, thread: 1 });
        let (mut writer, mut reader) = (Knowledge::default(), Knowledge::default());
        let released = writer.release(one, 2);
        reader.acquire(&released);
        assert_eq!((reader.clock.step(one), reader.clock.step(two), writer.clock.step(one)), (1, 0, 0));
        let further = reader.release(two, 2);
        assert_eq!((further.step(one), further.step(two)), (1, 1));
    }
}
