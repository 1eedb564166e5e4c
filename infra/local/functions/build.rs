//! Writes a list of the crates in `functions`, from which `lib.rs` starts each function, and a list of the files of
//! `infra/openapi`, which describe the endpoints. A function that none of them describes listens to the stream of the
//! accounts table, except the authorizer. Only the dependencies in `Cargo.toml` are written by hand.
//!
//! The names follow from the folder: `google-login` has the type `google_login::GoogleLogin`, and `GoogleLogin` is the
//! resource in `template.yaml`.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, error, fs, io};

fn main() -> Result<(), Box<dyn error::Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../..").canonicalize()?;
    let (functions, descriptions) = (root.join("functions"), root.join("infra/openapi"));
    for folder in [&functions, &descriptions] {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let manifest = fs::read_to_string("Cargo.toml")?;
    let (mut files, mut described) = (String::new(), Vec::new());
    for name in names(&descriptions)? {
        let file = descriptions.join(&name);
        let text = fs::read_to_string(&file)?;
        described.extend(text.lines().filter_map(|line| line.strip_suffix(':')).map(str::to_owned));
        writeln!(files, "(\"infra/openapi/{name}\", include_str!(r#\"{}\"#)),", file.display())?;
    }

    let mut endpoints = String::new();
    for name in names(&functions)? {
        if !manifest.contains(&format!("\n{name} = ")) {
            return Err(format!(
                "in infra/local/functions/Cargo.toml, add `{name}` to [dependencies] and to `ignored`"
            )
            .into());
        }
        let (module, resource) = (name.replace('-', "_"), pascal_case(&name));
        let start = match &*name {
            _ if described.contains(&name) => "start",
            "authorizer" => "authorize",
            _ => "listen",
        };
        writeln!(endpoints, "(\"{resource}\", {start}::<{module}::{resource}>),")?;
    }
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("endpoints.rs"), format!("&[{endpoints}]"))?;
    fs::write(Path::new(&out).join("descriptions.rs"), format!("&[{files}]"))?;
    Ok(())
}

/// The names of what a folder contains, in order.
fn names(folder: &Path) -> Result<Vec<String>, io::Error> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string());
    }
    names.sort();
    Ok(names)
}

/// `GoogleLogin` for `google-login`.
fn pascal_case(name: &str) -> String {
    let words = name.split('-').filter_map(|word| word.split_at_checked(1));
    words.map(|(first, rest)| first.to_uppercase() + rest).collect()
}
