//! `make bench-hash`: compares the service's Argon2id with other implementations and prints a table. The
//! implementations run in turn. The slowest hash shows whether allocating memory can delay a hash.

#![expect(clippy::disallowed_methods, reason = "time is measured here")]

use argon2_rust::params::{Memory, TagLen};
use bench::Outcome;
use bench::rows::{Hash, PASSWORD};
use tokio::time::Instant;
use zeroize::Zeroize;

/// The number of hashes of each implementation.
const ROUNDS: usize = 1000;
const HASH_BYTES: usize = 32;
const SALT: [u8; 16] = [7; 16];

/// One way to hash.
type Way<'a> = (&'a str, Box<dyn FnMut(&mut [u8]) -> Outcome<()>>);

fn main() -> Outcome<()> {
    let mut ways = ways()?;
    let mut times = vec![Vec::new(); ways.len()];
    let mut hash = None;
    for _ in 0..ROUNDS {
        for ((name, way), times) in ways.iter_mut().zip(&mut times) {
            let (start, mut made) = (Instant::now(), [0; HASH_BYTES]);
            way(&mut made)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            if *hash.get_or_insert(made) != made {
                return Err(format!("{name} gives another hash").into());
            }
        }
    }
    println!("| | first ms | median ms | slowest ms | over twice the median |\n|---|---:|---:|---:|---:|");
    for ((name, _), times) in ways.iter().zip(&times) {
        let (first, median) = (times.first().copied().unwrap_or_default(), median(times.clone()));
        let slowest = times.iter().copied().fold(0.0, f64::max);
        let stalled = times.iter().filter(|time| **time > median * 2.0).count();
        println!("| {name} | {first:.2} | {median:.2} | {slowest:.2} | {stalled} |");
    }
    Ok(())
}

/// The median. For an even number of values it is the higher one of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// All ways to hash. The first is the service's own on x86-64.
fn ways() -> Outcome<Vec<Way<'static>>> {
    let (password, (memory, passes)) = (PASSWORD.as_bytes(), Hash::Full.cost());
    let ours = argon2_rust::Params::builder()
        .memory(Memory::kib(u64::from(memory)))
        .passes(passes)
        .lanes(1)
        .threads(1)
        .tag_len(TagLen::bytes(HASH_BYTES as u64))
        .build()?;
    let ours = argon2_rust::Argon2::new(argon2_rust::Algorithm::Argon2id, argon2_rust::Version::V0x13, ours);
    let mut hasher = ours.hasher();
    hasher.hash_into(password, &SALT, &mut [0; HASH_BYTES])?;
    let params = argon2::Params::new(memory, passes, 1, None).map_err(|error| error.to_string())?;
    let other = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
    let again = other.clone();
    let mut blocks = vec![argon2::Block::default(); memory as usize];
    Ok(vec![
        (
            "argon2-rust, kept memory: this service on x86-64",
            Box::new(move |hash| Ok(hasher.hash_into(password, &SALT, hash)?)),
        ),
        ("argon2-rust, own memory", Box::new(move |hash| Ok(ours.hash_into(password, &SALT, hash)?))),
        (
            "RustCrypto's argon2, kept and wiped memory: this service on other processors",
            Box::new(move |hash| {
                let done = other.hash_password_into_with_memory(password, &SALT, hash, &mut blocks);
                blocks.iter_mut().for_each(Zeroize::zeroize);
                Ok(done.map_err(|error| error.to_string())?)
            }),
        ),
        (
            "RustCrypto's argon2, own memory",
            Box::new(move |hash| {
                Ok(again.hash_password_into(password, &SALT, hash).map_err(|error| error.to_string())?)
            }),
        ),
    ])
}
