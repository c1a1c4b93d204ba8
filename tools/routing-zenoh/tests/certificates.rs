//! TLS between sites: who is signed by the right authority gets in, others are told why not.
mod common;

use common::*;
use dunlin_routing::state::State;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::path::Path;

/// An authority, and a certificate of localhost that it has signed, as files in a folder.
fn authority(folder: &Path, name: &str) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let params = CertificateParams::new(names).unwrap();
    let certificate = params.signed_by(&key, &issuer).unwrap();
    for (what, text) in [
        ("ca", issuer.pem()),
        ("certificate", certificate.pem()),
        ("key", key.serialize_pem()),
    ] {
        std::fs::write(folder.join(format!("{name}.{what}.pem")), text).unwrap();
    }
}

fn tls(folder: &Path, ca: &str, own: &str) -> String {
    let file = |name: String| folder.join(name).display().to_string();
    let (ca, certificate, key) = (
        file(format!("{ca}.ca.pem")),
        file(format!("{own}.certificate.pem")),
        file(format!("{own}.key.pem")),
    );
    format!("tls = {{ ca = {ca:?}, certificate = {certificate:?}, key = {key:?} }}")
}

#[test]
fn a_wrong_certificate_is_told_in_a_line() {
    in_namespace("a_wrong_certificate_is_told_in_a_line", LOOPBACK, || {
        let folder = tempfile::tempdir().unwrap();
        authority(folder.path(), "ours");
        authority(folder.path(), "theirs");
        let (right, wrong) = (
            tls(folder.path(), "ours", "ours"),
            tls(folder.path(), "theirs", "theirs"),
        );
        let _a = site(
            "a",
            0,
            &format!("{{ listen = [\"tls/127.0.0.1:7447\"], {right} }}"),
        );
        let connect = |tls: &str| format!("{{ connect = [\"tls/localhost:7447\"], {tls} }}");
        // Its domain is joined, so it starts, and goes on trying.
        let b = site("b", 1, &connect(&wrong));
        let tree = b.state();
        let failed: Vec<String> = tree
            .walk()
            .iter()
            .filter_map(|node| match &node.state {
                State::Failed(reason) => Some(reason.clone()),
                _ => None,
            })
            .collect();
        assert_eq!(failed.len(), 1, "{tree:#?}");
        let reason = &failed[0];
        println!("{reason}");
        assert!(reason.contains("localhost:7447"), "{reason}");
        assert!(reason.to_lowercase().contains("certificate"), "{reason}");
        assert!(!reason.contains('\n') && reason.len() < 400, "{reason}");
        drop(b);
        let c = site("c", 2, &connect(&right));
        let (near, far) = (participant(0), participant(2));
        let (offered, asked) = reliable();
        let (writer, reader) = (writer(&near, "T", offered), reader(&far, "T", asked));
        writer.wait_for_matched(1, SOON).unwrap();
        writer.write(&pose("p", 1)).unwrap();
        take(&reader, 1);
        drop(c);
    });
}
