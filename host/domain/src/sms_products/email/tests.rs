use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::*;
use crate::ids::SmsRequestId;

fn fixed(body: &str) -> String {
    text_of(body, Flow::Fixed)
}

fn send(mailboxes: &[&str], body: &str) -> Result<EmailSend, u16> {
    let mailboxes: Vec<String> = mailboxes.iter().map(|one| (*one).to_owned()).collect();
    EmailSend::of(&mailboxes, body, Flow::Fixed).map_err(|fault| fault.code)
}

fn epoch() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH
}

#[test]
fn the_message_ends_at_the_first_empty_line() {
    assert_eq!(fixed("Hello\r\nThandi\r\n\r\nRegards\r\n"), "Hello\nThandi");
    assert_eq!(fixed("Hello\n \t\u{a0}\nRegards"), "Hello");
    assert_eq!(fixed("\r\n\r\n  Hello  "), "Hello");
    assert_eq!(fixed("Hello"), "Hello");
}

#[test]
fn the_message_ends_at_a_signature() {
    assert_eq!(fixed("Hello\r\n-- \r\nThandi"), "Hello");
    assert_eq!(fixed("Hello\n--\nThandi"), "Hello");
    assert_eq!(fixed("Hello\n--- not yet\n"), "Hello\n--- not yet");
}

#[test]
fn flowed_lines_are_joined() {
    let flowed = |body: &str, del_sp| text_of(body, Flow::Flowed { del_sp });
    assert_eq!(flowed("One \r\ntwo\r\nthree \r\nfour\r\n\r\nfive", false), "One two\nthree four");
    assert_eq!(flowed("unbrok \nen", true), "unbroken");
    assert_eq!(flowed("a\n >quoted", false), "a\n>quoted");
    assert_eq!(flowed("Hello \n-- \nThandi", false), "Hello");
}

#[test]
fn spaces_that_may_not_break_a_line_are_ordinary_ones() {
    assert_eq!(fixed("Hello\u{a0}you"), "Hello you");
}

#[test]
fn a_message_has_160_characters_at_most() {
    assert_eq!(send(&["27821234567"], &"x".repeat(160)).map(|send| send.parts), Ok(1));
    assert_eq!(send(&["27821234567"], &"x".repeat(161)), Err(1022));
    assert!(send(&["27821234567"], &format!("{}\n\n{}", "x".repeat(160), "y".repeat(500))).is_ok());
    // The limit counts characters of any kind. The price depends on segments.
    assert_eq!(send(&["27821234567"], &"é🦀".repeat(80)).map(|send| send.parts), Ok(4));
}

#[test]
fn an_empty_message_is_1021() {
    for body in ["", "\r\n \r\n", "\n\n-- \nThandi"] {
        assert_eq!(send(&["27821234567"], body), Err(1021), "{body:?}");
    }
}

#[test]
fn mailboxes_are_numbers_in_usual_spellings() {
    let found = send(&["27821234567", "+27821234567", "0821234567", "12025550123"], "Hi").unwrap();
    assert_eq!(found.numbers, ["27821234567", "12025550123"], "each once");
    assert_eq!((found.code(), found.total()), (0, 2));
}

#[test]
fn some_invalid_numbers_make_it_a_partial_success() {
    let found = send(&["27821234567", "thandi.27821234567", "278212345678", "2782\u{0663}234567"], "Hi").unwrap();
    assert_eq!((found.code(), found.total(), found.numbers.len()), (1, 4, 1));
}

#[test]
fn no_valid_number_at_all_is_1071() {
    assert_eq!(send(&["info", "postmaster", "0000000000"], "Hi"), Err(1071));
    assert_eq!(send(&[], "Hi"), Err(1071));
}

#[test]
fn addresses_are_compared_composed_and_without_case() {
    let one = EmailAddress::parse(" Thandi@Example.COM ").unwrap();
    assert_eq!(one.as_str(), "thandi@example.com");
    assert_eq!(EmailAddress::parse("e\u{301}@x.y"), EmailAddress::parse("É@X.y"));
    assert_eq!(format!("{one:?}"), "EmailAddress");
}

#[test]
fn an_invalid_address_is_none() {
    let long = format!("{}@example.com", "x".repeat(250));
    for text in ["", "x", "@x", "x@", "x@.y", "x@y.", "a b@c", "a@b@c", "a\0@b", "<a@b>", "a,b@c", long.as_str()] {
        assert_eq!(EmailAddress::parse(text), None, "{text}");
    }
}

#[test]
fn a_mail_to_the_test_domain_is_a_trial() {
    let domain = EmailDomain::parse("SMS.example.com").unwrap();
    let route = |address: &str| domain.route(address).map(|(route, _)| route);
    assert_eq!(domain.route("27821234567@sms.EXAMPLE.com"), Some((MailRoute::Phone, "27821234567".to_owned())));
    assert_eq!(route("27821234567@test.sms.example.com"), Some(MailRoute::Test));
    for other in
        ["27821234567@example.com", "27821234567@xsms.example.com", "27821234567", "a@test.test.sms.example.com"]
    {
        assert_eq!(route(other), None, "{other}");
    }
}

#[test]
fn no_sender_may_use_the_domain_of_the_gateway() {
    let domain = EmailDomain::parse("sms.example.com").unwrap();
    let owns = |address: &str| domain.owns(&EmailAddress::parse(address).unwrap());
    assert!(owns("a@sms.example.com") && owns("a@test.sms.example.com"));
    assert!(!owns("a@example.com") && !owns("a@xsms.example.com"));
}

#[test]
fn a_domain_consists_of_labels() {
    for text in ["", "-a.b", "a..b", "a b", "a@b", "[127.0.0.1]"] {
        assert_eq!(EmailDomain::parse(text), None, "{text}");
    }
    assert_eq!(EmailDomain::parse("sms.example.com.").unwrap().as_str(), "sms.example.com");
}

#[test]
fn a_result_lists_the_accepted_numbers() {
    let sent = send(&["27821234567", "Zo\u{7}e\r\ncode: 0"], "secret words").unwrap();
    let id = SmsRequestId(Uuid::nil());
    let answer = AnswerMail::result(&sent, Some(id), &[], epoch());
    assert_eq!(answer.subject, "SMS: partial success: some numbers are invalid");
    assert_eq!(
        answer.body,
        "code: 1\nstatus: partial success: some numbers are invalid\ncompletiontime: 1970-01-01T00:00:00Z\n\
         gstid: 00000000-0000-0000-0000-000000000000\ntotalnumbers: 2\ncorrectnumbers: 1\nnumber: 27821234567\n\
         invalid: Zoecode: 0\n"
    );
    let test = AnswerMail::result(&sent, None, &[], epoch());
    assert!(test.body.contains("test: nothing was sent") && test.subject == "SMS: test");
    let blocked = AnswerMail::result(&sent, Some(id), &["27821234567".to_owned()], epoch());
    assert!(blocked.body.contains("\nblocked: 27821234567 (") && !blocked.body.contains("\nnumber: "));
}

#[test]
fn a_refusal_names_its_code() {
    let answer = AnswerMail::refusal(&BatchFault::no_credits(), epoch());
    assert_eq!(answer.subject, "SMS not sent: error 2012");
    assert!(answer.body.starts_with("code: 2012\nstatus: insufficient credits\n"));
}

#[test]
fn a_reply_comes_from_the_address_of_the_phone() {
    let told = SubscriberReply { subscriber: "27821234567", text: "Yes\n" }.into_mail();
    assert_eq!((told.mailbox.as_str(), told.body.as_str()), ("27821234567", "Yes\n"));
}
