//! JSON texts of bounded length: the body of a webhook, the schema of a configuration.

use super::Fault;
use crate::calling::limits::{Limit, Limits};

pub(crate) fn judge(body: Option<&str>, limits: &Limits) -> Result<(), Fault> {
    let Some(body) = body else { return Ok(()) };
    if body.len() > limits.body_bytes {
        return Err(Fault::Limit(Limit::Body));
    }
    let parsed: Result<serde::de::IgnoredAny, _> = serde_json::from_str(body);
    parsed.map(drop).map_err(|fault| Fault::Rule(format!("the body is not JSON: {fault}")))
}

/// A usable JSON Schema is an object. The schemas `true` and `false` describe nothing.
pub(crate) fn judge_schema(schema: &str, limits: &Limits) -> Result<(), Fault> {
    if schema.len() > limits.body_bytes {
        return Err(Fault::Limit(Limit::Body));
    }
    match serde_json::from_str(schema) {
        Ok(serde_json::Value::Object(_)) => Ok(()),
        Ok(_) => Err(Fault::Rule("the schema of the configuration is not a JSON object".into())),
        Err(fault) => Err(Fault::Rule(format!("the schema of the configuration is not JSON: {fault}"))),
    }
}
