//! The metrics, their document, and the dashboard and the alert rules that name them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use harness::{PatchbaySetup, SharedPatchbay, eventually};
use serde_json::json;

fn root() -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("..")
}

/// The metrics of a page: name, and type with meaning.
fn described(page: &str) -> BTreeMap<String, (String, String)> {
    let of = |mark: &str| -> BTreeMap<String, String> {
        let lines = page.lines().filter_map(|line| line.strip_prefix(mark)?.split_once(' '));
        lines.map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
    };
    let (meanings, kinds) = (of("# HELP "), of("# TYPE "));
    assert_eq!(meanings.keys().collect::<Vec<_>>(), kinds.keys().collect::<Vec<_>>(), "HELP and TYPE");
    kinds.into_iter().map(|(name, kind)| (name.clone(), (kind, meanings[&name].clone()))).collect()
}

fn value(page: &str, series: &str) -> Option<f64> {
    page.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' ')?.parse().ok())
}

/// `UPDATE_DOCS=1` writes the table.
#[tokio::test]
async fn the_documentation_has_one_row_for_each_metric_of_the_running_program() {
    let page = SharedPatchbay::get().await.get("/metrics").await.text;
    let rows: String = described(&page)
        .into_iter()
        .map(|(name, (kind, meaning))| format!("| `{name}` | {kind} | {meaning} |\n"))
        .collect();
    let path = root().join("docs/metrics.md");
    let text = fs::read_to_string(&path).unwrap();
    let (head, table) = text.split_once("|---|---|---|\n").expect("the table");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, format!("{head}|---|---|---|\n{rows}")).unwrap();
    } else {
        assert_eq!(table, rows, "run with UPDATE_DOCS=1 to write the table again");
    }
}

#[tokio::test]
async fn each_sample_has_a_type_and_a_meaning_and_each_counter_ends_in_total() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    let page = patchbay.get("/metrics").await.text;
    let metrics = described(&page);
    for (name, (kind, _)) in &metrics {
        assert_eq!(name.ends_with("_total"), kind == "counter", "{name} is a {kind}");
        assert!(kind != "summary" && name.is_ascii(), "{name} is a {kind}");
    }
    for line in page.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let name = line.split(['{', ' ']).next().unwrap();
        let family = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        let known = metrics.contains_key(name) || family.is_some_and(|family| metrics.contains_key(family));
        assert!(known, "{line}");
    }
}

#[test]
fn each_metric_of_the_sources_is_documented() {
    let document = fs::read_to_string(root().join("docs/metrics.md")).unwrap();
    let mut unknown = BTreeSet::new();
    let mut found = 0;
    let mut folders = vec![root().join("host")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() && path.file_name().is_none_or(|name| name != "tests") {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let text = fs::read_to_string(path).unwrap();
                for kind in ["counter", "gauge", "histogram"] {
                    let begin = format!("metrics::{kind}!(\"");
                    let names = text.split(&begin).skip(1);
                    for name in names.filter_map(|rest| rest.split('"').next()).filter(|name| *name != "waited_seconds")
                    {
                        found += 1;
                        if !document.contains(&format!("| `{name}` | {kind} |")) {
                            unknown.insert(format!("{kind} {name}"));
                        }
                    }
                }
            }
        }
    }
    assert!(found > 40 && unknown.is_empty(), "{found} found, unknown: {unknown:#?}");
}

#[tokio::test]
async fn queues_providers_and_the_process_are_measured() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 50);
    let body = json!({ "messageText": "hello", "recipients": [{ "to": "27829000001" }] });
    patchbay.sms(&client, "/sms/json", &body).await.ok();
    let accepted = "patchbay_provider_calls_total{provider=\"smpp\",outcome=\"accepted\",code=\"none\"}";
    let page = eventually("an accepted call", || async {
        let page = patchbay.get("/metrics").await.text;
        value(&page, accepted).map(|_| page)
    })
    .await;
    assert!(value(&page, "patchbay_provider_last_success_timestamp_seconds{provider=\"smpp\"}").is_some(), "{page}");

    patchbay.simulate("/simulator/faults", &json!({ "smscThrottle": 100_000 })).await;
    patchbay.sms(&client, "/sms/json", &body).await.ok();
    let page = eventually("a waiting message and a refused call", || async {
        let page = patchbay.get("/metrics").await.text;
        let waiting = ["ready", "later"].map(|state| {
            value(&page, &format!("patchbay_queue_rows{{queue=\"outbound\",state=\"{state}\"}}")).unwrap_or_default()
        });
        let refused = page.lines().any(|line| line.contains("outcome=\"slow_down\""));
        (waiting.iter().sum::<f64>() > 0.0 && refused).then_some(page)
    })
    .await;
    for series in [
        "patchbay_queue_oldest_due_seconds{queue=\"webhook\"}",
        "patchbay_queue_lanes{queue=\"outbound\",state=\"free\"}",
        "patchbay_inboxes_waiting{reason=\"closed\"}",
        "patchbay_tokens_refused",
        "patchbay_lite_sessions{state=\"disconnected\"}",
        "patchbay_database_connections{state=\"used\"}",
        "patchbay_disk_free_bytes{place=\"data_dir\"}",
        "process_resident_memory_bytes",
        "process_cpu_seconds_total",
        "process_open_fds",
    ] {
        assert!(value(&page, series).is_some(), "{series} is missing:\n{page}");
    }
    assert_eq!(value(&page, "patchbay_worker_processes"), Some(1.0));
    assert!(page.lines().any(|line| line.starts_with("patchbay_smpp_bind_up{") && line.ends_with(" 1")), "{page}");
    assert!(
        page.lines().any(|line| line.starts_with("patchbay_build_info{version=") && line.ends_with(" 1")),
        "{page}"
    );
}

#[tokio::test]
async fn a_process_that_only_works_has_probes_and_metrics() {
    let patchbay = PatchbaySetup::new().set("server.workers", "false").start().await;
    let worker = patchbay.listening_worker().await;
    let get = |path: &str| patchbay.http.get(format!("{}{path}", worker.url)).send();
    assert_eq!(get("/healthz").await.unwrap().status(), 200);
    assert_eq!(get("/readyz").await.unwrap().status(), 200);
    assert_eq!(get("/docs").await.unwrap().status(), 404);
    let page = get("/metrics").await.unwrap().text().await.unwrap();
    assert!(value(&page, "patchbay_worker_processes").is_some(), "{page}");
    assert!(page.contains("patchbay_smpp_bind_up{"), "{page}");
}

/// The words of a text that look like metrics, without the endings of histograms.
fn metrics_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let named = words.filter(|word| word.starts_with("patchbay_") || word.starts_with("process_"));
    let plain = |word: &str| {
        ["_bucket", "_sum", "_count"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word).to_owned()
    };
    named.map(plain).collect()
}

#[test]
fn the_dashboard_and_the_alert_rules_name_documented_metrics_only() {
    let documented = metrics_in(&fs::read_to_string(root().join("docs/metrics.md")).unwrap());
    for file in ["deploy/grafana/patchbay.json", "deploy/prometheus/alerts.yaml", "deploy/prometheus/alerts.test.yaml"]
    {
        let named = metrics_in(&fs::read_to_string(root().join(file)).unwrap());
        let unknown: Vec<_> = named.difference(&documented).collect();
        assert!(named.len() > 5 && unknown.is_empty(), "{file}: {unknown:?}");
    }
}

#[test]
fn the_alerts_fire_under_their_conditions() {
    let rules = root().join("deploy/prometheus");
    let output = std::process::Command::new("promtool")
        .args(["test", "rules", "alerts.test.yaml"])
        .current_dir(rules)
        .output()
        .expect("promtool (make setup-test)");
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
}
