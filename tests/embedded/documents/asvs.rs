//! Tests that `docs/asvs.md` answers each requirement of levels 1 and 2 once, and one of level 3.

use std::collections::{BTreeMap, BTreeSet};

use super::security::rows;

/// The valid answers to a requirement.
const MET: [&str; 5] = ["yes", "part", "no", "host", "n/a"];
/// The levels of the requirements of ASVS 5.0.0. Each line is a chapter, each word a section, and each digit the level
/// of one requirement.
const LEVELS: [&str; 17] = [
    "22 1111122223 112222222223 222 123",
    "122 112 12223 23",
    "3 113 12223 11222233 11122333 3 22333",
    "12233 23333 22 1222",
    "2 112333 113 222",
    "122 111111112222 11223333 112233 22222333 2223 33 2222",
    "222 1111 22 11222 223 22",
    "1233 1123 133 23",
    "111 1222",
    "22 223 22223 1111122222233333 22222 22 222",
    "2233 22233 11233 1222 23 23 33",
    "12233 11 22223",
    "2333 222223 2233 1222233",
    "22 12223333 122",
    "12233 12233 1222222 3333",
    "2 22222 2222 222 2223",
    "23 22223333 22",
];

/// The requirement of level 3 that must be answered too: users are notified of changed authentication details.
const FURTHER: [&str; 1] = ["V6.3.7"];

/// The requirements of a cell: `V1.2.1 V1.2.5–V1.2.9`.
fn requirements(cell: &str) -> Vec<String> {
    let parts = |name: &str| -> (String, usize) {
        let (section, number) = name.rsplit_once('.').unwrap_or_else(|| panic!("{name}"));
        (section.to_owned(), number.parse().unwrap())
    };
    let mut all = Vec::new();
    for name in cell.split_whitespace() {
        let (first, last) = name.split_once('–').unwrap_or((name, name));
        let ((section, first), (end, last)) = (parts(first), parts(last));
        assert!(section == end && first <= last, "{name}");
        all.extend((first..=last).map(|number| format!("{section}.{number}")));
    }
    all
}

#[test]
fn every_requirement_of_levels_1_and_2_and_one_of_level_3_is_answered_once_and_none_is_invented() {
    let mut levels = BTreeMap::new();
    for (chapter, sections) in (1..).zip(LEVELS) {
        for (section, digits) in (1..).zip(sections.split(' ')) {
            let name = |number: i32| format!("V{chapter}.{section}.{number}");
            levels.extend((1..).zip(digits.chars()).map(|(number, level)| (name(number), level)));
        }
    }
    let of = |level: char| levels.values().filter(|other| **other == level).count();
    assert_eq!((of('1'), of('2'), of('3')), (70, 183, 92), "the number of requirements of each level of ASVS 5.0.0");
    let mut answered = BTreeSet::new();
    for row in rows("docs/asvs.md") {
        let [names, _, met, how, _] = &row.cells[..] else { panic!("five cells: {:?}", row.cells) };
        assert!(MET.contains(&met.as_str()) && !how.is_empty(), "{names}: {met}");
        for name in requirements(names) {
            assert!(levels.contains_key(&name), "{name} is not in ASVS 5.0.0");
            assert!(answered.insert(name.clone()), "{name} is answered twice");
        }
    }
    let missing: Vec<&String> = levels
        .iter()
        .filter(|(name, level)| (**level < '3' || FURTHER.contains(&name.as_str())) && !answered.contains(*name))
        .map(|(name, _)| name)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
