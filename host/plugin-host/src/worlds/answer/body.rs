//! JSON texts of bounded length: the body of a webhook, the schema of a configuration.

use super::{AnswerFault, CUSTOM, json};
use crate::{
    calling::limits::{CallLimits, ExceededLimit},
    worlds::shaped_body::ShapedBody,
};

pub(crate) fn judge(body: &ShapedBody, limits: &CallLimits) -> Result<(), AnswerFault> {
    let body = match body {
        ShapedBody::Json(text) => text,
        ShapedBody::Custom(custom) => return json(custom, CUSTOM).map_err(AnswerFault::Rule),
        ShapedBody::Unchanged | ShapedBody::Skip => return Ok(()),
    };
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
