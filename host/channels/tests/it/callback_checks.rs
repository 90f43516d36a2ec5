//! The checks of callbacks: handshake, signature, shape (PROVIDERS A.7).

use channels::whatsapp_cloud::callback::{
    CallbackError, FirstNames, HandshakeQuery, ITEMS_MAX, first_names, handshake, parse, signature, verify_signature,
};
use domain::inbound::{CallbackBody, CallbackTarget};

const SECRET: &str = "app-secret";
/// Whitespace, key order and escapes that any re-serialisation would change.
const RAW: &[u8] = b"{ \"b\":1.0, \"a\":\"\\u00e9\\/\"  }\n";

#[test]
fn the_signature_is_over_the_raw_bytes() {
    let header = signature(SECRET, RAW);
    // Independently: printf of the bytes | openssl dgst -sha256 -hmac app-secret
    assert_eq!(header, "sha256=3e55e1e928db649bb61067ba60f37cd31597cb5fd3da449edf0acb6c16f0588b");
    assert!(verify_signature(SECRET, RAW, Some(&header)));
    let reserialised = serde_json::from_slice::<serde_json::Value>(RAW).unwrap().to_string();
    assert!(!verify_signature(SECRET, reserialised.as_bytes(), Some(&header)));
}

#[test]
fn any_changed_byte_breaks_the_signature() {
    let header = signature(SECRET, RAW);
    for position in 0..RAW.len() {
        let mut changed = RAW.to_vec();
        changed[position] ^= 1;
        assert!(!verify_signature(SECRET, &changed, Some(&header)), "byte {position}");
    }
    for position in "sha256=".len()..header.len() {
        let mut changed = header.clone().into_bytes();
        changed[position] = if changed[position] == b'0' { b'1' } else { b'0' };
        let changed = String::from_utf8(changed).unwrap();
        assert!(!verify_signature(SECRET, RAW, Some(&changed)), "digit {position}");
    }
}

#[test]
fn a_missing_or_malformed_signature_is_refused() {
    let good = signature(SECRET, RAW);
    let bare = good.trim_start_matches("sha256=");
    let cases = [
        None,
        Some(""),
        Some("sha256="),
        Some("sha256=zz"),
        Some(bare),
        Some(&good[..good.len() - 2]),
        Some("sha1=2fd4e1c67a2d28fced849ee1bb76e7391b93eb12"),
    ];
    for header in cases {
        assert!(!verify_signature(SECRET, RAW, header), "{header:?}");
    }
    assert!(!verify_signature("other", RAW, Some(&good)));
}

#[test]
fn an_empty_secret_accepts_nothing() {
    assert_eq!(signature("", RAW), "");
    // HMAC with an empty key could be computed by any caller.
    let with_empty_key = "sha256=777cfee1c362b68ee6282574696dea6c3aeae9dd4b51294b4a5bc0c08650d3a6";
    assert!(!verify_signature("", RAW, Some(with_empty_key)));
}

fn query(mode: &str, verify_token: &str, challenge: &str) -> HandshakeQuery {
    HandshakeQuery { mode: mode.into(), verify_token: verify_token.into(), challenge: challenge.into() }
}

#[test]
fn the_handshake_echoes_the_challenge_for_the_right_token_only() {
    assert_eq!(handshake(&query("subscribe", "T", "1158201444"), "T").as_deref(), Some("1158201444"));
    assert_eq!(handshake(&query("subscribe", "t", "1158201444"), "T"), None);
    assert_eq!(handshake(&query("unsubscribe", "T", "1158201444"), "T"), None);
    assert_eq!(handshake(&query("subscribe", "T", ""), "T"), None);
    assert_eq!(handshake(&query("subscribe", "", "1158201444"), ""), None);
    assert_eq!(handshake(&HandshakeQuery::default(), "T"), None);
}

#[test]
fn the_handshake_is_read_from_metas_query_names() {
    let query: HandshakeQuery = serde_json::from_value(serde_json::json!({
        "hub.mode":"subscribe","hub.verify_token":"T","hub.challenge":"C","unknown":"x"
    }))
    .unwrap();
    assert_eq!(handshake(&query, "T").as_deref(), Some("C"));
}

#[test]
fn a_body_that_is_not_a_whatsapp_callback_is_refused() {
    for raw in [&b""[..], b"{", b"\xff", b"<html></html>", b"{\"object\":\"whatsapp_business_account\",\"entry\":["] {
        assert!(matches!(parse(raw), Err(CallbackError::NotJson(_))), "{raw:?}");
    }
    let deep = "[".repeat(100_000);
    assert!(matches!(parse(deep.as_bytes()), Err(CallbackError::NotJson(_))));
    assert_eq!(parse(b"{\"object\":\"\\ud800\"}"), Err(CallbackError::OtherObject("\u{fffd}".into())));
    assert_eq!(parse(b"[]"), Err(CallbackError::OtherObject(String::new())));
    assert_eq!(parse(br#"{"object":"page","entry":[]}"#), Err(CallbackError::OtherObject("page".into())));
    let long = format!(r#"{{"object":"{}"}}"#, "x".repeat(1000));
    assert_eq!(parse(long.as_bytes()), Err(CallbackError::OtherObject("x".repeat(64))));
}

#[test]
fn a_wrong_value_in_place_of_entries_or_changes_is_kept_for_the_account_it_names() {
    use CallbackTarget::{Unknown, Waba};
    let account = || Waba("W".to_owned());
    for (body, expected) in [
        (r#"{"object":"whatsapp_business_account"}"#, vec![]),
        (r#"{"object":"whatsapp_business_account","entry":null}"#, vec![]),
        (r#"{"object":"whatsapp_business_account","entry":[]}"#, vec![]),
        (r#"{"object":"whatsapp_business_account","entry":{"id":"W","changes":[]}}"#, vec![]),
        (r#"{"object":"whatsapp_business_account","entry":[{"id":"W","changes":null},{"id":"W"}]}"#, vec![]),
        (r#"{"object":"whatsapp_business_account","entry":7}"#, vec![("entry", Unknown)]),
        (
            r#"{"object":"whatsapp_business_account","entry":[1,"x",null]}"#,
            vec![("entry", Unknown), ("entry", Unknown), ("entry", Unknown)],
        ),
        (r#"{"object":"whatsapp_business_account","entry":[{"changes":{}}]}"#, vec![("change", Unknown)]),
        (
            r#"{"object":"whatsapp_business_account","entry":[{"id":"W","changes":[7,{}]}]}"#,
            vec![("change", account()), ("change", account())],
        ),
        (
            r#"{"object":"whatsapp_business_account","entry":[{"id":"W","changes":[{"field":"messages"}]}]}"#,
            vec![("change", account())],
        ),
        (
            r#"{"object":"whatsapp_business_account","entry":[{"id":"W","changes":[{"field":"messages","value":3}]}]}"#,
            vec![("change", account())],
        ),
        (
            r#"{"object":"whatsapp_business_account","entry":[{"id":"W","changes":[{"field":"x","value":"y"}]}]}"#,
            vec![("change", account())],
        ),
    ] {
        let items = parse(body.as_bytes()).unwrap();
        let kinds: Vec<(&str, CallbackTarget)> = items
            .iter()
            .map(|item| match &item.body {
                CallbackBody::Unreadable(unread) => (unread.kind.as_str(), item.target.clone()),
                other => panic!("{body}: {other:?}"),
            })
            .collect();
        assert_eq!(kinds, expected, "{body}");
    }
}

#[test]
fn the_owner_of_the_secret_is_found_in_a_body_with_broken_characters_and_odd_numbers() {
    let body = b"{\"a\":\"\\ud83d\xff\",\"b\":1e999,\"entry\":[{\"id\":42,\"changes\":[{\"value\":{\"x\":\"\\ud83d\",\"metadata\":{\"phone_number_id\":7}}}]}]}";
    assert_eq!(first_names(body), names(Some("7"), Some("42")));
}

fn names(number: Option<&str>, waba: Option<&str>) -> FirstNames {
    FirstNames { phone_number_id: number.map(str::to_owned), waba_id: waba.map(str::to_owned) }
}

#[test]
fn the_first_number_and_the_first_account_are_found_without_reading_the_rest() {
    let body = r#"{"object":"x","entry":[{"changes":[{"field":"f"},{"value":{"messages":[{"id":[[[]]]}]}}],"id":"W1"},
        {"id":"W2","changes":[{"value":{"metadata":{"phone_number_id":"P1"}}},{"value":{"metadata":{"phone_number_id":"P2"}}}]},
        {"id":"W3","changes":[{"value":{"metadata":{"phone_number_id":"P3"}}}]}],"later":{"entry":[]}}"#;
    assert_eq!(first_names(body.as_bytes()), names(Some("P1"), Some("W1")));
    let account = r#"{"entry":[{"id":"W","changes":[{"field":"account_update","value":{}}]}]}"#;
    assert_eq!(first_names(account.as_bytes()), names(None, Some("W")));
}

#[test]
fn a_body_that_is_not_a_callback_names_no_account() {
    for body in ["", "{", "[]", "{}", r#"{"entry":7}"#, r#"{"entry":[]}"#, r#"{"entry":[{"id":""}]}"#] {
        assert_eq!(first_names(body.as_bytes()), FirstNames::default(), "{body}");
    }
    assert_eq!(first_names(format!(r#"{{"a":{}"#, "[".repeat(1_000_000)).as_bytes()), FirstNames::default());
}

#[test]
fn ids_have_a_minimum_and_a_maximum_length() {
    let of = |length: usize| format!(r#"{{"entry":[{{"id":"{}"}}]}}"#, "1".repeat(length));
    assert_eq!(first_names(of(64).as_bytes()), names(None, Some(&"1".repeat(64))));
    assert_eq!(first_names(of(65).as_bytes()), FirstNames::default());
}

#[test]
fn a_callback_has_at_most_ten_thousand_items() {
    let saying = |things: usize| {
        let status = r#"{"id":"wamid.A","status":"sent","timestamp":"1760000000"}"#;
        let statuses = vec![status; things].join(",");
        let value = format!(r#"{{"metadata":{{"phone_number_id":"PN"}},"statuses":[{statuses}]}}"#);
        let change = format!(r#"{{"field":"messages","value":{value}}}"#);
        format!(r#"{{"object":"whatsapp_business_account","entry":[{{"id":"W","changes":[{change}]}}]}}"#)
    };
    assert_eq!(parse(saying(ITEMS_MAX).as_bytes()).unwrap().len(), ITEMS_MAX);
    assert_eq!(parse(saying(ITEMS_MAX + 1).as_bytes()), Err(CallbackError::TooMany));
}
