//! Requests that the SMS gateways refuse with the documented code (issue 12, "Bad input"). Nothing is stored or
//! charged.

use harness::{ClientReply, Patchbay, PatchbaySetup, RowCounts, SharedPatchbay, TestClient};
use reqwest::Method;
use serde_json::{Value, json};

const JSON: &str = "/sms/json";
const TRACK: &str = "/sms/trackingMessageStatus";
const BATCH: &str = "/smsbatch/sms";
const FORM: &str = "application/x-www-form-urlencoded";
const CREDITS: u32 = 10;
const CELL: &str = "27829999997";

/// A client with credits, and its row counts before the test.
struct Scene {
    patchbay: SharedPatchbay,
    client: TestClient,
    before: RowCounts,
}

impl Scene {
    async fn set() -> Self {
        let patchbay = SharedPatchbay::get().await;
        let client = patchbay.new_bare_client();
        patchbay.credits(&client, CREDITS);
        let before = patchbay.rows_of(&client.client_ref).await;
        Self { patchbay, client, before }
    }

    async fn post(&self, path: &str, kind: &str, body: impl Into<Vec<u8>>) -> ClientReply {
        let headers = [("X-API-Key", self.client.key.as_str()), ("Content-Type", kind)];
        self.patchbay.ask(Method::POST, path, &headers, body).await
    }

    async fn json(&self, path: &str, body: impl Into<Vec<u8>>) -> ClientReply {
        self.post(path, "application/json", body).await
    }

    async fn faults(&self, body: &Value) -> Vec<String> {
        self.json(JSON, body.to_string()).await.faulty_fields()
    }

    /// The code of a batch with changed keywords. An empty value leaves the keyword out.
    async fn batch(&self, changes: &[(&str, &str)]) -> String {
        let mut fields = vec![("message", "Hello"), ("cell", CELL), ("senderid", "SHOP")];
        fields.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
        fields.extend(changes.iter().filter(|(_, value)| !value.is_empty()));
        code(&self.patchbay.batch(&self.client, BATCH, &fields).await)
    }

    async fn untouched(&self) {
        assert_eq!(self.patchbay.rows_of(&self.client.client_ref).await, self.before);
        assert_eq!(self.patchbay.sms_balance(&self.client).await, i64::from(CREDITS));
        assert!(!self.patchbay.log().contains("panicked"), "a handler panicked");
    }
}

fn code(xml: &str) -> String {
    let (_, rest) = xml.split_once("<status code=\"").unwrap_or_else(|| panic!("no status in {xml}"));
    rest.split('"').next().unwrap().to_owned()
}

fn one(to: &Value, text: &str) -> Value {
    json!({ "messages": [{ "ctid": "a", "recipients": [{ "to": to }], "messageText": text }] })
}

#[tokio::test]
async fn a_body_of_another_type_or_of_none_is_refused_by_the_json_gateway() {
    let scene = Scene::set().await;
    let body = one(&json!(CELL), "hi").to_string();
    for kind in ["text/plain", "application/xml", FORM, "multipart/form-data; boundary=x", "application/jsonx"] {
        let refused = scene.post(JSON, kind, body.clone()).await;
        assert_eq!((refused.status, &refused.json()["status"]), (415, &json!(415)), "{kind}");
    }
    let headers = [("X-API-Key", scene.client.key.as_str())];
    assert_eq!(scene.patchbay.ask(Method::POST, JSON, &headers, body).await.status, 415);
    scene.untouched().await;
}

#[tokio::test]
async fn a_body_that_is_no_json_text_names_the_body() {
    let scene = Scene::set().await;
    let mut not_utf8 = one(&json!(CELL), "hi@there").to_string().into_bytes();
    let at = not_utf8.iter().position(|byte| *byte == b'@').unwrap();
    not_utf8[at] = 0xff;
    let utf16: Vec<u8> = "\u{feff}{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bodies =
        [not_utf8, utf16, b"".to_vec(), b"{".to_vec(), b"[]".to_vec(), b"null".to_vec(), "[".repeat(100_000).into()];
    for body in bodies {
        for path in [JSON, TRACK] {
            let fields = scene.json(path, body.clone()).await.faulty_fields();
            assert_eq!(fields, ["body"], "{path}: {}", String::from_utf8_lossy(&body[..body.len().min(40)]));
        }
    }
    scene.untouched().await;
}

#[tokio::test]
async fn each_wrong_value_of_the_json_gateway_names_its_field() {
    let scene = Scene::set().await;
    let first = |field: &str| vec![format!("messages[0].{field}")];
    let to = || first("recipients[0].to");
    let numbers = [
        json!(27_829_999_997_u64),
        json!(""),
        json!("12"),
        json!("+0829999997"),
        json!("27 82 999 9997x"),
        json!("2782999999799999999"),
        json!("<to/>"),
        json!("٢٧٨٢٩٩٩٩٩٩٧"),
        json!("27829999997,27829999998"),
        json!(null),
    ];
    for number in numbers {
        assert_eq!(scene.faults(&one(&number, "hi")).await, to(), "{number}");
    }
    for text in ["", " \n", "a\0b", &"a".repeat(40_000)] {
        assert_eq!(scene.faults(&one(&json!(CELL), text)).await, first("messageText"), "{} characters", text.len());
    }
    let with = |pointer: &str, value: Value| {
        let mut body = one(&json!(CELL), "hi");
        body["settings"] = json!({});
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(key.to_owned(), value);
        body
    };
    let long = "a".repeat(256);
    let cases = [
        ("/messages/0/ctid", json!(long), "messages[0].ctid"),
        ("/messages/0/ctid", json!(7), "messages[0].ctid"),
        ("/messages/0/recipients", json!({}), "messages[0].recipients"),
        ("/messages/0/recipients", json!([]), "messages[0].recipients"),
        ("/unicode", json!("maybe"), "unicode"),
        ("/settings", json!("none"), "settings"),
        ("/settings/dsm", json!("maybe"), "settings.dsm"),
        ("/settings/scheduledSmsDate", json!("31/01/2026 08:15"), "settings.scheduledSmsDate"),
        ("/settings/scheduledSmsDate", json!("2026-02-30T08:15:00Z"), "settings.scheduledSmsDate"),
        ("/settings/scheduledSmsDate", json!("2026-01-31T08:15:00"), "settings.scheduledSmsDate"),
        ("/settings/scheduledSmsDate", json!("0000-01-31T08:15:00Z"), "settings.scheduledSmsDate"),
        ("/settings/replyCallBackURL", json!("javascript:alert(1)"), "settings.replyCallBackURL"),
        ("/settings/replyCallBackMethod", json!("DELETE"), "settings.replyCallBackMethod"),
    ];
    for (pointer, value, field) in cases {
        assert_eq!(scene.faults(&with(pointer, value.clone())).await, [field], "{pointer} {value}");
    }
    scene.untouched().await;
}

#[tokio::test]
async fn a_misspelled_or_misplaced_field_is_refused_before_it_costs_anything() {
    let scene = Scene::set().await;
    let with = |pointer: &str, name: &str, value: Value| {
        let mut body = one(&json!(CELL), "hi");
        body["settings"] = json!({});
        body.pointer_mut(pointer).unwrap().as_object_mut().unwrap().insert(name.to_owned(), value);
        body
    };
    let later = json!("2030-01-01T00:00:00Z");
    let cases = [
        ("", "scheduledSmsDate", later.clone(), "scheduledSmsDate"),
        ("", "setings", json!({}), "setings"),
        ("/settings", "scheduledSMSdate", later, "settings.scheduledSMSdate"),
        ("/settings", "receiptCallbackUrls", json!("x"), "settings.receiptCallbackUrls"),
        ("/settings", "unicode", json!("true"), "settings.unicode"),
        ("/messages/0", "dsm", json!("true"), "messages[0].dsm"),
        ("/messages/0/recipients/0", "ctId", json!("a"), "messages[0].recipients[0].ctId"),
    ];
    for (pointer, name, value, field) in cases {
        assert_eq!(scene.faults(&with(pointer, name, value)).await, [field]);
    }
    let asked = scene.json(TRACK, json!({ "ctid": "a", "showFinalStatus": "true" }).to_string()).await;
    assert_eq!(asked.faulty_fields(), ["showFinalStatus"]);
    scene.untouched().await;
    let extended = with("/messages/0", "campaign", json!({ "to": [1] }));
    assert_eq!(scene.json(JSON, extended.to_string()).await.ok()["statusCode"], "100", "other names are ignored");
}

#[tokio::test]
async fn a_query_in_another_encoding_or_with_a_parameter_twice_is_refused() {
    let scene = Scene::set().await;
    let headers = [("X-API-Key", scene.client.key.as_str())];
    let cases = [
        ("messageText=caf%E9", "query"),
        ("messageText=hi&messageText=ho", "messageText"),
        ("messageText=a%00b", "messageText"),
        ("messageText=hi&scheduledSMSDate=2030-01-01T00:00:00Z", "scheduledSMSDate"),
    ];
    for (query, field) in cases {
        let refused = scene.patchbay.ask(Method::GET, &format!("{JSON}?to={CELL}&{query}"), &headers, "").await;
        assert_eq!(refused.faulty_fields(), [field], "{query}");
    }
    scene.untouched().await;
}

#[tokio::test]
async fn a_tracking_query_that_says_nothing_or_nonsense_names_its_field() {
    let scene = Scene::set().await;
    let many: Vec<String> = (0..101).map(|at| at.to_string()).collect();
    let cases = [
        (json!({}), "body"),
        (json!({ "ctid": "" }), "body"),
        (json!({ "toDate": "2026-01-31" }), "body"),
        (json!({ "sentDate": "yesterday" }), "sentDate"),
        (json!({ "fromDate": "2026-13-01" }), "fromDate"),
        (json!({ "sentDate": "+262142-12-31" }), "sentDate"),
        (json!({ "sentDate": "26-01-31" }), "sentDate"),
        (json!({ "fromDate": "-5000-01-31T08:15:00" }), "fromDate"),
        (json!({ "ctid": "a", "showfinalstatus": "maybe" }), "showfinalstatus"),
        (json!({ "ctid": 7 }), "ctid"),
        (json!({ "gstids": many }), "gstids"),
    ];
    for (query, field) in cases {
        assert_eq!(scene.json(TRACK, query.to_string()).await.faulty_fields(), [field], "{query}");
    }
    let unknown = scene.json(TRACK, json!({ "gstid": "<no id>" }).to_string()).await.ok();
    assert_eq!((&unknown["statusCode"], &unknown["receipts"]), (&json!("100"), &json!([])));
}

#[tokio::test]
async fn ten_megabytes_of_numbers_are_413_in_the_form_of_the_product() {
    let scene = Scene::set().await;
    let entries = 10_000_000 / (CELL.len() + 1);
    let form = format!("message=Hello&senderid=SHOP&cell={}", vec![CELL; entries].join(","));
    let refused = scene.post(BATCH, FORM, form).await;
    assert_eq!((refused.status, code(&refused.text).as_str()), (413, "1000"), "{}", refused.text);
    let recipients = vec![format!(r#"{{"to":"{CELL}"}}"#); 10_000_000 / (CELL.len() + 10)].join(",");
    let refused = scene.json(JSON, format!(r#"{{"messageText":"Hello","recipients":[{recipients}]}}"#)).await;
    assert_eq!((refused.status, &refused.json()["status"]), (413, &json!(413)), "{}", refused.text);
    // If the numbers fit into a body, they are counted.
    let many = vec![CELL; 200_000].join(",");
    assert_eq!(scene.batch(&[("cell", &many)]).await, "1072");
    scene.untouched().await;
}

#[tokio::test]
async fn each_wrong_keyword_of_a_batch_has_its_code() {
    let scene = Scene::set().await;
    let (long, name) = ("a".repeat(81), format!("{CELL}|{}", "a".repeat(81)));
    let replies = [("senderid", ""), ("priority", "true"), ("manageownreplies", "true")];
    let cases: [(&[(&str, &str)], &str); 22] = [
        (&[("message", "")], "1021"),
        (&[("message", " ")], "1021"),
        (&[("batchref", &long)], "1031"),
        (&[("batchid", &long)], "1032"),
        (&[("unicode", "maybe")], "1005"),
        (&[("concat", "2")], "1005"),
        (&[("maxparts", "0")], "1051"),
        (&[("maxparts", "many")], "1051"),
        (&[("cell", "")], "1071"),
        (&[("cell", "<cell/>")], "1071"),
        (&[("cell", "2782999999")], "1071"),
        (&[("cell", &name)], "1073"),
        (&[("senderid", "")], "1100"),
        (&[("senderid", "<script>")], "1102"),
        (&replies, "1103"),
        (&[replies[0], replies[1], replies[2], ("virtualname", &long)], "1104"),
        (&[("futuredatetime", "2026-02-30 08:15:00")], "1310"),
        (&[("futuredatetime", "31-12-26 08:15:00")], "1310"),
        (&[("futuredatetime", "-9999-01-01 00:00:00")], "1310"),
        (&[("futuredatetime", "+262142-12-31 00:00:00")], "1310"),
        (&[("futuredatetime", "2099-01-01 00:00:00")], "1311"),
        (&[("<keyword attribute=\"&\">", "x")], "1001"),
    ];
    for (changes, wanted) in cases {
        assert_eq!(scene.batch(changes).await, wanted, "{changes:?}");
    }
    let twice = scene.post(BATCH, FORM, format!("message=a&message=b&cell={CELL}&senderid=S")).await;
    assert_eq!(code(&twice.text), "1003");
    for kind in ["application/json", "text/xml", "multipart/form-data; boundary=x", "text/plain"] {
        let refused = scene.post(BATCH, kind, "message=a").await;
        assert_eq!((refused.status, code(&refused.text).as_str()), (415, "1000"), "{kind}");
    }
    let empty = scene.post(BATCH, FORM, "").await;
    assert_eq!((empty.status, code(&empty.text).as_str()), (200, "1021"));
    scene.untouched().await;
}

#[tokio::test]
async fn a_batch_counts_against_the_rate_of_a_client() {
    let patchbay: Patchbay = PatchbaySetup::new().set("limits.recipients_per_second_per_client", "2").start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 300);
    let cells: Vec<String> = (0..200).map(|at| format!("27820{at:06}")).collect();
    let form = format!("message=a&senderid=S&cell={}", cells.join(","));
    let headers = [("X-API-Key", client.key.as_str()), ("Content-Type", FORM)];
    let taken = patchbay.ask(Method::POST, BATCH, &headers, form).await;
    assert_eq!((taken.status, code(&taken.text).as_str()), (200, "0"), "{}", taken.text);
    let next = patchbay.ask(Method::POST, BATCH, &headers, format!("message=b&senderid=S&cell={CELL}")).await;
    assert_eq!((next.status, code(&next.text).as_str()), (429, "2000"), "{}", next.text);
    assert!(next.header("retry-after").is_some());
    assert_eq!(patchbay.sms_balance(&client).await, 100);
}

#[tokio::test]
async fn a_message_that_cannot_be_stored_is_at_502_until_it_is_at_100() {
    let patchbay: Patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, CREDITS);
    let mut db = patchbay.database().await;
    let body = one(&json!(CELL), "hi");
    sqlx::query("ALTER TABLE sms_request RENAME TO sms_request_away").execute(&mut db).await.unwrap();

    let refused = patchbay.sms(&client, JSON, &body).await;
    assert_eq!(refused.status, 502, "{}", refused.text);
    let told = refused.json();
    assert_eq!((&told["statusCode"], &told["gstid"]), (&json!("502"), &json!("")), "{told}");
    assert_eq!(told["statusDescription"], "RESEND_VIA_BACKUP_GATEWAY");
    assert!(told["completionTime"].is_string());
    let form = format!("message=a&cell={CELL}&senderid=S");
    let headers = [("X-API-Key", client.key.as_str()), ("Content-Type", FORM)];
    let refused = patchbay.ask(Method::POST, BATCH, &headers, form.clone()).await;
    assert!(refused.status >= 500 && code(&refused.text).starts_with('3'), "{} {}", refused.status, refused.text);
    assert_eq!(patchbay.sms_balance(&client).await, i64::from(CREDITS));

    sqlx::query("ALTER TABLE sms_request_away RENAME TO sms_request").execute(&mut db).await.unwrap();
    assert_eq!(patchbay.sms(&client, JSON, &body).await.ok()["statusCode"], "100");
    let taken = patchbay.ask(Method::POST, BATCH, &headers, form).await;
    assert_eq!((taken.status, code(&taken.text).as_str()), (200, "0"), "{}", taken.text);
    assert_eq!(patchbay.sms_balance(&client).await, i64::from(CREDITS) - 2);
}
