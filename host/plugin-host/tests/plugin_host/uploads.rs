//! Uploaded components: their examination, their loading at the first call, and their removal from memory.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::ids::ClientId;
use plugin_host::chatbot::Action;
use plugin_host::{
    CallError, CallLimits, ComponentFacts, ComponentRefusal, ComponentSource, HostConfig, NoKeyValues, PluginCall,
    PluginHost, PluginRef, World,
};
use tempfile::TempDir;

use crate::support::{call_of, client, guest, hostile_version, limits, misfit, only_text, says, session};

type Stored = HashMap<(ClientId, String), Vec<u8>>;

/// The components of all clients, and the number of reads.
#[derive(Default)]
struct Shelf {
    stored: Mutex<Stored>,
    asked: AtomicUsize,
    broken: Mutex<bool>,
}

#[async_trait]
impl ComponentSource for Shelf {
    async fn bytes(
        &self,
        client: ClientId,
        sha256: &str,
    ) -> Result<Option<Vec<u8>>, Box<dyn std::error::Error + Send + Sync>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(20)).await;
        if *self.broken.lock().unwrap() {
            return Err("connection lost".into());
        }
        Ok(self.stored.lock().unwrap().get(&(client, sha256.to_owned())).cloned())
    }
}

struct Stage {
    host: Arc<PluginHost>,
    shelf: Arc<Shelf>,
    _cache: TempDir,
}

impl Stage {
    async fn new(limits: CallLimits) -> Self {
        let (shelf, cache) = (Arc::new(Shelf::default()), tempfile::tempdir().unwrap());
        let components: Arc<dyn ComponentSource> = Arc::<Shelf>::clone(&shelf);
        let config = HostConfig {
            limits,
            built_ins: false,
            alone: true,
            components: Some(components),
            ..HostConfig::new(cache.path())
        };
        Self { host: PluginHost::start(config).await.unwrap(), shelf, _cache: cache }
    }

    /// Stores a version of the hostile bot without showing it to the host.
    fn store(&self, of: ClientId, number: u32) -> PluginRef {
        let bytes = hostile_version(number);
        let sha256 = plugin_host::check(&bytes).sha256;
        self.shelf.stored.lock().unwrap().insert((of, sha256.clone()), bytes);
        PluginRef::uploaded("bot", number, sha256)
    }

    async fn version(&self, of: ClientId, plugin: &PluginRef) -> Result<String, CallError> {
        let call = PluginCall { client: of, ..call_of(plugin) };
        let outcome = self.host.chatbot(call, &says("version"), &session(), Arc::new(NoKeyValues)).await?;
        assert_eq!(outcome.trace.plugin, "bot");
        assert_eq!(Some(outcome.trace.version), plugin.version().map(u64::from));
        Ok(only_text(&outcome.actions))
    }

    async fn examine(&self, bytes: Vec<u8>) -> Result<ComponentFacts, ComponentRefusal> {
        self.host.examine(client(1), "bot", bytes).await
    }

    async fn problems(&self, bytes: Vec<u8>) -> Vec<String> {
        match self.examine(bytes).await {
            Err(ComponentRefusal::Problems(problems)) => problems,
            other => panic!("expected problems, found {other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_component_is_described_and_stays_loaded() {
    let stage = Stage::new(limits()).await;
    let examined = stage.examine(guest("hostile_bot")).await.unwrap();
    assert_eq!((examined.world, examined.api_version.as_str()), (World::Chatbot, "0.3.0"));
    assert_eq!(examined.size, guest("hostile_bot").len() as u64);
    assert!(examined.imports.contains(&"patchbay:plugin/http@0.3.0".to_owned()), "{:?}", examined.imports);
    assert_eq!(examined.config_schema, None);
    let plugin = PluginRef::uploaded("bot", 1, examined.sha256);
    assert_eq!(stage.version(client(1), &plugin).await.unwrap(), "version-0000");
    assert_eq!(stage.shelf.asked.load(Ordering::Relaxed), 0, "it was loaded already");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_schema_of_the_configuration_is_read_and_must_be_an_object() {
    let stage = Stage::new(limits()).await;
    let schema = stage.examine(misfit("good")).await.unwrap().config_schema.unwrap();
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["required"], serde_json::json!(["shop"]));
    for (deed, words) in [
        ("text", "the schema of the configuration is not JSON"),
        ("list", "the schema of the configuration is not a JSON object"),
        ("huge", "exceeded its limit"),
        ("boom", "the schema gives up on purpose"),
    ] {
        let problems = stage.problems(misfit(deed)).await;
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains(words), "{deed}: {problems:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_that_does_not_survive_its_trial_call_is_refused_with_the_reason() {
    let stage = Stage::new(CallLimits { cpu: Duration::from_millis(200), ..limits() }).await;
    for (deed, words) in [
        (
            "trap",
            "the trial call failed: the plugin crashed: wasm trap: wasm `unreachable` instruction executed; it printed: ",
        ),
        ("trap", "this bot never works"),
        ("spin", "the trial call failed: the plugin exceeded its limit of processor time"),
        ("junk", "the trial call failed: the plugin's answer cannot be used: action 1 (reply-text): the text is empty"),
    ] {
        let problems = stage.problems(misfit(deed)).await;
        assert!(problems.len() == 1 && problems[0].contains(words), "{deed}: {problems:?}");
    }
    assert!(stage.examine(misfit("fail")).await.is_ok(), "an error is an answer: it may lack its configuration");
    assert_eq!(stage.host.loaded(), 1, "only the good one stays loaded");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_the_largest_size_is_looked_at_and_a_larger_one_is_not() {
    let bytes = guest("hostile_bot");
    let stage = Stage::new(CallLimits { component_bytes: bytes.len(), ..limits() }).await;
    assert!(stage.examine(bytes.clone()).await.is_ok());
    let (size, most) = (bytes.len() as u64 + 1, bytes.len() as u64);
    let larger = stage.examine([bytes, vec![0]].concat()).await;
    assert_eq!(larger, Err(ComponentRefusal::TooLarge { size, most }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_is_loaded_when_it_is_first_called_and_only_once() {
    let stage = Arc::new(Stage::new(limits()).await);
    let plugin = stage.store(client(1), 7);
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..10 {
        let (stage, plugin) = (Arc::clone(&stage), plugin.clone());
        calls.spawn(async move { stage.version(client(1), &plugin).await.unwrap() });
    }
    assert_eq!(calls.join_all().await, vec!["version-0007"; 10]);
    assert_eq!(stage.shelf.asked.load(Ordering::Relaxed), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preloaded_version_answers_without_a_look_up() {
    let stage = Stage::new(limits()).await;
    let plugin = stage.store(client(1), 3);
    stage.host.preload(client(1), &plugin).await.unwrap();
    *stage.shelf.broken.lock().unwrap() = true;
    assert_eq!(stage.version(client(1), &plugin).await.unwrap(), "version-0003");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reasons_of_failed_loads_are_distinguished() {
    let stage = Stage::new(limits()).await;
    let mine = stage.store(client(1), 1);
    let foreign = stage.version(client(2), &mine).await.unwrap_err();
    assert!(matches!(foreign, CallError::NotFound { .. }), "another client's upload is no upload: {foreign:?}");

    *stage.shelf.broken.lock().unwrap() = true;
    let now = stage.version(client(1), &mine).await.unwrap_err();
    assert!(matches!(now, CallError::Unavailable { .. }) && now.is_retryable(), "{now:?}");
    *stage.shelf.broken.lock().unwrap() = false;
    assert_eq!(stage.version(client(1), &mine).await.unwrap(), "version-0001", "and then it is there");

    let damaged = PluginRef::uploaded("bot", 2, "00");
    stage.shelf.stored.lock().unwrap().insert((client(1), "00".into()), b"junk".to_vec());
    let broken = stage.version(client(1), &damaged).await.unwrap_err();
    assert!(matches!(broken, CallError::Unloadable { .. }) && !broken.is_retryable(), "{broken:?}");
    stage.shelf.stored.lock().unwrap().insert((client(1), "00".into()), hostile_version(9));
    let swapped = stage.version(client(1), &damaged).await.unwrap_err();
    assert!(swapped.to_string().contains("are not those that were uploaded"), "{swapped}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_longest_unused_are_given_up_when_there_are_too_many_and_come_back_when_called() {
    let stage = Stage::new(CallLimits { loaded_plugins: 3, ..limits() }).await;
    let plugins: Vec<PluginRef> = (1..=4).map(|number| stage.store(client(1), number)).collect();
    for plugin in &plugins[..3] {
        stage.version(client(1), plugin).await.unwrap();
    }
    stage.version(client(1), &plugins[0]).await.unwrap();
    assert_eq!((stage.host.loaded(), stage.shelf.asked.load(Ordering::Relaxed)), (3, 3));
    stage.version(client(1), &plugins[3]).await.unwrap();
    assert_eq!((stage.host.loaded(), stage.shelf.asked.load(Ordering::Relaxed)), (3, 4));
    stage.version(client(1), &plugins[0]).await.unwrap();
    assert_eq!(stage.shelf.asked.load(Ordering::Relaxed), 4, "it was used after the second one");
    assert_eq!(stage.version(client(1), &plugins[1]).await.unwrap(), "version-0002");
    assert_eq!(stage.shelf.asked.load(Ordering::Relaxed), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_flight_finishes_on_a_version_that_is_unloaded_during_it() {
    let stage = Stage::new(CallLimits { loaded_plugins: 1, ..limits() }).await;
    let (slow, other) = (stage.store(client(1), 1), stage.store(client(1), 2));
    stage.host.preload(client(1), &slow).await.unwrap();
    let (event, session) = (says("version 600"), session());
    let answer = stage.host.chatbot(call_of(&slow), &event, &session, Arc::new(NoKeyValues));
    let giving_up = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        stage.version(client(1), &other).await.unwrap();
        assert_eq!(stage.host.loaded(), 1);
    };
    let (answer, ()) = tokio::join!(answer, giving_up);
    assert!(matches!(answer.unwrap().actions.as_slice(), [Action::ReplyText(reply)] if reply.text == "version-0001"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_of_another_type_is_refused_before_it_is_called() {
    let stage = Stage::new(limits()).await;
    let problems = stage.problems(crate::checks::component(crate::checks::SHAPER_OF_STRINGS)).await;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].ends_with("event is a string, expected a variant"), "{problems:?}");
}
