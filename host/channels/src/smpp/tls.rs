//! TLS to an SMSC (`smpps://`). Its bind may name an authority of its own, because operators often have one.

use std::{io, path::Path, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

pub(super) async fn handshake(stream: TcpStream, host: &str, ca: Option<&Path>) -> io::Result<TlsStream<TcpStream>> {
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(root_certificates(ca)?)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

fn root_certificates(ca: Option<&Path>) -> io::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    match ca {
        Some(file) => {
            let unreadable =
                |error: String| io::Error::other(format!("the file of option `ca` cannot be used: {error}"));
            let found = CertificateDer::pem_file_iter(file).map_err(|error| unreadable(error.to_string()))?;
            for certificate in found {
                let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
                roots.add(certificate).map_err(|error| unreadable(error.to_string()))?;
            }
            if roots.is_empty() {
                return Err(unreadable("it holds no certificate".to_owned()));
            }
        }
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
    }
    Ok(roots)
}
