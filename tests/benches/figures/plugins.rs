//! Plugins: the cost of a call in each language, compared with bare wasmtime and with an HTTP webhook bot, the time until
//! a version is live, and the memory of the plugins of a thousand clients.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    table::{Bar, Figure},
    versions,
};

const CALLS: &str = "3000";
const HTTP_CALLS: usize = 5_000;
const HTTP_WARM_UP: usize = 500;
const CLIENTS: &str = "1000";
/// Each language with the goal for the median of a call in µs.
const LANGUAGES: [(&str, f64); 6] =
    [("rust", 10.0), ("c", 15.0), ("js", 60.0), ("ts", 60.0), ("go", 100.0), ("python", 450.0)];

pub async fn measure() -> Vec<Figure> {
    let workplace = tempfile::tempdir().unwrap();
    let bots: Vec<(&str, PathBuf)> =
        LANGUAGES.into_iter().filter_map(|(lang, _)| Some((lang, bot_in(lang, workplace.path())?))).collect();
    let (mut figures, rust) = calls(&bots);
    figures.push(against_http(rust, workplace.path()).await);
    let built = |wanted: &str| {
        let found = bots.iter().find(|(lang, _)| *lang == wanted);
        found.map(|(_, file)| std::fs::read(file).unwrap())
    };
    figures.extend(versions::measure(built("rust"), built("js")).await);
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
            "p99 {} µs; bare wasmtime: instance {} µs, call {} µs (the second {} µs), drop {} µs; component {} KiB, memory \
             of a call {} KiB, loading it took {} KiB",
            line["p99_us"],
            line["bare_instance_us"],
            line["bare_call_us"],
            line["bare_second_call_us"],
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
        floor_name: format!(
            "the same component, pre-instantiated, in bare wasmtime; {}",
            words_of_goal(lang, number(line, "p50_us"))
        ),
        bar: Bar::AtMostTimes(1.5),
        notes: vec![note(line)],
    });
    (figures.collect(), number(&lines[0], "p50_us"))
}

/// The goal for the median of a call, and whether it is met.
fn words_of_goal(lang: &str, measured: f64) -> String {
    let goal = LANGUAGES.iter().find(|(name, _)| *name == lang).map_or(f64::NAN, |(_, goal)| *goal);
    format!("goal {goal:.0} µs: {}", if measured <= goal { "met" } else { "MISSED" })
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

async fn against_http(rust: f64, folder: &Path) -> Figure {
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
        floor_name: "an HTTP webhook bot on loopback: Node.js, one connection kept open, no signature".to_owned(),
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
        floor_name: "-".to_owned(),
        bar: Bar::Watch,
        notes: vec![format!(
            "{} MiB before, {} MiB loaded, {} MiB once each was called",
            result["before_mib"], result["loaded_mib"], result["called_mib"]
        )],
    }
}
