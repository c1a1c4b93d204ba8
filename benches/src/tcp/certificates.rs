//! An authority for one run, and a certificate that both sides show.
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

/// Files in PEM.
pub(super) struct Certificates {
    authority: PathBuf,
    own: PathBuf,
    key: PathBuf,
}

impl Certificates {
    /// Writes them into a folder.
    pub(super) fn new(folder: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let [authority, own, key] = ["ca.pem", "own.pem", "key.pem"].map(|name| folder.join(name));
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
        std::fs::write(&authority, issuer.pem())?;
        let pair = KeyPair::generate()?;
        let signed = CertificateParams::new(vec!["bench".into()])?.signed_by(&pair, &issuer)?;
        std::fs::write(&own, signed.pem())?;
        std::fs::write(&key, pair.serialize_pem())?;
        Ok(Self {
            authority,
            own,
            key,
        })
    }

    /// As perftest wants them.
    pub(super) fn options(&self) -> [(&'static str, &PathBuf); 3] {
        [
            ("-transportCertAuthority", &self.authority),
            ("-transportCertFile", &self.own),
            ("-transportPrivateKey", &self.key),
        ]
    }
}
