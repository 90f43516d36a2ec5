//! A mail over STARTTLS from the mail program to the phone, and its result over STARTTLS to a relay that requires TLS.
//! The certificates come from an authority of the test.

use std::net::TcpListener;

use harness::{Authority, NodeProcess, eventually};
use serde_json::{Value, json};

use super::{
    DOMAIN, PASSWORD, PHONE, SENDER, Stage,
    peers::{Relay, smtplib_all, swaks},
};

/// A stage whose results go to a relay over TLS, and a second node that accepts mails over TLS only.
struct TlsStage {
    stage: Stage,
    authority: Authority,
    port: u16,
    _node: NodeProcess,
}

impl TlsStage {
    /// `trusted`: whether the sender of results trusts the authority.
    async fn start(trusted: bool) -> Self {
        let authority = Authority::new();
        let (cert, key) = authority.of_this_machine();
        let relay = Relay::start_tls(&cert, &key);
        let ca = if trusted { format!("&ca={}", authority.certificate()) } else { String::new() };
        let url = format!("smtp://127.0.0.1:{}?tls=required{ca}", relay.port);
        let mut stage = Stage::start_with(|setup| setup.set("email.relay", &url)).await;
        stage.relay = relay;
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let listen = format!("127.0.0.1:{port}");
        let settings = [
            ("server.tls_cert", cert.as_str()),
            ("server.tls_key", key.as_str()),
            ("email.listen", &listen),
            ("email.require_tls", "true"),
        ];
        let node = stage.patchbay.second_node_with(&settings).await;
        assert!(node.url.starts_with("https://"), "{}", node.url);
        Self { stage, authority, port, _node: node }
    }

    /// Sends a mail with an `smtplib` that trusts only the authority of the test.
    fn smtplib(&self, body: &str) -> Value {
        let mut order = self.stage.order(PASSWORD, body);
        order["port"] = json!(self.port);
        order["tls"] = json!(true);
        order["ca"] = json!(self.authority.certificate());
        smtplib_all(&[order]).remove(0)
    }
}

#[tokio::test]
async fn a_mail_over_starttls_becomes_an_sms_and_its_result_goes_to_a_relay_that_demands_it() {
    let tls = TlsStage::start(true).await;
    let answer = tls.smtplib("Sealed by smtplib\n");
    assert_eq!(answer["code"], 250, "{answer}");
    tls.stage.phone.receives("the SMS", |message| message["text"] == "Sealed by smtplib").await;
    let told = tls.stage.relay.receives("SMS: success").await;
    assert_eq!((&told["tls"], &told["recipients"]), (&json!(true), &json!([SENDER])), "{told}");

    let (ca, to) = (tls.authority.certificate(), format!("{PHONE}@{DOMAIN}"));
    let mail =
        ["--from", SENDER, "--to", &to, "--h-From", SENDER, "--h-Subject", PASSWORD, "--body", "Sealed by swaks"];
    let (taken, said) = swaks(tls.port, &[&mail[..], &["--tls", "--tls-verify", "--tls-ca-path", &ca]].concat());
    assert!(taken && said.contains("TLS started"), "{said}");
    tls.stage.phone.receives("the other SMS", |message| message["text"] == "Sealed by swaks").await;
    eventually("both results", || async { (tls.stage.relay.mails().len() == 2).then_some(()) }).await;
    assert!(tls.stage.relay.mails().iter().all(|mail| mail["tls"] == true));
    assert_eq!(tls.stage.balance().await, 18);
}

#[tokio::test]
async fn a_relay_with_an_untrusted_certificate_gets_no_result() {
    let tls = TlsStage::start(false).await;
    assert_eq!(tls.smtplib("Sealed\n")["code"], 250);
    tls.stage.phone.receives("the SMS", |message| message["text"] == "Sealed").await;
    eventually("the first attempt", || async {
        (tls.stage.count("email_out WHERE attempts = 1").await == 1).then_some(())
    })
    .await;
    assert_eq!(tls.stage.relay.mails(), Vec::<Value>::new());
}
