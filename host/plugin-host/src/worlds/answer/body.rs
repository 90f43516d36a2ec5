//! JSON texts of bounded length: the body of a webhook, the schema of a configuration.

use super::AnswerFault;
use crate::calling::limits::{CallLimits, ExceededLimit};

pub(crate) fn judge(body: Option<&str>, limits: &CallLimits) -> Result<(), AnswerFault> {
    let Some(body) = body else { return Ok(()) };
    if body.len() > limits.body_bytes {
        return Err(AnswerFault::Limit(ExceededLimit::Body));
    }
    let parsed: Result<serde::de::IgnoredAny, _> = serde_json::from_str(body);
    parsed.map(drop).map_err(|fault| AnswerFault::Rule(format!("the body is not JSON: {fault}")))
}

/// A usable JSON Schema is an object. The schemas `true` and `false` describe nothing.
pub(crate) fn judge_schema(schema: &str, limits: &CallLimits) -> Result<(), AnswerFault> {
    if schema.len() > limits.body_bytes {
        return Err(AnswerFault::Limit(ExceededLimit::Body));
    }
    match serde_json::from_str(schema) {
        Ok(serde_json::Value::Object(_)) => Ok(()),
        Ok(_) => Err(AnswerFault::Rule("the schema of the configuration is not a JSON object".into())),
        Err(fault) => Err(AnswerFault::Rule(format!("the schema of the configuration is not JSON: {fault}"))),
    }
}
