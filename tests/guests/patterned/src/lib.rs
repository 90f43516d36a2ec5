//! A chatbot whose configuration is expensive to judge: 64 patterns for one text.

use patchbay_plugin_sdk::chatbot::*;

struct Patterned;

impl Chatbot for Patterned {
    fn handle(_event: Event, _session: Session) -> Result<Vec<Action>, Error> {
        Ok(vec![Action::text("fine")])
    }
}

patchbay_plugin_sdk::export_chatbot!(Patterned);
patchbay_plugin_sdk::export_config_schema!(schema());

/// Together the compiled patterns are nearly as large as an upload may have. None matches a text of the letter `a` only.
fn schema() -> String {
    let patterns: Vec<String> =
        (0..64).map(|number| format!(r#"{{"pattern":"(a|b|[a-z]a?){{1,8}}[0-9]{{{}}}$"}}"#, number + 1)).collect();
    let all = patterns.join(",");
    format!(r#"{{"type":"object","properties":{{"text":{{"type":"string","allOf":[{all}]}}}}}}"#)
}
