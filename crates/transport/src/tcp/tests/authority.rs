//! An authority whose certificates tests use.
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

/// It has a folder for what it signs, which goes when this does.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    pub(crate) folder: PathBuf,
}

impl Authority {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        let number = COUNT.fetch_add(1, Relaxed);
        let folder = format!("dunlin-tls-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let mut params = CertificateParams::default();
        let common = DnType::CommonName;
        params
            .distinguished_name
            .push(common, folder.display().to_string());
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let authority = Self { issuer, folder };
        std::fs::write(authority.file(), authority.issuer.pem()).unwrap();
        authority
    }

    /// Its own certificate.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.join("ca.pem")
    }

    /// A certificate of somebody's, and the key to it.
    pub(crate) fn sign(&self) -> [PathBuf; 2] {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["some participant".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let [certificates, key_file] = ["chain.pem", "key.pem"].map(|name| self.folder.join(name));
        std::fs::write(&certificates, certificate.pem()).unwrap();
        std::fs::write(&key_file, key.serialize_pem()).unwrap();
        [certificates, key_file]
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
