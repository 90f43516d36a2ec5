use serde_json::{Value, json};

use super::*;
use crate::{
    body::Faults,
    content::{ButtonKind, ConversationEffect, TemplateSend},
    send::RequestComponent,
};

mod buttons;
mod carousel;
mod catalogue;
mod texts;

fn template(components: Value) -> Template {
    template_of("POSITIONAL", components)
}

fn template_of(format: &str, components: Value) -> Template {
    let graph = json!({
        "id": "920", "name": "order_ready", "language": "en", "status": "APPROVED", "category": "UTILITY",
        "parameter_format": format, "components": components,
    });
    Template::from_graph("waba-1", &graph).unwrap()
}

fn resolve(template: &Template, components: Value) -> Result<TemplateSend, Faults> {
    let components: Vec<RequestComponent> = serde_json::from_value(components).unwrap();
    let mut minted = 0;
    let mut tokens = || {
        minted += 1;
        format!("token-{minted}")
    };
    template.resolve(&components, "messages[0].components", &mut tokens)
}

fn faults(template: &Template, components: Value) -> Vec<(String, String)> {
    let faults = resolve(template, components).unwrap_err();
    faults.into_listed().into_iter().map(|fault| (fault.field, fault.message)).collect()
}

/// The field of the only fault. Its message must contain `said`.
fn fault_field(template: &Template, components: Value, said: &str) -> String {
    let mut faults = faults(template, components);
    assert_eq!(faults.len(), 1, "{faults:?}");
    let (field, message) = faults.remove(0);
    assert!(message.contains(said), "`{message}` does not mention `{said}`");
    field
}
