//! A certificate that is replaced while the program serves (docs/operations.md, HTTPS).

use std::{fs, path::Path, time::Duration};

use harness::{Authority, NodeProcess, Patchbay, eventually};
use reqwest::Certificate;
use serde_json::json;

/// True if the program shows a certificate of this authority on a new connection.
#[expect(clippy::disallowed_methods, reason = "calls nothing but the program under test")]
async fn is_trusted(node: &NodeProcess, authority: &Authority) -> bool {
    let certificate = Certificate::from_pem(&fs::read(authority.certificate()).unwrap()).unwrap();
    let client = reqwest::Client::builder()
        .tls_built_in_root_certs(false)
        .add_root_certificate(certificate)
        .timeout(Duration::from_secs(10))
        .build()
        .unwrap();
    client.get(format!("{}/healthz", node.url)).send().await.is_ok()
}

fn install(authority: &Authority, folder: &Path) {
    let (certificate, key) = authority.of_this_machine();
    fs::copy(certificate, folder.join("cert.pem")).unwrap();
    fs::copy(key, folder.join("key.pem")).unwrap();
}

fn hang_up(node: &NodeProcess) {
    let id = rustix::process::Pid::from_raw(i32::try_from(node.process_id()).unwrap()).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::HUP).unwrap();
}

#[tokio::test]
async fn new_connections_get_a_replaced_certificate_after_sighup_or_by_themselves() {
    let patchbay = Patchbay::start().await;
    let (first, second, third) = (Authority::new(), Authority::new(), Authority::new());
    let folder = tempfile::tempdir().unwrap();
    install(&first, folder.path());
    let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    let settings = [("server.tls_cert", certificate.to_str().unwrap()), ("server.tls_key", key.to_str().unwrap())];
    let node = patchbay.second_node_with(&settings).await;
    assert!(is_trusted(&node, &first).await && !is_trusted(&node, &second).await);

    fs::write(&certificate, "no certificate").unwrap();
    hang_up(&node);
    install(&second, folder.path());
    hang_up(&node);
    eventually("the second certificate", || async { is_trusted(&node, &second).await.then_some(()) }).await;

    install(&third, folder.path());
    eventually("the third certificate", || async { is_trusted(&node, &third).await.then_some(()) }).await;
    assert!(!is_trusted(&node, &first).await);
}

#[tokio::test]
async fn the_log_says_why_no_callback_of_the_simulator_arrives_at_a_server_with_a_self_signed_certificate() {
    let folder = tempfile::tempdir().unwrap();
    install(&Authority::new(), folder.path());
    let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    let patchbay = Patchbay::start().await;
    let settings = [
        ("server.tls_cert", certificate.to_str().unwrap()),
        ("server.tls_key", key.to_str().unwrap()),
        ("simulator.enabled", "true"),
        ("simulator.listen", "127.0.0.1:0"),
    ];
    let node = patchbay.second_node_with(&settings).await;

    let log = node.log();
    let simulator = log.split("the simulated outside world is at ").nth(1).unwrap();
    let simulator = simulator.split_whitespace().next().unwrap();
    let message = json!({ "to": "27110000000", "text": "hi" });
    let written = patchbay.http.post(format!("{simulator}/phones/27820000001/messages"));
    let written = written.json(&message).send().await.unwrap();
    assert!(written.status().is_success(), "{}", written.text().await.unwrap());

    eventually("the reason", || async {
        let log = node.log();
        let line = log.lines().find(|line| line.contains("callbacks do not arrive"))?;
        line.to_lowercase().contains("certificate").then_some(())
    })
    .await;
}
