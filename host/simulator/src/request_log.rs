//! The calls that the Graph API received, for counting duplicates. The newest 50,000 are kept.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

const KEPT: usize = 50_000;
/// Calls on the page.
const NEWEST: usize = 20;

#[derive(Debug)]
pub(crate) struct LoggedRequest {
    pub(crate) time: DateTime<Utc>,
    pub(crate) path: String,
    pub(crate) kind: &'static str,
    pub(crate) opaque: Option<String>,
    pub(crate) status: u16,
    pub(crate) code: Option<u32>,
    pub(crate) wamid: Option<String>,
    pub(crate) body: Bytes,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct LogQuery {
    count: bool,
    opaque: Option<String>,
    /// Default: `send`.
    kind: Option<String>,
    accepted: bool,
    /// `opaque`: number of calls per `biz_opaque_callback_data`.
    group_by: Option<String>,
    limit: Option<usize>,
}

#[derive(Debug, Default)]
pub(crate) struct CallLog {
    newest_last: VecDeque<LoggedRequest>,
}

impl CallLog {
    pub(crate) fn add(&mut self, request: LoggedRequest) {
        self.newest_last.push_back(request);
        if self.newest_last.len() > KEPT {
            self.newest_last.pop_front();
        }
    }

    /// The newest calls of all kinds without their bodies, newest first.
    pub(crate) fn newest(&self) -> Vec<Value> {
        let newest = self.newest_last.iter().rev().take(NEWEST);
        let shown = newest.map(|call| {
            json!({"time": call.time, "path": call.path, "kind": call.kind, "status": call.status, "code": call.code})
        });
        shown.collect()
    }

    pub(crate) fn answer(&self, query: &LogQuery) -> Value {
        let matching: Vec<&LoggedRequest> = self.newest_last.iter().filter(|request| query.matches(request)).collect();
        if query.count {
            return json!({"count": matching.len()});
        }
        if query.group_by.as_deref() == Some("opaque") {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for request in matching {
                *counts.entry(request.opaque.as_deref().unwrap_or("")).or_default() += 1;
            }
            return json!({"counts": counts});
        }
        let skipped = matching.len().saturating_sub(query.limit.unwrap_or(KEPT));
        let requests: Vec<Value> = matching.iter().skip(skipped).map(|request| request.to_json()).collect();
        json!({"count": matching.len(), "requests": requests})
    }
}

impl LogQuery {
    fn matches(&self, request: &LoggedRequest) -> bool {
        request.kind == self.kind.as_deref().unwrap_or("send")
            && (!self.accepted || request.status == 200)
            && self.opaque.as_ref().is_none_or(|wanted| request.opaque.as_ref() == Some(wanted))
    }
}

impl LoggedRequest {
    fn to_json(&self) -> Value {
        let body: Value = serde_json::from_slice(&self.body).unwrap_or(Value::Null);
        json!({
            "time": self.time,
            "path": self.path,
            "body": body,
            "status": self.status,
            "code": self.code,
            "wamid": self.wamid,
        })
    }
}
