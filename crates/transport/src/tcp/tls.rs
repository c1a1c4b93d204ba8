//! TLS 1.3 over a connection (rustls, with ring's cryptography).
//!
//! Both ends show a certificate, and each wants that of the other signed by an authority that it trusts. Names in certificates
//! mean nothing here: participants are found by discovery, at addresses that no certificate can know. Whoever has a certificate of
//! the authority belongs to the system.
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddrV4};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::{
    CertificateError, ClientConfig, ClientConnection, Connection, DigitallySignedStruct,
    RootCertStore, ServerConfig, ServerConnection, SignatureScheme,
};

use super::frame::Frame;
use super::socket;

/// Bytes that are encrypted before the first of them are sent.
const STEP: usize = 64 * 1024;

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
        let provider = Arc::new(ring::default_provider());
        let mut roots = RootCertStore::empty();
        for authority in certificates(&config.authorities)? {
            roots
                .add(authority)
                .map_err(|error| wrong(&config.authorities, &error))?;
        }
        let roots = Arc::new(roots);
        let chain = certificates(&config.certificates)?;
        let key = PrivateKeyDer::from_pem_file(&config.key)
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
        let servers = Nameless::new(roots, Arc::clone(&provider))
            .map_err(|error| wrong(&config.authorities, &error))?;
        let client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(own)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(servers))
            .with_client_auth_cert(chain, key)
            .map_err(own)?;
        Ok(Self {
            server: Arc::new(server),
            client: Arc::new(client),
        })
    }

    /// For a connection that we have dialled.
    pub(super) fn dial(&self, to: SocketAddrV4) -> io::Result<Session> {
        let name = ServerName::IpAddress(IpAddr::V4(*to.ip()).into());
        let client = ClientConnection::new(Arc::clone(&self.client), name);
        Ok(Session::new(client.map_err(io::Error::other)?.into()))
    }

    /// For one that a peer has dialled.
    pub(super) fn accept(&self) -> io::Result<Session> {
        let server = ServerConnection::new(Arc::clone(&self.server));
        Ok(Session::new(server.map_err(io::Error::other)?.into()))
    }
}

fn certificates(file: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
    let read: Vec<_> = read.map_err(|error| wrong(file, &error))?;
    match read.is_empty() {
        true => Err(wrong(file, &"there is no certificate in it")),
        false => Ok(read),
    }
}

fn wrong(file: &Path, why: &dyn fmt::Display) -> io::Error {
    let text = format!("TLS file {}: {why}", file.display());
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

/// One connection's keys, and what they have not worked through.
pub(super) struct Session(Box<Connection>);

impl Session {
    fn new(mut connection: Connection) -> Self {
        // What it cannot send goes to the queue of the connection.
        connection.set_buffer_limit(None);
        Self(Box::new(connection))
    }

    /// Both have shown who they are.
    pub(super) fn is_ready(&self) -> bool {
        !self.0.is_handshaking()
    }

    /// Decrypts what there is; 0 bytes are the end. What has to be answered is put into `queue`.
    pub(super) fn read(
        &mut self,
        socket: &OwnedFd,
        room: &mut [u8],
        queue: &mut impl Write,
    ) -> io::Result<usize> {
        loop {
            match self.0.reader().read(room) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                other => return other,
            }
            let ended = self.0.read_tls(&mut Wire(socket))? == 0;
            let worked = self.0.process_new_packets();
            // Also the word why there is nothing more to say.
            self.drain(queue)?;
            worked.map_err(|error| {
                io::Error::new(io::ErrorKind::InvalidData, format!("TLS: {error}"))
            })?;
            if ended {
                return Ok(0);
            }
        }
    }

    /// Encrypts a message; `sent` is called now and then to send what is in the queue.
    pub(super) fn write<Q: Write>(
        &mut self,
        frame: &Frame<'_>,
        queue: &mut Q,
        mut sent: impl FnMut(&mut Q) -> io::Result<()>,
    ) -> io::Result<()> {
        for slice in frame.slices(0) {
            for step in slice.chunks(STEP) {
                self.0.writer().write_all(step)?;
                if slice.len() > STEP {
                    self.drain(queue)?;
                    sent(queue)?;
                }
            }
        }
        self.drain(queue)
    }

    /// Encrypts bytes that have waited.
    pub(super) fn write_bytes(&mut self, bytes: &[u8], queue: &mut impl Write) -> io::Result<()> {
        self.0.writer().write_all(bytes)?;
        self.drain(queue)
    }

    /// Says that nothing more comes.
    pub(super) fn finish(&mut self, queue: &mut impl Write) -> io::Result<()> {
        self.0.send_close_notify();
        self.drain(queue)
    }

    /// Puts what is encrypted into the queue.
    pub(super) fn drain(&mut self, queue: &mut impl Write) -> io::Result<()> {
        while self.0.wants_write() {
            self.0.write_tls(queue)?;
        }
        Ok(())
    }
}

/// A socket to read from.
struct Wire<'a>(&'a OwnedFd);

impl Read for Wire<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        socket::receive(self.0, room)
    }
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
