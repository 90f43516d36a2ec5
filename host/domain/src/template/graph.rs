//! Parses the `components` of a template in the JSON of Meta's Graph API.

use serde_json::Value;

use super::{
    model::{ButtonAction, TemplateButton, TemplateCard, TemplateComponent, TemplateError, TemplateHeader},
    parameter_format::ParameterFormat,
    placeholders::Pattern,
};
use crate::content::MediaKind;

/// Parses Meta's `components`. An unknown part keeps its name, so that a template with it can still be read.
pub(super) struct ComponentReader<'a> {
    pub(super) id: &'a str,
    pub(super) format: ParameterFormat,
}

impl ComponentReader<'_> {
    fn fault(&self, field: String) -> TemplateError {
        TemplateError::Field { id: self.id.to_owned(), field }
    }

    fn array<'v>(&self, value: &'v Value, field: &str) -> Result<&'v Vec<Value>, TemplateError> {
        value.as_array().ok_or_else(|| self.fault(field.to_owned()))
    }

    fn text<'v>(&self, value: &'v Value, key: &str, field: &str) -> Result<&'v str, TemplateError> {
        value.get(key).and_then(Value::as_str).ok_or_else(|| self.fault(format!("{field}.{key}")))
    }

    fn pattern(&self, text: &str) -> Pattern {
        Pattern::parse(text, self.format)
    }

    pub(super) fn components(&self, value: &Value, field: &str) -> Result<Vec<TemplateComponent>, TemplateError> {
        let each = self.array(value, field)?.iter().enumerate();
        each.map(|(at, component)| self.component(component, &format!("{field}[{at}]"))).collect()
    }

    fn component(&self, value: &Value, field: &str) -> Result<TemplateComponent, TemplateError> {
        let kind = self.text(value, "type", field)?.to_ascii_uppercase();
        Ok(match kind.as_str() {
            "HEADER" => TemplateComponent::Header(self.header(value, field)?),
            // The body of an authentication template may have no text, because Meta writes that text.
            "BODY" => {
                TemplateComponent::Body(self.pattern(value.get("text").and_then(Value::as_str).unwrap_or("{{1}}")))
            }
            "FOOTER" => {
                TemplateComponent::Footer(value.get("text").and_then(Value::as_str).unwrap_or_default().to_owned())
            }
            "BUTTONS" => {
                let field = format!("{field}.buttons");
                let buttons = self.array(value.get("buttons").unwrap_or(&Value::Null), &field)?.iter().enumerate();
                let each = buttons.map(|(at, button)| self.button(button, &format!("{field}[{at}]")));
                TemplateComponent::Buttons(each.collect::<Result<_, _>>()?)
            }
            "CAROUSEL" => {
                let field = format!("{field}.cards");
                let cards = self.array(value.get("cards").unwrap_or(&Value::Null), &field)?.iter().enumerate();
                let each = cards.map(|(at, card)| {
                    let parts = card.get("components").unwrap_or(&Value::Null);
                    self.components(parts, &format!("{field}[{at}].components"))
                        .map(|components| TemplateCard { components })
                });
                TemplateComponent::Carousel(each.collect::<Result<_, _>>()?)
            }
            _ => TemplateComponent::Other(kind),
        })
    }

    fn header(&self, value: &Value, field: &str) -> Result<TemplateHeader, TemplateError> {
        let format = value.get("format").and_then(Value::as_str).unwrap_or("TEXT").to_ascii_uppercase();
        Ok(match format.as_str() {
            "TEXT" => TemplateHeader::Text(self.pattern(self.text(value, "text", field)?)),
            "IMAGE" => TemplateHeader::Media(MediaKind::Image),
            "VIDEO" => TemplateHeader::Media(MediaKind::Video),
            "DOCUMENT" => TemplateHeader::Media(MediaKind::Document),
            _ => TemplateHeader::Other(format),
        })
    }

    fn button(&self, value: &Value, field: &str) -> Result<TemplateButton, TemplateError> {
        let kind = self.text(value, "type", field)?.to_ascii_uppercase();
        let action = match kind.as_str() {
            "QUICK_REPLY" => ButtonAction::QuickReply,
            // Meta lists the button of a one-time code as a URL button to its own page.
            "URL" if self.text(value, "url", field)?.contains("whatsapp.com/otp/") => ButtonAction::OneTimeCode,
            // The suffix of a URL is always `{{1}}`, even in templates with named parameters.
            "URL" => ButtonAction::Url(Pattern::parse(self.text(value, "url", field)?, ParameterFormat::Positional)),
            "COPY_CODE" => ButtonAction::CopyCode,
            "OTP" => ButtonAction::OneTimeCode,
            _ => ButtonAction::Other(kind),
        };
        let text = value.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(TemplateButton { action, text })
    }
}
