//! The callbacks that a provider would make about a message to a magic number.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    address::AddressKind,
    channel::Channel,
    content::OutboundContent,
    inbound::{
        CallbackBody, CallbackItem, CallbackTarget, InboundContent, ProviderFailure, ProviderStatus, StatusUpdate,
    },
    sandbox::SandboxOutcome,
};
use serde_json::{Value, json};

use super::{
    customer_message::{NAME, SandboxMessage},
    provider_id,
};
use crate::carrier::{OwnReport, TakenMessage};

/// Meta's code for a message that its recipient cannot get, for example because the number is not on WhatsApp.
const UNDELIVERABLE: i64 = 131_026;
/// Seconds between the message and each of its reports.
const STEP: i64 = 1;
const SLOW: i64 = 60;
/// The text of an answer.
pub const ANSWER: &str = "This is a test reply.";

pub(super) fn of(channel: Channel, taken: &TakenMessage<'_>) -> Vec<OwnReport> {
    let Some(outcome) = SandboxOutcome::of_address(taken.to) else { return Vec::new() };
    let script = Script { taken, channel, id: provider_id(taken.message, taken.opaque) };
    match (outcome, channel) {
        (SandboxOutcome::NotOnWhatsapp, Channel::Whatsapp) => vec![script.failed(UNDELIVERABLE)],
        (SandboxOutcome::Failed(code), _) => vec![script.failed(code)],
        (SandboxOutcome::Slow, _) => script.delivered_after(SLOW),
        // The answers to SMS go to the product of the message (`sms::SandboxAnswers`).
        (SandboxOutcome::Delivered | SandboxOutcome::NotOnWhatsapp, _) | (_, Channel::Sms) => {
            script.delivered_after(STEP)
        }
        (SandboxOutcome::Read, _) => script.read(),
        (SandboxOutcome::Reply, _) => script.answered(script.reply()),
        (SandboxOutcome::Tap, _) => script.answered(script.tap().unwrap_or_else(|| script.reply())),
    }
}

struct Script<'a> {
    taken: &'a TakenMessage<'a>,
    channel: Channel,
    id: String,
}

impl Script<'_> {
    fn delivered_after(&self, seconds: i64) -> Vec<OwnReport> {
        vec![self.status(ProviderStatus::Sent, 0, None), self.status(ProviderStatus::Delivered, seconds, None)]
    }

    fn read(&self) -> Vec<OwnReport> {
        let mut reports = self.delivered_after(STEP);
        reports.push(self.status(ProviderStatus::Read, 2 * STEP, None));
        reports
    }

    fn failed(&self, code: i64) -> OwnReport {
        let text = "this test number stands for a failure".to_owned();
        self.status(ProviderStatus::Failed, STEP, Some(ProviderFailure { code, text }))
    }

    /// A message of a chat is read and not answered, so that two sides that answer each other come to an end.
    fn answered(&self, (content, raw): (InboundContent, Value)) -> Vec<OwnReport> {
        let mut reports = self.read();
        if !self.taken.is_of_chat {
            reports.push(self.message(content, raw));
        }
        reports
    }

    fn reply(&self) -> (InboundContent, Value) {
        let raw = json!({ "type": "text", "text": { "body": ANSWER } });
        (InboundContent::Text { body: ANSWER.to_owned() }, raw)
    }

    /// A tap on the first button; `None` if the message has no buttons.
    fn tap(&self) -> Option<(InboundContent, Value)> {
        match self.taken.content {
            OutboundContent::Template(template) => {
                let reply = template.replies.first()?;
                let (text, payload) = (reply.label.clone(), reply.payload.clone());
                let raw = json!({ "type": "button", "button": { "text": text, "payload": payload } });
                Some((InboundContent::Button { text, payload }, raw))
            }
            OutboundContent::Buttons(buttons) => {
                let button = buttons.buttons.first()?;
                Some(interactive("button_reply", &button.id, &button.title))
            }
            OutboundContent::List(list) => {
                let row = list.sections.first()?.rows.first()?;
                Some(interactive("list_reply", &row.id, &row.title))
            }
            _ => None,
        }
    }

    fn after(&self, seconds: i64) -> DateTime<Utc> {
        self.taken.at + TimeDelta::seconds(seconds)
    }

    fn status(&self, status: ProviderStatus, seconds: i64, error: Option<ProviderFailure>) -> OwnReport {
        let at = self.after(seconds);
        let update = StatusUpdate {
            provider_id: self.id.clone(),
            opaque: Some(self.taken.opaque.to_owned()),
            status,
            at,
            recipient: self.taken.to.as_kind(AddressKind::Phone).map(str::to_owned),
            recipient_user_id: None,
            error,
        };
        self.report(format!("status:{}:{status:?}", self.id), CallbackBody::Status(update), at)
    }

    fn message(&self, content: InboundContent, raw: Value) -> OwnReport {
        let at = self.after(3 * STEP);
        let is_tap = !matches!(content, InboundContent::Text { .. });
        let message = SandboxMessage {
            provider_id: format!("{}.reply", self.id),
            from: self.taken.to,
            name: NAME,
            at,
            quoted_provider_id: is_tap.then(|| self.id.clone()),
            content,
            raw,
        };
        let message = message.in_channel(self.channel);
        self.report(format!("message:{}", message.provider_id), CallbackBody::Message(Box::new(message)), at)
    }

    fn report(&self, dedupe_key: String, body: CallbackBody, due_at: DateTime<Utc>) -> OwnReport {
        let target = CallbackTarget::Inbox(self.taken.inbox);
        OwnReport { item: CallbackItem { dedupe_key, target, body }, due_at }
    }
}

fn interactive(kind: &str, id: &str, title: &str) -> (InboundContent, Value) {
    let reply = json!({ "type": kind, (kind): { "id": id, "title": title } });
    let raw = json!({ "type": "interactive", "interactive": reply });
    (InboundContent::Interactive { text: title.to_owned(), payload: id.to_owned() }, raw)
}

#[cfg(test)]
mod tests {
    use domain::{address::Address, ids::MessageId};
    use uuid::Uuid;

    use super::*;

    /// The reports about a text to this number: seconds after it, and the kind.
    fn reports(channel: Channel, to: &str, is_of_chat: bool) -> Vec<(i64, String)> {
        let to = Address::of_kind(AddressKind::Phone, to).unwrap();
        let content = OutboundContent::Text { body: "Hello".to_owned() };
        let at = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        let (inbox, message) = (Uuid::from_u128(1).into(), MessageId(Uuid::from_u128(2)));
        let taken = TakenMessage { inbox, message, opaque: "pb1:1:2:0", to: &to, content: &content, is_of_chat, at };
        let kind = |body: &CallbackBody| match body {
            CallbackBody::Status(update) => format!("{:?}", update.status),
            CallbackBody::Message(message) => format!("{:?} from {:?}", message.content, message.from),
            other => panic!("{other:?}"),
        };
        of(channel, &taken).iter().map(|one| ((one.due_at - at).num_seconds(), kind(&one.item.body))).collect()
    }

    fn kinds(channel: Channel, to: &str) -> Vec<String> {
        reports(channel, to, false).into_iter().map(|(_, kind)| kind).collect()
    }

    #[test]
    fn a_slow_number_is_delivered_after_a_minute() {
        let slow = [(0, "Sent".to_owned()), (60, "Delivered".to_owned())];
        assert_eq!(reports(Channel::Whatsapp, "9995000001", false), slow);
        assert_eq!(reports(Channel::Sms, "9995000001", false), slow);
    }

    #[test]
    fn a_number_that_is_not_on_whatsapp_gets_an_sms() {
        assert_eq!(kinds(Channel::Whatsapp, "9993000001"), ["Failed"]);
        assert_eq!(kinds(Channel::Sms, "9993000001"), ["Sent", "Delivered"]);
    }

    #[test]
    fn a_message_of_a_chat_is_read_and_not_answered() {
        let answered = kinds(Channel::Whatsapp, "9996000001");
        assert_eq!(answered.len(), 4);
        assert!(answered[3].contains(ANSWER) && answered[3].contains("9996000001"), "{answered:?}");
        let of_chat: Vec<_> =
            reports(Channel::Whatsapp, "9996000001", true).into_iter().map(|(_, kind)| kind).collect();
        assert_eq!(of_chat, ["Sent", "Delivered", "Read"]);
        assert_eq!(kinds(Channel::Sms, "9996000001"), ["Sent", "Delivered"]);
    }

    #[test]
    fn a_test_customer_of_a_page_reads_and_one_of_a_bot_fails_with_its_code() {
        let kinds = |channel, kind, to: &str| {
            let to = Address::of_kind(kind, to).unwrap();
            let content = OutboundContent::Text { body: "Hello".to_owned() };
            let at = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
            let (inbox, message) = (Uuid::from_u128(1).into(), MessageId(Uuid::from_u128(2)));
            let taken =
                TakenMessage { inbox, message, opaque: "pb1:1:2:0", to: &to, content: &content, is_of_chat: true, at };
            of(channel, &taken).len()
        };
        assert_eq!(kinds(Channel::Facebook, AddressKind::Psid, "9996000001"), 3);
        assert_eq!(kinds(Channel::Telegram, AddressKind::Telegram, "9994000403"), 1);
        assert_eq!(kinds(Channel::Telegram, AddressKind::Telegram, "4000403"), 0);
    }

    #[test]
    fn a_message_to_another_number_has_no_reports() {
        assert_eq!(kinds(Channel::Whatsapp, "27820000001"), Vec::<String>::new());
    }
}
