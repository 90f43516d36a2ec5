//! A network, a store and a host with the guests that use them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::ids::ClientId;
use plugin_host::{
    CallError, CallLimits, CallReplay, CallSeed, ChatbotOutcome, HostConfig, HttpFault, HttpRequest, HttpResponse,
    KeyValueSnapshot, OutgoingHttp, PluginCall, PluginHost, PluginRef, Recording,
};
use tempfile::TempDir;

use crate::support::{Values, cache_dir, call_of, guest, limits, says, session, written_over};

#[derive(Debug, Clone)]
pub enum Does {
    /// Answers with a new number each time.
    Counts,
    /// Answers any request with this many bytes.
    Floods(usize),
    Decorates(usize),
    Hangs,
    Fails(HttpFault),
}

/// A network that records its requests.
pub struct Web {
    does: Does,
    pub asked: Mutex<Vec<(ClientId, HttpRequest)>>,
    answered: AtomicU32,
}

impl Web {
    pub fn that(does: Does) -> Arc<Self> {
        Arc::new(Self { does, asked: Mutex::default(), answered: AtomicU32::new(0) })
    }

    pub fn requests(&self) -> Vec<HttpRequest> {
        self.asked.lock().unwrap().iter().map(|(_, request)| request.clone()).collect()
    }
}

#[async_trait]
impl OutgoingHttp for Web {
    async fn send(&self, client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        self.asked.lock().unwrap().push((client, request));
        let number = self.answered.fetch_add(1, Ordering::Relaxed);
        let (headers, body) = match &self.does {
            Does::Counts => {
                (vec![("X-Number".to_owned(), number.to_string())], format!("number {number}").into_bytes())
            }
            Does::Floods(bytes) => (vec![], vec![b'x'; *bytes]),
            Does::Decorates(count) => (vec![("x".to_owned(), "y".to_owned()); *count], vec![]),
            Does::Hangs => {
                tokio::time::sleep(Duration::from_secs(3_600)).await;
                (vec![], vec![])
            }
            Does::Fails(fault) => return Err(fault.clone()),
        };
        Ok(HttpResponse { status: 200, headers, body })
    }
}

/// A host with the guests `caller` and `dice`, another version of the dice, and the built-in plugins.
pub struct Outside {
    pub host: Arc<PluginHost>,
    pub web: Arc<Web>,
    pub directory: TempDir,
}

pub const ALLOWED: &str = "example.org";

impl Outside {
    pub async fn that(does: Does) -> Self {
        Self::with(does, limits()).await
    }

    pub async fn with(does: Does, limits: CallLimits) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str| directory.path().join(format!("{name}.wasm"));
        std::fs::write(file("caller"), guest("caller")).unwrap();
        std::fs::write(file("dice"), guest("dice")).unwrap();
        std::fs::write(file("dice-2"), written_over(guest("dice"), "dice-0000", "dice-0002")).unwrap();
        std::fs::write(file("hostile"), guest("hostile_bot")).unwrap();
        let web = Web::that(does);
        let host = Self::start(&directory, limits, Some(Arc::clone(&web) as _)).await;
        Self { host, web, directory }
    }

    /// Another host on the same directory.
    pub async fn start(
        directory: &TempDir,
        limits: CallLimits,
        http: Option<Arc<dyn OutgoingHttp>>,
    ) -> Arc<PluginHost> {
        let plugins_dir = Some(directory.path().to_owned());
        let config = HostConfig { plugins_dir, limits, http, ..HostConfig::new(cache_dir()) };
        PluginHost::start(config).await.unwrap()
    }

    /// Makes the caller send requests, and returns its report on each.
    pub async fn orders(&self, requests: serde_json::Value) -> Vec<String> {
        let config = serde_json::json!({ "requests": requests }).to_string();
        let (plugin, allowed) = (PluginRef::shipped("caller"), [ALLOWED.to_owned()]);
        let call = PluginCall { config: &config, allowed_hosts: &allowed, turn: "turn-1", ..call_of(&plugin) };
        let outcome = self.host.chatbot(call, &says("go"), &session(), Arc::new(plugin_host::NoKeyValues)).await;
        texts(&outcome.unwrap())
    }

    pub async fn roll(&self, deed: &str) -> (Result<ChatbotOutcome, CallError>, Recording) {
        self.roll_of("dice", deed, values()).await
    }

    pub async fn roll_of(
        &self,
        plugin: &str,
        deed: &str,
        values: Arc<dyn KeyValueSnapshot>,
    ) -> (Result<ChatbotOutcome, CallError>, Recording) {
        let (plugin, allowed) = (PluginRef::shipped(plugin), [ALLOWED.to_owned()]);
        let seed = CallSeed::from_number(rand_seed(deed));
        let call = PluginCall { seed, allowed_hosts: &allowed, record: true, ..call_of(&plugin) };
        let outcome = self.host.chatbot(call, &says(deed), &session(), values).await;
        let trace = match &outcome {
            Ok(outcome) => &outcome.trace,
            Err(error) => error.trace().unwrap(),
        };
        let recording = trace.recording.as_deref().unwrap().clone();
        (outcome, recording)
    }

    pub async fn replay(&self, plugin: &str, recording: &Recording) -> CallReplay {
        self.host.replay(crate::support::client(9), &PluginRef::shipped(plugin), recording).await.unwrap()
    }
}

/// Stored values for a deed of the dice.
pub fn values() -> Arc<Values> {
    let values = [((false, "mine".to_owned()), vec![0, 159, 146]), ((true, "ours".to_owned()), b"old".to_vec())];
    Arc::new(Values { values: values.into(), ..Values::default() })
}

pub fn texts(outcome: &ChatbotOutcome) -> Vec<String> {
    let text = |action: &plugin_host::chatbot::Action| match action {
        plugin_host::chatbot::Action::ReplyText(reply) => Some(reply.text.clone()),
        _ => None,
    };
    outcome.actions.iter().filter_map(text).collect()
}

/// A seed that differs between deeds.
fn rand_seed(deed: &str) -> u64 {
    deed.bytes().fold(11, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(byte.into()))
}
