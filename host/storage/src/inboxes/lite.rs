//! Sessions of Lite numbers, and their pace and hours (SPEC 3.3, 6.3, 8; ADR 0024).

use std::time::Duration;

use chrono::{DateTime, NaiveTime, Utc};
use domain::{
    event::ConnectionStatus,
    ids::{ClientId, InboxId, NodeId},
    lite::{DailySchedule, SessionState, Throttle, WantedSession},
};
use uuid::Uuid;

use crate::{PgConnection, Result, column_values::read_value, work::lane_gate::LaneGate};

/// A Lite number sends nothing while it is disconnected, or before its day begins.
pub(super) const SENDING_GATE: LaneGate =
    LaneGate { table: "lite_session", lane: "lane_id", closed_until: "sends_from" };

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteSession {
    pub wanted: WantedSession,
    /// True if work is due. If false, the session is as wanted.
    pub pending: bool,
    pub state: SessionState,
    pub changed_at: Option<DateTime<Utc>>,
    /// True if the next connection needs no QR code.
    pub paired: bool,
    /// The code to be scanned, and its expiry.
    pub qr: Option<(String, DateTime<Utc>)>,
    /// End of the ban by WhatsApp, before which the number cannot connect.
    pub banned_until: Option<DateTime<Utc>>,
    /// Its messages wait until then.
    pub sends_from: Option<DateTime<Utc>>,
    /// The process of its device; `None` if no process holds it, or if every process reaches it (ADR 0037).
    pub device_node: Option<NodeId>,
}

impl LiteSession {
    /// True if a process can send through the device.
    pub fn is_reached_from(&self, node: NodeId) -> bool {
        self.device_node.is_none_or(|device| device == node)
    }
}

impl Default for LiteSession {
    fn default() -> Self {
        Self {
            wanted: WantedSession::Disconnected,
            pending: false,
            state: SessionState::default(),
            changed_at: None,
            paired: false,
            qr: None,
            banned_until: None,
            sends_from: None,
            device_node: None,
        }
    }
}

/// When the lane of a session is due again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextCheck {
    Held,
    At(DateTime<Utc>),
    /// When the client wants another session.
    WhenAsked,
}

#[derive(sqlx::FromRow)]
struct SessionRow {
    wanted: String,
    pending: bool,
    status_type: Option<String>,
    status: String,
    changed_at: Option<DateTime<Utc>>,
    paired: bool,
    qr: Option<String>,
    qr_until: Option<DateTime<Utc>>,
    banned_until: Option<DateTime<Utc>>,
    sends_from: Option<DateTime<Utc>>,
    device_node: Option<Uuid>,
}

impl SessionRow {
    fn read(self) -> Result<LiteSession> {
        let statuses = [ConnectionStatus::Connecting, ConnectionStatus::Success, ConnectionStatus::Disconnected];
        let status = |name: &str| statuses.into_iter().find(|status| status.as_str() == name);
        let named = self.status_type.as_deref().map(|name| read_value("lite_session", "status_type", name, status));
        Ok(LiteSession {
            wanted: read_value("lite_session", "wanted", &self.wanted, WantedSession::from_name)?,
            pending: self.pending,
            state: SessionState { status: named.transpose()?, words: self.status },
            changed_at: self.changed_at,
            paired: self.paired,
            qr: self.qr.zip(self.qr_until),
            banned_until: self.banned_until,
            sends_from: self.sends_from,
            device_node: self.device_node.map(NodeId),
        })
    }
}

pub async fn session(db: &mut PgConnection, client: ClientId, inbox: InboxId) -> Result<Option<LiteSession>> {
    let row: Option<SessionRow> = sqlx::query_as(
        "SELECT wanted, state = 'PENDING' AS pending, status_type, status, changed_at, paired, qr, qr_until, banned_until, sends_from,
                device_node
         FROM lite_session WHERE client_id = $1 AND lane_id = $2",
    )
    .bind(client.0)
    .bind(inbox.0)
    .fetch_optional(db)
    .await?;
    row.map(SessionRow::read).transpose()
}

/// Stores the session that the client wants. The process that holds the session sees it, or a process takes the lane.
pub async fn want(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    wanted: WantedSession,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO lite_session (client_id, lane_id, wanted, state, due_at, ready) VALUES ($1, $2, $3, 'PENDING', $4, true)
         ON CONFLICT (client_id, lane_id) DO UPDATE
         SET wanted = excluded.wanted, state = 'PENDING', due_at = excluded.due_at, ready = true",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(wanted.as_str())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// The state of a session to store.
#[derive(Debug, Clone, Copy)]
pub struct SessionWrite<'a> {
    pub session: &'a LiteSession,
    pub next: NextCheck,
    /// True if waiting messages are sent from now on.
    pub opens: bool,
}

/// Stores a session in the transaction of its process; a newer wish of the client stays. `next` is written only if it
/// fits. `opens`: waiting messages are sent from now on.
pub async fn save(db: &mut PgConnection, client: ClientId, inbox: InboxId, write: SessionWrite<'_>) -> Result<()> {
    let SessionWrite { session, next, opens } = write;
    let (state, due_at) = match next {
        NextCheck::Held => ("PENDING", None),
        NextCheck::At(at) => ("PENDING", Some(at)),
        NextCheck::WhenAsked => ("DONE", None),
    };
    sqlx::query(
        "UPDATE lite_session
         SET status_type = $4, status = $5, changed_at = $6, paired = $7, qr = $8, qr_until = $9, banned_until = $10,
             device_node = $14, sends_from = CASE WHEN $11 THEN NULL ELSE sends_from END,
             state = CASE wanted WHEN $3 THEN $12 ELSE 'PENDING' END,
             due_at = CASE wanted WHEN $3 THEN COALESCE($13, due_at) ELSE due_at END,
             ready = CASE wanted WHEN $3 THEN $13 IS NULL ELSE true END
         WHERE client_id = $1 AND lane_id = $2",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(session.wanted.as_str())
    .bind(session.state.status.map(ConnectionStatus::as_str))
    .bind(&session.state.words)
    .bind(session.changed_at)
    .bind(session.paired)
    .bind(session.qr.as_ref().map(|(code, _)| code))
    .bind(session.qr.as_ref().map(|(_, until)| until))
    .bind(session.banned_until)
    .bind(opens)
    .bind(state)
    .bind(due_at)
    .bind(session.device_node.map(|node| node.0))
    .execute(db)
    .await?;
    Ok(())
}

pub async fn lock(db: &mut PgConnection, client: ClientId, inbox: InboxId) -> Result<()> {
    sqlx::query("SELECT 1 FROM lite_session WHERE client_id = $1 AND lane_id = $2 FOR UPDATE")
        .bind(client.0)
        .bind(inbox.0)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn close_sending(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    until: Option<DateTime<Utc>>,
) -> Result<()> {
    sqlx::query("UPDATE lite_session SET sends_from = $3 WHERE client_id = $1 AND lane_id = $2")
        .bind(client.0)
        .bind(inbox.0)
        .bind(until)
        .execute(db)
        .await?;
    Ok(())
}

type ThrottleRow = (i32, i32, Option<NaiveTime>, Option<NaiveTime>);

pub async fn throttle(db: &mut PgConnection, client: ClientId, inbox: InboxId) -> Result<Option<Throttle>> {
    let row: Option<ThrottleRow> = sqlx::query_as(
        "SELECT batch_size, delay_ms, daily_start, daily_end FROM whatsapp_lite_inbox WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(inbox.0)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|(batch, delay, start, end)| Throttle {
        batch_size: u32::try_from(batch).unwrap_or(1),
        delay: Duration::from_millis(u64::try_from(delay).unwrap_or_default()),
        schedule: start.zip(end).map(|(start, end)| DailySchedule { start, end }),
    }))
}

pub async fn set_throttle(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    throttle: &Throttle,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE whatsapp_lite_inbox SET batch_size = $3, delay_ms = $4, daily_start = $5, daily_end = $6
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(i32::try_from(throttle.batch_size).unwrap_or(i32::MAX))
    .bind(i32::try_from(throttle.delay.as_millis()).unwrap_or(i32::MAX))
    .bind(throttle.schedule.map(|schedule| schedule.start))
    .bind(throttle.schedule.map(|schedule| schedule.end))
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}
