//! Checks of template components that do not need the template.

use super::{RequestComponent, SendEndpoint, check::Check, links};
use crate::body::{Faults, FieldFault};

/// Checks the addresses of header files; [`SendRequest::resolve`](super::SendRequest::resolve) checks the rest.
pub(super) fn check(check: &mut Check, components: &[RequestComponent], field: &str) {
    for (at, component) in components.iter().enumerate() {
        check_link(check, component, &format!("{field}[{at}]"));
        for (card, cards) in component.cards.iter().flatten().enumerate() {
            // Cards within cards are not checked here: the template refuses them.
            for (inner, component) in cards.components.iter().flatten().enumerate() {
                check_link(check, component, &format!("{field}[{at}].cards[{card}].components[{inner}]"));
            }
        }
    }
}

/// Returns the faults of the addresses of header files. `field` is the path of the components.
pub fn link_faults(components: &[RequestComponent], field: &str) -> Vec<FieldFault> {
    let mut checked = Check { endpoint: SendEndpoint::Whatsapp, prefix: "", faults: Faults::default() };
    check(&mut checked, components, field);
    checked.faults.into_listed()
}

fn check_link(check: &mut Check, component: &RequestComponent, field: &str) {
    if let Some(Err(wrong)) = component.url.as_deref().filter(|url| !url.is_empty()).map(links::read) {
        check.fault(&format!("{field}.url"), wrong);
    }
}
