//! Checks that need the sending number and the template.

use super::*;
use crate::{
    phone::PhoneError,
    template::{Template, TemplateStatus},
};

fn number() -> NumberFacts {
    NumberFacts { msisdn: Msisdn::parse("27110000000").unwrap(), waba_id: Some("waba-1".to_owned()) }
}

fn template() -> Template {
    let graph = json!({
        "id": "920", "name": "order_ready", "language": "en", "status": "APPROVED", "category": "UTILITY",
        "components": [{"type": "BODY", "text": "Hi {{1}}"}],
    });
    Template::from_graph("waba-1", &graph).unwrap()
}

fn resolve_with(body: &Value, template: Option<&Template>) -> Result<ResolvedSend, Faults> {
    parse(body).unwrap().resolve(&number(), template, &mut || "token".to_owned())
}

fn resolve(body: &Value) -> ResolvedSend {
    resolve_with(body, Some(&template())).unwrap()
}

fn the_fault(body: &Value, template: Option<&Template>) -> FieldFault {
    let mut faults = resolve_with(body, template).unwrap_err().into_listed();
    assert_eq!(faults.len(), 1);
    faults.remove(0)
}

#[test]
fn a_template_send_resolves_to_content_and_recipients() {
    let send = resolve(&notification());
    let [part] = send.parts.as_slice() else { panic!("one part per message") };
    let OutboundContent::Template(content) = &part.content else { panic!("a template") };
    assert_eq!((content.rendered_text.as_str(), content.language.as_str()), ("Hi Zo", "en"));
    let accepted = part.recipients[0].as_ref().unwrap();
    assert_eq!((accepted.recipient.address().value(), accepted.ct_id.as_deref()), ("27820000001", Some("c1")));
    assert_eq!((part.accepted().count(), part.rejected().count()), (1, 0));
}

#[test]
fn the_template_is_judged_in_order_account_name_approval_parameters() {
    let mut wrong = template();
    wrong.waba_id = "waba-2".to_owned();
    wrong.name = "other".to_owned();
    wrong.status = TemplateStatus::Paused;
    let body = with(notification(), "/messages/0/components", json!([]));
    assert_eq!(the_fault(&body, None).field, "templateId");
    assert!(the_fault(&body, Some(&wrong)).message.contains("not a template of the sender"));
    wrong.waba_id = "waba-1".to_owned();
    assert_eq!(the_fault(&body, Some(&wrong)).field, "templateName");
    wrong.name = "order_ready".to_owned();
    let unapproved = the_fault(&body, Some(&wrong));
    assert_eq!(unapproved.field, "templateId");
    assert!(unapproved.message.contains("PAUSED"), "{unapproved}");
    wrong.status = TemplateStatus::Approved;
    assert_eq!(the_fault(&body, Some(&wrong)).field, "messages[0].components");
    wrong.id = "921".to_owned();
    assert!(the_fault(&body, Some(&wrong)).message.contains("not a template of the sender"));
}

#[test]
fn a_number_without_an_account_has_no_templates() {
    let number = NumberFacts { waba_id: None, ..number() };
    let faults = parse(&notification()).unwrap().resolve(&number, Some(&template()), &mut String::new).unwrap_err();
    assert!(faults[0].message.contains("no WhatsApp business account"));
}

#[test]
fn faults_of_all_messages_are_reported_under_their_paths() {
    let message = json!({"recipients": [{"to": "27820000001"}]});
    let body = with(notification(), "/messages", json!([message, message]));
    let faults = resolve_with(&body, Some(&template())).unwrap_err();
    assert_eq!(
        faults.iter().map(|fault| fault.field.as_str()).collect::<Vec<_>>(),
        ["messages[0].components", "messages[1].components"]
    );
    let unified = json!({"channel": "WHATSAPP", "payload": body}).to_string();
    let request = SendRequest::parse(SendEndpoint::Unified, unified.as_bytes(), MAX).unwrap();
    let faults = request.resolve(&number(), Some(&template()), &mut String::new).unwrap_err();
    assert_eq!(faults[0].field, "payload.messages[0].components");
}

#[test]
fn bad_recipients_are_rejected_one_by_one_and_repeat_the_given_value() {
    let recipients = json!([
        {"to": "+27820000001"}, {"to": "0820000001", "ctId": "c"}, {"customerUserId": "nonsense"}, {}, {"to": "+27110000000"},
        {"customerUserId": "ZA.1", "ctId": "", "gstId": "g"}, {"to": "27820000001", "customerUserId": "nonsense"},
    ]);
    let send = resolve(&with(notification(), "/messages/0/recipients", recipients));
    let rejected: Vec<_> = rejected(&send).into_iter().map(|entry| (entry.number.as_str(), entry.reason)).collect();
    assert_eq!(rejected.len(), 4);
    assert_eq!(rejected[0], ("0820000001", RejectionReason::Address(RecipientFault::BadPhone(PhoneError))));
    assert_eq!(rejected[1].0, "nonsense");
    assert_eq!(rejected[2], ("", RejectionReason::Address(RecipientFault::NoAddress)));
    assert_eq!(rejected[3], ("+27110000000", RejectionReason::Sender));
    let accepted = accepted(&send);
    assert_eq!(accepted.len(), 3);
    assert_eq!((accepted[0].number.as_str(), accepted[0].recipient.address().value()), ("+27820000001", "27820000001"));
    assert_eq!(accepted[1].recipient.bsuid(), Some("ZA.1"));
    assert_eq!((accepted[1].ct_id.as_deref(), accepted[1].gst_id.as_deref()), (None, Some("g")));
    assert_eq!(accepted[2].recipient.bsuid(), None);
}

#[test]
fn duplicates_are_all_accepted() {
    let recipients = json!([{"to": "27820000001"}, {"to": "+27820000001"}, {"to": "27820000001"}]);
    let send = resolve(&with(notification(), "/messages/0/recipients", recipients));
    assert_eq!(accepted(&send).len(), 3);
}

#[test]
fn all_recipients_may_be_rejected() {
    let send = resolve(&with(notification(), "/messages/0/recipients", json!([{"to": "x"}])));
    assert_eq!((accepted(&send).len(), rejected(&send).len()), (0, 1));
}

#[test]
fn stored_state_rejects_recipients_later_and_still_echoes_the_input() {
    let recipients = json!([{"to": "+27820000001"}, {"to": "27820000002"}, {"to": "bad"}]);
    let mut send = resolve(&with(chat(), "/messages/0/recipients", recipients));
    send.reject_where(|recipient| {
        (recipient.address().value() == "27820000001").then_some(RejectionReason::OutsideWindow)
    });
    let rejected: Vec<_> = rejected(&send).into_iter().map(|entry| entry.number.as_str()).collect();
    assert_eq!(rejected, ["+27820000001", "bad"]);
    let accepted: Vec<_> = accepted(&send).into_iter().map(|entry| entry.recipient.address().value()).collect();
    assert_eq!(accepted, ["27820000002"]);
}
