//! The export `validation` in every language with a template, each in another world: the key `validates` of plugin.toml.

use std::{io::Write as _, sync::Arc, time::Duration};

use author::{BuildError, Lang, Project, new};
use domain::ids::ClientId;
use plugin_host::{CallLimits, HostConfig, PluginHost, PluginRef, World};

use crate::component_cache;

const CLIENT: ClientId = ClientId(uuid::Uuid::nil());

const SCRIPT: &str = "
import { configCheck } from './patchbay/validation';

export const validation = configCheck((config) =>
  config.greeting === '' ? [{ field: 'greeting', message: 'must not be empty' }] : [],
);
";

const PYTHON: &str = r#"

from patchbay.validation import config_check


@config_check
def judge(config):
    if "total" in config:
        return total(config)
    return [("greeting", "must not be empty")] if config.get("greeting") == "" else []


def total(config):
    return config["lines"]
"#;

const GO: &str = r#"package main

import "local/patchbay"

type settings struct {
	Greeting *string `json:"greeting"`
}

func init() { patchbay.CheckConfig(judge) }

func judge(config settings) []patchbay.Finding {
	if config.Greeting != nil && *config.Greeting == "" {
		return []patchbay.Finding{{Field: "greeting", Message: "must not be empty"}}
	}
	return nil
}
"#;

const C: &str = r#"#include "json.h"
#include "validation.h"

static void judge(const char *config, patchbay_findings *out) {
  char *greeting = patchbay_json_text(config, "greeting");
  if (greeting != NULL && *greeting == 0) patchbay_find(out, "greeting", "must not be empty");
}

PATCHBAY_CONFIG_CHECK(judge)
"#;

#[tokio::test]
async fn a_chatbot_in_typescript_judges_its_configuration() {
    judges(Lang::Ts, World::Chatbot, ("main.ts", SCRIPT)).await;
}

#[tokio::test]
async fn a_router_in_javascript_judges_its_configuration() {
    judges(Lang::Js, World::Router, ("main.js", SCRIPT)).await;
}

/// One test for both, because a component with Python takes a minute.
#[tokio::test]
async fn a_shaper_in_python_judges_its_configuration_and_an_exception_is_shown_with_its_last_line_and_its_place() {
    let Some(built) = judges(Lang::Python, World::WebhookShaper, ("main.py", PYTHON)).await else { return };
    let error = built.host.validate_config(CLIENT, &built.plugin, r#"{"total":1}"#).await.unwrap_err().to_string();
    assert!(error.contains("it raised KeyError: 'lines' (File "), "{error}");
    assert!(error.contains("in total)"), "{error}");
}

#[tokio::test]
async fn an_sms_router_in_go_judges_its_configuration() {
    judges(Lang::Go, World::SmsRouter, ("check.go", GO)).await;
}

#[tokio::test]
async fn an_sms_fallback_in_c_judges_its_configuration() {
    judges(Lang::C, World::SmsFallback, ("check.c", C)).await;
}

/// A built plugin in a host.
struct BuiltPlugin {
    host: Arc<PluginHost>,
    plugin: PluginRef,
}

/// Adds the code to a file of a new project that judges configurations. `None` if the tools of its language are missing.
async fn built(lang: Lang, world: World, (file, code): (&str, &str)) -> Option<BuiltPlugin> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join(format!("judge-{lang}"));
    new::create(&new::NewProject { folder: root.clone(), lang, world }).unwrap();
    for (file, text) in [(file, code), ("plugin.toml", "validates = true\n")] {
        let mut file = std::fs::File::options().create(true).append(true).open(root.join(file)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
    let project = Project::open(&root).unwrap();
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
    let examined = host.examine(CLIENT, &project.name, component).await;
    let examined = examined.unwrap_or_else(|fault| panic!("{fault:?}"));
    assert_eq!(examined.world, world);
    let plugin = PluginRef::uploaded(&project.name, 1, examined.sha256);
    Some(BuiltPlugin { host, plugin })
}

/// The plugin, after its judgements. `None` if the tools of its language are missing.
async fn judges(lang: Lang, world: World, program: (&str, &str)) -> Option<BuiltPlugin> {
    let built = built(lang, world, program).await?;
    for (config, found) in [
        (r#"{"greeting":""}"#, vec![("greeting".to_owned(), "must not be empty".to_owned())]),
        (r#"{"greeting":"hi"}"#, vec![]),
        ("{}", vec![]),
    ] {
        let findings = built.host.validate_config(CLIENT, &built.plugin, config).await;
        let findings = findings.unwrap_or_else(|error| panic!("{error}"));
        let findings: Vec<_> = findings.into_iter().map(|finding| (finding.field, finding.message)).collect();
        assert_eq!(findings, found, "{config}");
    }
    Some(built)
}
