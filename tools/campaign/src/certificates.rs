//! An authority for one campaign and a certificate that both sides show, for TLS. They are valid
//! nowhere else.

use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::record::Directory;

/// Below the directory of the campaign, in PEM.
const FOLDER: &str = "certificates";
const AUTHORITY: &str = "ca.pem";
const OWN: &str = "own.pem";
const KEY: &str = "key.pem";

/// Writes them, unless they are there.
pub(crate) fn make(directory: &Directory) -> Result<(), String> {
    let folder = directory.path().join(FOLDER);
    if folder.join(KEY).exists() {
        return Ok(());
    }
    written(directory).map_err(|error| format!("certificates in {}: {error}", folder.display()))
}

fn written(directory: &Directory) -> Result<(), Box<dyn std::error::Error>> {
    let folder = directory.path().join(FOLDER);
    std::fs::create_dir_all(&folder)?;
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
    std::fs::write(folder.join(AUTHORITY), issuer.pem())?;
    let pair = KeyPair::generate()?;
    let signed = CertificateParams::new(vec!["campaign".into()])?.signed_by(&pair, &issuer)?;
    std::fs::write(folder.join(OWN), signed.pem())?;
    // The last one: where it is, all are.
    std::fs::write(folder.join(KEY), pair.serialize_pem())?;
    Ok(())
}

/// As perftest wants them.
pub(crate) fn options(directory: &Directory) -> Vec<String> {
    let place = |name: &str| -> PathBuf {
        let path = directory.path().join(FOLDER).join(name);
        // Each side may run in a directory of its own choice.
        std::path::absolute(&path).unwrap_or(path)
    };
    [
        ("-transportCertAuthority", AUTHORITY),
        ("-transportCertFile", OWN),
        ("-transportPrivateKey", KEY),
    ]
    .into_iter()
    .flat_map(|(option, name)| [option.into(), place(name).to_string_lossy().into_owned()])
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_made_once() {
        let place = tempfile::tempdir().unwrap();
        let directory = Directory::at(place.path());
        make(&directory).unwrap();
        let key = || std::fs::read(place.path().join(FOLDER).join(KEY)).unwrap();
        let first = key();
        make(&directory).unwrap();
        assert_eq!(first, key());
        let words = options(&directory);
        assert_eq!(words.len(), 6);
        assert!(
            words
                .iter()
                .skip(1)
                .step_by(2)
                .all(|path| std::path::Path::new(path).exists())
        );
    }
}
