//! Callbacks to the host: signed, in order per phone, repeated until they are accepted.
#![expect(clippy::disallowed_methods, reason = "Meta's servers are not the host: they make their own HTTP client")]

mod bodies;
mod envelope;
mod queues;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Notify, Semaphore, oneshot};
use tokio::time::Instant;

pub(crate) use bodies::{StatusReport, inbound, preference, status, system, with_failure};

use crate::world::World;
use crate::{CallbackLine, messenger};

const CONNECTIONS: usize = 64;
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// One change to report to the host.
#[derive(Debug)]
pub(crate) struct Event {
    /// Events of one queue are posted in order: the phone, or `account`.
    pub(crate) queue: String,
    pub(crate) waba_id: String,
    pub(crate) field: String,
    pub(crate) value: Value,
    /// Receives a signal when the host has accepted the event.
    pub(crate) taken: Option<oneshot::Sender<()>>,
}

struct Queued {
    event: Event,
    due: Instant,
}

pub(crate) struct Callbacks {
    url: Mutex<String>,
    /// Callback addresses of single WABAs (`override_callback_uri`).
    overrides: Mutex<HashMap<String, String>>,
    app_secret: String,
    verify_token: String,
    messenger_url: Mutex<String>,
    messenger: CallbackLine,
    client: reqwest::Client,
    permits: Semaphore,
    queues: Mutex<HashMap<String, VecDeque<Queued>>>,
    /// Incremented by a reset, which cancels older posts in retry.
    age: AtomicU64,
    /// Ends the waits between attempts.
    wake: Notify,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Callbacks {
    /// Fails if no HTTP client can be made on this machine.
    pub(crate) fn new(whatsapp: CallbackLine, messenger: CallbackLine) -> Result<Self, reqwest::Error> {
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
            wake: Notify::new(),
        })
    }

    /// Sets the address for later posts. Waiting retries run at once.
    pub(crate) fn set_url(&self, url: String) {
        *locked(&self.url) = url;
        self.retry_now();
    }

    /// Sets the address for later posts about pages. Waiting retries run at once.
    pub(crate) fn set_messenger_url(&self, url: String) {
        *locked(&self.messenger_url) = url;
        self.retry_now();
    }

    /// The address for an event, and the key of its signature.
    fn line_of(&self, event: &Event) -> (String, &str) {
        if event.field == messenger::FIELD {
            (locked(&self.messenger_url).clone(), &self.messenger.app_secret)
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
            Some(url) => locked(&self.overrides).insert(waba_id.to_owned(), url),
            None => locked(&self.overrides).remove(waba_id),
        };
    }

    fn url_of(&self, waba_id: &str) -> String {
        let own = locked(&self.overrides).get(waba_id).cloned();
        own.unwrap_or_else(|| locked(&self.url).clone())
    }

    /// Cancels all callbacks that the host has not accepted.
    pub(crate) fn drop_pending(&self) {
        self.age.fetch_add(1, Ordering::SeqCst);
        self.retry_now();
        locked(&self.overrides).clear();
        for queue in locked(&self.queues).values_mut() {
            queue.clear();
        }
    }

    /// The handshake with the address for pages.
    pub(crate) async fn messenger_handshake(&self) -> bool {
        let url = locked(&self.messenger_url).clone();
        self.handshake(Some(&url), Some(&self.messenger.verify_token)).await
    }

    /// Meta's handshake (PROVIDERS A.7): the address must return exactly the challenge.
    pub(crate) async fn handshake(&self, url: Option<&str>, token: Option<&str>) -> bool {
        let url = url.map_or_else(|| locked(&self.url).clone(), str::to_owned);
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

impl World {
    /// Queues an event for the host. Must not be called with the state locked.
    pub(crate) fn publish(self: &Arc<Self>, event: Event) {
        let faults = self.faults();
        let batch = if event.field == messenger::FIELD { queues::PAGE_BATCH } else { queues::BATCH };
        let queue = if faults.batch_callbacks { batch.to_owned() } else { event.queue.clone() };
        let due = Instant::now() + Duration::from_millis(faults.delay_millis);
        let mut queues = locked(&self.callbacks.queues);
        match queues.get_mut(&queue) {
            Some(queue) => queue.push_back(Queued { event, due }),
            None => {
                queues.insert(queue.clone(), VecDeque::from([Queued { event, due }]));
                self.tasks.spawn(queues::post_all(Arc::clone(self), queue));
            }
        }
    }
}
