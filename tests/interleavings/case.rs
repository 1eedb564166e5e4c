//! The case of a search: some requests, and the account that they find.

use crate::kinds::Kind;

/// A request of a case.
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

macro_rules! starts {
    ($($(#[$doc:meta])* $start:ident $name:literal,)*) => {
        /// The state of the account when the requests begin.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum Start {
            $($(#[$doc])* $start,)*
        }

        impl Start {
            const ALL: &[Self] = &[$(Self::$start),*];

            fn name(self) -> &'static str {
                match self { $(Self::$start => $name,)* }
            }
        }
    };
}

starts! {
    /// There is none.
    Absent "absent",
    /// It has a password, two sessions, a known browser, a reset token, a verification token, the link of a notice and an unverified
    /// address.
    Registered "registered",
    /// As `Registered`, with a verified address.
    Verified "verified",
    /// As `Verified`, and linked to a Google identity.
    Linked "linked",
    /// As `Registered`, but both sessions belong to an earlier, deleted account of the address.
    Recreated "again",
    /// As `Linked`, but the address of the identity has changed since. The new address, which is not verified, also has
    /// an account.
    Moved "moved",
    /// As `Registered`, with as many failed logins as the limit, all too old to count.
    ExpiredFailures "worn",
}

impl Start {
    /// Whether the address is verified.
    pub(crate) fn is_verified(self) -> bool {
        self == Self::Verified || self.is_linked()
    }

    /// Whether the account is linked to an identity.
    pub(crate) fn is_linked(self) -> bool {
        matches!(self, Self::Linked | Self::Moved)
    }
}

/// Two or more requests, and the account that they find.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Case {
    pub(crate) start: Start,
    pub(crate) kinds: Vec<Kind>,
}

impl Case {
    /// All pairs of kinds that can conflict, with each start that makes a difference to one of the two.
    pub(crate) fn pairs() -> Vec<Self> {
        let mut pairs = Vec::new();
        for (index, &a) in Kind::ALL.iter().enumerate() {
            for &b in Kind::ALL.iter().skip(index) {
                if a.can_conflict_with(b) {
                    pairs.extend(Self::of(&[a, b]));
                }
            }
        }
        pairs
    }

    /// Whether all its requests are plain. `make test` searches only these cases.
    pub(crate) fn is_plain(&self) -> bool {
        self.kinds.iter().all(|kind| kind.is_plain())
    }

    /// All triples of which each request is plain or an import.
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

    /// Cases of these kinds, with each start that makes a difference to one of them.
    fn of(kinds: &[Kind]) -> Vec<Self> {
        let some = |is: fn(Kind) -> bool| kinds.iter().any(|kind| is(*kind));
        let matters = |start: &Start| match start {
            Start::Registered => true,
            Start::Absent => some(Kind::creates),
            Start::Verified => {
                some(|kind| kind.may_link() || kind == Kind::NoticeRegistration)
                    // The first proof of an address also ends the passkeys.
                    || some(|kind| kind == Kind::Reset) && some(Kind::starts_with_passkey)
            }
            Start::Linked => some(|kind| kind.may_link() || matches!(kind, Kind::Delete | Kind::UnlinkGoogle)),
            Start::Recreated => {
                kinds.iter().all(|kind| kind.is_plain())
                    && some(|kind| kind.session().is_some())
                    && some(|kind| matches!(kind, Kind::Login | Kind::Google | Kind::Reset))
            }
            Start::Moved => {
                let fits = |kind: &Kind| {
                    matches!(kind, Kind::Google | Kind::Delete | Kind::Login | Kind::Logout)
                        || matches!(kind, Kind::NewPassword | Kind::CloseOthers | Kind::Reset | Kind::Lock)
                        || *kind == Kind::UnlinkGoogle
                };
                kinds.iter().all(fits) && some(|kind| kind == Kind::Google)
            }
            Start::ExpiredFailures => kinds.iter().all(|kind| *kind == Kind::LimitedWrong),
        };
        let starts = Start::ALL.iter().copied().filter(matters);
        starts.map(|start| Self { start, kinds: kinds.to_vec() }).collect()
    }

    /// Reads the name of a case.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let (start, kinds) = name.split_once(": ")?;
        let start = Start::ALL.iter().copied().find(|each| each.name() == start)?;
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
        self.start.is_linked() || self.some(Kind::may_link)
    }

    pub(crate) fn kind(&self, who: Who) -> Kind {
        self.kinds[who as usize]
    }

    /// Its requests.
    pub(crate) fn whos(&self) -> impl Iterator<Item = Who> + use<> {
        Who::ALL.into_iter().take(self.kinds.len())
    }
}
