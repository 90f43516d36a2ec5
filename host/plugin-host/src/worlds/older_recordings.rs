//! Questions that were recorded with an interface before 0.3.

use domain::world::World;
use serde_json::{Value, json};

const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// The recorded question with the fields of the newest interface. A plugin of an older track does not see the difference.
pub(super) fn in_newest_form(world: World, mut question: Value) -> Value {
    match world {
        World::Router => {
            name_weekday(&mut question);
            rename_customer(&mut question);
            if let Some(content) = question.pointer_mut("/message/content") {
                rename_content(content);
            }
        }
        World::SmsFallback => {
            if let Value::Object(fields) = &mut question {
                fields.entry("client_ref").or_insert_with(|| "".into());
                fields
                    .entry("local_time")
                    .or_insert_with(|| json!({ "utc_offset_minutes": 0, "weekday": "Monday", "hour": 0, "minute": 0 }));
            }
        }
        World::Chatbot => {
            if let Some(session) = question.get_mut("session") {
                rename_customer(session);
                if let Value::Object(session) = session {
                    session.entry("attributes").or_insert_with(|| json!([]));
                }
            }
            if let Some(content) = question.pointer_mut("/event/kind/Message/content") {
                rename_content(content);
            }
        }
        World::WebhookShaper => {
            for case in ["Incoming", "Status"] {
                if let Some(event) = question.get_mut(case) {
                    rename_participant(event);
                }
            }
            for case in ["Incoming", "Chatbot"] {
                if let Some(event) = question.get_mut(case) {
                    name_channel(event);
                }
            }
        }
        World::SmsRouter => {}
    }
    question
}

/// The channel `Messenger` was `Facebook`, and the user id of a customer `bsuid`.
fn rename_customer(facts: &mut Value) {
    if let Some(channel) = facts.get_mut("channel").filter(|channel| *channel == "Facebook") {
        *channel = "Messenger".into();
    }
    let Some(Value::Object(customer)) = facts.get_mut("customer") else { return };
    if let Some(user_id) = customer.remove("bsuid") {
        customer.insert("user_id".to_owned(), user_id);
    }
}

/// In older recordings the participant of a long-lived conversation has the name of the participant of a chat.
fn rename_participant(event: &mut Value) {
    let Value::Object(fields) = event else { return };
    if let Some(id) = fields.remove("participant_id") {
        fields.insert("conversation_participant_id".to_owned(), id);
    }
}

/// In older recordings the channel SMS is in the metadata of an event, and no other channel is named.
fn name_channel(event: &mut Value) {
    let Value::Object(fields) = event else { return };
    if fields.contains_key("channel") {
        return;
    }
    let Some(Value::Array(pairs)) = fields.get_mut("metadata") else { return };
    let count = pairs.len();
    pairs.retain(|pair| *pair != json!(["channel", "SMS"]));
    if pairs.len() < count {
        fields.insert("channel".to_owned(), "Sms".into());
    }
}

/// The choice of a customer had a case for each source, and unknown content was `Unsupported`.
fn rename_content(content: &mut Value) {
    let Value::Object(case) = content else { return };
    for (older, source) in [("Button", "Template"), ("Interactive", "Interactive"), ("Carousel", "Carousel")] {
        if let Some(mut choice) = case.remove(older) {
            if let Value::Object(choice) = &mut choice {
                choice.insert("source".to_owned(), source.into());
            }
            case.insert("Choice".to_owned(), choice);
        }
    }
    if let Some(name) = case.remove("Unsupported") {
        case.insert("Other".to_owned(), name);
    }
}

/// A router was given the number of the day, from 1, Monday.
fn name_weekday(question: &mut Value) {
    let Some(weekday) = question.pointer_mut("/local_time/weekday") else { return };
    let number = weekday.as_u64().and_then(|number| usize::try_from(number).ok());
    if let Some(name) = number.and_then(|number| WEEKDAYS.get(number.checked_sub(1)?)) {
        *weekday = (*name).into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chatbot_question_has_the_newest_names_of_channel_customer_and_content() {
        let question = |content: Value| {
            let session = json!({ "channel": "Facebook", "customer": { "bsuid": "900" } });
            let event = json!({ "kind": { "Message": { "content": content } } });
            in_newest_form(World::Chatbot, json!({ "event": event, "session": session }))
        };
        let tapped = question(json!({ "Button": { "text": "Yes", "payload": "yes" } }));
        assert_eq!(
            tapped["session"],
            json!({ "channel": "Messenger", "customer": { "user_id": "900" }, "attributes": [] })
        );
        let choice = json!({ "source": "Template", "text": "Yes", "payload": "yes" });
        assert_eq!(tapped["event"]["kind"]["Message"]["content"], json!({ "Choice": choice }));
        let poll = question(json!({ "Unsupported": "poll" }));
        assert_eq!(poll["event"]["kind"]["Message"]["content"], json!({ "Other": "poll" }));
        let text = question(json!({ "Text": "hi" }));
        assert_eq!(text["event"]["kind"]["Message"]["content"], json!({ "Text": "hi" }));
    }

    #[test]
    fn a_shaper_question_has_the_newest_name_of_the_participant_of_a_long_lived_conversation() {
        let renamed = |question: Value| in_newest_form(World::WebhookShaper, question);
        for case in ["Incoming", "Status"] {
            let newest = json!({ case: { "conversation_participant_id": "p" } });
            assert_eq!(renamed(json!({ case: { "participant_id": "p" } })), newest);
            assert_eq!(renamed(newest.clone()), newest);
        }
        let chatbot = json!({ "Chatbot": { "chat_participant_id": "p" } });
        assert_eq!(renamed(chatbot.clone()), chatbot);
    }

    #[test]
    fn a_shaper_question_about_an_sms_has_its_channel_in_a_field() {
        let renamed = |question: Value| in_newest_form(World::WebhookShaper, question);
        for case in ["Incoming", "Chatbot"] {
            let (sms, other) = (json!(["channel", "SMS"]), json!(["a", "b"]));
            let newest = json!({ case: { "metadata": [other], "channel": "Sms" } });
            assert_eq!(renamed(json!({ case: { "metadata": [other, sms] } })), newest);
            for unchanged in [
                newest,
                json!({ case: { "metadata": [other] } }),
                json!({ case: { "metadata": [sms], "channel": null } }),
            ] {
                assert_eq!(renamed(unchanged.clone()), unchanged);
            }
        }
        let status = json!({ "Status": { "metadata": [["channel", "SMS"]] } });
        assert_eq!(renamed(status.clone()), status);
    }

    #[test]
    fn a_session_without_attributes_has_none() {
        let session = |session: Value| in_newest_form(World::Chatbot, json!({ "session": session }))["session"].clone();
        assert_eq!(session(json!({ "state": "a" })), json!({ "state": "a", "attributes": [] }));
        assert_eq!(session(json!({ "attributes": [1] })), json!({ "attributes": [1] }));
    }

    #[test]
    fn a_router_question_with_a_number_for_the_weekday_names_the_day() {
        let named = |weekday: Value| {
            let question = in_newest_form(World::Router, json!({ "local_time": { "weekday": weekday } }));
            question["local_time"]["weekday"].clone()
        };
        assert_eq!(named(json!(1)), "Monday");
        assert_eq!(named(json!(7)), "Sunday");
        assert_eq!(named(json!("Friday")), "Friday");
        assert_eq!(named(json!(8)), 8);
    }
}
