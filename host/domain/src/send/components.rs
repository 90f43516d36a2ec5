//! What can be said about template components without the template.

use super::{RequestComponent, links, request::Check};

/// Checks the addresses of header files; whether a component fits is the template's business.
pub(super) fn check(check: &mut Check, components: &[RequestComponent], field: &str) {
    for (at, component) in components.iter().enumerate() {
        if let Some(Err(wrong)) = component.url.as_deref().filter(|url| !url.is_empty()).map(links::check) {
            check.fault(&format!("{field}[{at}].url"), wrong);
        }
        for (card, cards) in component.cards.iter().flatten().enumerate() {
            // Components of cards hold no further cards worth looking into: the template refuses those.
            for (inner, component) in cards.components.iter().flatten().enumerate() {
                if let Some(Err(wrong)) = component.url.as_deref().filter(|url| !url.is_empty()).map(links::check) {
                    check.fault(&format!("{field}[{at}].cards[{card}].components[{inner}].url"), wrong);
                }
            }
        }
    }
}
