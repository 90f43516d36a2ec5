//! Assigns parameters to buttons (PROVIDERS A.3, DESIGN 7 "button component"). A dynamic button (a URL with a placeholder, a
//! coupon code, a one-time code) must get a parameter, and a quick reply can get one. `parameters` fill, in order, either
//! exactly the dynamic buttons or exactly all buttons that take a parameter. Any other number is a fault.
//! `conversationParameters` fill the quick replies in order, starting with the first, and replace payloads in `parameters`.

use super::{
    TokenMaker,
    model::{ButtonAction, TemplateButton},
    parts::PlacedComponent,
};
use crate::{
    body::FieldFault,
    content::{ButtonKind, ButtonParameter, QuickReply},
    send::ConversationParameter,
};

/// Longest payload of a quick reply, in characters.
const PAYLOAD_MAX: usize = 256;
/// Longest suffix of a URL button's address, in characters.
const SUFFIX_MAX: usize = 2_000;
/// Longest coupon code, in characters.
const CODE_MAX: usize = 20;

struct Slot {
    index: usize,
    kind: ButtonKind,
    dynamic: bool,
}

pub(super) fn fill(
    buttons: &[TemplateButton],
    given: &[PlacedComponent<'_>],
    field: &str,
    tokens: &mut TokenMaker<'_>,
) -> Result<Vec<ButtonParameter>, FieldFault> {
    let slots = slots(buttons);
    let values: Vec<&String> = given.iter().flat_map(|(_, given)| given.parameters.iter().flatten()).collect();
    let effects: Vec<&ConversationParameter> =
        given.iter().flat_map(|(_, given)| given.conversation_parameters.iter().flatten()).collect();
    check(&slots, given, values.len(), effects.len(), field)?;

    if let Some((at, _)) = given.last() {
        let wrong = wrong_value(&slots, &values, &effects);
        if let Some((list, place, message)) = wrong {
            return Err(FieldFault::new(format!("{field}[{at}].{list}[{place}]"), message));
        }
    }

    let dynamic_only = values.len() == slots.iter().filter(|slot| slot.dynamic).count();
    let mut values = values.into_iter();
    let mut effects = effects.into_iter();
    let filled = slots.iter().filter_map(|slot| {
        let value = if slot.dynamic || !dynamic_only { values.next() } else { None };
        let effect = if slot.dynamic { None } else { effects.next() };
        let conversation_state = effect.and_then(|effect| effect.conversation_state);
        let value = effect.map(|effect| &effect.payload).or(value)?;
        Some(ButtonParameter {
            index: u8::try_from(slot.index).unwrap_or(u8::MAX),
            kind: slot.kind,
            value: value.clone(),
            conversation_state,
            token: conversation_state.map(|_| tokens()),
        })
    });
    Ok(filled.collect())
}

/// The first value that the provider would refuse: the name of its list, its place there and the reason.
fn wrong_value(
    slots: &[Slot],
    values: &[&String],
    effects: &[&ConversationParameter],
) -> Option<(&'static str, usize, String)> {
    let dynamic_only = values.len() == slots.iter().filter(|slot| slot.dynamic).count();
    let filled = slots.iter().filter(|slot| slot.dynamic || !dynamic_only);
    let wrong = |kind: ButtonKind, value: &str| {
        let (what, most) = match kind {
            ButtonKind::QuickReply => ("a payload", PAYLOAD_MAX),
            ButtonKind::Url => ("the end of an address", SUFFIX_MAX),
            ButtonKind::CopyCode => ("a code", CODE_MAX),
        };
        let length = value.chars().count();
        (value.trim().is_empty() || length > most).then(|| format!("has {length} characters; {what} has 1 to {most}"))
    };
    let of_values = filled.zip(values).enumerate();
    let mut of_values = of_values.filter_map(|(at, (slot, value))| Some(("parameters", at, wrong(slot.kind, value)?)));
    let of_effects = effects.iter().enumerate();
    let mut of_effects = of_effects.filter_map(|(at, effect)| {
        Some(("conversationParameters", at, wrong(ButtonKind::QuickReply, &effect.payload)?))
    });
    of_values.next().or_else(|| of_effects.next())
}

fn slots(buttons: &[TemplateButton]) -> Vec<Slot> {
    let slot = |(index, button): (usize, &TemplateButton)| {
        let (kind, dynamic) = match &button.action {
            ButtonAction::QuickReply => (ButtonKind::QuickReply, false),
            ButtonAction::Url(url) if url.parameter_count() > 0 => (ButtonKind::Url, true),
            ButtonAction::OneTimeCode => (ButtonKind::Url, true),
            ButtonAction::CopyCode => (ButtonKind::CopyCode, true),
            ButtonAction::Url(_) | ButtonAction::Other(_) => return None,
        };
        Some(Slot { index, kind, dynamic })
    };
    buttons.iter().enumerate().filter_map(slot).collect()
}

/// `values` and `effects`: numbers of `parameters` and of `conversationParameters` in all `button` components.
fn check(
    slots: &[Slot],
    given: &[PlacedComponent<'_>],
    values: usize,
    effects: usize,
    field: &str,
) -> Result<(), FieldFault> {
    let dynamic = slots.iter().filter(|slot| slot.dynamic).count();
    let replies = slots.len() - dynamic;
    let Some((at, _)) = given.last() else {
        return match dynamic {
            0 => Ok(()),
            _ => {
                let message = format!(
                    "the template has {dynamic} dynamic button(s): add a `button` component with as many `parameters`"
                );
                Err(FieldFault::new(field, message))
            }
        };
    };
    if values != dynamic && values != slots.len() {
        let message = match (dynamic, replies) {
            (0, 0) => format!("has {values} entries; the template has no button that takes a parameter"),
            (_, 0) => format!("has {values} entries; the template has {dynamic} dynamic button(s)"),
            (0, _) => format!(
                "has {values} entries; the template has {replies} quick replies: give as many payloads, or none"
            ),
            _ => format!(
                "has {values} entries; give {dynamic} for the dynamic button(s), or {} to fill the quick replies too",
                slots.len()
            ),
        };
        return Err(FieldFault::new(format!("{field}[{at}].parameters"), message));
    }
    if effects > replies {
        let message = format!("has {effects} entries; the template has {replies} quick replies");
        return Err(FieldFault::new(format!("{field}[{at}].conversationParameters"), message));
    }
    Ok(())
}

/// The addresses of the URL buttons, with their parameters filled in, for the text form of a message.
pub(super) fn resolved_urls(buttons: &[TemplateButton], filled: &[ButtonParameter]) -> Vec<String> {
    let url = |(index, button): (usize, &TemplateButton)| match &button.action {
        ButtonAction::Url(pattern) => {
            let parameter = filled.iter().find(|parameter| usize::from(parameter.index) == index);
            let values: Vec<String> = parameter.map(|parameter| parameter.value.clone()).into_iter().collect();
            Some(pattern.fill(&values))
        }
        _ => None,
    };
    buttons.iter().enumerate().filter_map(url).collect()
}

pub(super) fn quick_replies(buttons: &[TemplateButton], filled: &[ButtonParameter]) -> Vec<QuickReply> {
    let reply = |(index, button): (usize, &TemplateButton)| match &button.action {
        ButtonAction::QuickReply => {
            let parameter = filled.iter().find(|parameter| usize::from(parameter.index) == index);
            let payload = parameter.map_or(button.text.as_str(), ButtonParameter::provider_value).to_owned();
            Some(QuickReply { label: button.text.clone(), payload })
        }
        _ => None,
    };
    buttons.iter().enumerate().filter_map(reply).collect()
}
