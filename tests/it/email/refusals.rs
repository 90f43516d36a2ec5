//! Mails that do not become SMS: nothing is stored or charged.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    DOMAIN, PASSWORD, PHONE, SENDER, Stage,
    peers::{smtplib, smtplib_all, swaks},
};

async fn untouched(stage: &Stage) {
    assert_eq!((stage.balance().await, stage.count("sms_request").await, stage.count("sms_message").await), (20, 0, 0));
    assert_eq!(stage.phone.inbox().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_mail_that_cannot_be_sent_gets_an_error_mail_and_costs_nothing() {
    let stage = Stage::start().await;
    let long = format!("{}\n", "x".repeat(161));
    let wrong = [
        (stage.order("wrong horse", "Hello\n"), 1010),
        (stage.order("", "Hello\n"), 1010),
        (stage.order(PASSWORD, "\n \n\n-- \nThandi\n"), 1021),
        (stage.order(PASSWORD, &long), 1022),
        (stage.order_to(&["reception", "12"], PASSWORD, "Hello\n"), 1071),
    ];
    let orders: Vec<Value> = wrong.iter().map(|(order, _)| order.clone()).collect();
    for answer in smtplib_all(&orders) {
        assert_eq!(answer["code"], 250, "{answer}");
    }
    for (_, code) in wrong {
        let error = stage.relay.receives(&format!("SMS not sent: error {code}")).await;
        assert_eq!(error["recipients"], json!([SENDER]));
        assert!(error["body"].as_str().unwrap().contains("nothing was charged"), "{error}");
    }
    untouched(&stage).await;
}

#[tokio::test]
async fn without_credits_the_error_mail_says_so() {
    let stage = Stage::start().await;
    let many: Vec<String> = (0..10).map(|number| format!("2782999000{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let orders =
        [stage.order_to(&many, PASSWORD, "a\n"), stage.order_to(&many, PASSWORD, "b\n"), stage.order(PASSWORD, "c\n")];
    smtplib_all(&orders);
    stage.relay.receives("SMS not sent: error 2012").await;
    assert_eq!((stage.balance().await, stage.count("sms_request").await), (0, 2));
}

#[tokio::test]
async fn senders_that_are_not_registered_and_forged_ones_are_refused() {
    let stage = Stage::start().await;
    let mut stranger = stage.order(PASSWORD, "Hello\n");
    stranger["sender"] = json!("stranger@acme.example");
    let mut forged = stage.order(PASSWORD, "Hello\n");
    forged["mail"] = json!(format!("From: boss@acme.example\nSubject: {PASSWORD}\n\nHello\n"));
    let mut two = forged.clone();
    two["mail"] = json!(format!("From: {SENDER}, boss@acme.example\nSubject: {PASSWORD}\n\nHello\n"));
    let answers = smtplib_all(&[stranger, forged, two]);
    for answer in &answers {
        assert_eq!(answer["code"], 550, "{answer}");
        assert!(answer["text"].as_str().unwrap().starts_with("5.7.1"), "{answer}");
    }
    untouched(&stage).await;
    // If a mail names addresses of third parties, no mail goes to them.
    assert_eq!((stage.relay.mails(), stage.count("email_out").await), (Vec::new(), 0));
}

#[tokio::test]
async fn automatic_mail_is_ignored_and_not_answered() {
    let stage = Stage::start().await;
    let with = |header: &str| {
        let mut order = stage.order("Re: SMS: success", "I am away\n");
        order["mail"] = json!(format!("{header}\n{}", order["mail"].as_str().unwrap()));
        order
    };
    let mut no_sender = stage.order(PASSWORD, "Hello\n");
    no_sender["sender"] = json!("");
    let orders = [with("Auto-Submitted: auto-replied"), with("Precedence: bulk"), with("List-Id: <a.b>"), no_sender];
    for answer in smtplib_all(&orders) {
        assert_eq!(answer["code"], 250, "{answer}");
    }
    untouched(&stage).await;
    assert_eq!((stage.relay.mails(), stage.count("email_out").await), (Vec::new(), 0));
}

#[tokio::test]
async fn a_sender_gets_twenty_error_mails_in_an_hour_and_is_locked_after_wrong_passwords() {
    let stage = Stage::start().await;
    let wrong: Vec<Value> = (0..11).map(|_| stage.order("wrong horse", "Hello\n")).collect();
    let codes: Vec<u64> = smtplib_all(&wrong).iter().map(|answer| answer["code"].as_u64().unwrap()).collect();
    assert_eq!(codes, [[250].repeat(10), vec![451]].concat());
    assert_eq!(smtplib(&stage.order(PASSWORD, "Hello\n")), 451, "the right one is not judged either");
    // The user can still log in: a forged sender does not lock the account.
    let login = json!({ "email": "acme@example.com", "password": PASSWORD, "clientRef": "acme" });
    let path = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";
    let headers = [("Content-Type", "application/json")];
    stage.patchbay.ask(reqwest::Method::POST, path, &headers, login.to_string()).await.ok();

    stage.patchbay.advance_clock(15 * 60 + 1).await;
    let empty: Vec<Value> = (0..11).map(|_| stage.order(PASSWORD, "\n")).collect();
    let codes: Vec<u64> = smtplib_all(&empty).iter().map(|answer| answer["code"].as_u64().unwrap()).collect();
    assert_eq!(codes, [[250].repeat(10), vec![550]].concat(), "after ten mails about refusals the answer refuses");
    stage.patchbay.advance_clock(3600).await;
    assert_eq!(smtplib(&stage.order(PASSWORD, "\n")), 250);
    untouched(&stage).await;
}

#[tokio::test]
async fn a_mail_of_a_megabyte_is_refused_announced_or_not() {
    let stage = Stage::start().await;
    let big = stage.order(PASSWORD, &format!("Hello\n\n{}", "a line of the mail\n".repeat(60_000)));
    assert_eq!(smtplib(&big), 552, "smtplib announces its size");
    let mut wire = Wire::open(&stage);
    let said = wire.say(&format!("EHLO x\r\nMAIL FROM:<{SENDER}>\r\nRCPT TO:<{PHONE}@{DOMAIN}>\r\nDATA\r\n"), "354");
    assert!(said.contains("354"), "{said}");
    let text = format!("From: {SENDER}\r\nSubject: {PASSWORD}\r\n\r\n{}.\r\n", "a line of the mail\r\n".repeat(60_000));
    assert!(wire.say(&text, "552").contains("552 5.3.4"), "it is read to its end and refused");
    untouched(&stage).await;
}

#[tokio::test]
async fn wrong_passwords_of_strangers_behind_a_mail_server_do_not_lock_the_usual_place_of_a_sender() {
    let stage = Stage::start_with(|setup| setup.set("email.allowed", "127.0.0.0/8")).await;
    let from = |address: &str, password: &str| {
        let mut order = stage.order(password, "Hello\n");
        let hop = format!("Received: from x (x [{address}]) by mx.example with ESMTP; Fri, 27 Nov 2026 10:00:01 +0200");
        order["mail"] = json!(format!("{hop}\n{}", order["mail"].as_str().unwrap()));
        order
    };
    let (office, elsewhere) = ("198.51.100.7", "192.0.2.66");
    let first = [from(office, PASSWORD)];
    let strangers: Vec<Value> = (0..11).map(|_| from(elsewhere, "wrong horse")).collect();
    let last = [from(elsewhere, PASSWORD), from(office, PASSWORD)];
    let answers = smtplib_all(&[&first[..], &strangers, &last].concat());
    let codes: Vec<u64> = answers.iter().map(|answer| answer["code"].as_u64().unwrap()).collect();
    assert_eq!((codes[0], &codes[11..]), (250, &[451, 451, 250][..]), "{answers:?}");
}

#[tokio::test]
async fn recipients_of_other_domains_and_more_than_ten_are_refused() {
    let stage = Stage::start().await;
    let mut order = stage.order(PASSWORD, "Hello\n");
    order["recipients"] = json!([format!("{PHONE}@elsewhere.example"), format!("{PHONE}@x{DOMAIN}")]);
    let answer = smtplib_all(&[order]).remove(0);
    assert_eq!((answer["code"].as_u64(), answer["refused"].as_u64()), (Some(550), Some(2)), "this is no relay");
    let eleven: Vec<String> = (0..11).map(|number| format!("278299900{number:02}")).collect();
    let eleven: Vec<&str> = eleven.iter().map(String::as_str).collect();
    let answer = smtplib_all(&[stage.order_to(&eleven, "wrong horse", "Hello\n")]).remove(0);
    assert_eq!((answer["code"].as_u64(), answer["refused"].as_u64()), (Some(250), Some(1)));
    untouched(&stage).await;
}

/// A connection for clients that break the protocol.
struct Wire(TcpStream);

impl Wire {
    fn open(stage: &Stage) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", stage.port())).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Self(stream)
    }

    /// Writes a text and reads until a line begins with `code` or the connection ends.
    fn say(&mut self, text: &str, code: &str) -> String {
        self.0.write_all(text.as_bytes()).unwrap();
        let (mut said, mut piece) = (String::new(), [0; 4096]);
        while !said.lines().any(|line| line.starts_with(code)) {
            match self.0.read(&mut piece) {
                Ok(read @ 1..) => said.push_str(&String::from_utf8_lossy(&piece[..read])),
                _ => break,
            }
        }
        said
    }
}

#[tokio::test]
async fn mails_cannot_be_smuggled_in_and_invalid_input_ends_the_session() {
    let stage = Stage::start().await;
    let begin = format!("EHLO x\r\nMAIL FROM:<{SENDER}>\r\nRCPT TO:<{PHONE}@{DOMAIN}>\r\nDATA\r\n");
    let mail = format!("From: {SENDER}\r\nSubject: {PASSWORD}\r\n\r\nHello\r\n");
    for end in ["\n.\n", "\n.\r\n", "\r\n.\n", "\r.\r"] {
        let mut wire = Wire::open(&stage);
        wire.say(&begin, "354");
        let said = wire.say(&format!("{mail}{end}RSET\r\nQUIT\r\n\r\n.\r\nQUIT\r\n"), "221");
        assert!(said.contains("550 5.6.11"), "{end:?}: {said}");
    }
    for nonsense in ["GET / HTTP/1.1\r\n", "EHLO x\nMAIL FROM:<a@b>\n", "\u{16}\u{3}\u{1}\r\n"] {
        let said = Wire::open(&stage).say(nonsense, "999");
        assert!(!said.contains("250"), "{said}");
    }
    let mut wire = Wire::open(&stage);
    let said = wire.say(&format!("EHLO x\r\n{}", "BDAT 5\r\n".repeat(12)), "421");
    assert!(said.contains("502") && said.contains("421 4.7.0 too many errors"), "{said}");
    untouched(&stage).await;
}

#[tokio::test]
async fn an_address_belongs_to_one_client_and_is_taken_out_again() {
    let stage = Stage::start().await;
    stage.patchbay.bare_client("other");
    let add =
        |client: &str, address: &str| ["sender", "add", "--client", client, "--email", address].map(str::to_owned);
    let refused = |arguments: &[String]| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        stage.patchbay.refused(&arguments)
    };
    let said = refused(&add("other", "Thandi@ACME.example"));
    assert!(said.contains("belongs to one client only") && !said.contains("`acme`"), "{said}");
    assert!(refused(&add("acme", SENDER)).contains("registered"));
    assert!(refused(&add("acme", "nobody")).contains("not an e-mail address"));
    assert!(refused(&add("acme", &format!("x@{DOMAIN}"))).contains("which cannot send"));
    assert!(refused(&add("nobody", "a@b.c")).contains("no client"));
    let of_user = ["sender", "add", "--client", "acme", "--email", "b@acme.example", "--user", "nobody@acme.example"];
    assert!(stage.patchbay.refused(&of_user).contains("no user"));
    assert!(
        stage.patchbay.refused(&["sender", "remove", "--client", "other", "--email", SENDER]).contains("not a sender")
    );

    let listed = |client: &str| stage.patchbay.admin(&["sender", "list", "--client", client])["senders"].clone();
    assert_eq!(listed("acme")[0]["email"], SENDER);
    assert!(listed("acme")[0]["user"].as_str().unwrap().contains('@'), "{}", listed("acme"));
    assert_eq!(listed("other"), json!([]));

    let removed = stage.patchbay.admin(&["sender", "remove", "--client", "acme", "--email", SENDER]);
    assert_eq!(removed, json!({ "email": SENDER }));
    assert_eq!(smtplib(&stage.order(PASSWORD, "Hello\n")), 550);
    let added = stage.patchbay.admin(&["sender", "add", "--client", "other", "--email", "Thandi@ACME.example"]);
    assert_eq!(added, json!({ "email": SENDER }));
    untouched(&stage).await;
}

#[tokio::test]
async fn the_mails_of_a_disabled_sender_are_refused_until_it_is_enabled() {
    let stage = Stage::start().await;
    let switch = |action: &str| stage.patchbay.admin(&["sender", action, "--client", "acme", "--email", SENDER]);

    switch("disable");

    assert_eq!(smtplib(&stage.order(PASSWORD, "Hello\n")), 550);
    let listed = stage.patchbay.admin(&["sender", "list", "--client", "acme"]);
    assert!(listed["senders"][0]["disabledTime"].is_string(), "{listed}");
    untouched(&stage).await;
    switch("enable");
    assert_eq!(smtplib(&stage.order(PASSWORD, "Hello\n")), 250);
}

#[tokio::test]
async fn the_password_is_checked_against_the_user_bound_to_the_sender() {
    let stage = Stage::start().await;
    stage.patchbay.new_user("acme", "api@acme.example", "API");
    let bound = ["sender", "add", "--client", "acme", "--email", "api@acme.example", "--user", "api@acme.example"];
    stage.patchbay.admin(&bound);
    let order = |password: &str| {
        let mail = format!("From: api@acme.example\nSubject: {password}\n\nBy API\n");
        json!({ "port": stage.port(), "sender": "api@acme.example", "recipients": [format!("{PHONE}@{DOMAIN}")], "mail": mail })
    };
    smtplib_all(&[order(PASSWORD), order("long enough")]);
    stage.relay.receives("SMS not sent: error 1010").await;
    stage.relay.receives("SMS: success").await;
    assert_eq!(stage.balance().await, 19);
}

#[tokio::test]
async fn the_password_of_a_person_sends_nothing_while_the_client_accepts_no_passwords() {
    let stage = Stage::start().await;
    sqlx::query(
        "INSERT INTO openid_rule (client_id, mode, email_domains, password_login, updated_at)
         SELECT id, 'LINKED_USERS', '{}', false, now() FROM client WHERE client_ref = 'acme'",
    )
    .execute(&mut stage.patchbay.database().await)
    .await
    .unwrap();
    stage.patchbay.new_user("acme", "api@acme.example", "API");

    smtplib(&stage.order(PASSWORD, "Hello\n"));

    let refusal = stage.relay.receives("SMS not sent: error 1010").await;
    assert!(refusal["body"].as_str().unwrap().contains("accepts no passwords of people"), "{refusal}");
    assert_eq!(stage.balance().await, 20);
    let bound = ["sender", "add", "--client", "acme", "--email", "api@acme.example", "--user", "api@acme.example"];
    stage.patchbay.admin(&bound);
    let mail = "From: api@acme.example\nSubject: long enough\n\nBy API\n";
    let order = json!({ "port": stage.port(), "sender": "api@acme.example", "recipients": [format!("{PHONE}@{DOMAIN}")], "mail": mail });
    assert_eq!(smtplib(&order), 250);
    assert_eq!(stage.balance().await, 19);
}

#[tokio::test]
async fn with_a_certificate_mails_can_be_had_over_tls_only() {
    let folder = tempfile::tempdir().unwrap();
    let (cert, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    let made = std::process::Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args([std::path::Path::new("-keyout"), &key, std::path::Path::new("-out"), &cert])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let (cert, key) = (cert.to_str().unwrap().to_owned(), key.to_str().unwrap().to_owned());
    let listener = TlsStage::start(&cert, &key).await;
    let to = format!("{PHONE}@{DOMAIN}");
    let usual = ["--from", SENDER, "--to", &to, "--h-From", SENDER, "--h-Subject", PASSWORD, "--body", "Sealed"];
    let (taken, said) = swaks(listener.port, &usual);
    assert!(!taken && said.contains("530 5.7.0"), "{said}");
    let (taken, said) = swaks(listener.port, &[&usual[..], &["--tls"]].concat());
    assert!(said.contains("TLS started") && !said.contains("~> STARTTLS"), "{said}");
    // The sender is not registered there. The server says so only over TLS.
    assert!(!taken && said.contains("550 5.7.1 the sender is not registered"), "{said}");
    let order = json!({ "port": listener.port, "sender": SENDER, "recipients": [to], "tls": true,
                        "mail": format!("From: {SENDER}\nSubject: {PASSWORD}\n\nSealed\n") });
    assert_eq!(smtplib(&order), 550);
}

/// A server with HTTPS. The harness does not speak HTTPS, so tests use only its mail listener.
struct TlsStage {
    child: std::process::Child,
    port: u16,
    _database: scratch::Scratch,
    _folder: tempfile::TempDir,
}

impl TlsStage {
    async fn start(cert: &str, key: &str) -> Self {
        let (database, folder) = (scratch::database().await, tempfile::tempdir().unwrap());
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = std::process::Command::new(harness::binary())
            .arg("serve")
            .env("PATCHBAY__DATA_DIR", folder.path())
            .env("PATCHBAY__DATABASE__URL", &database.url)
            .env("PATCHBAY__SERVER__LISTEN", "127.0.0.1:0")
            .env("PATCHBAY__SERVER__TLS_CERT", cert)
            .env("PATCHBAY__SERVER__TLS_KEY", key)
            .env("PATCHBAY__SIMULATOR__ENABLED", "false")
            .env("PATCHBAY__EMAIL__LISTEN", format!("127.0.0.1:{free}"))
            .env("PATCHBAY__EMAIL__DOMAIN", DOMAIN)
            .env("PATCHBAY__EMAIL__REQUIRE_TLS", "true")
            .current_dir(folder.path())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let stage = Self { child, port: free, _database: database, _folder: folder };
        harness::eventually("the listener", || async { TcpStream::connect(("127.0.0.1", free)).ok() }).await;
        stage
    }
}

impl Drop for TlsStage {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
