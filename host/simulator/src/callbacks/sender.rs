use std::{
    collections::{HashMap, VecDeque},
    error::Error,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Notify, Semaphore};

use super::{
    event::{MESSENGER_FIELD, QueuedChange, SimulatedChange},
    line::CallbackLine,
};

pub(super) const CONNECTIONS: usize = 64;

pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) struct Callbacks {
    pub(super) url: Mutex<String>,
    pub(super) overrides: Mutex<HashMap<String, String>>,
    pub(super) app_secret: String,
    pub(super) verify_token: String,
    pub(super) messenger_url: Mutex<String>,
    pub(super) messenger: CallbackLine,
    pub(super) client: reqwest::Client,
    pub(super) permits: Semaphore,
    pub(super) queues: Mutex<HashMap<String, VecDeque<QueuedChange>>>,
    /// Incremented by a reset, which cancels older posts in retry.
    pub(super) age: AtomicU64,
    pub(super) first_retry: Duration,
    /// Ends the waits between attempts.
    pub(super) wake: Notify,
    /// True if the last attempt failed. The log has one line for a row of failures.
    pub(super) failing: AtomicBool,
}

/// The cause at the end of a chain of errors names the fault.
fn innermost(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

impl Callbacks {
    pub(crate) fn new(
        whatsapp: CallbackLine,
        messenger: CallbackLine,
        first_retry: Duration,
    ) -> Result<Self, reqwest::Error> {
        let CallbackLine { url, app_secret, verify_token } = whatsapp;
        let client = reqwest::Client::builder()
            .timeout(ANSWER_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()?;
        Ok(Self {
            url: Mutex::new(url),
            overrides: Mutex::default(),
            app_secret,
            verify_token,
            messenger_url: Mutex::new(messenger.url.clone()),
            messenger,
            client,
            permits: Semaphore::new(CONNECTIONS),
            queues: Mutex::default(),
            age: AtomicU64::new(0),
            first_retry,
            wake: Notify::new(),
            failing: AtomicBool::new(false),
        })
    }

    pub(crate) fn set_url(&self, url: String) {
        *lock(&self.url) = url;
        self.retry_now();
    }

    pub(crate) fn set_messenger_url(&self, url: String) {
        *lock(&self.messenger_url) = url;
        self.retry_now();
    }

    /// Says why no callback arrives, such as a certificate that is not trusted.
    pub(super) fn note(&self, url: &str, answered: &Result<reqwest::Response, reqwest::Error>) {
        let reason = match answered {
            Ok(answer) if answer.status().is_success() => {
                self.failing.store(false, Ordering::Relaxed);
                return;
            }
            Ok(answer) => format!("the answer is {}", answer.status()),
            Err(error) => innermost(error),
        };
        if !self.failing.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                url,
                reason,
                "the simulator's callbacks do not arrive and are repeated. Over HTTPS it trusts public authorities only: leave                  out server.tls_cert while you use the simulator"
            );
        }
    }

    pub(super) fn line_of(&self, event: &SimulatedChange) -> (String, &str) {
        if event.field == MESSENGER_FIELD {
            (lock(&self.messenger_url).clone(), &self.messenger.app_secret)
        } else {
            (self.url_of(&event.waba_id), &self.app_secret)
        }
    }

    pub(crate) fn retry_now(&self) {
        self.wake.notify_waiters();
    }

    /// Sends the callbacks of one WABA to another address. `None` ends that.
    pub(crate) fn set_override(&self, waba_id: &str, url: Option<String>) {
        match url {
            Some(url) => lock(&self.overrides).insert(waba_id.to_owned(), url),
            None => lock(&self.overrides).remove(waba_id),
        };
    }

    pub(super) fn url_of(&self, waba_id: &str) -> String {
        let own = lock(&self.overrides).get(waba_id).cloned();
        own.unwrap_or_else(|| lock(&self.url).clone())
    }

    pub(crate) fn drop_pending(&self) {
        self.age.fetch_add(1, Ordering::SeqCst);
        self.retry_now();
        lock(&self.overrides).clear();
        for queue in lock(&self.queues).values_mut() {
            queue.clear();
        }
    }

    /// Posts a body to the host itself, outside all queues. The error is a text for people.
    pub(crate) async fn ask_host(&self, url: &str, body: &serde_json::Value) -> Result<serde_json::Value, String> {
        let answer = self.client.post(url).json(body).send().await.map_err(|error| error.to_string())?;
        let status = answer.status();
        let text = answer.text().await.map_err(|error| error.to_string())?;
        if !status.is_success() {
            return Err(text);
        }
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    pub(crate) async fn messenger_handshake(&self) -> bool {
        let url = lock(&self.messenger_url).clone();
        self.handshake(Some(&url), Some(&self.messenger.verify_token)).await
    }

    /// Meta's handshake (PROVIDERS A.7): the address must return exactly the challenge.
    pub(crate) async fn handshake(&self, url: Option<&str>, token: Option<&str>) -> bool {
        let url = url.map_or_else(|| lock(&self.url).clone(), str::to_owned);
        let challenge = crate::identity::stable_digits(&crate::identity::trace_id(), 10);
        let query = [
            ("hub.mode", "subscribe"),
            ("hub.verify_token", token.unwrap_or(&self.verify_token)),
            ("hub.challenge", &challenge),
        ];
        match self.client.get(url).query(&query).send().await {
            Ok(answer) if answer.status().as_u16() == 200 => answer.text().await.is_ok_and(|body| body == challenge),
            _ => false,
        }
    }
}
