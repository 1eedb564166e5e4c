//! Tests that the modules of this crate, which `ARCHITECTURE.md` calls rooms, follow the order of the list in `lib.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const LIB: &str = include_str!("lib.rs");
const ARCHITECTURE: &str = include_str!("../../ARCHITECTURE.md");

/// The modules in the order of the list.
fn listed() -> Vec<&'static str> {
    let names = LIB.lines().filter_map(|line| line.strip_prefix("//! - ")?.split('`').nth(1));
    names.collect()
}

/// Each name that `lib.rs` exports, and the module that it comes from.
fn exported() -> BTreeMap<&'static str, &'static str> {
    let lines = LIB.lines().filter_map(|line| line.strip_prefix("pub use ")?.strip_suffix(';'));
    let exports = lines.flat_map(|line| {
        let (room, names) = line.split_once("::").unwrap();
        let names = names.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty());
        names.map(move |name| (name, room))
    });
    exports.collect()
}

/// The modules that a source file uses outside its tests, which are at its end.
fn used(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut names = Vec::new();
    for after in code.split("crate::").skip(1) {
        let identifier = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        match after.strip_prefix('{') {
            Some(list) => names.extend(list.split('}').next().unwrap().split(',').map(|name| identifier(name.trim()))),
            None => names.push(identifier(after)),
        }
    }
    names
}

fn files(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
        }
    }
}

#[test]
fn the_table_of_rooms_in_the_architecture_has_the_order_of_the_list() {
    let (_, rooms) = ARCHITECTURE.split_once("\n### Rooms\n").unwrap();
    let rows = rooms.lines().skip_while(|line| !line.starts_with("| `")).take_while(|line| line.starts_with("| `"));
    let rooms: Vec<_> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    assert_eq!(rooms, listed());
}

#[test]
fn a_module_uses_only_those_that_are_listed_before_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (listed, exported) = (listed(), exported());
    let place = |name: &str| {
        let room = exported.get(name).copied().unwrap_or(name);
        listed.iter().position(|listed| *listed == room)
    };
    let folders = fs::read_dir(&source).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count();
    assert_eq!(listed.len(), folders, "the list in lib.rs and the folders differ: {listed:?}");
    for room in &listed {
        let mut sources = Vec::new();
        files(&source.join(room), &mut sources);
        assert!(!sources.is_empty(), "{room} is listed in lib.rs and has no folder");
        for (path, text) in sources {
            for name in used(&text) {
                // A macro, such as `crate::function`, belongs to no module.
                let Some(place_of_used) = place(&name) else { continue };
                assert!(
                    Some(place_of_used) <= place(room),
                    "{path} uses {name}, which is listed after {room} in lib.rs"
                );
            }
        }
    }
}

/// The modules of the store by floor, as the list in its `mod.rs` has them.
fn floors() -> Vec<Vec<String>> {
    const STORE: &str = include_str!("store/mod.rs");
    let text = STORE.lines().filter_map(|line| line.strip_prefix("//! ")).collect::<Vec<_>>().join(" ");
    let is_module = |name: &&str| STORE.contains(&format!("mod {name};"));
    let floor = |number: u8| {
        let (_, rest) = text.split_once(&format!(" {number}. `"))?;
        Some(rest.split(". ").next()?.split('`').filter(is_module).map(str::to_owned).collect())
    };
    (1..).map_while(floor).collect()
}

#[test]
fn a_floor_of_the_store_uses_only_those_below_it() {
    let store = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store");
    let floors = floors();
    let floor = |name: &str| floors.iter().position(|floor| floor.iter().any(|module| module == name));
    assert_eq!(floors.len(), 6, "{floors:?}");
    for entry in fs::read_dir(&store).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let (mut sources, is_folder) = (Vec::new(), path.is_dir());
        if is_folder {
            files(&path, &mut sources);
        } else if name != "mod" {
            sources.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
        }
        for (path, text) in sources {
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let mut used: Vec<&str> = code.split("use crate::store::").skip(1).collect();
            if !is_folder || path.ends_with("mod.rs") {
                used.extend(code.split("use super::").skip(1));
            }
            let own = floor(&name).unwrap_or_else(|| panic!("{name} is on no floor of store/mod.rs"));
            for used in used {
                let used = used.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
                let Some(below) = floor(used) else { continue };
                assert!(below < own || used == name, "{path} uses {used}, which is not below it");
            }
        }
    }
}
