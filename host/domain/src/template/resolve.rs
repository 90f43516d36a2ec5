//! Fills a template with the components of a send request (SPEC 2.3, PROVIDERS A.3).

use super::{
    Template, TemplateStatus, buttons,
    model::{TemplateCard, TemplateComponent},
    parts::{self, ComponentsByKind, FilledParts},
    token::TokenMaker,
};
use crate::{
    body::{Faults, FieldFault},
    content::{TemplateSend, lines},
    send::{RequestCard, RequestComponent},
};

impl Template {
    /// Only an approved template can be sent. The error has the cure.
    pub fn approval(&self) -> Result<(), String> {
        let next = match &self.status {
            TemplateStatus::Approved => return Ok(()),
            TemplateStatus::Pending => "wait for Meta's review",
            TemplateStatus::Rejected => "change it and submit it again",
            TemplateStatus::Paused => "Meta paused it for its quality; it comes back by itself, or use another one",
            TemplateStatus::Disabled => "Meta disabled it for its quality; use another one",
            TemplateStatus::InAppeal => "wait for the outcome of the appeal",
            TemplateStatus::PendingDeletion | TemplateStatus::Deleted => "it was deleted; use another one",
            TemplateStatus::LimitExceeded => "the account has too many templates; delete some",
            TemplateStatus::Archived => "it is archived; use another one",
            TemplateStatus::Other(_) => "look it up in WhatsApp Manager",
        };
        Err(format!("template `{}` is not approved (status {}): {next}", self.name, self.status))
    }

    /// Fills in the parameters of `components`, whose path is `field`. All faults are reported together.
    pub fn resolve(
        &self,
        components: &[RequestComponent],
        field: &str,
        tokens: &mut TokenMaker<'_>,
    ) -> Result<TemplateSend, Faults> {
        let mut filler = Filler { faults: Faults::default(), tokens };
        let given = ComponentsByKind::collect(components, field, &mut filler.faults);
        let filled = filler.level(&self.components, &given, field);
        let cards = filler.carousel(&self.components, &given, field);
        let Filler { faults, .. } = filler;
        if !faults.is_empty() {
            return Err(faults);
        }
        let rendered_text = rendered_text(&filled, &cards);
        let replies = [&filled].into_iter().chain(&cards).flat_map(|level| level.replies.clone()).collect();
        Ok(TemplateSend {
            id: self.id.clone(),
            name: self.name.clone(),
            language: self.language.clone(),
            header: filled.header,
            header_text: filled.header_text,
            body: filled.body,
            buttons: filled.buttons,
            cards: cards.into_iter().map(FilledParts::into_card).collect(),
            rendered_text,
            replies,
        })
    }
}

/// Header, body, cards, footer and the addresses of URL buttons, one per line.
fn rendered_text(filled: &FilledParts, cards: &[FilledParts]) -> String {
    let of_cards: Vec<String> = cards.iter().map(FilledParts::card_text).collect();
    let head = [&filled.header_line, &filled.body_lines];
    let all = head.into_iter().chain(&of_cards).chain([&filled.footer_line]).chain(&filled.urls);
    lines(all.map(String::as_str))
}

struct Filler<'t, 'a> {
    faults: Faults,
    tokens: &'t mut TokenMaker<'a>,
}

impl Filler<'_, '_> {
    fn level(&mut self, parts: &[TemplateComponent], given: &ComponentsByKind<'_>, field: &str) -> FilledParts {
        let mut filled = FilledParts::default();
        let header = parts.iter().find_map(|part| match part {
            TemplateComponent::Header(header) => Some(header),
            _ => None,
        });
        let body = parts.iter().find_map(|part| match part {
            TemplateComponent::Body(pattern) => Some(pattern),
            _ => None,
        });
        parts::fill_header(header, given, field, &mut filled, &mut self.faults);
        parts::fill_body(body, given, field, &mut filled, &mut self.faults);
        for part in parts {
            if let TemplateComponent::Footer(text) = part {
                filled.footer_line.clone_from(text);
            }
        }
        let own_buttons = parts.iter().find_map(|part| match part {
            TemplateComponent::Buttons(buttons) => Some(buttons.as_slice()),
            _ => None,
        });
        let own_buttons = own_buttons.unwrap_or_default();
        let parameters = buttons::fill(own_buttons, &given.buttons, field, self.tokens);
        filled.buttons = parameters.unwrap_or_else(|fault| {
            self.faults.push(fault);
            Vec::new()
        });
        filled.urls = buttons::resolved_urls(own_buttons, &filled.buttons);
        filled.replies = buttons::quick_replies(own_buttons, &filled.buttons);
        filled
    }

    fn carousel(&mut self, parts: &[TemplateComponent], given: &ComponentsByKind<'_>, field: &str) -> Vec<FilledParts> {
        let cards = parts.iter().find_map(|part| match part {
            TemplateComponent::Carousel(cards) => Some(cards.as_slice()),
            _ => None,
        });
        match (cards, given.carousel) {
            (None, None) => Vec::new(),
            (None, Some((at, _))) => {
                self.fault(format!("{field}[{at}]"), "the template is not a carousel; remove this component".to_owned())
            }
            (Some(cards), None) => self.fault(
                field.to_owned(),
                format!("the template is a carousel: add a `carousel` component with {} `cards`", cards.len()),
            ),
            (Some(cards), Some((at, component))) => self.cards(cards, component, &format!("{field}[{at}].cards")),
        }
    }

    fn cards(&mut self, cards: &[TemplateCard], component: &RequestComponent, field: &str) -> Vec<FilledParts> {
        let given = component.cards.as_deref().unwrap_or_default();
        if given.len() != cards.len() {
            let message = format!("has {} cards; the template has {}", given.len(), cards.len());
            return self.fault(field.to_owned(), message);
        }
        let each = cards.iter().zip(given).enumerate();
        let fill = |(at, (card, request)): (usize, (&TemplateCard, &RequestCard))| {
            let field = format!("{field}[{at}].components");
            let components = request.components.as_deref().unwrap_or_default();
            let given = ComponentsByKind::collect(components, &field, &mut self.faults);
            if let Some((at, _)) = given.carousel {
                self.faults.push(FieldFault::new(format!("{field}[{at}]"), "a card cannot hold a carousel"));
            }
            self.level(&card.components, &given, &field)
        };
        each.map(fill).collect()
    }

    fn fault(&mut self, field: String, message: String) -> Vec<FilledParts> {
        self.faults.push(FieldFault::new(field, message));
        Vec::new()
    }
}
