//! Certificates and keys of the HTTPS listeners.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    ServerConfig,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject},
    },
};

use crate::config::Config;

/// The reason why HTTPS is not possible.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("cannot read {} ({key})", .path.display())]
    Unreadable {
        /// The setting that names the file.
        key: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    #[error("{} ({key}) holds no {expected} in PEM form: {reason}", .path.display())]
    NotPem {
        /// The setting that names the file.
        key: &'static str,
        /// The file.
        path: PathBuf,
        /// The expected content.
        expected: &'static str,
        /// The fault.
        reason: pem::Error,
    },
    #[error("the certificate in {} and the key in {} cannot be used together", .cert.display(), .key.display())]
    Unusable {
        /// File of the certificate.
        cert: PathBuf,
        /// File of the key.
        key: PathBuf,
        /// The fault. Usually the key belongs to another certificate.
        source: rustls::Error,
    },
}

/// Makes `ring` the cryptography of this process. Call it once, first thing in `main`: with two providers compiled in,
/// rustls would refuse to choose.
pub fn install_crypto() {
    // It fails only if a provider is already installed, and that is this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// The TLS configuration of the settings, if there is one. Call [`install_crypto`] first.
pub fn configured(config: &Config) -> Result<Option<Arc<ServerConfig>>, TlsError> {
    match (&config.server.tls_cert, &config.server.tls_key) {
        (Some(cert), Some(key)) => load(cert, key).map(Some),
        _ => Ok(None),
    }
}

/// Reads `server.tls_cert` and `server.tls_key`. Call [`install_crypto`] first.
pub fn load(cert: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let (cert_setting, key_setting) = ("server.tls_cert", "server.tls_key");
    let not_pem = |key, path: &Path, expected| {
        let path = path.to_owned();
        move |reason| TlsError::NotPem { key, path, expected, reason }
    };
    let chain: Result<Vec<CertificateDer<'static>>, pem::Error> =
        CertificateDer::pem_slice_iter(&read(cert_setting, cert)?).collect();
    let chain = chain.and_then(|chain| if chain.is_empty() { Err(pem::Error::NoItemsFound) } else { Ok(chain) });
    let chain = chain.map_err(not_pem(cert_setting, cert, "certificate"))?;
    let private_key = PrivateKeyDer::from_pem_slice(&read(key_setting, key)?);
    let private_key = private_key.map_err(not_pem(key_setting, key, "private key"))?;
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, private_key)
        .map_err(|source| TlsError::Unusable { cert: cert.to_owned(), key: key.to_owned(), source })?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn read(key: &'static str, path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|source| TlsError::Unreadable { key, path: path.to_owned(), source })
}
