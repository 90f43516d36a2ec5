//! Hosts, guests and questions for the tests.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::ids::ClientId;
use plugin_host::chatbot::{
    Action, Channel, Content, Customer, Event, EventKind, IncomingMessage, LocalTime, Session, Weekday,
};
use plugin_host::{
    CallError, CallLimits, CallSeed, ChatbotOutcome, HostConfig, HttpLimits, KeyValueError, KeyValueSnapshot,
    KeysWanted, NoKeyValues, PluginCall, PluginHost, PluginRef, Scope,
};
use tempfile::TempDir;
use uuid::Uuid;

fn hostile_guests() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("hostile.wasm"), guest("hostile_bot")).unwrap();
    std::fs::write(directory.path().join("hostile-shaper.wasm"), guest("hostile_shaper")).unwrap();
    directory
}

/// A host with its own directory. All tests share one cache of compiled code.
pub struct TestHost {
    pub host: Arc<PluginHost>,
    pub directory: TempDir,
}

impl TestHost {
    pub async fn with_hostile_guests(limits: CallLimits) -> Self {
        Self::start(hostile_guests(), limits, false).await
    }

    /// The same on a shared machine: if the calls of a client misbehave, its calls run last.
    pub async fn among_others(limits: CallLimits) -> Self {
        let config = HostConfig { limits, built_ins: false, ..HostConfig::new(cache_dir()) };
        Self::of(hostile_guests(), config).await
    }

    /// The built-in components and an empty directory.
    pub async fn with_built_ins() -> Self {
        Self::start(tempfile::tempdir().unwrap(), limits(), true).await
    }

    pub async fn start(directory: TempDir, limits: CallLimits, built_ins: bool) -> Self {
        let config = HostConfig { limits, built_ins, alone: true, ..HostConfig::new(cache_dir()) };
        Self::of(directory, config).await
    }

    async fn of(directory: TempDir, config: HostConfig) -> Self {
        let config = HostConfig { plugins_dir: Some(directory.path().to_owned()), ..config };
        Self { host: PluginHost::start(config).await.unwrap(), directory }
    }

    pub async fn command(&self, text: &str) -> Result<ChatbotOutcome, CallError> {
        self.command_of(client(1), text).await
    }

    pub async fn command_of(&self, client: ClientId, text: &str) -> Result<ChatbotOutcome, CallError> {
        let call = PluginCall { client, ..call("hostile") };
        self.host.chatbot(call, &says(text), &session(), Arc::new(NoKeyValues)).await
    }

    /// The text with which the hostile bot answers a command.
    pub async fn answer(&self, text: &str) -> String {
        only_text(&self.command(text).await.unwrap().actions)
    }

    /// Replaces a plugin file like a build tool: a new file under the old name.
    pub fn replace(&self, name: &str, bytes: &[u8]) {
        let temporary = self.directory.path().join(".new");
        std::fs::write(&temporary, bytes).unwrap();
        std::fs::rename(&temporary, self.file(name)).unwrap();
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(format!("{name}.wasm"))
    }
}

pub fn limits() -> CallLimits {
    // A busy machine must not end a call, so tests of the wall clock set their own.
    CallLimits { calls: 20, wall_clock: Duration::from_secs(60), ..CallLimits::default() }
}

/// Waits until the condition holds. Panics if it does not.
pub async fn eventually<F: AsyncFn() -> bool>(what: &str, condition: F) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !condition().await {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A component of `tests/guests`, built once per run of the tests.
pub fn guest(name: &str) -> Vec<u8> {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let manifest =
            PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../tests/guests/Cargo.toml");
        // The folder of the built-in components, which have the same dependencies.
        let target_dir = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("plugins");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--release", "--quiet", "--target", "wasm32-wasip2"]);
        cargo.args([
            "-p",
            "hostile-bot",
            "-p",
            "hostile-shaper",
            "-p",
            "caller",
            "-p",
            "dice",
            "-p",
            "misfit",
            "-p",
            "clerk",
            "-p",
            "former-rule",
            "-p",
            "former-bot",
            "-p",
            "former-desk",
            "-p",
            "errand-bot",
            "-p",
            "older-bot",
            "-p",
            "older-desk",
            "-p",
            "older-rule",
            "-p",
            "older-shaper",
        ]);
        cargo.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(&target_dir);
        for variable in
            ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WORKSPACE_WRAPPER", "CARGO_TARGET_DIR", "RUSTC_BOOTSTRAP"]
        {
            cargo.env_remove(variable);
        }
        assert!(cargo.status().unwrap().success(), "tests/guests must build");
        target_dir.join("wasm32-wasip2/release")
    });
    std::fs::read(built.join(format!("{name}.wasm"))).unwrap()
}

/// The hostile bot with its version number overwritten.
pub fn hostile_version(number: u32) -> Vec<u8> {
    written_over(guest("hostile_bot"), "version-0000", &format!("version-{number:04}"))
}

/// The misfit guest with this fault, a word of four letters.
pub fn misfit(deed: &str) -> Vec<u8> {
    written_over(guest("misfit"), "deed-none", &format!("deed-{deed}"))
}

pub fn written_over(mut bytes: Vec<u8>, mark: &str, other: &str) -> Vec<u8> {
    assert_eq!(mark.len(), other.len());
    let places: Vec<usize> =
        (0..bytes.len() - mark.len()).filter(|at| bytes[*at..].starts_with(mark.as_bytes())).collect();
    assert!(!places.is_empty(), "the mark must be in the component");
    for at in places {
        bytes[at..at + mark.len()].copy_from_slice(other.as_bytes());
    }
    bytes
}

pub fn cache_dir() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugin-cache")
}

pub fn client(number: u128) -> ClientId {
    ClientId(Uuid::from_u128(number))
}

/// Tuesday, 14 October 2025, 08:00 UTC.
pub fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_760_428_800, 0).unwrap()
}

/// A call of a plugin that is built in or in the directory.
pub fn call(plugin: &str) -> PluginCall<'static> {
    // Leaked: a test makes few calls, and its questions stay one line long.
    call_of(Box::leak(Box::new(PluginRef::shipped(plugin))))
}

pub fn call_of(plugin: &PluginRef) -> PluginCall<'_> {
    PluginCall {
        client: client(1),
        plugin,
        now: now(),
        seed: CallSeed::from_number(7),
        config: "{}",
        turn: "event-1",
        allowed_hosts: &[],
        http_limits: HttpLimits::default(),
        record: false,
    }
}

pub fn happens(kind: EventKind) -> Event {
    Event { id: "event-1".into(), sequence: 1, timestamp_ms: 1_760_428_800_000, kind, metadata: vec![] }
}

pub fn sends(content: Content) -> Event {
    happens(EventKind::Message(IncomingMessage { id: "message-1".into(), content, quoted: None }))
}

pub fn says(text: &str) -> Event {
    sends(Content::Text(text.into()))
}

pub fn session() -> Session {
    Session {
        participant_id: "participant-1".into(),
        client_ref: "demo".into(),
        business_number: "27110000000".into(),
        customer: Customer {
            phone: Some("27820000001".into()),
            user_id: Some("ZA.100".into()),
            username: None,
            name: Some("Zo".into()),
        },
        channel: Channel::Whatsapp,
        state: String::new(),
        now_ms: 1_760_428_800_000,
        local_time: LocalTime { utc_offset_minutes: 120, weekday: Weekday::Tuesday, hour: 10, minute: 0 },
        reopened: false,
        previous_template: None,
        window_ends_ms: None,
        last_team: None,
        attributes: vec![],
        metadata: vec![],
    }
}

pub fn only_text(actions: &[Action]) -> String {
    match actions {
        [Action::ReplyText(reply)] => reply.text.clone(),
        other => panic!("expected one text, found {other:?}"),
    }
}

/// A key-value store in memory that counts its reads.
#[derive(Default)]
pub struct Values {
    pub values: HashMap<(bool, String), Vec<u8>>,
    pub asked: Mutex<Vec<String>>,
    pub broken: bool,
}

#[async_trait]
impl KeyValueSnapshot for Values {
    async fn get(&self, scope: Scope, key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        self.asked.lock().unwrap().push(key.to_owned());
        if self.broken {
            return Err(KeyValueError("connection lost".into()));
        }
        Ok(self.values.get(&(scope == Scope::Client, key.to_owned())).cloned())
    }

    async fn list(&self, scope: Scope, wanted: &KeysWanted) -> Result<Vec<String>, KeyValueError> {
        self.asked.lock().unwrap().push(format!("{} after {:?}", wanted.prefix, wanted.after));
        let of_scope = self.values.keys().filter(|(of_client, _)| *of_client == (scope == Scope::Client));
        let mut keys: Vec<String> = of_scope.map(|(_, key)| key.clone()).filter(|key| wanted.includes(key)).collect();
        keys.sort();
        keys.truncate(wanted.most as usize);
        Ok(keys)
    }
}
