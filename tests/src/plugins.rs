//! Plugins of a client: uploads, activations, and what is kept about their calls.

use serde_json::{Value, json};

use crate::{TestClient, eventually};

const BASE: &str = "/plugin-service/api/v1";

impl TestClient {
    /// Uploads a component under a name; answers its version.
    pub async fn upload(&self, name: &str, component: Vec<u8>) -> u64 {
        let path = format!("{BASE}/plugins?name={name}");
        let reply = self.post_raw(&path, "application/wasm", component).await;
        assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
        reply.json()["version"].as_u64().unwrap()
    }

    /// Puts a version in force as `body` says: `version`, `mode`, `percent`, `config`, `allowedHosts` and others. Answers
    /// the activation, as lists show it.
    pub async fn put_in_force(&self, plugin: &str, body: Value) -> Value {
        let reply = self.post(&format!("{BASE}/plugins/{plugin}/activate"), &body).await;
        assert!(reply.status < 300, "{}", reply.text);
        let mut activated = reply.json();
        for told in ["kept", "replaced"] {
            activated.as_object_mut().unwrap().remove(told).expect("an activation says what it kept and replaced");
        }
        activated
    }

    /// Uploads a component and lets it answer, without configuration.
    pub async fn install(&self, name: &str, component: Vec<u8>) -> u64 {
        let version = self.upload(name, component).await;
        self.put_in_force(name, json!({ "version": version, "mode": "live" })).await;
        version
    }

    /// The activations of a plugin that are in force.
    pub async fn in_force(&self, plugin: &str) -> Vec<Value> {
        let found = self.get(&format!("{BASE}/plugins/{plugin}")).await.ok();
        let all = found["activations"].as_array().cloned().unwrap_or_default();
        all.into_iter().filter(|activation| activation.get("endedTime").is_none_or(Value::is_null)).collect()
    }

    /// The stored `invocations`, `events` or `differences` of a plugin, newest first.
    pub async fn kept(&self, plugin: &str, list: &str) -> Vec<Value> {
        let page = self.get(&format!("{BASE}/plugins/{plugin}/{list}?size=200")).await.ok();
        page["content"].as_array().cloned().unwrap_or_default()
    }

    /// The first entry of such a list that `wanted` likes, once it is there.
    pub async fn keeps(&self, plugin: &str, list: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let what = format!("an entry among the {list} of {plugin}");
        eventually(&what, || async { self.kept(plugin, list).await.into_iter().find(|entry| wanted(entry)) }).await
    }

    /// Routing decisions, newest first.
    pub async fn decisions(&self) -> Vec<Value> {
        let page = self.get(&format!("{BASE}/routing-decisions?size=200")).await.ok();
        page["content"].as_array().cloned().unwrap_or_default()
    }
}
