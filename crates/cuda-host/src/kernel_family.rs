//! A choice among kernels that solve one problem.
//!
//! ```
//! use cuda_host::kernel_family::{KernelFamily, KernelProblem, KernelVariant, NoKernelSelectionCache, SelectionMode};
//!
//! struct Rows(usize);
//!
//! impl KernelProblem<&str, (), usize> for Rows {
//!     type Error = String;
//!
//!     fn validate(&self, variant: &KernelVariant<&str, (), usize>) -> Result<(), String> {
//!         let rows = *variant.metadata();
//!         if self.0.is_multiple_of(rows) { Ok(()) } else { Err(format!("{} rows are not a multiple of {rows}", self.0)) }
//!     }
//! }
//!
//! let tiles = [KernelVariant::new("tall", (), 64), KernelVariant::new("flat", (), 8)];
//! let family = KernelFamily::try_new("transpose", 1, tiles).unwrap();
//! let mut first = |_: &Rows, eligible: &[&KernelVariant<&'static str, (), usize>]| eligible.first().map(|variant| *variant.id());
//! let selected = family.select(&Rows(24), SelectionMode::Auto, &mut first, &mut NoKernelSelectionCache).unwrap();
//! assert_eq!(*selected.variant().id(), "flat");
//! ```

use std::fmt::Debug;

use thiserror::Error;

/// The identity of a family: choices that were kept for another revision do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelFamilyId {
    name: &'static str,
    revision: u32,
}

impl KernelFamilyId {
    /// The family's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// A number that changes when the variants do.
    pub fn revision(&self) -> u32 {
        self.revision
    }
}

/// One kernel of a family: how it is found, how it is launched, and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelVariant<Id, Entry, Meta> {
    id: Id,
    entry: Entry,
    metadata: Meta,
}

impl<Id, Entry, Meta> KernelVariant<Id, Entry, Meta> {
    /// A variant.
    pub const fn new(id: Id, entry: Entry, metadata: Meta) -> Self {
        Self { id, entry, metadata }
    }

    /// What no other variant of the family has.
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// What launches it.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// What is known of it.
    pub fn metadata(&self) -> &Meta {
        &self.metadata
    }

    /// All three.
    pub fn into_parts(self) -> (Id, Entry, Meta) {
        (self.id, self.entry, self.metadata)
    }
}

/// Why a family cannot be made.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelFamilyBuildError {
    /// There is nothing to choose from.
    #[error("kernel family `{name}` has no variants")]
    NoVariants {
        /// The family.
        name: &'static str,
    },
    /// A name of nothing but spaces.
    #[error("a kernel family has no name")]
    BlankName,
    /// Two variants have one name.
    #[error("kernel family `{name}`: variants {first} and {second} have one id")]
    DuplicateId {
        /// The family.
        name: &'static str,
        /// The position of the first one.
        first: usize,
        /// The position of the other one.
        second: usize,
    },
}

/// `N` kernels that solve one problem.
#[derive(Clone, Debug)]
pub struct KernelFamily<Id, Entry, Meta, const N: usize> {
    id: KernelFamilyId,
    variants: [KernelVariant<Id, Entry, Meta>; N],
}

/// What is to be computed: its shape decides which variants can.
pub trait KernelProblem<Id, Entry, Meta> {
    /// Why a variant cannot.
    type Error;

    /// Whether a variant can solve it.
    ///
    /// # Errors
    ///
    /// Why not.
    fn validate(&self, variant: &KernelVariant<Id, Entry, Meta>) -> Result<(), Self::Error>;
}

/// Chooses among variants that can solve a problem, given in the order in which they are declared.
pub trait KernelSelector<Problem, Id, Entry, Meta> {
    /// The id of one of them; `None` for no choice.
    fn select(&mut self, problem: &Problem, eligible: &[&KernelVariant<Id, Entry, Meta>]) -> Option<Id>;
}

impl<Problem, Id, Entry, Meta, F> KernelSelector<Problem, Id, Entry, Meta> for F
where
    F: FnMut(&Problem, &[&KernelVariant<Id, Entry, Meta>]) -> Option<Id>,
{
    fn select(&mut self, problem: &Problem, eligible: &[&KernelVariant<Id, Entry, Meta>]) -> Option<Id> {
        self(problem, eligible)
    }
}

/// Keeps choices.
pub trait KernelSelectionCache<Problem, Id> {
    /// What was chosen for a problem.
    fn get(&mut self, family: KernelFamilyId, problem: &Problem) -> Option<Id>;

    /// Keeps what was chosen for it.
    fn insert(&mut self, family: KernelFamilyId, problem: &Problem, id: &Id);
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoKernelSelectionCache;

impl<Problem, Id> KernelSelectionCache<Problem, Id> for NoKernelSelectionCache {
    fn get(&mut self, _family: KernelFamilyId, _problem: &Problem) -> Option<Id> {
        None
    }

    fn insert(&mut self, _family: KernelFamilyId, _problem: &Problem, _id: &Id) {}
}

/// Who chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SelectionMode<Id> {
    /// The cache, or else the selector.
    #[default]
    Auto,
    /// The caller: this variant.
    Force(Id),
}

/// Who has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionSource {
    /// The caller.
    Override,
    /// An earlier choice.
    Cache,
    /// The selector.
    Selector,
}

/// The variant that was chosen.
#[derive(Debug)]
pub struct SelectedVariant<'a, Id, Entry, Meta> {
    variant: &'a KernelVariant<Id, Entry, Meta>,
    source: SelectionSource,
}

impl<'a, Id, Entry, Meta> SelectedVariant<'a, Id, Entry, Meta> {
    /// The variant.
    pub fn variant(&self) -> &'a KernelVariant<Id, Entry, Meta> {
        self.variant
    }

    /// Who has chosen it.
    pub fn source(&self) -> SelectionSource {
        self.source
    }
}

/// Why no variant was chosen.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelSelectionError<Id: Debug, E: Debug> {
    /// The requested variant is not in the family.
    #[error("kernel family `{name}` has no variant {id:?}")]
    UnknownVariant {
        /// The family.
        name: &'static str,
        /// The variant.
        id: Id,
    },
    /// The requested variant cannot solve the problem.
    #[error("variant {id:?} of kernel family `{name}` cannot solve this: {reason:?}")]
    Rejected {
        /// The family.
        name: &'static str,
        /// The variant.
        id: Id,
        /// Why.
        reason: E,
    },
    /// None can.
    #[error("no variant of kernel family `{name}` can solve this: {reasons:?}")]
    NoneEligible {
        /// The family.
        name: &'static str,
        /// Why, of each.
        reasons: Vec<(Id, E)>,
    },
    /// The selector chose none of those that can.
    #[error("the selector of kernel family `{name}` chose {chosen:?}, expected one of {eligible:?}")]
    BadChoice {
        /// The family.
        name: &'static str,
        /// What it chose.
        chosen: Option<Id>,
        /// Those that can.
        eligible: Vec<Id>,
    },
}

/// The result of a choice among variants.
pub type Selection<'a, Id, Entry, Meta, E> = Result<SelectedVariant<'a, Id, Entry, Meta>, KernelSelectionError<Id, E>>;

impl<Id: PartialEq, Entry, Meta, const N: usize> KernelFamily<Id, Entry, Meta, N> {
    /// A family of these variants.
    ///
    /// # Errors
    ///
    /// `NoVariants`, `BlankName`, or `DuplicateId`.
    pub fn try_new(
        name: &'static str,
        revision: u32,
        variants: [KernelVariant<Id, Entry, Meta>; N],
    ) -> Result<Self, KernelFamilyBuildError> {
        if name.trim().is_empty() {
            return Err(KernelFamilyBuildError::BlankName);
        }
        if N == 0 {
            return Err(KernelFamilyBuildError::NoVariants { name });
        }
        for (second, variant) in variants.iter().enumerate() {
            if let Some(first) = variants[..second].iter().position(|earlier| earlier.id == variant.id) {
                return Err(KernelFamilyBuildError::DuplicateId { name, first, second });
            }
        }
        Ok(Self { id: KernelFamilyId { name, revision }, variants })
    }

    /// The family's identity.
    pub fn id(&self) -> KernelFamilyId {
        self.id
    }

    /// The variants, in the order in which they are declared.
    pub fn variants(&self) -> &[KernelVariant<Id, Entry, Meta>; N] {
        &self.variants
    }

    /// The variant of an id.
    pub fn get(&self, id: &Id) -> Option<&KernelVariant<Id, Entry, Meta>> {
        self.variants.iter().find(|variant| variant.id == *id)
    }

    /// Chooses a variant that can solve the problem: the one that is forced; or else the one that the cache has, if it can; or else the
    /// selector's, which the cache keeps.
    ///
    /// # Errors
    ///
    /// `UnknownVariant` or `Rejected` for one that is forced, `NoneEligible`, or `BadChoice`.
    pub fn select<Problem, S, C>(
        &self,
        problem: &Problem,
        mode: SelectionMode<Id>,
        selector: &mut S,
        cache: &mut C,
    ) -> Selection<'_, Id, Entry, Meta, Problem::Error>
    where
        Id: Clone + Debug,
        Problem: KernelProblem<Id, Entry, Meta, Error: Debug>,
        S: KernelSelector<Problem, Id, Entry, Meta> + ?Sized,
        C: KernelSelectionCache<Problem, Id> + ?Sized,
    {
        let name = self.id.name;
        if let SelectionMode::Force(id) = mode {
            let Some(variant) = self.get(&id) else { return Err(KernelSelectionError::UnknownVariant { name, id }) };
            return match problem.validate(variant) {
                Ok(()) => Ok(SelectedVariant { variant, source: SelectionSource::Override }),
                Err(reason) => Err(KernelSelectionError::Rejected { name, id, reason }),
            };
        }
        let (mut eligible, mut reasons) = (Vec::new(), Vec::new());
        for variant in &self.variants {
            match problem.validate(variant) {
                Ok(()) => eligible.push(variant),
                Err(reason) => reasons.push((variant.id.clone(), reason)),
            }
        }
        if eligible.is_empty() {
            return Err(KernelSelectionError::NoneEligible { name, reasons });
        }
        let find = |id: &Id| eligible.iter().copied().find(|variant| variant.id == *id);
        if let Some(variant) = cache.get(self.id, problem).and_then(|id| find(&id)) {
            return Ok(SelectedVariant { variant, source: SelectionSource::Cache });
        }
        let chosen = selector.select(problem, &eligible);
        match chosen.as_ref().and_then(find) {
            Some(variant) => {
                cache.insert(self.id, problem, &variant.id);
                Ok(SelectedVariant { variant, source: SelectionSource::Selector })
            }
            None => {
                let eligible = eligible.iter().map(|variant| variant.id.clone()).collect();
                Err(KernelSelectionError::BadChoice { name, chosen, eligible })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    type Variant = KernelVariant<&'static str, u32, usize>;
    type Family = KernelFamily<&'static str, u32, usize, 3>;

    /// Columns, of which a variant takes at least as many as its metadata requires.
    struct Columns(usize);

    impl KernelProblem<&'static str, u32, usize> for Columns {
        type Error = &'static str;

        fn validate(&self, variant: &Variant) -> Result<(), &'static str> {
            if self.0 >= *variant.metadata() { Ok(()) } else { Err("too few columns") }
        }
    }

    #[derive(Default)]
    struct Kept(HashMap<(KernelFamilyId, usize), &'static str>);

    impl KernelSelectionCache<Columns, &'static str> for Kept {
        fn get(&mut self, family: KernelFamilyId, problem: &Columns) -> Option<&'static str> {
            self.0.get(&(family, problem.0)).copied()
        }

        fn insert(&mut self, family: KernelFamilyId, problem: &Columns, id: &&'static str) {
            self.0.insert((family, problem.0), id);
        }
    }

    fn family(revision: u32) -> Family {
        KernelFamily::try_new(
            "sum",
            revision,
            [("narrow", 1), ("middle", 8), ("wide", 64)].map(|(id, least)| KernelVariant::new(id, 7, least)),
        )
        .unwrap()
    }

    fn last(_: &Columns, eligible: &[&Variant]) -> Option<&'static str> {
        eligible.last().map(|variant| *variant.id())
    }

    fn never(_: &Columns, _: &[&Variant]) -> Option<&'static str> {
        panic!("the selector is not called")
    }

    #[test]
    fn what_is_no_family() {
        let variant = |id| KernelVariant::new(id, (), ());
        let build = |name, variants| KernelFamily::try_new(name, 0, variants).map(|_: KernelFamily<_, _, _, 3>| ());
        assert_eq!(build(" ", [1, 2, 3].map(variant)), Err(KernelFamilyBuildError::BlankName));
        assert_eq!(build("f", [1, 2, 1].map(variant)), Err(KernelFamilyBuildError::DuplicateId { name: "f", first: 0, second: 2 }));
        let none: [KernelVariant<u8, (), ()>; 0] = [];
        assert_eq!(KernelFamily::try_new("f", 0, none).unwrap_err(), KernelFamilyBuildError::NoVariants { name: "f" });
    }

    #[test]
    fn variants_are_found() {
        let family = family(3);
        assert_eq!((family.id().name(), family.id().revision(), family.variants().len()), ("sum", 3, 3));
        assert_eq!(family.get(&"middle").unwrap().into_parts(), ("middle", 7, 8));
        assert_eq!(family.get(&"other"), None);
    }

    #[test]
    fn the_selector_chooses_among_those_that_can_and_its_choice_is_kept() {
        let (family, mut kept) = (family(1), Kept::default());
        let selected = family.select(&Columns(10), SelectionMode::Auto, &mut last, &mut kept).unwrap();
        assert_eq!((*selected.variant().id(), selected.source()), ("middle", SelectionSource::Selector));
        let selected = family.select(&Columns(10), SelectionMode::Auto, &mut never, &mut kept).unwrap();
        assert_eq!((*selected.variant().id(), selected.source()), ("middle", SelectionSource::Cache));
        // Not for another revision, and not where it cannot.
        let selected = self::family(2).select(&Columns(10), SelectionMode::Auto, &mut last, &mut kept).unwrap().source();
        assert_eq!(selected, SelectionSource::Selector);
        kept.insert(family.id(), &Columns(2), &"wide");
        let selected = family.select(&Columns(2), SelectionMode::Auto, &mut last, &mut kept).unwrap();
        assert_eq!((*selected.variant().id(), selected.source()), ("narrow", SelectionSource::Selector));
    }

    #[test]
    fn a_forced_variant_must_be_there_and_able() {
        let family = family(1);
        let force = |id, columns| {
            let selected = family.select(&Columns(columns), SelectionMode::Force(id), &mut never, &mut NoKernelSelectionCache);
            selected.map(|selected| (*selected.variant().id(), selected.source()))
        };
        assert_eq!(force("wide", 64), Ok(("wide", SelectionSource::Override)));
        assert_eq!(force("wide", 63), Err(KernelSelectionError::Rejected { name: "sum", id: "wide", reason: "too few columns" }));
        assert_eq!(force("other", 64), Err(KernelSelectionError::UnknownVariant { name: "sum", id: "other" }));
    }

    #[test]
    fn no_choice() {
        let family = family(1);
        let choose = |id: Option<&'static str>, columns| {
            let mut selector = |_: &Columns, _: &[&Variant]| id;
            let selected = family.select(&Columns(columns), SelectionMode::Auto, &mut selector, &mut NoKernelSelectionCache);
            selected.map(|selected| *selected.variant().id()).unwrap_err()
        };
        let eligible = vec!["narrow"];
        assert_eq!(choose(None, 1), KernelSelectionError::BadChoice { name: "sum", chosen: None, eligible: eligible.clone() });
        assert_eq!(choose(Some("wide"), 1), KernelSelectionError::BadChoice { name: "sum", chosen: Some("wide"), eligible });
        let reasons = ["narrow", "middle", "wide"].map(|id| (id, "too few columns")).to_vec();
        assert_eq!(choose(None, 0), KernelSelectionError::NoneEligible { name: "sum", reasons });
    }
}
