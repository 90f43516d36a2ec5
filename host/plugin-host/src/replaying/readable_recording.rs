//! Recordings of plugin calls as JSON, with the names and the layout of the API.

use serde_json::{Map, Value, json};

use super::recording::{HostCall, HttpAnswer, KvAnswer, Recording};
use super::replay::CallReplay;
use crate::worlds::json::{WorldQuestion, insert_bytes, readable_result, scope_name};
use crate::{FileAnswer, HttpFault};

impl Recording {
    pub fn to_json(&self) -> Value {
        let mut json = serde_json::to_value(self).unwrap_or_default();
        if let Value::Object(map) = &mut json {
            if let Ok(config) = serde_json::from_str(&self.config) {
                map.insert("config".into(), config);
            }
            if let Ok(question) = WorldQuestion::recorded(self.world, &self.question) {
                map.insert("question".into(), question.to_json());
            }
            map.insert("hostCalls".into(), self.host_calls.iter().map(host_call).collect());
            map.insert("result".into(), readable_result(self.world, &self.result));
        }
        json
    }
}

impl CallReplay {
    pub fn json_then(&self) -> Value {
        readable_result(self.world, &self.result_then)
    }

    pub fn json_now(&self) -> Value {
        readable_result(self.world, &self.result_now)
    }
}

fn host_call(call: &HostCall) -> Value {
    match call {
        HostCall::KvGet { scope, key, answer } => {
            json!({ "type": "kv-get", "scope": scope_name(*scope), "key": key, "answer": kv_answer(answer) })
        }
        HostCall::KvList { scope, wanted, keys } => {
            let answer =
                keys.as_ref().map_or(json!({ "type": "unanswered" }), |keys| json!({ "type": "keys", "keys": keys }));
            json!({ "type": "kv-list", "scope": scope_name(*scope), "wanted": wanted, "answer": answer })
        }
        HostCall::Conversation { question, answer } => {
            let answer = answer.as_ref().map_or(json!({ "type": "unanswered" }), |answer| json!(answer));
            json!({ "type": "conversation", "question": question, "answer": answer })
        }
        HostCall::File { part, answer } => {
            let answer = answer.as_ref().map_or_else(|| json!({ "type": "unanswered" }), file_answer);
            json!({ "type": "file", "part": part, "answer": answer })
        }
        HostCall::Http { method, url, headers, body, answer } => {
            let mut map = Map::new();
            map.insert("type".into(), "http".into());
            map.insert("method".into(), method.as_str().into());
            map.insert("url".into(), url.as_str().into());
            map.insert("headers".into(), json!(headers));
            insert_bytes(&mut map, "body", body.as_deref());
            map.insert("answer".into(), http_answer(answer));
            Value::Object(map)
        }
    }
}

fn file_answer(answer: &FileAnswer) -> Value {
    match answer {
        FileAnswer::Bytes(bytes) => {
            let mut map = Map::new();
            map.insert("type".into(), "bytes".into());
            insert_bytes(&mut map, "bytes", Some(bytes));
            Value::Object(map)
        }
        FileAnswer::NotFound => json!({ "type": "not-found" }),
        FileAnswer::Unavailable => json!({ "type": "unavailable" }),
    }
}

fn kv_answer(answer: &KvAnswer) -> Value {
    match answer {
        KvAnswer::Value(value) => {
            let mut map = Map::new();
            map.insert("type".into(), "value".into());
            insert_bytes(&mut map, "value", Some(value));
            Value::Object(map)
        }
        KvAnswer::Absent => json!({ "type": "absent" }),
        KvAnswer::Unavailable(reason) => json!({ "type": "unavailable", "message": reason }),
        KvAnswer::Unanswered => json!({ "type": "unanswered" }),
    }
}

fn http_answer(answer: &HttpAnswer) -> Value {
    match answer {
        HttpAnswer::Response(response) => {
            let mut map = Map::new();
            map.insert("type".into(), "response".into());
            map.insert("status".into(), response.status.into());
            map.insert("headers".into(), json!(response.headers));
            insert_bytes(&mut map, "body", Some(&response.body));
            Value::Object(map)
        }
        HttpAnswer::Fault(fault) => {
            let kind = match fault {
                HttpFault::TimedOut => "timed-out",
                HttpFault::TooLarge => "too-large",
                HttpFault::Refused(_) => "refused",
                HttpFault::Failed(_) => "failed",
            };
            json!({ "type": "fault", "kind": kind, "message": fault.to_string() })
        }
        HttpAnswer::Unanswered => json!({ "type": "unanswered" }),
    }
}
