//! TLS 1.3 over a connection (rustls, with ring's cryptography).
//!
//! Both ends show a certificate, and each wants that of the other signed by an authority that it
//! trusts. Names in certificates mean nothing here: participants are found by discovery, at
//! addresses that no certificate can know. Whoever has a certificate of the authority belongs to
//! the system.
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddrV4};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::UnbufferedClientConnection;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring::cipher_suite::{
    TLS13_AES_128_GCM_SHA256, TLS13_AES_256_GCM_SHA384, TLS13_CHACHA20_POLY1305_SHA256,
};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::UnbufferedServerConnection;
use rustls::server::WebPkiClientVerifier;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, ServerConfig,
    SignatureScheme,
};

use super::session::Session;
use crate::file;

/// Bytes of a file; all authorities of an operating system have a quarter of it.
const MAX_FILE: u64 = 1 << 20;

/// Who a participant is under TLS, and whom it trusts: files in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsConfig {
    /// Certificates of the authorities that peers' certificates have to be signed by.
    pub authorities: PathBuf,
    /// The participant's own certificate, followed by those between it and an authority.
    pub certificates: PathBuf,
    /// The private key of the first of these.
    pub key: PathBuf,
}

/// Both roles, ready for use.
pub(super) struct Tls {
    server: Arc<ServerConfig>,
    client: Arc<ClientConfig>,
}

impl Tls {
    /// Reads all files; an error names the one that is at fault.
    pub(super) fn new(config: &TlsConfig) -> io::Result<Self> {
        let provider = Arc::new(CryptoProvider {
            // The fastest first; all of them are as safe as anybody knows.
            cipher_suites: vec![
                TLS13_AES_128_GCM_SHA256,
                TLS13_AES_256_GCM_SHA384,
                TLS13_CHACHA20_POLY1305_SHA256,
            ],
            ..ring::default_provider()
        });
        let mut roots = RootCertStore::empty();
        for authority in certificates(&config.authorities)? {
            roots
                .add(authority)
                .map_err(|error| wrong(&config.authorities, &error))?;
        }
        let roots = Arc::new(roots);
        let chain = certificates(&config.certificates)?;
        let key = PrivateKeyDer::from_pem_slice(&read(&config.key)?)
            .map_err(|error| wrong(&config.key, &error))?;
        let own = |error: rustls::Error| wrong(&config.certificates, &error);
        let callers =
            WebPkiClientVerifier::builder_with_provider(Arc::clone(&roots), Arc::clone(&provider))
                .build()
                .map_err(|error| wrong(&config.authorities, &error))?;
        let mut server = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(own)?
            .with_client_cert_verifier(callers)
            .with_single_cert(chain.clone(), key.clone_key())
            .map_err(own)?;
        // Connections last: there is nothing to resume.
        server.send_tls13_tickets = 0;
        // Records are sealed and opened by ourselves.
        server.enable_secret_extraction = true;
        let servers = Nameless::new(roots, Arc::clone(&provider))
            .map_err(|error| wrong(&config.authorities, &error))?;
        let mut client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(own)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(servers))
            .with_client_auth_cert(chain, key)
            .map_err(own)?;
        client.enable_secret_extraction = true;
        Ok(Self {
            server: Arc::new(server),
            client: Arc::new(client),
        })
    }

    #[cfg(test)]
    pub(super) fn for_clients(&self) -> Arc<ClientConfig> {
        Arc::clone(&self.client)
    }

    /// For a connection that we have dialled.
    pub(super) fn dial(&self, to: SocketAddrV4) -> io::Result<Session> {
        let name = ServerName::IpAddress(IpAddr::V4(*to.ip()).into());
        let client = UnbufferedClientConnection::new(Arc::clone(&self.client), name);
        Ok(Session::client(client.map_err(io::Error::other)?))
    }

    /// For one that a peer has dialled.
    pub(super) fn accept(&self) -> io::Result<Session> {
        let server = UnbufferedServerConnection::new(Arc::clone(&self.server));
        Ok(Session::server(server.map_err(io::Error::other)?))
    }
}

fn certificates(file: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    let text = read(file)?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let all = all.map_err(|error| wrong(file, &error))?;
    match all.is_empty() {
        true => Err(wrong(file, &"there is no certificate in it")),
        false => Ok(all),
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    file::read(path, MAX_FILE).map_err(|error| wrong(path, &error))
}

fn wrong(file: &Path, why: &dyn fmt::Display) -> io::Error {
    let text = format!("TLS file {}: {why}", file.display());
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

/// Wants what is usual of a certificate, but for the name in it.
#[derive(Debug)]
struct Nameless(Arc<WebPkiServerVerifier>);

impl Nameless {
    fn new(
        roots: Arc<RootCertStore>,
        provider: Arc<CryptoProvider>,
    ) -> Result<Self, rustls::server::VerifierBuilderError> {
        let builder = WebPkiServerVerifier::builder_with_provider(roots, provider);
        Ok(Self(builder.build()?))
    }
}

impl ServerCertVerifier for Nameless {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified =
            self.0
                .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            // The name is looked at last, when all else is as it should be.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
