//! The batch gateway over TLS on a second port, and SMS gateways that require HTTPS (SPEC 4.9, 5.5; CONTRACT 2).

use std::net::TcpListener;

use harness::{Authority, PatchbaySetup};

const FORM: &str = "application/x-www-form-urlencoded";

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "calls nothing but the program under test")]
async fn the_batch_gateway_is_on_a_second_port_over_tls() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 5);
    let authority = Authority::new();
    let (cert, key) = authority.of_this_machine();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let listen = format!("127.0.0.1:{port}");
    let settings =
        [("server.tls_cert", cert.as_str()), ("server.tls_key", key.as_str()), ("server.batch_tls_listen", &listen)];
    let node = patchbay.second_node_with(&settings).await;
    let ca = reqwest::Certificate::from_pem(&std::fs::read(authority.certificate()).unwrap()).unwrap();
    let http = reqwest::Client::builder().add_root_certificate(ca).build().unwrap();
    let send = async |base: &str, id: &str| {
        let form = format!("batchref=tls&batchid={id}&message=Sealed+{id}&cell=0820000001&senderid=SHOP");
        let request = http.post(format!("{base}/smsbatch/sms")).header("X-API-Key", &client.key);
        let answer = request.header("Content-Type", FORM).body(form).send().await.unwrap();
        assert_eq!(answer.headers()["content-type"], "application/xml; charset=utf-8");
        answer.text().await.unwrap()
    };

    for (base, id) in [(format!("https://localhost:{port}"), "second"), (node.url.clone(), "first")] {
        let xml = send(&base, id).await;
        assert!(xml.contains("<status code=\"0\">"), "{xml}");
        let text = format!("Sealed {id}");
        patchbay.phone("27820000001").receives("the SMS", |message| message["text"] == text.as_str()).await;
    }
    let distrusting = reqwest::Client::new().post(format!("https://localhost:{port}/smsbatch/sms")).send().await;
    assert!(distrusting.is_err(), "no known authority signed its certificate");
    assert_eq!(patchbay.sms_balance(&client).await, 3);
}

#[tokio::test]
async fn an_sms_over_plain_http_is_refused_if_https_is_required() {
    let patchbay = PatchbaySetup::new().set("server.require_https", "true").start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 5);
    let key = ("X-API-Key", client.key.as_str());
    let form = "message=a&cell=0820000001&senderid=SHOP";
    let batch = patchbay.ask(reqwest::Method::POST, "/smsbatch/sms", &[key, ("Content-Type", FORM)], form).await;
    assert!(batch.status == 403 && batch.text.contains("<status code="), "{} {}", batch.status, batch.text);
    let json = r#"{"recipients":[{"to":"27820000001"}],"messageText":"a"}"#;
    let json =
        patchbay.ask(reqwest::Method::POST, "/sms/json", &[key, ("Content-Type", "application/json")], json).await;
    assert_eq!(json.status, 403, "{}", json.text);
    assert_eq!(patchbay.rows_of("acme").await["sms_request"], 0);
}
