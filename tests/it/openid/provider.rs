//! The login provider, and a person with a browser there.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use harness::{installed_peer, peer_folder};
use reqwest::{Url, header, redirect};
use serde_json::{Value, json};

/// The query of the address on the way back.
pub type Query = HashMap<String, String>;

pub struct Provider {
    child: Child,
    pub url: String,
}

impl Provider {
    pub fn start() -> Self {
        let mut node = Command::new("node");
        node.arg(peer_folder("openid").join("provider.mjs")).arg(installed_peer("openid"));
        node.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = node.spawn().unwrap();
        let first = BufReader::new(child.stdout.take().unwrap()).lines().next().unwrap().unwrap();
        let first: Value = serde_json::from_str(&first).unwrap();
        Self { child, url: format!("http://127.0.0.1:{}", first["port"]) }
    }

    pub fn stop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "calls nothing but the provider of the tests")]
    pub async fn control(&self, change: &Value) {
        let answer = reqwest::Client::builder().build().unwrap().post(format!("{}/control", self.url));
        assert!(answer.json(change).send().await.unwrap().status().is_success());
    }

    /// Gives an account these claims.
    pub async fn person(&self, person: &Value) {
        self.control(&json!({ "person": person })).await;
    }

    /// Logs in at the provider with the form that it shows, and returns the query of the way back.
    #[expect(clippy::disallowed_methods, reason = "calls nothing but the provider of the tests")]
    pub async fn log_in(&self, url: &str, account: &str) -> Query {
        let browser = reqwest::Client::builder().redirect(redirect::Policy::none()).build().unwrap();
        let (mut next, mut form) = (Url::parse(url).unwrap(), None);
        let mut cookies: HashMap<String, String> = HashMap::new();
        for _ in 0..10 {
            if next.path() == "/console/openid" {
                return next.query_pairs().into_owned().collect();
            }
            let request = match form.take() {
                None => browser.get(next.clone()),
                Some(fields) => browser.post(next.clone()).form::<[(&str, &str); 2]>(&fields),
            };
            let jar: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let answer = request.header(header::COOKIE, jar.join("; ")).send().await.unwrap();
            for cookie in answer.headers().get_all(header::SET_COOKIE) {
                let pair = cookie.to_str().unwrap().split(';').next().unwrap();
                let (name, value) = pair.split_once('=').unwrap();
                cookies.insert(name.to_owned(), value.to_owned());
            }
            match answer.headers().get(header::LOCATION) {
                Some(location) => next = next.join(location.to_str().unwrap()).unwrap(),
                None => {
                    let (status, page) = (answer.status(), answer.text().await.unwrap());
                    assert!(status.is_success() && page.contains("<form"), "{status} {page}");
                    form = Some([("account", account), ("do", "login")]);
                }
            }
        }
        panic!("the provider does not come to an end: {next}");
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
