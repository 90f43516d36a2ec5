use super::*;

fn read(json: &str) -> Result<JsonSend, Vec<String>> {
    JsonSend::read(json.as_bytes(), 1000).map_err(|faults| faults.iter().map(|one| one.field.clone()).collect())
}

#[test]
fn one_message_to_one_recipient_is_an_element_of_messages() {
    let json =
        r#"{"messages":[{"ctid":"a","recipients":[{"to":"+27821234567","identifier":"x"}],"messageText":"Hi"}]}"#;
    let send = read(json).unwrap();
    let number = Msisdn::parse("27821234567").unwrap();
    let text = JsonText {
        ct_id: Some("a".to_owned()),
        text: "Hi".to_owned(),
        unicode: false,
        recipients: vec![(number, Some("x".to_owned()))],
    };
    assert_eq!((send.texts, send.scheduled, send.forgets), (vec![text], None, false));
}

#[test]
fn one_text_goes_to_many_at_the_top_and_many_to_many_in_messages() {
    let top =
        read(r#"{"ctid":"a","recipients":[{"to":"27821234567"},{"to":"0821234568"}],"messageText":"Hi"}"#).unwrap();
    assert_eq!((top.texts.len(), top.recipient_count()), (1, 2));
    let many = r#"{"messages":[{"recipients":[{"to":"27821234567"}],"messageText":"A"},{"recipients":[{"to":"27821234567"}],"messageText":"B"}]}"#;
    assert_eq!(read(many).unwrap().texts.len(), 2);
}

#[test]
fn a_thousand_recipients_are_taken_and_one_more_is_not() {
    let with = |count: usize| {
        let to = vec![r#"{"to":"27821234567"}"#; count].join(",");
        read(&format!(r#"{{"recipients":[{to}],"messageText":"Hi"}}"#))
    };
    assert_eq!(with(1000).unwrap().recipient_count(), 1000);
    assert_eq!(with(1001), Err(vec!["recipients".to_owned()]));
    let empty = |count: usize| vec!["{}"; count].join(",");
    let over_all = format!(r#"{{"recipients":[{}],"messages":[{{"recipients":[{}]}}]}}"#, empty(500), empty(501));
    assert_eq!(read(&over_all), Err(vec!["recipients".to_owned()]));
    assert_eq!(read(&format!(r#"{{"messages":[{}]}}"#, empty(1001))), Err(vec!["messages".to_owned()]));
}

#[test]
fn settings_are_read() {
    let json = r#"{"recipients":[{"to":"27821234567"}],"messageText":"Hi","unicode":"true","settings":{
        "scheduledSmsDate":"2026-01-31T08:15:00Z","dsm":"true","receiptCallBackURL":"https://a.example/r",
        "replyCallBackURL":"https://a.example/m","replyCallBackMethod":"POST"}}"#;
    let send = read(json).unwrap();
    assert!(send.texts[0].unicode && send.forgets && send.posts_replies);
    assert_eq!(send.scheduled.unwrap().to_rfc3339(), "2026-01-31T08:15:00+00:00");
    assert_eq!(send.receipt_url.as_deref(), Some("https://a.example/r"));
}

#[test]
fn fields_absent_from_an_element_of_messages_come_from_the_top() {
    let json = r#"{"ctid":"top","unicode":"true","messages":[
        {"ctid":"own","unicode":"false","recipients":[{"to":"27821234567"}],"messageText":"A"},
        {"recipients":[{"to":"27821234567"}],"messageText":"B"}]}"#;
    let texts = read(json).unwrap().texts;
    let said: Vec<_> = texts.iter().map(|text| (text.ct_id.as_deref(), text.unicode)).collect();
    assert_eq!(said, [(Some("own"), false), (Some("top"), true)]);
}

#[test]
fn a_misspelled_or_misplaced_field_is_refused_and_others_are_ignored() {
    let with = |top: &str, message: &str, to: &str, settings: &str| {
        let json = format!(
            r#"{{{top}"messages":[{{{message}"recipients":[{{{to}"to":"27821234567"}}],"messageText":"Hi"}}],"settings":{{{settings}"dsm":"true"}}}}"#
        );
        JsonSend::read(json.as_bytes(), 1000).map(drop).map_err(|faults| faults[0].to_string())
    };
    let refused = [
        (with(r#""Unicode":"true","#, "", "", ""), "`Unicode` is not a field here; did you mean `unicode`?"),
        (with(r#""dsm":"true","#, "", "", ""), "`dsm` is not a field here; did you mean `settings.dsm`?"),
        (with("", r#""ctId":"a","#, "", ""), "`messages[0].ctId` is not a field here; did you mean `ctid`?"),
        (
            with("", "", r#""identifer":"a","#, ""),
            "`messages[0].recipients[0].identifer` is not a field here; did you mean `identifier`?",
        ),
        (
            with("", "", "", r#""scheduledSMSDate":"2030-01-01T00:00:00Z","#),
            "`settings.scheduledSMSDate` is not a field here; did you mean `scheduledSmsDate`?",
        ),
        (
            with("", r#""otpToken":"a","#, "", ""),
            "`messages[0].otpToken` is not a field here; did you mean the header `otpToken`?",
        ),
    ];
    for (answer, said) in refused {
        assert_eq!(answer, Err(said.to_owned()));
    }
    let others = r#""source":"X","validity":{"to":1},"#;
    assert_eq!(with(others, others, others, others), Ok(()));
}

#[test]
fn every_fault_names_its_field() {
    let json = r#"{"messages":[{"recipients":[{"to":"12"},{}],"messageText":" "}],"unicode":"maybe",
        "settings":{"scheduledSmsDate":"tomorrow","dsm":"x","replyCallBackMethod":"PUT"}}"#;
    let expected = [
        "unicode",
        "messages[0].messageText",
        "messages[0].recipients[0].to",
        "messages[0].recipients[1].to",
        "settings.scheduledSmsDate",
        "settings.dsm",
        "settings.replyCallBackMethod",
    ];
    assert_eq!(read(json), Err(expected.map(str::to_owned).to_vec()));
    assert_eq!(read("{}"), Err(vec!["messages".to_owned()]));
    assert_eq!(read(r#"{"messageText":"Hi"}"#), Err(vec!["recipients".to_owned()]));
    assert_eq!(read("{"), Err(vec!["body".to_owned()]));
}
