//! Writes a list of the crates in `functions`, from which `functions/mod.rs` starts each function, and a list of the texts of
//! their `openapi.yaml` files. A function without such a file listens to the stream of the accounts table, except the
//! authorizer. Only the dependencies in `Cargo.toml` are written by hand.
//!
//! The names follow from the folder: `google-login` has the type `google_login::GoogleLogin`, and `GoogleLogin` is the
//! resource in `template.yaml`.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, error, fs};

fn main() -> Result<(), Box<dyn error::Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../functions").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let manifest = fs::read_to_string("Cargo.toml")?;
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder)? {
        names.extend(entry?.file_name().into_string());
    }
    names.sort();

    let (mut endpoints, mut descriptions) = (String::new(), String::new());
    for name in names {
        if !manifest.contains(&format!("\n{name} = ")) {
            return Err(format!("in infra/local/Cargo.toml, add `{name}` to [dependencies] and to `ignored`").into());
        }
        let (module, resource) = (name.replace('-', "_"), pascal_case(&name));
        let file = folder.join(&name).join("openapi.yaml");
        if !file.exists() {
            let start = if name == "authorizer" { "authorize" } else { "listen" };
            writeln!(endpoints, "(\"{resource}\", {start}::<{module}::{resource}>),")?;
            continue;
        }
        writeln!(endpoints, "(\"{resource}\", start::<{module}::{resource}>),")?;
        writeln!(descriptions, "(\"{resource}\", include_str!(r#\"{}\"#)),", file.display())?;
    }
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("endpoints.rs"), format!("&[{endpoints}]"))?;
    fs::write(Path::new(&out).join("descriptions.rs"), format!("&[{descriptions}]"))?;
    Ok(())
}

/// `GoogleLogin` for `google-login`.
fn pascal_case(name: &str) -> String {
    let words = name.split('-').filter_map(|word| word.split_at_checked(1));
    words.map(|(first, rest)| first.to_uppercase() + rest).collect()
}
