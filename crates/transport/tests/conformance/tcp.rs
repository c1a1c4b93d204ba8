//! TCP: the suite, and what is special to connections.
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use dunlin_transport::{TcpConfig, TcpTransport, TlsConfig};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::namespace::{BARE, in_namespace};
use crate::suite::conforms;

/// A participant with a name of its own.
pub(crate) fn config() -> TcpConfig {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let mut name = [0x44; 12];
    let (number, process) = name.split_at_mut(4);
    number.copy_from_slice(&COUNT.fetch_add(1, Relaxed).to_be_bytes());
    process[..4].copy_from_slice(&std::process::id().to_be_bytes());
    TcpConfig::new(name)
}

#[test]
fn tcp_conforms() {
    in_namespace("tcp::tcp_conforms", BARE, || {
        conforms(&|| Box::new(TcpTransport::new(&config()).unwrap()));
    });
}

/// One that signs itself, in a folder of its own: everybody has it, and trusts it.
fn identity() -> TlsConfig {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, key).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["participant".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    let folder = std::env::temp_dir().join(format!("dunlin-tls-suite-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str, pem: String| {
        let path = folder.join(name);
        std::fs::write(&path, pem).unwrap();
        path
    };
    TlsConfig {
        authorities: file("ca.pem", authority.pem()),
        certificates: file("chain.pem", certificate.pem()),
        key: file("key.pem", key.serialize_pem()),
    }
}

#[test]
fn tls_conforms() {
    in_namespace("tcp::tls_conforms", BARE, || {
        let identity = identity();
        conforms(&|| {
            let tls = Some(identity.clone());
            let config = TcpConfig { tls, ..config() };
            Box::new(TcpTransport::new(&config).unwrap())
        });
        std::fs::remove_dir_all(identity.key.parent().unwrap()).unwrap();
    });
}
