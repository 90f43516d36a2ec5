//! Certificates and keys of the HTTPS listeners.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use chrono::{DateTime, Utc};
use parking_lot::{Mutex, RwLock};
use rustls::{
    ServerConfig,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject},
    },
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use settings::Settings;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use crate::certificate_expiry;

const CERT_SETTING: &str = "server.tls_cert";
const KEY_SETTING: &str = "server.tls_key";
/// Interval of the checks of the files.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("cannot read {} ({key})", .path.display())]
    Unreadable {
        key: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{} ({key}) holds no {expected} in PEM form: {reason}", .path.display())]
    NotPem { key: &'static str, path: PathBuf, expected: &'static str, reason: pem::Error },
    #[error("the certificate in {} and the key in {} cannot be used together", .cert.display(), .key.display())]
    Unusable {
        cert: PathBuf,
        key: PathBuf,
        /// The fault. Usually the key belongs to another certificate.
        source: rustls::Error,
    },
}

/// Makes `ring` the cryptography of this process, first thing in `main`: of two providers rustls would choose none.
pub fn install_crypto() {
    // It fails only if a provider is already installed, and that is this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// The certificate of all TLS listeners with the files that it came from. A connection gets the one that was read last.
pub struct CertificateFiles {
    cert: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<CertifiedKey>>,
    seen: Mutex<[u8; 32]>,
}

impl fmt::Debug for CertificateFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CertificateFiles").field("cert", &self.cert).field("key", &self.key).finish_non_exhaustive()
    }
}

impl ResolvesServerCert for CertificateFiles {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read()))
    }
}

impl CertificateFiles {
    /// Reads `server.tls_cert` and `server.tls_key`. Call [`install_crypto`] first.
    pub fn open(cert: &Path, key: &Path) -> Result<Self, TlsError> {
        let contents = Contents::read(cert, key)?;
        let (current, seen) = (contents.parse(cert, key)?, contents.digest());
        Ok(Self {
            cert: cert.to_owned(),
            key: key.to_owned(),
            current: RwLock::new(Arc::new(current)),
            seen: Mutex::new(seen),
        })
    }

    /// End of the validity of the certificate. `None` if it cannot be read.
    pub fn expires_at(&self) -> Option<DateTime<Utc>> {
        certificate_expiry::of(self.current.read().cert.first()?)
    }

    /// Reads the files again. If they are not usable, the certificate stays.
    pub fn reload(&self) -> Result<(), TlsError> {
        let contents = Contents::read(&self.cert, &self.key)?;
        self.take(&contents)
    }

    /// The same if their contents have changed since they were read; `false` if not.
    pub fn reload_if_changed(&self) -> Result<bool, TlsError> {
        let contents = Contents::read(&self.cert, &self.key)?;
        if *self.seen.lock() == contents.digest() {
            return Ok(false);
        }
        self.take(&contents).map(|()| true)
    }

    fn take(&self, contents: &Contents) -> Result<(), TlsError> {
        *self.seen.lock() = contents.digest();
        let pair = contents.parse(&self.cert, &self.key)?;
        *self.current.write() = Arc::new(pair);
        Ok(())
    }

    /// Reads the files again when they change, until `stop`.
    pub async fn follow(self: Arc<Self>, stop: CancellationToken) {
        let mut look = tokio::time::interval(CHECK_INTERVAL);
        let mut fault = String::new();
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = look.tick() => {}
            }
            match self.reload_if_changed() {
                Ok(true) => tracing::info!(file = %self.cert.display(), "the changed certificate was read"),
                Ok(false) => fault.clear(),
                // A file that is missing stays so for many checks.
                Err(error) if error.to_string() == fault => {}
                Err(error) => {
                    fault = error.to_string();
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        "the changed certificate cannot be used, the previous one stays in use; correct the certificate file and its key"
                    );
                }
            }
        }
    }
}

struct Contents {
    cert: Vec<u8>,
    key: Vec<u8>,
}

impl Contents {
    fn read(cert: &Path, key: &Path) -> Result<Self, TlsError> {
        Ok(Self { cert: read(CERT_SETTING, cert)?, key: read(KEY_SETTING, key)? })
    }

    fn digest(&self) -> [u8; 32] {
        let length = self.cert.len().to_be_bytes();
        Sha256::new().chain_update(length).chain_update(&self.cert).chain_update(&self.key).finalize().into()
    }

    fn parse(&self, cert: &Path, key: &Path) -> Result<CertifiedKey, TlsError> {
        let not_pem = |key, path: &Path, expected| {
            let path = path.to_owned();
            move |reason| TlsError::NotPem { key, path, expected, reason }
        };
        let chain: Result<Vec<CertificateDer<'static>>, pem::Error> =
            CertificateDer::pem_slice_iter(&self.cert).collect();
        let chain = chain.and_then(|chain| if chain.is_empty() { Err(pem::Error::NoItemsFound) } else { Ok(chain) });
        let chain = chain.map_err(not_pem(CERT_SETTING, cert, "certificate"))?;
        let private_key = PrivateKeyDer::from_pem_slice(&self.key);
        let private_key = private_key.map_err(not_pem(KEY_SETTING, key, "private key"))?;
        CertifiedKey::from_der(chain, private_key, &rustls::crypto::ring::default_provider())
            .map_err(|source| TlsError::Unusable { cert: cert.to_owned(), key: key.to_owned(), source })
    }
}

#[derive(Debug, Clone)]
pub struct ListenerTls {
    pub config: Arc<ServerConfig>,
    pub files: Arc<CertificateFiles>,
}

/// The TLS configuration of the settings, if there is one. Call [`install_crypto`] first.
pub fn configured(config: &Settings) -> Result<Option<ListenerTls>, TlsError> {
    match (&config.server.tls_cert, &config.server.tls_key) {
        (Some(cert), Some(key)) => load(cert, key).map(Some),
        _ => Ok(None),
    }
}

/// Reads `server.tls_cert` and `server.tls_key`. Call [`install_crypto`] first.
pub fn load(cert: &Path, key: &Path) -> Result<ListenerTls, TlsError> {
    let files = Arc::new(CertificateFiles::open(cert, key)?);
    let resolver: Arc<dyn ResolvesServerCert> = Arc::<CertificateFiles>::clone(&files);
    let mut config = ServerConfig::builder().with_no_client_auth().with_cert_resolver(resolver);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(ListenerTls { config: Arc::new(config), files })
}

fn read(key: &'static str, path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|source| TlsError::Unreadable { key, path: path.to_owned(), source })
}
