//! Random numbers and clocks of plugins follow from the call, although an engine or a program is initialised at the build.

use std::{path::Path, sync::Arc, time::Duration};

use author::{BuildError, Lang, Project, build, new};
use domain::ids::ClientId;
use plugin_host::{
    CallLimits, CallSeed, DryAnswer, HostConfig, HttpLimits, NoKeyValues, PluginCall, PluginHost, PluginRef, World,
    WorldQuestion,
};
use serde_json::Value;

use crate::component_cache;

/// The numbers are those of the text `Hello`, which [`WorldQuestion::sample`] has.
const SCRIPT: &str = include_str!("helpers/main.ts");
const PYTHON: &str = include_str!("helpers/main.py");

/// Main program of Go, which draws its numbers with these packages.
pub const GO: &str = r#"
package main

import (
	crand "crypto/rand"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"math/rand"
	randv2 "math/rand/v2"
	"time"

	"local/patchbay"
)

var weekdays = map[int]string{0: "a", 1: "b", 2: "c", 3: "d", 4: "e", 5: "f", 6: "g", 7: "h", 8: "i", 9: "j", 10: "k"}

func init() { patchbay.Chatbot(handle) }

func handle(event patchbay.Event, session patchbay.Session) ([]patchbay.Action, error) {
	orders := ""
	for range 8 {
		for day := range weekdays {
			orders += fmt.Sprint(day, " ")
		}
	}
	bytes := make([]byte, 8)
	crand.Read(bytes)
	seed := maphash.MakeSeed()
	now := time.Now()
	answer, err := json.Marshal(map[string]any{
		"drawn": map[string]any{
			"v1": []any{rand.Int63(), rand.Intn(1e9), rand.Perm(20)}, "v2": []any{randv2.Uint64(), randv2.Float64()},
			"crypto": bytes, "orders": orders, "maphash": maphash.String(seed, "a"),
		},
		"fixed": []any{weekdays[3], len(weekdays)},
		"time":  []any{now.UnixMilli(), time.Now().UnixMilli()},
	})
	return []patchbay.Action{patchbay.ReplyText(string(answer))}, err
}

func main() {}
"#;

/// A built plugin in a host.
pub struct Plugin {
    host: Arc<PluginHost>,
    plugin: PluginRef,
}

impl Plugin {
    /// `None` if the tools of its language are missing.
    pub async fn built(lang: Lang, (file, main): (&str, &str), more: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let project = project(folder.path(), lang, (file, main), more);
        let component = match component_cache::component(&project) {
            Err(BuildError::ToolMissing { tool, .. }) if std::env::var_os("CI").is_none() => {
                println!("skipped: {tool} is missing");
                return None;
            }
            built => std::fs::read(built.unwrap_or_else(|error| panic!("{error}"))).unwrap(),
        };
        // A busy machine must not end a call.
        let limits = CallLimits { wall_clock: Duration::from_secs(60), ..CallLimits::default() };
        let config = HostConfig { built_ins: false, limits, ..HostConfig::new(component_cache::compiled()) };
        let host = PluginHost::start(config).await.unwrap();
        let examined = host.examine(client(), &project.name, component).await;
        let plugin = PluginRef::uploaded(&project.name, 1, examined.unwrap_or_else(|fault| panic!("{fault:?}")).sha256);
        Some(Self { host, plugin })
    }

    pub async fn ask(&self, seed: u64) -> DryAnswer {
        let call = PluginCall {
            client: client(),
            plugin: &self.plugin,
            now: now(),
            seed: CallSeed::from_number(seed),
            config: "{}",
            turn: "event-1",
            allowed_hosts: &[],
            http_limits: HttpLimits::default(),
            record: true,
        };
        let asked = self.host.dry_run(call, &WorldQuestion::sample(World::Chatbot), Arc::new(NoKeyValues)).await;
        asked.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Random numbers differ between calls with other randomness, and nothing else does.
    pub async fn draws_from_the_call(&self) {
        let (first, again, other) = (self.ask(1).await, self.ask(1).await, self.ask(2).await);
        assert_eq!(said(&first), said(&again));
        let (first_said, other_said) = (said(&first), said(&other));
        for (what, drawn) in first_said["drawn"].as_object().unwrap() {
            assert_ne!(drawn, &other_said["drawn"][what], "{what} is the same for other randomness");
        }
        assert_eq!(first_said["fixed"], other_said["fixed"]);
        for time in first_said["time"].as_array().unwrap() {
            assert_eq!(time.as_i64(), Some(now().timestamp_millis()), "{first_said}");
        }
        for answer in [first, other] {
            let recording = answer.trace.recording.unwrap();
            let replay = self.host.replay(client(), &self.plugin, &recording).await.unwrap();
            assert!(replay.identical, "{:?}", replay.first_difference);
        }
    }
}

pub fn project(folder: &Path, lang: Lang, (file, main): (&str, &str), more: &str) -> Project {
    let root = folder.join(format!("random-{lang}"));
    new::create(&new::NewProject { folder: root.clone(), lang, world: World::Chatbot }).unwrap();
    std::fs::write(root.join(file), main).unwrap();
    let manifest = format!("name = \"random-{lang}\"\nlang = \"{lang}\"\nworld = \"chatbot\"\n{more}");
    std::fs::write(root.join("plugin.toml"), manifest).unwrap();
    Project::open(&root).unwrap()
}

fn client() -> ClientId {
    ClientId(uuid::Uuid::nil())
}

/// Monday, 5 January 2026, 09:00 UTC.
fn now() -> chrono::DateTime<chrono::Utc> {
    chrono::DateTime::from_timestamp(1_767_603_600, 0).unwrap()
}

/// The JSON in the only text of an answer.
fn said(answer: &DryAnswer) -> Value {
    let (_, answer) = answer.answer.to_json();
    fn text(value: &Value) -> Option<&str> {
        match value {
            Value::String(text) if text.starts_with('{') => Some(text),
            Value::Array(parts) => parts.iter().find_map(text),
            Value::Object(parts) => parts.values().find_map(text),
            _ => None,
        }
    }
    serde_json::from_str(text(&answer).unwrap_or_else(|| panic!("{answer}"))).unwrap()
}

#[tokio::test]
async fn a_javascript_plugin_draws_its_numbers_from_the_call() {
    let Some(plugin) = Plugin::built(Lang::Js, ("main.js", SCRIPT), "").await else { return };
    plugin.draws_from_the_call().await;
}

#[tokio::test]
async fn a_typescript_plugin_draws_its_numbers_from_the_call() {
    let Some(plugin) = Plugin::built(Lang::Ts, ("main.ts", SCRIPT), "").await else { return };
    plugin.draws_from_the_call().await;
}

#[tokio::test]
async fn a_python_plugin_draws_its_numbers_from_the_call() {
    let Some(plugin) = Plugin::built(Lang::Python, ("main.py", PYTHON), "").await else { return };
    plugin.draws_from_the_call().await;
}

#[tokio::test]
async fn a_go_plugin_draws_its_numbers_from_the_call() {
    let Some(plugin) = Plugin::built(Lang::Go, ("main.go", GO), "").await else { return };
    plugin.draws_from_the_call().await;
}

/// The output of a build that is refused. `None` if the tools of its language are missing.
fn refusal(lang: Lang, main: (&str, &str)) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    match build::build(&project(folder.path(), lang, main, ""), &mut |_| {}) {
        Err(BuildError::Failed { output, .. }) => Some(output),
        Err(BuildError::ToolMissing { tool, .. }) if std::env::var_os("CI").is_none() => {
            println!("skipped: {tool} is missing");
            None
        }
        other => panic!("{lang}: {other:?}"),
    }
}

#[test]
fn a_script_cannot_draw_a_secret_at_the_build() {
    let main = "const token = crypto.randomUUID();\nexport const bot = { handle: () => [] };\n";
    let Some(output) = refusal(Lang::Js, ("main.js", main)) else { return };
    assert!(output.contains("Draw them in the call"), "{output}");
}

/// Reads the configuration, which may have secrets, while it is loaded.
const READS_AT_THE_BUILD: &str = "
import { config } from './patchbay';
import { chatbot, reply } from './patchbay/chatbot';

const token = String(config().token);
export const bot = chatbot(() => [reply.text(token)]);
";

#[test]
fn a_javascript_plugin_cannot_read_its_configuration_at_the_build() {
    let Some(output) = refusal(Lang::Js, ("main.js", READS_AT_THE_BUILD)) else { return };
    assert!(output.contains("call config, kv, http and log only inside your functions"), "{output}");
}

#[test]
fn a_typescript_plugin_cannot_read_its_configuration_at_the_build() {
    let Some(output) = refusal(Lang::Ts, ("main.ts", READS_AT_THE_BUILD)) else { return };
    assert!(output.contains("call config, kv, http and log only inside your functions"), "{output}");
}

#[test]
fn a_python_plugin_cannot_read_its_configuration_at_the_build() {
    let main = "
from patchbay import config
from patchbay.chatbot import chatbot, text

token = str(config().get('token'))


@chatbot
def handle(event, session):
    return [text(token)]
";
    let Some(output) = refusal(Lang::Python, ("main.py", main)) else { return };
    assert!(output.contains("call kv, http, config and log only inside your functions"), "{output}");
}
