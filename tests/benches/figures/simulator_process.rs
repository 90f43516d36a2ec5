//! The simulator in a process of its own: this program under another role.

use std::process::Child;

use serde_json::{Value, json};
use simulator::{Simulator, SimulatorConfig};

use crate::role;

/// The argument that makes this program the outside world; the program's URL and app secret follow.
pub const ROLE: &str = "--be-the-outside-world";

/// Serves until standard input ends, which it does with the process that started it.
pub async fn serve(arguments: &[String]) {
    let at = arguments.iter().position(|argument| argument == ROLE).unwrap();
    let [url, app_secret] = &arguments[at + 1..at + 3] else { panic!("two arguments") };
    let simulator = Simulator::start(SimulatorConfig {
        listen: "127.0.0.1:0".parse().unwrap(),
        smsc_listen: "127.0.0.1:0".parse().unwrap(),
        callback_url: format!("{url}/providers/whatsapp-cloud/webhook"),
        app_secret: app_secret.clone(),
        verify_token: "unused".to_owned(),
        messenger: simulator::CallbackLine::default(),
        first_retry: SimulatorConfig::FIRST_RETRY,
    });
    let simulator = simulator.await.unwrap();
    println!("{}", simulator.http_addr());
    tokio::task::spawn_blocking(|| drop(std::io::stdin().read_line(&mut String::new()))).await.unwrap();
}

/// The simulator as seen from outside; it ends with this.
pub struct Outside {
    child: Child,
    /// Base URL of its Graph API and of its controls.
    pub url: String,
}

impl Outside {
    /// Starts one that calls back to the program at `url`.
    pub fn start(url: &str, app_secret: &str) -> Self {
        let (child, url) = role::start([ROLE, url, app_secret]);
        Self { child, url }
    }

    /// Id of the process.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Gives it the number of a client, as the harness names it, and lets it send as fast as it can.
    pub async fn knows(&self, number: &str) {
        let names = json!({ "phoneNumberId": format!("1{number}"), "wabaId": format!("2{number}"), "number": number });
        self.control("/simulator/numbers", &names).await;
        self.control("/simulator/faults", &json!({ "enforceLimits": false })).await;
    }

    async fn control(&self, path: &str, body: &Value) {
        let response = reqwest::Client::new().post(format!("{}{path}", self.url)).json(body).send().await.unwrap();
        assert!(response.status().is_success(), "{path}: {}", response.text().await.unwrap());
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
