//! Account and identity events, injected by `POST /simulator/events` (PROVIDERS A.10).

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    callbacks::{self, SimulatedChange},
    graph::stored_template::SimulatedTemplate,
    identity,
    numbers::BusinessNumber,
    phones::SimulatedPhone,
    world::{SimulatedWorld, WorldState},
};

/// An event to inject. It also changes its object, so that reading the object agrees.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum Injection {
    /// `message_template_status_update`.
    TemplateStatus {
        waba_id: String,
        #[serde(flatten)]
        template: TemplateRef,
        event: String,
        reason: Option<String>,
    },
    /// `message_template_quality_update`.
    TemplateQuality {
        waba_id: String,
        #[serde(flatten)]
        template: TemplateRef,
        quality: String,
    },
    /// `message_template_components_update`: a new body text.
    TemplateComponents {
        waba_id: String,
        #[serde(flatten)]
        template: TemplateRef,
        body: String,
    },
    /// `phone_number_quality_update`, and the new values of the number node.
    PhoneQuality {
        phone_number_id: String,
        event: String,
        current_limit: Option<String>,
        quality_rating: Option<String>,
        status: Option<String>,
    },
    /// `account_update`.
    AccountUpdate { waba_id: String, event: String },
    /// `user_preferences`: `stop` or `resume` of marketing messages.
    UserPreferences { msisdn: String, phone_number_id: String, value: String },
    /// System message `user_changed_number`: the phone moves to the new number.
    NumberChange { msisdn: String, new_msisdn: String, phone_number_id: String },
    /// Any other event, sent unchanged.
    Raw { waba_id: String, field: String, value: Value },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TemplateRef {
    name: String,
    #[serde(default = "english")]
    language: String,
}

fn english() -> String {
    "en".to_owned()
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum InjectionError {
    #[error("WABA {waba_id} has no template \"{name}\" in language {language}")]
    NoTemplate { waba_id: String, name: String, language: String },
}

fn account(waba_id: &str, field: &str, value: Value) -> SimulatedChange {
    SimulatedChange {
        queue: "account".to_owned(),
        waba_id: waba_id.to_owned(),
        field: field.to_owned(),
        value,
        taken: None,
    }
}

pub(crate) fn template_status(
    waba_id: &str,
    template: &SimulatedTemplate,
    event: &str,
    reason: Option<&str>,
) -> SimulatedChange {
    let value = with_template(
        template,
        json!({
            "event": event,
            "message_template_category": template.category,
            "reason": reason.unwrap_or("NONE"),
        }),
    );
    account(waba_id, "message_template_status_update", value)
}

fn with_template(template: &SimulatedTemplate, mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        let id: Option<u64> = template.id.parse().ok();
        fields.insert("message_template_id".to_owned(), json!(id));
        fields.insert("message_template_name".to_owned(), json!(template.name));
        fields.insert("message_template_language".to_owned(), json!(template.language));
    }
    value
}

pub(crate) fn inject(world: &Arc<SimulatedWorld>, injection: Injection) -> Result<(), InjectionError> {
    let event = build(&mut world.state(), injection)?;
    world.publish(event);
    Ok(())
}

fn build(state: &mut WorldState, injection: Injection) -> Result<SimulatedChange, InjectionError> {
    match injection {
        Injection::TemplateStatus { waba_id, template, event, reason } => {
            let template = find(state, &waba_id, &template)?;
            template.status = match event.as_str() {
                "REINSTATED" => "APPROVED".to_owned(),
                "FLAGGED" => template.status.clone(),
                status => status.to_owned(),
            };
            Ok(template_status(&waba_id, template, &event, reason.as_deref()))
        }
        Injection::TemplateQuality { waba_id, template, quality } => {
            let template = find(state, &waba_id, &template)?;
            let previous = std::mem::replace(&mut template.quality, quality.clone());
            let scores = json!({"previous_quality_score": previous, "new_quality_score": quality});
            let value = with_template(template, scores);
            Ok(account(&waba_id, "message_template_quality_update", value))
        }
        Injection::TemplateComponents { waba_id, template, body } => {
            let template = find(state, &waba_id, &template)?;
            set_body(&mut template.components, &body);
            template.touch();
            let value = with_template(template, parts(template));
            Ok(account(&waba_id, "message_template_components_update", value))
        }
        Injection::PhoneQuality { phone_number_id, event, current_limit, quality_rating, status } => {
            let number = state.numbers.get(&phone_number_id);
            number.quality_rating = quality_rating.unwrap_or_else(|| number.quality_rating.clone());
            number.status = status.unwrap_or_else(|| number.status.clone());
            let old = number.messaging_limit.clone();
            number.messaging_limit = current_limit.unwrap_or_else(|| old.clone());
            let value = json!({
                "display_phone_number": number.number,
                "event": event,
                "old_limit": old,
                "current_limit": number.messaging_limit,
                "max_daily_conversations_per_business": number.messaging_limit,
            });
            let waba_id = state.numbers.waba_of(&phone_number_id);
            Ok(account(&waba_id, "phone_number_quality_update", value))
        }
        Injection::AccountUpdate { waba_id, event } => Ok(account(&waba_id, "account_update", json!({"event": event}))),
        Injection::UserPreferences { msisdn, phone_number_id, value } => {
            let (number, phone) = pair(state, &phone_number_id, &msisdn);
            let value = callbacks::preference(&number, &phone, &value);
            Ok(of_phone(state, &phone_number_id, &phone, "user_preferences", value))
        }
        Injection::NumberChange { msisdn, new_msisdn, phone_number_id } => {
            Ok(number_change(state, &phone_number_id, &msisdn, &new_msisdn))
        }
        Injection::Raw { waba_id, field, value } => Ok(account(&waba_id, &field, value)),
    }
}

fn find<'a>(
    state: &'a mut WorldState,
    waba_id: &str,
    wanted: &TemplateRef,
) -> Result<&'a mut SimulatedTemplate, InjectionError> {
    state.numbers.know_waba(waba_id);
    let found = state
        .catalogue
        .of(waba_id)
        .iter_mut()
        .find(|known| known.name == wanted.name && known.language == wanted.language);
    found.ok_or_else(|| InjectionError::NoTemplate {
        waba_id: waba_id.to_owned(),
        name: wanted.name.clone(),
        language: wanted.language.clone(),
    })
}

fn set_body(components: &mut Value, text: &str) {
    for component in components.as_array_mut().into_iter().flatten() {
        if component.get("type").and_then(Value::as_str) == Some("BODY")
            && let Some(fields) = component.as_object_mut()
        {
            fields.insert("text".to_owned(), json!(text));
        }
    }
}

/// Meta's flat form of a template: `message_template_element` is the body text (PROVIDERS 0.5).
fn parts(template: &SimulatedTemplate) -> Value {
    let text = |kind: &str| template.component(kind).and_then(|part| part.get("text")).cloned();
    let mut parts = json!({"message_template_element": text("BODY")});
    if let Some(fields) = parts.as_object_mut() {
        fields.extend(text("HEADER").map(|text| ("message_template_title".to_owned(), text)));
        fields.extend(text("FOOTER").map(|text| ("message_template_footer".to_owned(), text)));
        let buttons = template.component("BUTTONS").and_then(|part| part.get("buttons"));
        let shown: Vec<Value> = buttons
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|button| {
                json!({
                    "message_template_button_type": button.get("type"),
                    "message_template_button_text": button.get("text"),
                })
            })
            .collect();
        if !shown.is_empty() {
            fields.insert("message_template_buttons".to_owned(), json!(shown));
        }
    }
    parts
}

fn pair(state: &mut WorldState, phone_number_id: &str, msisdn: &str) -> (BusinessNumber, SimulatedPhone) {
    let number = state.numbers.get(phone_number_id).clone();
    let phone = state.phones.get(&identity::digits(msisdn)).clone();
    (number, phone)
}

fn of_phone(
    state: &mut WorldState,
    phone_number_id: &str,
    phone: &SimulatedPhone,
    field: &str,
    value: Value,
) -> SimulatedChange {
    let waba_id = state.numbers.waba_of(phone_number_id);
    SimulatedChange { queue: phone.msisdn.clone(), ..account(&waba_id, field, value) }
}

fn number_change(state: &mut WorldState, phone_number_id: &str, old: &str, new: &str) -> SimulatedChange {
    let number = state.numbers.get(phone_number_id).clone();
    let (before, after) = state.phones.renumber(&identity::digits(old), &identity::digits(new));
    let system = json!({
        "body": format!("User {} changed from {} to {}", before.name, before.wa_id(), after.wa_id()),
        "wa_id": after.wa_id(),
        "type": "user_changed_number",
        "user_id": after.user_id,
        "previous_user_id": before.user_id,
    });
    let wamid = identity::wamid(before.wa_id());
    let value = callbacks::system(&number, before.wa_id(), &wamid, &system);
    of_phone(state, phone_number_id, &before, "messages", value)
}
