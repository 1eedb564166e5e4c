//! What `make bench` runs: the floor, our functions, and peers that do the work of our login.

use std::path::{Path, PathBuf};

use crate::identity::Identity;
use crate::rows::Hash;
use crate::runtime_api::Program;
use crate::scenario::{self, Scenario};
use crate::table::Table;
use crate::tls::Authority;
use crate::{LIGHT, Outcome, binary};

/// Which part of the report a variant belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A function that does nothing.
    Floor,
    /// A login of ours.
    Login,
    /// A login of somebody else's shape.
    Peer,
    /// Another function of ours.
    Other,
}

/// One thing that is measured.
pub struct Variant {
    /// What the report calls it.
    pub name: String,
    /// Where it belongs.
    pub kind: Kind,
    /// What its password hash costs; none if it makes none.
    pub hash: Option<Hash>,
    /// What it is to do.
    pub scenario: Scenario,
    /// What runs.
    pub program: Program,
    /// What stands in for its services.
    pub table: Table,
    /// Bytes of what is deployed, if it is.
    pub zip: Option<u64>,
}

/// Where everything that was built lies.
pub struct Places {
    /// Our functions' binaries and [`LIGHT`]'s, as [`binary`] finds them.
    pub functions: PathBuf,
    /// Our functions' zips.
    pub zips: PathBuf,
    /// What was made of the peers.
    pub peers: PathBuf,
    /// Where to write certificates.
    pub work: PathBuf,
    /// The program that runs the peers on Node.
    pub node: PathBuf,
    /// The program that runs the peer on Python.
    pub python: PathBuf,
}

/// A peer: its name in the report, its name in `target/bench`, what runs it.
type Peer<'a> = (&'a str, &'a str, Vec<PathBuf>);

/// Everything, in the order of the report.
///
/// # Errors
/// Something has not been built.
pub async fn all(places: &Places, identity: &Identity, authority: &Authority) -> Outcome<Vec<Variant>> {
    let trust = Trust::write(&places.work, authority)?;
    let bench = Bench { places, keys: identity.key_set(), authority, trust };
    let mut variants = Vec::new();
    let rust = |name: &str| binary(&places.peers.join("rust"), name);
    let hello: Peer = ("an empty function", "hello", vec![rust("hello")]);
    variants.push(bench.peer(&hello, Kind::Floor, None, scenario::hello()?).await?);
    let node = |name: &str| vec![places.node.clone(), places.peers.join("node").join(name).join("bootstrap.mjs")];
    let python = vec![places.python.clone(), "-m".into(), "awslambdaric".into(), "login.handler".into()];
    let peers: [Peer; 4] = [
        ("Rust, as tutorials do", "tutorial", vec![rust("tutorial")]),
        ("Node, @node-rs/argon2", "node-rs", node("node-rs")),
        ("Node, argon2", "argon2", node("argon2")),
        ("Python, argon2-cffi", "python", python),
    ];
    for hash in [Hash::Light, Hash::Full] {
        for scenario in scenario::all(identity, hash)? {
            let kind = if scenario.function == "login" { Kind::Login } else { Kind::Other };
            // What hashes nothing is the same in both rounds.
            if scenario.hashes || hash == Hash::Full {
                variants.push(bench.function(kind, hash, scenario).await?);
            }
        }
        for peer in &peers {
            let login = scenario::all(identity, hash)?.into_iter().find(|scenario| scenario.function == "login");
            let login = login.ok_or("there is no login")?;
            variants.push(bench.peer(peer, Kind::Peer, Some(hash), login).await?);
        }
    }
    Ok(variants)
}

/// What all variants of a run share.
struct Bench<'a> {
    places: &'a Places,
    keys: serde_json::Value,
    authority: &'a Authority,
    trust: Trust,
}

impl Bench<'_> {
    async fn function(&self, kind: Kind, hash: Hash, scenario: Scenario) -> Outcome<Variant> {
        let file = match hash {
            Hash::Light => binary(&self.places.functions, LIGHT),
            Hash::Full => binary(&self.places.functions, scenario.function),
        };
        let zip = self.places.zips.join(scenario.function).join("bootstrap.zip");
        let table = Table::start(&scenario.answers, &self.keys, Some(self.authority)).await?;
        let mut program = scenario.program(vec![file], &table);
        program.environment.push(("AWS_CA_BUNDLE".to_owned(), self.trust.own.display().to_string()));
        let zip = (hash == Hash::Full).then(|| size(&zip)).transpose()?;
        let hash = scenario.hashes.then_some(hash);
        Ok(Variant { name: scenario.name.to_owned(), kind, hash, scenario, program, table, zip })
    }

    async fn peer(&self, peer: &Peer<'_>, kind: Kind, hash: Option<Hash>, scenario: Scenario) -> Outcome<Variant> {
        let (name, built, command) = peer;
        let table = Table::start(&scenario.answers, &self.keys, Some(self.authority)).await?;
        let mut program = scenario.program(command.clone(), &table);
        let python = self.places.peers.join("python");
        let trusting = [
            ("AWS_CA_BUNDLE", &self.trust.own),
            ("NODE_EXTRA_CA_CERTS", &self.trust.own),
            ("SSL_CERT_FILE", &self.trust.with_the_systems),
            ("PYTHONPATH", &python),
        ];
        program.environment.extend(trusting.map(|(name, file)| (name.to_owned(), file.display().to_string())));
        let zip = size(&self.places.peers.join("zips").join(format!("{built}.zip")))?;
        Ok(Variant { name: (*name).to_owned(), kind, hash, scenario, program, table, zip: Some(zip) })
    }
}

/// Files that say whom to trust.
struct Trust {
    /// The run's own authority.
    own: PathBuf,
    /// The same and all that the system trusts, as a client reads them on Lambda.
    with_the_systems: PathBuf,
}

impl Trust {
    fn write(folder: &Path, authority: &Authority) -> Outcome<Self> {
        let (own, with_the_systems) = (folder.join("own.pem"), folder.join("all.pem"));
        authority.write(&own)?;
        let system = std::fs::read("/etc/ssl/certs/ca-certificates.crt")
            .map_err(|error| format!("the system's certificates: {error}; install ca-certificates"))?;
        std::fs::write(&with_the_systems, [system, std::fs::read(&own)?].concat())?;
        Ok(Self { own, with_the_systems })
    }
}

fn size(zip: &Path) -> Outcome<u64> {
    let found = std::fs::metadata(zip).map_err(|error| format!("{}: {error}; run `make bench`", zip.display()))?;
    Ok(found.len())
}
