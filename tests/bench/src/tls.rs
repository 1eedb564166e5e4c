//! A certificate authority of the run's own, and a certificate of it for this machine.

use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::Outcome;

/// The authority.
pub struct Authority {
    acceptor: TlsAcceptor,
    pem: String,
}

impl Authority {
    /// Makes authority and certificate.
    ///
    /// # Errors
    /// The generator failed.
    pub fn new() -> Outcome<Self> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "Authority of a benchmark");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let root = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
        let key = KeyPair::generate()?;
        let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
        let leaf = CertificateParams::new(names)?.signed_by(&key, &root)?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![leaf.der().clone()], PrivateKeyDer::try_from(key.serialize_der())?)?;
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), pem: root.pem() })
    }

    /// What a server accepts connections with.
    #[must_use]
    pub fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.clone()
    }

    /// Writes the authority's certificate, PEM, for clients to trust.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Outcome<()> {
        Ok(std::fs::write(path, &self.pem)?)
    }
}
