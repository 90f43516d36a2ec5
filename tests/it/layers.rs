//! Checks the dependency rule of docs/ARCHITECTURE.md with the manifests that cargo reports, and the place and length
//! of source files.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// Crates that every use case may name.
const BELOW_BASE: &[&str] = &["domain", "storage", "plugin-host", "channels", "settings", "people"];

/// The crates of use cases. They may also name the crates of [`BELOW_BASE`].
const USE_CASES: &[&str] =
    &["inbound", "sms", "chat", "outbound", "webhooks", "plugins", "events", "tenancy", "operators", "base"];

/// The crates that each crate may depend on; for use cases, in addition to [`BELOW_BASE`].
const ALLOWED: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("storage", &[]),
    ("plugin-bindings", &[]),
    ("plugin-host", &["plugin-bindings"]),
    ("channels", &[]),
    ("lite-native", &["channels"]),
    ("settings", &["channels"]),
    ("people", &["storage"]),
    ("base", &["domain", "storage", "plugin-host", "channels", "settings"]),
    ("tenancy", &["base"]),
    ("operators", &["base"]),
    ("events", &["tenancy", "base"]),
    ("plugins", &["events", "tenancy", "base"]),
    ("webhooks", &["plugins", "events", "tenancy", "base"]),
    ("outbound", &["plugins", "events", "tenancy", "base"]),
    ("chat", &["outbound", "plugins", "events", "tenancy", "base"]),
    ("inbound", &["chat", "outbound", "events", "tenancy", "base"]),
    ("sms", &["chat", "outbound", "plugins", "events", "tenancy", "base"]),
    ("api-core", &["tenancy", "base"]),
    ("api-messaging", &["api-core", "inbound", "chat", "outbound", "tenancy", "base"]),
    ("api-webhooks", &["api-core", "webhooks"]),
    ("api-accounts", &["api-core", "outbound", "tenancy"]),
    ("api-desk", &["api-core", "chat", "events", "tenancy", "base"]),
    ("api-plugins", &["api-core", "chat", "plugins", "base"]),
    ("api-gateways", &["api-core", "inbound", "sms", "tenancy", "base"]),
    ("api-webchat", &["api-core", "inbound", "tenancy", "base"]),
    ("api-operators", &["api-core", "operators", "base"]),
    ("console", &[]),
    (
        "api",
        &[
            "console",
            "api-core",
            "api-messaging",
            "api-webhooks",
            "api-accounts",
            "api-desk",
            "api-plugins",
            "api-gateways",
            "api-webchat",
            "api-operators",
            "operators",
            "inbound",
            "sms",
            "outbound",
            "plugins",
            "events",
            "tenancy",
            "base",
        ],
    ),
    ("workers", USE_CASES),
    ("simulator", &[]),
    ("author", &["plugin-host", "channels"]),
    ("scratch", &["storage"]),
    ("props", &["base", "settings", "storage", "plugin-host", "channels"]),
    ("fenced-blocks", &[]),
    ("harness", &["scratch", "simulator"]),
];

/// Libraries and the crates that may use them. `api*` is `api` and every crate whose name begins with `api-`.
const OWNED: &[(&str, &[&str])] = &[
    ("sqlx", &["storage", "scratch", "harness"]),
    ("wasmtime", &["plugin-host", "plugin-bindings"]),
    ("wasmtime-wasi", &["plugin-host", "plugin-bindings"]),
    ("wasmtime-wizer", &["plugin-host"]),
    ("reqwest", &["channels", "simulator", "harness"]),
    ("object_store", &["channels"]),
    ("openidconnect", &["channels"]),
    ("opentelemetry", &["app"]),
    ("opentelemetry_sdk", &["app"]),
    ("opentelemetry-otlp", &["app"]),
    ("opentelemetry-http", &["app"]),
    ("lettre", &["channels"]),
    ("mail-parser", &["channels"]),
    ("smtp-proto", &["channels"]),
    ("axum", &["api*", "simulator", "app", "harness"]),
    ("utoipa", &["api*", "domain"]),
    ("utoipa-axum", &["api*"]),
    ("utoipa-swagger-ui", &["api"]),
    ("pulldown-cmark", &["api"]),
    ("whatsapp-rust", &["lite-native"]),
    ("minisign-verify", &["plugins"]),
    ("oci-client", &["author"]),
];

/// Files that include a module of other tests by its path, because that module is in no library.
const SHARING: &[&str] = &[
    "host/api/tests/frozen_database.rs",
    "host/app/tests/compiler.rs",
    "host/plugin-host/examples/compile_bombs.rs",
    "tests/soak/main.rs",
];

fn root() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("..")
}

/// Every tracked Rust file, by its path from the root.
fn sources() -> Vec<String> {
    let output = Command::new("git").args(["ls-files", "*.rs"]).current_dir(root()).output().unwrap();
    let files: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert!(files.len() > 100, "found only {} files", files.len());
    files
}

fn dependencies() -> HashMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(std::env::var_os("CARGO_MANIFEST_DIR").unwrap())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let names = |package: &Value| {
        let all = package["dependencies"].as_array().unwrap();
        let normal = all.iter().filter(|dependency| dependency["kind"].is_null());
        normal.map(|dependency| dependency["name"].as_str().unwrap().to_owned()).collect()
    };
    packages.iter().map(|package| (package["name"].as_str().unwrap().to_owned(), names(package))).collect()
}

#[test]
fn dependencies_between_our_crates_point_one_way() {
    let packages = dependencies();
    for (package, dependencies) in packages.iter().filter(|(package, _)| *package != "app") {
        let allowed = ALLOWED.iter().find(|(name, _)| name == package);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{package} has no place in the layout: give it one"));
        let below: &[&str] = if USE_CASES.contains(&package.as_str()) { BELOW_BASE } else { &["domain"] };
        for dependency in dependencies.iter().filter(|name| packages.contains_key(*name)) {
            let allowed = allowed.iter().chain(below).any(|name| name == dependency);
            assert!(allowed, "{package} must not depend on {dependency}");
        }
    }
}

#[test]
fn a_package_and_its_library_have_one_name() {
    for folder in ["host", "tests"] {
        let manifests =
            Command::new("git").args(["ls-files", "--", &format!("{folder}/*Cargo.toml")]).current_dir(root()).output();
        let manifests = String::from_utf8(manifests.unwrap().stdout).unwrap();
        for manifest in manifests.lines().filter(|path| !path.contains("/guests/")) {
            let text = std::fs::read_to_string(root().join(manifest)).unwrap();
            let library = text.split("[lib]").nth(1).and_then(|rest| rest.split("\n[").next());
            assert!(
                !library.is_some_and(|lines| lines.contains("name =")),
                "{manifest} gives its library another name"
            );
        }
    }
}

#[test]
fn libraries_with_one_owner_stay_with_it() {
    for (package, dependencies) in dependencies() {
        for (library, owners) in OWNED {
            let uses = dependencies.iter().any(|name| name == library);
            let of_api = owners.contains(&"api*") && (package == "api" || package.starts_with("api-"));
            assert!(!uses || of_api || owners.contains(&package.as_str()), "{package} must not use {library}");
        }
    }
}

/// Places that may name the types of world `webhook-shaper`: the code that fills them, the code that runs it, and the
/// tools for its authors.
const SHAPER_WORDS: &[&str] = &["host/webhooks/", "host/plugin-host/", "host/author/", "host/app/"];

#[test]
fn no_use_case_uses_the_terms_of_a_webhook_body() {
    let root = std::path::PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("..");
    let output = Command::new("git").args(["ls-files", "host/*.rs"]).current_dir(&root).output().unwrap();
    let speaks = |file: &&str| {
        let elsewhere = file.contains("/src/") && !SHAPER_WORDS.iter().any(|place| file.starts_with(place));
        elsewhere && std::fs::read_to_string(root.join(file)).is_ok_and(|text| text.contains("webhook_shaper"))
    };
    let files = String::from_utf8(output.stdout).unwrap();
    let found: Vec<&str> = files.lines().filter(speaks).collect();
    assert!(found.is_empty(), "record an event of `domain::event` instead: {found:?}");
}

/// Code for all channels, which asks the carrier, the row of the channel or `CodeMeaning`.
const FOR_ALL_CHANNELS: &[&str] = &[
    "host/outbound/src/",
    "host/channels/src/account.rs",
    "host/channels/src/carrier/",
    "host/channels/src/http/",
    "host/channels/src/media_download.rs",
    "host/storage/src/work/",
    "host/workers/src/",
];

/// Modules of providers, and the types of the provider whose module has the name of a table.
const PROVIDERS: &[&str] =
    &["whatsapp_cloud", "whatsapp_lite", "telegram", "smpp", "MessengerApi", "MessengerCarrier", "MessengerPage"];

#[test]
fn code_for_all_channels_names_no_provider() {
    let root = root();
    let names = |file: &String| {
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        PROVIDERS.iter().any(|provider| code.contains(provider))
    };
    let is_for_all = |file: &String| FOR_ALL_CHANNELS.iter().any(|folder| file.starts_with(folder));
    let found: Vec<String> = sources().into_iter().filter(|file| is_for_all(file) && names(file)).collect();
    assert!(found.is_empty(), "ask the carrier or the row of the channel instead: {found:?}");
}

/// Words of routers, receipts, parts and credits of SMS, which belong to `host/sms` (ADR 0056).
const SMS_WORDS: &[&str] = &[
    "sms::accepted_parts",
    "sms::directory",
    "sms::inbound",
    "sms::parts",
    "sms::routes",
    "products::callbacks",
    "products::mails",
    "products::messages",
    "products::requests",
    "products::tracking",
    "tenancy::credits",
    "sms_router",
    "sms_route",
    "SmsRoute",
    "SmppEvents",
    "SmscReceipt",
    "FinalReceipt",
    "GatewayStatus",
    "SmsProduct",
    "UndeliveredSms",
    "RefusedByRouter",
];

#[test]
fn the_dispatcher_and_the_events_do_not_name_the_rules_of_sms() {
    let read = |file: &String| std::fs::read_to_string(root().join(file)).unwrap_or_default();
    let is_neutral = |file: &String| {
        // The story of a message shows the stored decisions of routers.
        file != "host/outbound/src/story.rs"
            && ["host/outbound/src/", "host/events/src/"].iter().any(|place| file.starts_with(place))
    };
    let files: Vec<String> = sources().into_iter().filter(is_neutral).collect();
    assert!(files.len() > 50, "found only {} files", files.len());
    let mut found = Vec::new();
    for file in files {
        let text = read(&file);
        found.extend(SMS_WORDS.iter().filter(|word| text.contains(**word)).map(|word| format!("{file}: {word}")));
    }
    assert!(found.is_empty(), "give the hook or the reader of `sms` the rule: {found:?}");
}

#[test]
fn no_source_file_is_longer_than_five_hundred_lines() {
    let root = root();
    let lines = |file: &String| std::fs::read_to_string(root.join(file)).map_or(0, |text| text.lines().count());
    let long: Vec<String> = sources().into_iter().filter(|file| lines(file) > 500).collect();
    assert!(long.is_empty(), "find the seam and split: {long:?}");
}

#[test]
fn a_module_with_a_directory_is_its_mod_rs() {
    let files = sources();
    let directories: HashSet<&Path> = files.iter().flat_map(|file| Path::new(file).ancestors().skip(1)).collect();
    let has_directory = |file: &&String| directories.contains(Path::new(file).with_extension("").as_path());
    let split: Vec<&String> = files.iter().filter(has_directory).collect();
    assert!(split.is_empty(), "move each of these to `mod.rs` in its directory: {split:?}");
}

#[test]
fn modules_are_where_their_names_say() {
    let root = root();
    let by_path = |file: &String| {
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        text.lines().any(|line| line.trim_start().starts_with("#[path"))
    };
    let hidden: Vec<String> =
        sources().into_iter().filter(|file| !SHARING.contains(&file.as_str()) && by_path(file)).collect();
    assert!(hidden.is_empty(), "leave out `#[path]` and put the module where it is looked for: {hidden:?}");
}

/// Crates whose row in `docs/ARCHITECTURE.md` names their contents.
const DESCRIBED: [&str; 13] = [
    "storage",
    "plugin-host",
    "channels",
    "base",
    "tenancy",
    "events",
    "plugins",
    "webhooks",
    "outbound",
    "chat",
    "sms",
    "inbound",
    "api-core",
];

#[test]
fn the_architecture_document_names_every_directory_of_a_use_case_crate() {
    let architecture = std::fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let files = sources();
    let mut missing = HashSet::new();
    for krate in DESCRIBED {
        let row = format!("| `host/{krate}` |");
        let row =
            architecture.lines().find(|line| line.starts_with(&row)).unwrap_or_else(|| panic!("no row for {krate}"));
        let inside = format!("host/{krate}/src/");
        let directories = files.iter().filter_map(|file| Some(file.strip_prefix(&inside)?.split_once('/')?.0));
        missing.extend(
            directories.filter(|name| *name != "bin" && !row.contains(&format!("`{name}`"))).map(|name| (krate, name)),
        );
    }
    assert!(missing.is_empty(), "say what these hold: {missing:?}");
}
