//! Findings about a configuration.

use plugin_bindings::exports::patchbay::plugin::validation::Finding;

use super::{AnswerFault, count, optional, text};

pub(crate) const FINDINGS: usize = 50;
const FIELD: usize = 256;
const MESSAGE: usize = 500;

pub(crate) fn judge(findings: &[Finding]) -> Result<(), AnswerFault> {
    count("findings", findings.len(), 0..=FINDINGS).map_err(AnswerFault::Rule)?;
    for (index, Finding { field, message }) in findings.iter().enumerate() {
        let judgement = optional("field", Some(field), FIELD).and_then(|()| text("message", message, MESSAGE));
        judgement.map_err(|reason| AnswerFault::Rule(format!("finding {}: {reason}", index + 1)))?;
    }
    Ok(())
}
