//! The listeners: HTTPS from PEM files, clear refusals, and a shutdown that finishes what is in flight.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

mod support;

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::{Router, extract::ConnectInfo, routing::get};
use patchbay_app::tls;
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use support::TempDir;
use tokio::{net::TcpListener, sync::Notify, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("tests/fixtures").join(name)
}

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

fn router() -> Router {
    Router::new().route("/", get(async |ConnectInfo(peer): ConnectInfo<SocketAddr>| format!("hello {}", peer.ip())))
}

/// One request by a client that trusts the certificate of the fixtures only.
fn get_over_tls(address: SocketAddr) -> String {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(fixture("localhost.pem")).unwrap()).unwrap();
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(client, TcpStream::connect(address).unwrap());
    stream.write_all(REQUEST).unwrap();
    let mut answer = Vec::new();
    // A peer that closes without a goodbye has still answered.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn https_is_served_from_pem_files_until_shutdown() {
    tls::install_crypto();
    let config = tls::load(&fixture("localhost.pem"), &fixture("localhost.key")).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    let serving = tokio::spawn(tls::serve_tls(listener, config, router(), shutdown.clone()));

    let answer = spawn_blocking(move || get_over_tls(address)).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("hello 127.0.0.1"), "{answer}");
    shutdown.cancel();
    tokio::time::timeout(Duration::from_secs(5), serving).await.unwrap().unwrap().unwrap();
    assert!(TcpStream::connect(address).is_err());
}

#[tokio::test]
async fn a_shutdown_finishes_the_request_in_flight() {
    let (arrived, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let slow = {
        let (arrived, go_on) = (arrived.clone(), go_on.clone());
        Router::new().route(
            "/",
            get(async move || {
                arrived.notify_one();
                go_on.notified().await;
                "finished"
            }),
        )
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    let serving = tokio::spawn(tls::serve_plain(listener, slow, shutdown.clone()));
    let client = spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(REQUEST).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });

    arrived.notified().await;
    shutdown.cancel();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!serving.is_finished());
    go_on.notify_one();
    assert!(client.await.unwrap().ends_with("finished"));
    tokio::time::timeout(Duration::from_secs(5), serving).await.unwrap().unwrap().unwrap();
}

#[test]
fn pem_files_that_do_not_serve_are_refused_by_setting_and_file() {
    tls::install_crypto();
    let dir = TempDir::new();
    let junk = dir.path().join("junk.pem");
    fs::write(&junk, "not a certificate").unwrap();
    let refusal = |cert: &Path, key: &Path| tls::load(cert, key).err().unwrap().to_string();

    let message = refusal(Path::new("/nonexistent/cert.pem"), &fixture("localhost.key"));
    assert_eq!(message, "cannot read /nonexistent/cert.pem (server.tls_cert)");
    let message = refusal(&junk, &fixture("localhost.key"));
    assert!(message.contains("junk.pem (server.tls_cert) holds no certificate in PEM form"), "{message}");
    let message = refusal(&fixture("localhost.pem"), &junk);
    assert!(message.contains("junk.pem (server.tls_key) holds no private key in PEM form"), "{message}");
    let message = refusal(&fixture("localhost.pem"), &fixture("other.key"));
    assert!(message.contains("cannot be used"), "{message}");
}
