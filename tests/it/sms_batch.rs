//! The batch SMS gateway (SPEC 2.15, 3.7, 4.9; parts 7 and 8).

use harness::{
    Patchbay, PatchbaySetup, SharedPatchbay, TestClient, TestPhone, eventually, installed_peer, peer_folder,
};
use reqwest::Method;
use serde_json::json;

const SEND: &str = "/smsbatch/sms";
const RECEIPTS: &str = "/smsbatch/deliveryreceiptscheck";
const REPLIES: &str = "/smsbatch/replysmscheck";
const SERVICE: &str = "/smsbatch/servicequery";

async fn stage(credits: u32) -> (SharedPatchbay, TestClient, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    if credits > 0 {
        patchbay.credits(&client, credits);
    }
    let phone = patchbay.new_phone();
    (patchbay, client, phone)
}

fn code(xml: &str) -> &str {
    let begin = xml.find("<status code=\"").expect(xml) + "<status code=\"".len();
    xml[begin..].split('"').next().unwrap()
}

fn text<'x>(xml: &'x str, element: &str) -> Option<&'x str> {
    let (_, rest) = xml.split_once(&format!("<{element}>"))?;
    Some(rest.split_once(&format!("</{element}>"))?.0)
}

async fn send(patchbay: &Patchbay, client: &TestClient, fields: &[(&str, &str)]) -> String {
    patchbay.batch(client, SEND, fields).await
}

fn batch<'a>(id: &'a str, cell: &'a str, said: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![("batchref", "spring"), ("batchid", id), ("message", said), ("cell", cell), ("senderid", "SHOP")]
}

#[tokio::test]
async fn a_batch_is_charged_and_sent_from_its_sender() {
    let (patchbay, client, phone) = stage(10).await;
    let local = format!("0{}", &phone.msisdn[2..]);

    let xml = send(&patchbay, &client, &batch("1", &local, "Half price")).await;

    assert!(
        xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<response xmlns=\"urn:patchbay:batch-sms\">"),
        "{xml}"
    );
    assert_eq!(code(&xml), "0");
    assert_eq!((text(&xml, "batchref"), text(&xml, "batchid")), (Some("spring"), Some("1")));
    assert_eq!((text(&xml, "totalnumbers"), text(&xml, "correctnumbers")), (Some("1"), Some("1")));
    let sms = phone.receives("the SMS", |message| message["channel"] == "SMS").await;
    assert_eq!((&sms["text"], &sms["from"]), (&json!("Half price"), &json!("SHOP")));
    assert_eq!(patchbay.sms_balance(&client).await, 9);
}

#[tokio::test]
async fn invalid_numbers_make_a_send_a_partial_success_and_cost_nothing() {
    let (patchbay, client, phone) = stage(10).await;
    let cells = format!("{}, 12, abc", phone.msisdn);
    let xml = send(&patchbay, &client, &batch("1", &cells, "Hi")).await;
    assert_eq!((code(&xml), text(&xml, "totalnumbers"), text(&xml, "correctnumbers")), ("1", Some("3"), Some("1")));
    assert_eq!(patchbay.sms_balance(&client).await, 9);
}

#[tokio::test]
async fn the_same_batch_is_answered_with_the_previous_answer_and_not_sent_again() {
    let (patchbay, client, phone) = stage(10).await;
    let first = send(&patchbay, &client, &batch("7", &phone.msisdn, "Once")).await;

    let again = send(&patchbay, &client, &batch("7", &phone.msisdn, "Once")).await;

    assert_eq!(code(&again), "1034");
    let previous = text(&again, "previousxml").unwrap();
    assert_eq!(Some(previous), first.split_once('\n').map(|(_, element)| element));
    assert_eq!(patchbay.sms_balance(&client).await, 9);
    let other = send(&patchbay, &client, &batch("8", &phone.msisdn, "Once")).await;
    assert_eq!(code(&other), "0", "another id is another batch");
}

#[tokio::test]
async fn two_of_the_same_batch_at_once_are_sent_once() {
    let (patchbay, client, phone) = stage(10).await;
    let fields = batch("1", &phone.msisdn, "Once");
    let (one, two) = tokio::join!(send(&patchbay, &client, &fields), send(&patchbay, &client, &fields));
    let mut codes = [code(&one), code(&two)];
    codes.sort_unstable();
    assert_eq!(codes, ["0", "1034"]);
    assert_eq!(patchbay.sms_balance(&client).await, 9);
}

#[tokio::test]
async fn each_wrong_keyword_has_its_code_and_nothing_is_stored() {
    let (patchbay, client, phone) = stage(10).await;
    let before = patchbay.rows_of(&client.client_ref).await;
    let cell = phone.msisdn.as_str();
    let long = "a".repeat(9 * 156 + 1);
    let cases: [(&[(&str, &str)], &str); 11] = [
        (&[("cell", cell), ("senderid", "S")], "1021"),
        (&[("message", "a"), ("cell", "12,x"), ("senderid", "S")], "1071"),
        (&[("message", "a"), ("cell", cell)], "1100"),
        (&[("message", "a"), ("cell", cell), ("senderid", "S"), ("priority", "true")], "1101"),
        (&[("message", "a"), ("cell", cell), ("senderid", "S"), ("futuredatetime", "soon")], "1310"),
        (&[("message", "a"), ("cell", cell), ("senderid", "S"), ("batchid", "123456789012345678901")], "1032"),
        (&[("message", "a"), ("cell", cell), ("senderid", "S"), ("maxparts", "10")], "1051"),
        (&[("message", "a"), ("cell", cell), ("senderid", "S"), ("rdr", "perhaps")], "1005"),
        (&[("message", "a"), ("cell", cell), ("senderid", "S"), ("colour", "red")], "1001"),
        (&[("message", &long), ("cell", cell), ("senderid", "S")], "1022"),
        (&[("message", "a\0"), ("cell", cell), ("senderid", "S")], "1002"),
    ];
    for (fields, wanted) in cases {
        let xml = send(&patchbay, &client, fields).await;
        assert_eq!(code(&xml), wanted, "{xml}");
    }
    assert_eq!(patchbay.rows_of(&client.client_ref).await, before);
}

#[tokio::test]
async fn without_credits_it_is_2012_and_can_be_sent_again_later() {
    let (patchbay, client, phone) = stage(0).await;
    let before = patchbay.rows_of(&client.client_ref).await;
    let fields = batch("1", &phone.msisdn, "Hi");
    assert_eq!(code(&send(&patchbay, &client, &fields).await), "2012");
    assert_eq!(patchbay.rows_of(&client.client_ref).await, before);
    patchbay.credits(&client, 1);
    assert_eq!(code(&send(&patchbay, &client, &fields).await), "0");
}

#[tokio::test]
async fn a_wrong_key_is_1010_with_the_status_401() {
    let (patchbay, client, _) = stage(0).await;
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let keys = [None, Some("00000000-0000-0000-0000-000000000000"), Some(&client.key[..35])];
    for key in keys {
        let headers: Vec<_> = form.into_iter().chain(key.map(|key| ("X-API-Key", key))).collect();
        let refused = patchbay.ask(Method::POST, SEND, &headers, "message=a").await;
        assert_eq!((refused.status, code(&refused.text)), (401, "1010"), "{}", refused.text);
    }
}

#[tokio::test]
async fn another_type_of_body_and_a_get_with_a_body_are_refused_as_xml() {
    let (patchbay, client, _) = stage(0).await;
    let key = ("X-API-Key", client.key.as_str());
    let refused = patchbay.ask(Method::POST, SEND, &[key, ("Content-Type", "application/json")], "{}").await;
    assert_eq!((refused.status, code(&refused.text)), (415, "1000"));
    let refused = patchbay.ask(Method::GET, SEND, &[key], "message=a").await;
    assert_eq!((refused.status, code(&refused.text)), (400, "1000"));
    let broken = [key, ("Content-Type", "application/x-www-form-urlencoded")];
    let refused = patchbay.ask(Method::POST, SEND, &broken, "message=%ff%fe").await;
    assert_eq!(code(&refused.text), "1004");
}

#[tokio::test]
async fn get_works_for_testing_and_says_so() {
    let (patchbay, client, phone) = stage(10).await;
    let path = format!("{SEND}?message=Hi%20there&cell={}&senderid=SHOP", phone.msisdn);
    let answer = patchbay.ask(Method::GET, &path, &[("X-API-Key", client.key.as_str())], "").await;
    assert_eq!(code(&answer.text), "0", "{}", answer.text);
    assert!(text(&answer.text, "notice").unwrap().contains("testing"), "{}", answer.text);
    phone.receives("the SMS", |message| message["text"] == "Hi there").await;
}

#[tokio::test]
async fn receipts_are_final_states_of_batches_that_asked_for_them() {
    let (patchbay, client, phone) = stage(10).await;
    let lost = patchbay.new_phone();
    lost.set(json!({ "smsState": "EXPIRED" })).await;
    let cells = format!("{}|Order 7,{}", phone.msisdn, lost.msisdn);
    let mut fields = batch("1", &cells, "Hi");
    fields.push(("rdr", "true"));
    assert_eq!(code(&send(&patchbay, &client, &fields).await), "0");

    let name = [("batchref", "spring"), ("batchid", "1")];
    let xml = eventually("both receipts", || async {
        let xml = patchbay.batch(&client, RECEIPTS, &name).await;
        (xml.matches("<receipt>").count() == 2).then_some(xml)
    })
    .await;

    let receipts: Vec<&str> = xml.split("<receipt>").skip(1).collect();
    let of = |number: &str| *receipts.iter().find(|one| one.contains(number)).unwrap();
    let arrived = of(&phone.msisdn);
    assert_eq!((text(arrived, "status"), text(arrived, "identifier")), (Some("DELIVRD"), Some("Order 7")));
    assert_eq!(text(of(&lost.msisdn), "status"), Some("EXPIRED"));

    send(&patchbay, &client, &batch("2", &phone.msisdn, "Hi")).await;
    let without = [("batchref", "spring"), ("batchid", "2")];
    assert_eq!(code(&patchbay.batch(&client, RECEIPTS, &without).await), "2041");
    let unknown = [("batchref", "spring"), ("batchid", "none")];
    assert_eq!(code(&patchbay.batch(&client, RECEIPTS, &unknown).await), "2040");
    assert_eq!(code(&patchbay.batch(&client, RECEIPTS, &[("batchref", "spring")]).await), "1033");
}

#[tokio::test]
async fn a_pending_message_has_no_receipt_and_notavail_after_its_expiry() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 5);
    let phone = patchbay.phone("27820000001");
    phone.set(json!({ "smsState": "ENROUTE" })).await;
    let mut fields = batch("1", "0820000001", "Hi");
    fields.push(("rdr", "true"));
    send(&patchbay, &client, &fields).await;
    eventually("the SMSC to have it", || async {
        let mut db = patchbay.database().await;
        let taken: i64 = sqlx::query_scalar("SELECT count(*) FROM sms_part").fetch_one(&mut db).await.unwrap();
        (taken == 1).then_some(())
    })
    .await;
    let name = [("batchref", "spring"), ("batchid", "1")];
    let receipts = || patchbay.batch(&client, RECEIPTS, &name);
    assert_eq!(text(&receipts().await, "receipt"), None);

    patchbay.advance_clock(72 * 3600 - 60).await;
    assert_eq!(text(&receipts().await, "receipt"), None);
    patchbay.advance_clock(120).await;
    assert_eq!(text(&receipts().await, "status"), Some("NOTAVAIL"));
}

#[tokio::test]
async fn replies_are_fetched_by_batch_and_kept_for_batches_that_requested_them() {
    let (patchbay, client, phone) = stage(10).await;
    let cells = format!("{}|Order 7", phone.msisdn);
    let fields = [
        ("batchref", "ask"),
        ("batchid", "1"),
        ("message", "Coming?"),
        ("cell", cells.as_str()),
        ("priority", "true"),
        ("repliesperuserid", "true"),
    ];
    assert_eq!(code(&send(&patchbay, &client, &fields).await), "0");
    phone.receives("the SMS", |message| message["text"] == "Coming?").await;

    phone.write_sms("PATCHBAY", "Yes & <b>no</b> ]]>").await;

    let name = [("batchref", "ask"), ("batchid", "1")];
    let xml = eventually("the reply", || async {
        let xml = patchbay.batch(&client, REPLIES, &name).await;
        xml.contains("<reply>").then_some(xml)
    })
    .await;
    let reply = text(&xml, "reply").unwrap();
    assert_eq!(text(reply, "message"), Some("Yes &amp; &lt;b&gt;no&lt;/b&gt; ]]&gt;"));
    assert_eq!((text(reply, "cell"), text(reply, "identifier")), (Some(phone.msisdn.as_str()), Some("Order 7")));

    send(&patchbay, &client, &batch("2", &phone.msisdn, "Hi")).await;
    let without = [("batchref", "spring"), ("batchid", "2")];
    assert_eq!(code(&patchbay.batch(&client, REPLIES, &without).await), "2042");
}

#[tokio::test]
async fn the_service_returns_credits_and_the_price_of_a_batch() {
    let (patchbay, client, _) = stage(42).await;
    let xml = patchbay.batch(&client, SERVICE, &[("version", "1.0"), ("creditcheck", "true")]).await;
    assert_eq!((code(&xml), text(&xml, "credits")), ("0", Some("42")));

    patchbay.admin(&["credits", "price", "--client", &client.client_ref, "--prefix", "45", "--credits", "4"]);
    let message = "a".repeat(161);
    let asked = [("charge", "true"), ("cell", "0821234567,4520123456,12"), ("message", message.as_str())];
    let xml = patchbay.batch(&client, SERVICE, &asked).await;
    let charge = text(&xml, "charge").unwrap();
    assert_eq!((text(charge, "totalnumbers"), text(charge, "correctnumbers")), (Some("3"), Some("2")));
    assert_eq!(text(charge, "credits"), Some("10"), "two parts at 1 and two at 4");
    assert_eq!(patchbay.sms_balance(&client).await, 42, "asking costs nothing");
    assert_eq!(code(&patchbay.batch(&client, SERVICE, &[("charge", "true"), ("cell", "x")]).await), "1071");
}

#[tokio::test]
async fn the_quoted_price_of_a_batch_is_the_charged_one() {
    let (patchbay, client, _) = stage(42).await;
    let cells = "0821234567,+27 82 123 4567,0821234568,12";
    let xml = patchbay.batch(&client, SERVICE, &[("charge", "true"), ("cell", cells)]).await;
    let told = text(text(&xml, "charge").unwrap(), "credits").unwrap();
    assert_eq!(code(&send(&patchbay, &client, &batch("1", cells, "Hello")).await), "1");
    let left: i64 = 42 - told.parse::<i64>().unwrap();
    assert_eq!(patchbay.sms_balance(&client).await, left, "the same number gets it once");
    let many = vec!["0821234567"; 251].join(",");
    assert_eq!(code(&patchbay.batch(&client, SERVICE, &[("charge", "true"), ("cell", &many)]).await), "1072");
}

#[tokio::test]
async fn a_long_text_is_joined_with_concat_and_numbers_its_parts_without() {
    let (patchbay, client, phone) = stage(20).await;
    let long = "a".repeat(200);
    let mut joined = batch("1", &phone.msisdn, &long);
    joined.push(("concat", "true"));
    send(&patchbay, &client, &joined).await;
    let sms = phone.receives("the joined SMS", |message| message["text"] == long.as_str()).await;
    assert_eq!(sms["parts"], 2);

    send(&patchbay, &client, &batch("2", &phone.msisdn, &long)).await;
    let first = format!("1/2 {}", "a".repeat(156));
    phone.receives("the first", |message| message["text"] == first.as_str()).await;
    let second = format!("2/2 {}", "a".repeat(44));
    phone.receives("the second", |message| message["text"] == second.as_str()).await;
    assert_eq!(patchbay.sms_balance(&client).await, 16);
}

#[tokio::test]
async fn a_future_time_is_that_of_the_client() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 5);
    let phone = patchbay.phone("27820000001");
    let mut db = patchbay.database().await;
    sqlx::query("UPDATE client SET time_zone = 'Africa/Johannesburg'").execute(&mut db).await.unwrap();
    let local = harness::real_time() + chrono::TimeDelta::hours(2 + 1);
    let local = local.format("%Y-%m-%d %H:%M:%S").to_string();
    let mut fields = batch("1", "0820000001", "Later");
    fields.push(("futuredatetime", &local));
    assert_eq!(code(&send(&patchbay, &client, &fields).await), "0");
    patchbay.advance_clock(3600 - 120).await;
    send(&patchbay, &client, &batch("2", "0820000001", "Now")).await;
    phone.receives("the other", |message| message["text"] == "Now").await;
    assert!(phone.inbox().await.iter().all(|message| message["text"] != "Later"));
    patchbay.advance_clock(240).await;
    phone.receives("the SMS", |message| message["text"] == "Later").await;
}

#[tokio::test]
async fn a_batch_that_waits_for_its_time_is_pending_however_long_that_is() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 5);
    let later = harness::real_time() + chrono::TimeDelta::days(5);
    let later = later.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    let mut fields = batch("1", "0820000001", "Later");
    fields.extend([("rdr", "true"), ("futuredatetime", later.as_str())]);
    assert_eq!(code(&send(&patchbay, &client, &fields).await), "0");

    patchbay.advance_clock(4 * 24 * 3600).await;

    let name = [("batchref", "spring"), ("batchid", "1")];
    assert_eq!(text(&patchbay.batch(&client, RECEIPTS, &name).await, "receipt"), None);
    patchbay.advance_clock(24 * 3600 + 60).await;
    eventually("its receipt", || async {
        let receipts = patchbay.batch(&client, RECEIPTS, &name).await;
        (text(&receipts, "status") == Some("DELIVRD")).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_send_cannot_be_scheduled_beyond_the_retention() {
    let patchbay = PatchbaySetup::new().set("retention.message_days", "30").start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 5);
    let at = |days: i64| {
        let moment = harness::real_time() + chrono::TimeDelta::days(days) - chrono::TimeDelta::minutes(5);
        moment.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
    };
    for (days, wanted) in [(24, "1311"), (23, "0")] {
        let mut fields = batch(wanted, "0820000001", "Later");
        let when = at(days);
        fields.push(("futuredatetime", &when));
        assert_eq!(code(&send(&patchbay, &client, &fields).await), wanted);
        let body = json!({ "recipients": [{ "to": "27820000001" }], "messageText": "Later",
            "settings": { "scheduledSmsDate": when } });
        let answered = patchbay.sms(&client, "/sms/json", &body).await;
        assert_eq!(answered.status, if wanted == "0" { 200 } else { 400 }, "{}", answered.text);
    }
}

#[tokio::test]
async fn answers_are_well_formed_for_any_input() {
    let (patchbay, client, phone) = stage(10).await;
    let hostile = "</batchref>&<![CDATA[\u{1b}\u{FFFE}é🦀\"'";
    let fields = [("batchref", hostile), ("message", hostile), ("cell", phone.msisdn.as_str()), ("senderid", "S")];
    let xml = send(&patchbay, &client, &fields).await;
    assert_eq!(code(&xml), "0");
    let echoed = text(&xml, "batchref").unwrap();
    assert_eq!(echoed, "&lt;/batchref&gt;&amp;&lt;![CDATA[é🦀&quot;&apos;");
    let xml = send(&patchbay, &client, &[(hostile, "x")]).await;
    assert_eq!(code(&xml), "1001");
    assert!(!xml.contains("<![CDATA"), "{xml}");
}

#[tokio::test]
async fn a_batch_of_another_client_is_unknown() {
    let (patchbay, client, phone) = stage(10).await;
    let other = patchbay.new_bare_client();
    let mut fields = batch("mine", &phone.msisdn, "Hi");
    fields.push(("rdr", "true"));
    send(&patchbay, &client, &fields).await;
    let name = [("batchref", "spring"), ("batchid", "mine")];
    assert_eq!(code(&patchbay.batch(&other, RECEIPTS, &name).await), "2040");
    assert_eq!(code(&patchbay.batch(&other, REPLIES, &name).await), "2040");
}

/// Validates answers against their schema with a third-party parser and validator.
fn validate(documents: &[String]) {
    let (folder, cache) = (peer_folder("batch-xml"), installed_peer("batch-xml"));
    let mut python = std::process::Command::new("python3")
        .env("PYTHONPATH", cache.join("python"))
        .arg(folder.join("validate.py"))
        .arg(folder.join("../../../docs/batch-sms.xsd"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let given = serde_json::to_vec(documents).unwrap();
    std::io::Write::write_all(&mut python.stdin.take().unwrap(), &given).unwrap();
    let said = python.wait_with_output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
}

#[tokio::test]
async fn every_answer_is_valid_by_the_schema_for_a_third_party_validator() {
    let (patchbay, client, phone) = stage(20).await;
    let cells = format!("{}|<Order & 7>,12", phone.msisdn);
    let mut sent = batch("1", &cells, "Hi");
    sent.push(("rdr", "true"));
    let asked = [
        ("batchref", "ask ]]> \u{1b}"),
        ("batchid", "1"),
        ("message", "Coming?"),
        ("cell", cells.as_str()),
        ("priority", "true"),
        ("manageownreplies", "true"),
        ("virtualname", "desk"),
    ];
    let mut answers = vec![
        send(&patchbay, &client, &sent).await,
        send(&patchbay, &client, &sent).await,
        send(&patchbay, &client, &asked).await,
        send(&patchbay, &client, &[("message", "a")]).await,
        send(&patchbay, &client, &[("<b>&", "a")]).await,
        patchbay.batch(&client, SERVICE, &[("creditcheck", "true"), ("charge", "true"), ("cell", &cells)]).await,
        patchbay.batch(&client, SERVICE, &[]).await,
        patchbay.batch(&client, RECEIPTS, &[("batchref", "none"), ("batchid", "1")]).await,
    ];
    phone.receives("the question", |message| message["text"] == "Coming?").await;
    phone.write_sms("PATCHBAY", "Yes <b>&\u{1}\u{FFFF}").await;
    let pulled = eventually("the reply", || async {
        let xml = patchbay.batch(&client, REPLIES, &asked[..2]).await;
        xml.contains("<reply>").then_some(xml)
    });
    answers.push(pulled.await);
    let receipts = eventually("the receipt", || async {
        let xml = patchbay.batch(&client, RECEIPTS, &[("batchref", "spring"), ("batchid", "1")]).await;
        xml.contains("<receipt>").then_some(xml)
    });
    answers.push(receipts.await);
    let headers = [("X-API-Key", client.key.as_str())];
    answers.push(patchbay.ask(Method::GET, SERVICE, &headers, "").await.text);
    answers.push(patchbay.ask(Method::POST, SEND, &[], "").await.text);
    validate(&answers);
}
