//! Questions that were recorded with an interface before 0.3.

use domain::world::World;
use serde_json::{Value, json};

const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// The recorded question with the fields of the newest interface. A plugin of an older track does not see the difference.
pub(super) fn in_newest_form(world: World, mut question: Value) -> Value {
    match world {
        World::Router => name_weekday(&mut question),
        World::SmsFallback => {
            if let Value::Object(fields) = &mut question {
                fields.entry("client_ref").or_insert_with(|| "".into());
                fields
                    .entry("local_time")
                    .or_insert_with(|| json!({ "utc_offset_minutes": 0, "weekday": "Monday", "hour": 0, "minute": 0 }));
            }
        }
        World::Chatbot => {
            if let Some(Value::Object(session)) = question.get_mut("session") {
                session.entry("attributes").or_insert_with(|| json!([]));
            }
        }
        World::WebhookShaper | World::SmsRouter => {}
    }
    question
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
