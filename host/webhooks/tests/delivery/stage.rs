//! Everything a webhook needs, on a database of its own and with a clock that the test moves.

use std::{path::Path, sync::Arc, time::Duration};

use base::{
    Context,
    lanes::{LaneKey, Lease},
};
use chrono::TimeDelta;
use domain::{
    channel::Channel,
    chat::ParticipantState,
    event::{ConnectionStatus, Event, SessionChanged},
    ids::{ClientId, EndpointId, InboxId},
    webhook::{WebhookConfig, WebhookConfigRequest},
};
use events::{NewEvent, record};
use props::{HandClock, Surroundings, one_number};
use settings::Settings;
use storage::{Db, Queue, chat::participants, work::lanes};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use webhooks::{configure, deliver};

use crate::sample_events;

/// One client with one number.
pub struct Stage {
    pub ctx: Arc<Context>,
    pub client: ClientId,
    pub number: InboxId,
    clock: Arc<HandClock>,
}

impl Stage {
    pub async fn new() -> Self {
        Self::on(scratch::database().await.pool(8).await).await
    }

    /// On this database.
    pub async fn on(db: Db) -> Self {
        let clock = Arc::new(HandClock::at(1_790_000_000));
        let ctx = Arc::new(context(db, Arc::clone(&clock)).await);
        let (client, number) = one_number(&ctx, "27600000001").await;
        Self { ctx, client, number, clock }
    }

    /// Stores the chat, the customer and the agents that the sample events name.
    pub async fn store_chat(&self) {
        let mut db = self.ctx.db.acquire().await.unwrap();
        let (client, now) = (self.client, self.ctx.now());
        for (id, name) in sample_events::AGENTS {
            sqlx::query(
                "INSERT INTO client_user (client_id, id, email, name, role, password_hash, created_at)
                 VALUES ($1, $2, $3, $3, 'AGENT', 'x', $4)",
            )
            .bind(client.0)
            .bind(id.0)
            .bind(name)
            .bind(now)
            .execute(&mut *db)
            .await
            .unwrap();
        }
        let customer = sample_events::CUSTOMER;
        sqlx::query(
            "INSERT INTO customer (client_id, id, full_name, username, created_at) VALUES ($1, $2, 'Zo', 'zo', $3)",
        )
        .bind(client.0)
        .bind(customer.0)
        .bind(now)
        .execute(&mut *db)
        .await
        .unwrap();
        for (kind, value) in [("PHONE", "27820000001"), ("BSUID", "ZA.100")] {
            sqlx::query("INSERT INTO customer_address (client_id, kind, value, customer_id, seen_at) VALUES ($1, $2, $3, $4, $5)")
                .bind(client.0)
                .bind(kind)
                .bind(value)
                .bind(customer.0)
                .bind(now)
                .execute(&mut *db)
                .await
                .unwrap();
        }
        let new = participants::NewParticipant {
            id: sample_events::CHAT,
            inbox: self.number,
            customer,
            channel: Channel::Whatsapp,
            state: ParticipantState::Queued,
        };
        participants::insert(&mut db, client, new, now).await.unwrap();
    }

    /// Moves the business clock.
    pub fn advance(&self, by: TimeDelta) {
        self.clock.advance(by);
    }

    /// Creates the client's default from JSON fields.
    pub async fn configure(&self, fields: serde_json::Value) -> WebhookConfig {
        self.create(fields).await.unwrap()
    }

    pub async fn create(&self, fields: serde_json::Value) -> Result<WebhookConfig, configure::ConfigureError> {
        let request: WebhookConfigRequest = serde_json::from_value(fields).unwrap();
        configure::create(&self.ctx, self.client, "tester", &request).await
    }

    /// Stores session events, one for each `(order key, text)`, as one use case would; answers their endpoints.
    pub async fn happen(&self, events: &[(i64, &str)]) -> Vec<EndpointId> {
        let events: Vec<NewEvent> = events
            .iter()
            .map(|(order_key, text)| NewEvent {
                inbox: Some(self.number),
                order_key: *order_key,
                at: self.ctx.now(),
                event: session(text),
            })
            .collect();
        let mut tx = self.ctx.db.begin().await.unwrap();
        let lanes = record(&self.ctx, &mut tx, self.client, &events).await.unwrap();
        tx.commit().await.unwrap();
        assert!(lanes.iter().all(|(queue, _)| *queue == Queue::Webhook));
        lanes.into_iter().map(|(_, lane)| EndpointId(lane)).collect()
    }

    /// Stores one event, as a use case would; answers its endpoints.
    pub async fn record(&self, event: Event) -> Vec<EndpointId> {
        let new = NewEvent { inbox: Some(self.number), order_key: 1, at: self.ctx.now(), event };
        let mut tx = self.ctx.db.begin().await.unwrap();
        let lanes = record(&self.ctx, &mut tx, self.client, &[new]).await.unwrap();
        tx.commit().await.unwrap();
        lanes.into_iter().map(|(_, lane)| EndpointId(lane)).collect()
    }

    /// Works on a due lane, as the runner does.
    pub async fn work(&self, endpoint: EndpointId) -> base::Result<()> {
        self.due_lanes().await;
        let lease = self.claim(endpoint).await;
        let done = deliver::work(&self.ctx, &lease).await;
        lease.release(&self.ctx).await.unwrap();
        done.map(drop)
    }

    pub async fn claim(&self, endpoint: EndpointId) -> Lease {
        let lane = LaneKey { queue: Queue::Webhook, client: self.client, lane: endpoint.0 };
        let (stop, nudge) = (CancellationToken::new(), Arc::new(Notify::new()));
        let claimed = Lease::claim(&self.ctx, lane, Duration::from_secs(60), stop, nudge).await;
        claimed.unwrap().expect("the lane is free")
    }

    /// From now on another process has the lane.
    pub async fn lose(&self, endpoint: EndpointId) {
        sqlx::query("UPDATE lane SET fence = fence + 1 WHERE lane_id = $1")
            .bind(endpoint.0)
            .execute(&self.ctx.db)
            .await
            .unwrap();
    }

    /// How many attempts are recorded.
    pub async fn attempts(&self) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM webhook_attempt").fetch_one(&self.ctx.db).await.unwrap()
    }

    /// State and attempts of every delivery, in the order of the events.
    pub async fn states(&self) -> Vec<(String, i16)> {
        sqlx::query_as("SELECT state, attempts FROM webhook_delivery ORDER BY id")
            .fetch_all(&self.ctx.db)
            .await
            .unwrap()
    }

    /// Lanes that the runner would find due.
    pub async fn due_lanes(&self) -> Vec<Uuid> {
        let mut db = self.ctx.db.acquire().await.unwrap();
        let due = lanes::due(&mut db, Queue::Webhook, self.ctx.now(), 10).await.unwrap();
        due.into_iter().map(|(_, lane)| lane).collect()
    }
}

fn session(text: &str) -> Event {
    Event::SessionChanged(SessionChanged { status: ConnectionStatus::Success, words: text.to_owned() })
}

async fn context(db: Db, clock: Arc<HandClock>) -> Context {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("webhooks");
    Surroundings { settings: settings(), ..Surroundings::new(folder) }.build(db, clock).await
}

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.server.public_url = Some("http://127.0.0.1:8080".parse().unwrap());
    settings.webhooks.retry_schedule = vec![Duration::from_secs(5), Duration::from_secs(300)];
    settings.limits.webhook_concurrency_per_endpoint = 8;
    settings
}
