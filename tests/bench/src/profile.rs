//! Where the instructions of a call go, by what they are for: read from callgrind's profile of a binary with symbols.

use std::collections::BTreeMap;

/// What crates are for, in a call.
const AREAS: &[(&str, &[&str])] = &[
    ("signing requests (SigV4, SHA-256)", &["aws_sigv4", "block_buffer", "digest", "hex", "hmac", "sha2"]),
    ("the AWS SDK", &["aws_credential_types", "aws_runtime", "aws_sdk_dynamodb", "aws_types", "regex_lite", "url"]),
    (
        "HTTP and the runtime",
        &[
            "bytes",
            "futures_util",
            "http",
            "httparse",
            "hyper",
            "hyper_rustls",
            "hyper_util",
            "lambda_http",
            "lambda_runtime",
            "mio",
            "lambda_runtime_api_client",
            "socket2",
            "tokio",
            "tower",
            "want",
            "tracing",
        ],
    ),
    ("JSON, base64 and text", &["base64", "base64ct", "itoa", "memchr", "percent_encoding", "ryu", "zmij"]),
    ("this project", &["light", "login", "shared"]),
    ("memory: mimalloc", &["mi", "_mi"]),
    ("Argon2 at its least", &["argon2", "argon2_rust", "phc"]),
    ("the C library, copying above all", &["libc"]),
    ("collections, strings and drops of them (std)", &["alloc", "core", "hashbrown", "indexmap", "std"]),
];

/// The instructions of each function of a profile, its own alone.
#[must_use]
pub fn by_function(profile: &str) -> BTreeMap<String, u64> {
    let (mut names, mut objects) = (BTreeMap::new(), BTreeMap::new());
    let (mut object, mut function) = (String::new(), String::new());
    let mut costs: BTreeMap<String, u64> = BTreeMap::new();
    let mut is_of_callee = false;
    for line in profile.lines() {
        if let Some(text) = line.strip_prefix("ob=") {
            object = named(text, &mut objects);
        } else if let Some(text) = line.strip_prefix("cob=") {
            named(text, &mut objects);
        } else if let Some(text) = line.strip_prefix("fn=") {
            function = named(text, &mut names);
        } else if let Some(text) = line.strip_prefix("cfn=") {
            named(text, &mut names);
        } else if line.starts_with("calls=") {
            is_of_callee = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '*')) {
            let cost = line.split(' ').nth(1).and_then(|cost| cost.parse::<u64>().ok());
            if !std::mem::take(&mut is_of_callee) {
                let of_libc = object.contains("/libc.") || object.contains("/ld-linux");
                let name = if of_libc { format!("libc::{function}") } else { function.clone() };
                *costs.entry(name).or_default() += cost.unwrap_or_default();
            }
        }
    }
    costs
}

/// The instructions by what they are for.
#[must_use]
pub fn by_area(costs: &BTreeMap<String, u64>) -> BTreeMap<&'static str, u64> {
    let mut areas = BTreeMap::new();
    for (function, cost) in costs {
        *areas.entry(area(function)).or_default() += cost;
    }
    areas
}

fn area(function: &str) -> &'static str {
    let name = crate_of(function);
    let listed = AREAS.iter().find(|(_, crates)| crates.contains(&name));
    match listed {
        Some((area, _)) => area,
        None if name.starts_with("aws_") => "the AWS SDK",
        None if name.starts_with("serde") => "JSON, base64 and text",
        None if name.starts_with("http") || name.starts_with("tokio") => "HTTP and the runtime",
        None => "all else",
    }
}

/// The crate of a function's name, as far as one can tell: of `<a::B as c::D>::e` it is `a`, of `mi_free` it is `mi`.
fn crate_of(function: &str) -> &str {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = function.trim_start_matches(|c: char| !is_name(c));
    let name = name.strip_prefix("mut ").or_else(|| name.strip_prefix("dyn ")).unwrap_or(name);
    let (first, rest) = name.split_at(name.find(|c| !is_name(c)).unwrap_or(name.len()));
    match first {
        first if rest.starts_with("::") => first,
        first if first.starts_with("mi_") => "mi",
        first if first.starts_with("_mi_") => "_mi",
        // `<T as hex::ToHex>::encode_hex`
        _ => rest.strip_prefix(" as ").map_or(first, crate_of),
    }
}

/// A name that callgrind writes once, `(7) name`, and from then on by its number.
fn named(text: &str, names: &mut BTreeMap<String, String>) -> String {
    match text.split_once(' ') {
        Some((number, name)) => names.entry(number.to_owned()).or_insert_with(|| name.to_owned()).clone(),
        None => names.get(text).cloned().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_function_calls_is_not_its_own() {
        let profile = "ob=(1) /f\nfn=(1) shared::a\n10 5\n+2 3\ncfn=(2) sha2::b\ncalls=2 4\n* 90\n+1 1\nfn=(2)\n4 90\n\
                       ob=(2) /usr/lib/libc.so.6\nfn=(3) malloc\n1 7\n";
        let costs = by_function(profile);
        let expected = [("libc::malloc", 7), ("sha2::b", 90), ("shared::a", 9)];
        assert_eq!(costs, expected.map(|(name, cost)| (name.to_owned(), cost)).into());
        assert_eq!(by_area(&costs)["this project"], 9);
        assert_eq!(by_area(&costs)["signing requests (SigV4, SHA-256)"], 90);
    }

    #[test]
    fn a_function_belongs_to_the_crate_that_its_name_begins_with() {
        for (function, expected) in [
            ("<aws_sigv4::a::B as core::fmt::Display>::fmt", "aws_sigv4"),
            ("<&mut serde_json::ser::Serializer<W,F> as serde_core::ser::Serializer>::serialize_str", "serde_json"),
            ("<T as hex::ToHex>::encode_hex", "hex"),
            ("core::ptr::drop_in_place<http::Uri>", "core"),
            ("_mi_page_free", "_mi"),
            ("ring_core_0_17_14__sha256", "ring_core_0_17_14__sha256"),
            ("", ""),
        ] {
            assert_eq!(crate_of(function), expected, "{function}");
        }
    }
}
