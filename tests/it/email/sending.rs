//! Mails that become SMS.

use serde_json::json;

use super::{
    DOMAIN, PASSWORD, PHONE, SENDER, Stage,
    peers::{smtplib, smtplib_all, swaks},
};

#[tokio::test]
async fn a_mail_becomes_an_sms_and_its_result_is_mailed_back() {
    let stage = Stage::start().await;
    let mail = format!(
        "From: Thandi <{SENDER}>\nSubject: {PASSWORD}\nMessage-ID: <first@acme.example>\n\nYour parcel is here\n\n-- \nAcme\n"
    );
    let to = format!("{PHONE}@{DOMAIN}");

    let order = json!({ "port": stage.port(), "sender": SENDER, "recipients": [to], "mail": mail });
    assert_eq!(smtplib(&order), 250);

    stage.phone.receives("the SMS", |message| message["text"] == "Your parcel is here").await;
    let result = stage.relay.receives("SMS: success").await;
    assert_eq!(result["recipients"], json!([SENDER]));
    // A mail without a return path gets no answer.
    assert_eq!(result["sender"], "<>", "{result}");
    let headers = &result["headers"];
    assert_eq!(headers["from"], format!("sms@{DOMAIN}"));
    assert_eq!(headers["auto-submitted"], "auto-replied");
    assert_eq!(headers["in-reply-to"], "<first@acme.example>");
    let body = result["body"].as_str().unwrap();
    for line in ["code: 0\n", "totalnumbers: 1\n", "correctnumbers: 1\n", &format!("number: {PHONE}\n")] {
        assert!(body.contains(line), "{line:?} in {body}");
    }
    assert!(!body.contains("parcel") && !body.contains(PASSWORD), "{body}");
    assert_eq!(stage.balance().await, 19);
    // The JSON gateway tracks the message by the id in the result.
    let (_, id) = body.split_once("gstid: ").unwrap();
    let asked = json!({ "gstid": id.lines().next().unwrap() });
    let tracked = stage.patchbay.sms(&stage.client, "/sms/trackingMessageStatus", &asked).await.ok();
    assert_eq!(tracked["receipts"][0]["to"], PHONE);
}

#[tokio::test]
async fn the_password_is_in_no_table_and_in_no_log() {
    let stage = Stage::start_with(|setup| setup.set("logging.filter", "debug")).await;
    let orders = [stage.order(PASSWORD, "Hello\n"), stage.order("a guess of mine", "Hello\n")];
    let codes: Vec<_> = smtplib_all(&orders).into_iter().map(|answer| answer["code"].clone()).collect();
    assert_eq!(codes, [250, 250]);
    stage.relay.receives("SMS: success").await;
    stage.relay.receives("SMS not sent: error 1010").await;

    let log = stage.patchbay.log();
    assert!(!log.contains(PASSWORD) && !log.contains("a guess of mine"), "the log names a password");
    assert!(!log.contains("Hello") && !log.contains(SENDER), "the log says what mails say, and whose they are");
    let mut db = stage.patchbay.database().await;
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    for table in tables {
        let found: i64 = sqlx::query_scalar(&format!(
            "SELECT count(*) FROM {table} one WHERE one::text LIKE '%{PASSWORD}%' OR one::text LIKE '%a guess of mine%'"
        ))
        .fetch_one(&mut db)
        .await
        .unwrap();
        assert_eq!(found, 0, "{table} holds a password");
    }
}

#[tokio::test]
async fn swaks_hands_over_mails_of_every_kind() {
    let stage = Stage::start().await;
    let (port, to) = (stage.port(), format!("{PHONE}@{DOMAIN}"));
    let usual = ["--from", SENDER, "--to", &to, "--h-From", SENDER, "--h-Subject", PASSWORD];
    let send = |more: &[&str]| swaks(port, &[&usual[..], more].concat());

    let (taken, said) = send(&["--body", "Plain words"]);
    assert!(taken, "{said}");
    assert!(said.contains("SIZE 65536") && said.contains("PIPELINING") && said.contains("8BITMIME"), "{said}");
    let (taken, said) = send(&["--body", "In a pipeline", "--pipeline"]);
    assert!(taken, "{said}");
    let html = "<p>Rich <b>words</b></p><p>&nbsp;</p><p>Regards</p>";
    let (taken, said) =
        send(&["--add-header", "MIME-Version: 1.0", "--add-header", "Content-Type: text/html", "--body", html]);
    assert!(taken, "{said}");
    let (taken, said) = send(&["--body", "With a file", "--attach-type", "text/csv", "--attach", "a,b,c"]);
    assert!(taken, "{said}");

    for text in ["Plain words", "In a pipeline", "Rich words", "With a file"] {
        stage.phone.receives(text, |message| message["text"] == text).await;
    }
}

#[tokio::test]
async fn character_sets_and_addresses_of_the_world_are_taken() {
    let stage = Stage::start().await;
    let sender = "zoë@acme.example";
    stage.patchbay.admin(&["sender", "add", "--client", "acme", "--email", sender]);
    let mail = format!(
        "From: {sender}\nSubject: {PASSWORD}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\
         Content-Transfer-Encoding: 8bit\n\nGrüße 🦀\n"
    );
    let order = json!({ "port": stage.port(), "sender": sender, "recipients": [format!("+{PHONE}@{DOMAIN}")],
                        "mail": mail, "utf8": true });
    assert_eq!(smtplib(&order), 250);
    let coded = "From: thandi@acme.example\nSubject: correct\n horse\nMIME-Version: 1.0\nContent-Type: text/plain; charset=windows-1251\n\
                 Content-Transfer-Encoding: base64\n\nz/Do4uXy\n";
    assert_eq!(
        smtplib(
            &json!({ "port": stage.port(), "sender": SENDER, "recipients": [format!("{PHONE}@{DOMAIN}")], "mail": coded })
        ),
        250
    );
    for text in ["Grüße 🦀", "Привет"] {
        stage.phone.receives(text, |message| message["text"] == text).await;
    }
}

#[tokio::test]
async fn a_mail_to_several_phones_is_one_request_and_names_wrong_numbers() {
    let stage = Stage::start().await;
    let other = stage.patchbay.phone("27829990000");
    assert_eq!(smtplib(&stage.order_to(&[PHONE, "0829990000", "reception"], PASSWORD, "Fire drill\n")), 250);
    for phone in [&stage.phone, &other] {
        phone.receives("the SMS", |message| message["text"] == "Fire drill").await;
    }
    let result = stage.relay.receives("SMS: partial success").await;
    let body = result["body"].as_str().unwrap();
    for line in ["code: 1\n", "totalnumbers: 3\n", "correctnumbers: 2\n", "invalid: reception\n"] {
        assert!(body.contains(line), "{line:?} in {body}");
    }
    assert_eq!((stage.balance().await, stage.count("sms_request").await), (18, 1));
}

#[tokio::test]
async fn a_mail_to_the_test_domain_is_checked_and_sends_nothing() {
    let stage = Stage::start().await;
    let mut order = stage.order(PASSWORD, "Only a test\n");
    order["recipients"] = json!([format!("{PHONE}@test.{DOMAIN}")]);
    assert_eq!(smtplib(&order), 250);
    let result = stage.relay.receives("SMS: test").await;
    assert!(result["body"].as_str().unwrap().contains("nothing was sent"), "{result}");
    assert_eq!((stage.balance().await, stage.count("sms_request").await), (20, 0));
}

#[tokio::test]
async fn a_mail_that_is_handed_over_again_is_not_sent_again() {
    let stage = Stage::start().await;
    let mut order = stage.order(PASSWORD, "Once\n");
    order["mail"] = json!(format!("Message-ID: <same@acme.example>\n{}", order["mail"].as_str().unwrap()));
    let codes: Vec<_> = smtplib_all(&[order.clone(), order]).into_iter().map(|answer| answer["code"].clone()).collect();
    assert_eq!(codes, [250, 250]);
    assert_eq!((stage.balance().await, stage.count("sms_message").await), (19, 1));
}
