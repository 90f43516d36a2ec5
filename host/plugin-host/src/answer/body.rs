//! The body of a webhook.

use super::Fault;
use crate::limits::{Limit, Limits};

pub(crate) fn judge(body: Option<&str>, limits: &Limits) -> Result<(), Fault> {
    let Some(body) = body else { return Ok(()) };
    if body.len() > limits.body_bytes {
        return Err(Fault::Limit(Limit::Body));
    }
    let parsed: Result<serde::de::IgnoredAny, _> = serde_json::from_str(body);
    parsed.map(drop).map_err(|fault| Fault::Rule(format!("the body is not JSON: {fault}")))
}
