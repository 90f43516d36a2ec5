//! Plugins: the cost of a call in each language, compared with bare wasmtime and with an HTTP webhook bot. Also the time
//! from an upload to its use, the time of a rollback, and the memory of the plugins of a thousand clients.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use harness::{Patchbay, PatchbaySetup, TestClient};
use serde_json::{Value, json};

use crate::table::{Bar, Figure, median};

const CALLS: &str = "3000";
const HTTP_CALLS: usize = 5_000;
const HTTP_WARM_UP: usize = 500;
const ROUNDS: usize = 5;
const CLIENTS: &str = "1000";
const LANGUAGES: [&str; 6] = ["rust", "c", "js", "ts", "go", "python"];
const PLUGINS: &str = "/plugin-service/api/v1/plugins";

pub async fn measure() -> Vec<Figure> {
    let workplace = tempfile::tempdir().unwrap();
    let bots: Vec<(&str, PathBuf)> =
        LANGUAGES.into_iter().filter_map(|lang| Some((lang, bot_in(lang, workplace.path())?))).collect();
    let (mut figures, rust) = calls(&bots);
    figures.push(beside_http(rust, workplace.path()).await);
    let script = bots.iter().find(|(lang, _)| *lang == "js").map(|(_, file)| std::fs::read(file).unwrap());
    figures.extend(going_live(script).await);
    figures.push(many(&bots[0].1));
    figures
}

/// The hello bot of a language, as `patchbay plugin new` writes it; `None` where its tools are not to be had.
fn bot_in(lang: &str, folder: &Path) -> Option<PathBuf> {
    let name = format!("hello-{lang}");
    let run = |arguments: &[&str], folder: &Path| {
        Command::new(harness::binary()).args(arguments).current_dir(folder).output().unwrap()
    };
    let made = run(&["plugin", "new", "--lang", lang, "--world", "chatbot", &name], folder);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let project = folder.join(&name);
    let built = run(&["plugin", "build"], &project);
    if !built.status.success() {
        eprintln!("no {lang} bot: {}", String::from_utf8_lossy(&built.stderr));
        return None;
    }
    let printed = String::from_utf8(built.stdout).unwrap();
    let file = printed.split_whitespace().find(|word| word.ends_with(".wasm")).unwrap().to_owned();
    Some(project.join(file))
}

fn example(name: &str) -> Command {
    let here = std::env::current_exe().unwrap();
    let example = here.parent().and_then(|deps| deps.parent()).unwrap().join("examples").join(name);
    assert!(example.exists(), "{} is missing: `make bench` builds it", example.display());
    Command::new(example)
}

fn output(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The cost of a call in each language next to bare wasmtime, and that of Rust alone.
fn calls(bots: &[(&'static str, PathBuf)]) -> (Vec<Figure>, f64) {
    let mut command = example("bot_cost");
    command.arg(CALLS).args(bots.iter().map(|(lang, file)| format!("{lang}={}", file.display())));
    let lines: Vec<Value> = output(command).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let number = |line: &Value, name: &str| line[name].as_f64().unwrap();
    let note = |line: &Value| {
        format!(
            "p99 {} µs; bare wasmtime: instance {} µs, call {} µs, drop {} µs; component {} KiB, memory of a call {} \
             KiB, loading it took {} KiB",
            line["p99_us"],
            line["bare_instance_us"],
            line["bare_call_us"],
            line["bare_drop_us"],
            line["component_kib"],
            line["peak_memory_kib"],
            line["loaded_kib"]
        )
    };
    let figures = bots.iter().zip(&lines).map(|((lang, _), line)| Figure {
        name: match *lang {
            "rust" => "chatbot call in Rust, fresh instance",
            "c" => "the same in C",
            "js" => "the same in JavaScript",
            "ts" => "the same in TypeScript",
            "go" => "the same in Go",
            _ => "the same in Python",
        },
        unit: "µs at the median",
        measured: number(line, "p50_us"),
        floor: Some(number(line, "bare_p50_us")),
        beside: "the same component, pre-instantiated, in bare wasmtime".to_owned(),
        bar: Bar::AtMostTimes(1.5),
        notes: vec![note(line)],
    });
    (figures.collect(), number(&lines[0], "p50_us"))
}

/// A bot as most products would have it: a service of one's own that is posted to.
const WEBHOOK_BOT: &str = r#"
const http = require("http");
http.createServer((request, response) => {
  let text = "";
  request.on("data", (chunk) => (text += chunk));
  request.on("end", () => {
    const event = JSON.parse(text);
    const said = event.message.text;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ actions: [{ type: "reply-text", text: `You said: ${said}` }] }));
  });
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
"#;

struct WebhookBot(Child);

impl Drop for WebhookBot {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

async fn beside_http(rust: f64, folder: &Path) -> Figure {
    use std::io::BufRead;
    let file = folder.join("bot.cjs");
    std::fs::write(&file, WEBHOOK_BOT).unwrap();
    let mut bot = WebhookBot(Command::new("node").arg(&file).stdout(Stdio::piped()).spawn().unwrap());
    let mut port = String::new();
    std::io::BufReader::new(bot.0.stdout.take().unwrap()).read_line(&mut port).unwrap();
    let mut took = round_trips(&format!("http://127.0.0.1:{}/events", port.trim()), HTTP_CALLS).await;
    took.sort_unstable();
    let micros = |at: usize| took[took.len() * at / 100].as_secs_f64() * 1e6;
    Figure {
        name: "chatbot event in Rust",
        unit: "µs at the median",
        measured: rust,
        floor: Some(micros(50)),
        beside: "an HTTP webhook bot on loopback: Node.js, one connection kept open, no signature".to_owned(),
        bar: Bar::AtMostTimes(0.1),
        notes: vec![format!("the webhook bot: p50 {:.1} µs, p99 {:.1} µs a round trip", micros(50), micros(99))],
    }
}

/// Posts the same event again and again, as a host would that asks such a bot.
async fn round_trips(url: &str, count: usize) -> Vec<Duration> {
    let client = reqwest::Client::new();
    let mut took = Vec::with_capacity(count);
    for round in 0..count + HTTP_WARM_UP {
        let began = Instant::now();
        let answer = client.post(url).header("content-type", "application/json").body(hello()).send().await.unwrap();
        let actions: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        assert!(actions["actions"].is_array());
        if round >= HTTP_WARM_UP {
            took.push(began.elapsed());
        }
    }
    took
}

fn hello() -> Vec<u8> {
    let customer = json!({ "phone": "27820000001", "bsuid": "ZA.100", "username": null, "name": "Thandi" });
    let event = json!({
        "id": "0199df7e-8a00-7000-8000-000000000002", "sequence": 1, "timestamp": 1_760_428_800_000_u64,
        "message": { "id": "0199df7e-8a00-7000-8000-000000000001", "type": "text", "text": "Hello, is anybody there?" },
        "session": { "participantId": "0199df7e-8a00-7000-8000-000000000003", "clientRef": "demo",
            "businessNumber": "27110000000", "customer": customer, "channel": "whatsapp", "state": "" },
    });
    serde_json::to_vec(&event).unwrap()
}

/// From the bytes to the first event that the new version may answer: upload, activation, both answered.
async fn going_live(script: Option<Vec<u8>>) -> Vec<Figure> {
    let patchbay = PatchbaySetup::new().durable().start().await;
    let client = patchbay.client("acme", "27110000000").await;
    let mut figures = vec![upload(&client, "upload to live, 50 KB (Rust)", harness::greeter("Hello"), 500.0).await];
    if let Some(script) = script {
        figures.push(upload(&client, "upload to live, 1 MB (JavaScript)", script, 2_000.0).await);
    }
    figures.push(rollback(&client).await);
    drop::<Patchbay>(patchbay);
    figures
}

async fn upload(client: &TestClient, name: &'static str, component: Vec<u8>, bar: f64) -> Figure {
    let mut took = Vec::new();
    for round in 0..ROUNDS {
        // Another component each time, and in each run: nothing of it is compiled yet.
        let mut bytes = component.clone();
        bytes.extend([0, 8, 2, b'n', b'o', u8::try_from(round).unwrap()]);
        bytes.extend(std::process::id().to_le_bytes());
        let began = Instant::now();
        client.install("measured", bytes).await;
        took.push(millis(began.elapsed()));
    }
    let note = format!("{} bytes; each round {}", component.len() + 10, rounds(&took));
    Figure {
        name,
        unit: "ms",
        measured: median(took),
        floor: None,
        beside: "-".to_owned(),
        bar: Bar::AtMost(bar),
        notes: vec![note],
    }
}

async fn rollback(client: &TestClient) -> Figure {
    let mut took = Vec::new();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let reply = client.post(&format!("{PLUGINS}/measured/rollback"), &json!({})).await;
        took.push(millis(began.elapsed()));
        assert_eq!(reply.status, 200, "{}", reply.text);
    }
    let note = format!("each round {}", rounds(&took));
    Figure {
        name: "rollback",
        unit: "ms",
        measured: median(took),
        floor: None,
        beside: "-".to_owned(),
        bar: Bar::AtMost(10.0),
        notes: vec![note],
    }
}

fn millis(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

fn rounds(took: &[f64]) -> String {
    took.iter().map(|ms| format!("{ms:.1}")).collect::<Vec<_>>().join(", ") + " ms"
}

fn many(component: &Path) -> Figure {
    let mut command = example("many_plugins");
    command.arg(CLIENTS).arg(component);
    let result: Value = serde_json::from_str(&output(command)).unwrap();
    let mib = |name: &str| result[name].as_f64().unwrap();
    Figure {
        name: "1,000 clients' plugins loaded",
        unit: "MB resident",
        measured: mib("called_mib"),
        floor: None,
        beside: "-".to_owned(),
        bar: Bar::Watch,
        notes: vec![format!(
            "{} MiB before, {} MiB loaded, {} MiB once each was called",
            result["before_mib"], result["loaded_mib"], result["called_mib"]
        )],
    }
}
