//! What a search is about: some requests, and the account that they find.

use crate::accounts::Start;
use crate::kinds::Kind;

/// Which of the requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Who {
    A,
    B,
    C,
    D,
}

impl Who {
    pub(crate) const ALL: [Self; 4] = [Self::A, Self::B, Self::C, Self::D];

    /// The request's letter.
    pub(crate) fn letter(self) -> char {
        ['A', 'B', 'C', 'D'][self as usize]
    }
}

/// Two or more requests, and the account that they find.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Case {
    pub(crate) start: Start,
    pub(crate) kinds: Vec<Kind>,
}

impl Case {
    /// All pairs that can meet, with each start that makes a difference to one of the two.
    pub(crate) fn pairs() -> Vec<Self> {
        let mut pairs = Vec::new();
        for (place, &a) in Kind::ALL.iter().enumerate() {
            for &b in Kind::ALL.iter().skip(place) {
                if a.meets(b) {
                    pairs.extend(Self::of(&[a, b]));
                }
            }
        }
        pairs
    }

    /// Whether it has only plain requests, which `make test` searches, and which are also searched with faults.
    pub(crate) fn is_plain(&self) -> bool {
        self.kinds.iter().all(|kind| kind.is_plain())
    }

    /// All triples of the kinds whose writes differ.
    pub(crate) fn triples() -> Vec<Self> {
        let writing: Vec<Kind> = Kind::ALL.iter().copied().filter(|kind| kind.is_in_triples()).collect();
        let mut triples = Vec::new();
        for (first, &a) in writing.iter().enumerate() {
            for (second, &b) in writing.iter().enumerate().skip(first) {
                for &c in writing.iter().skip(second) {
                    triples.extend(Self::of(&[a, b, c]));
                }
            }
        }
        triples
    }

    /// The pairs of a triple.
    pub(crate) fn pairs_of(triple: &Self) -> Vec<Self> {
        let pair = |a: usize, b: usize| Self { start: triple.start, kinds: vec![triple.kinds[a], triple.kinds[b]] };
        vec![pair(0, 1), pair(0, 2), pair(1, 2)]
    }

    /// These kinds, with each start that makes a difference to one of them.
    fn of(kinds: &[Kind]) -> Vec<Self> {
        let some = |is: fn(Kind) -> bool| kinds.iter().any(|kind| is(*kind));
        let matters = |start: &Start| match start {
            Start::Registered => true,
            Start::Absent => some(Kind::creates),
            Start::Verified => some(|kind| matches!(kind, Kind::Google | Kind::HearRegistration)),
            Start::Linked => some(|kind| matches!(kind, Kind::Google | Kind::Delete)),
        };
        let starts = Start::ALL.into_iter().filter(matters);
        starts.map(|start| Self { start, kinds: kinds.to_vec() }).collect()
    }

    /// Reads the name of a case.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let (start, kinds) = name.split_once(": ")?;
        let start = Start::ALL.into_iter().find(|each| each.name() == start)?;
        let kind = |name| Kind::ALL.iter().copied().find(|kind| kind.name() == name);
        let kinds: Option<Vec<Kind>> = kinds.split_whitespace().map(kind).collect();
        Some(Self { start, kinds: kinds.filter(|kinds| (1..=Who::ALL.len()).contains(&kinds.len()))? })
    }

    /// Its name in a schedule.
    pub(crate) fn name(&self) -> String {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        format!("{}: {}", self.start.name(), kinds.join(" "))
    }

    pub(crate) fn has(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    pub(crate) fn some(&self, is: fn(Kind) -> bool) -> bool {
        self.kinds.iter().any(|kind| is(*kind))
    }

    /// Whether an identity may exist during a run.
    pub(crate) fn may_be_linked(&self) -> bool {
        self.start == Start::Linked || self.has(Kind::Google)
    }

    pub(crate) fn kind(&self, who: Who) -> Kind {
        self.kinds[who as usize]
    }

    /// Its requests.
    pub(crate) fn whos(&self) -> impl Iterator<Item = Who> + use<> {
        Who::ALL.into_iter().take(self.kinds.len())
    }
}
