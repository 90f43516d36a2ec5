//! Live-chat participants: one per inbox and customer, for ever (SPEC 2.6, DESIGN 7).

pub mod merging;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    channel::Channel,
    chat::{ChatTeam, MoveRefused, ParticipantMove},
    ids::{ClientId, CustomerId, InboxId, ParticipantId, TeamId, TicketId, UserId},
};
use uuid::Uuid;

pub use domain::chat::ParticipantState;

use crate::{Error, PgConnection, Result, column_values::read_value};

/// A participant. To change it: lock, modify, [`save`].
#[derive(Debug, Clone, PartialEq)]
pub struct Participant {
    pub id: ParticipantId,
    pub inbox: InboxId,
    pub customer: CustomerId,
    pub channel: Channel,
    pub state: ParticipantState,
    /// Increases when the chat changes its owner, closes or opens.
    pub control_version: i64,
    pub next_sequence: i64,
    pub events_handled: i64,
    pub bot_state: String,
    /// The plugin that set the state. `None`: a process of an earlier release set it.
    pub bot_state_plugin: Option<String>,
    pub tags: Vec<String>,
    pub missed: bool,
    pub missed_by: Option<UserId>,
    pub after_hours: bool,
    /// True if the customer was asked for a rating and has not given one.
    pub send_rating: bool,
    pub assigned_agent: Option<UserId>,
    pub last_assigned_agent: Option<UserId>,
    pub team: Option<ChatTeam>,
    /// Messages that no agent has seen.
    pub unread: i32,
    pub queued_reason: Option<String>,
    /// The chatbot that a router chose for this conversation; `None`: the active chatbot of the inbox.
    pub bot_plugin: Option<String>,
    /// Ticket of the episode. It stays after the chat closes, until the chat opens again.
    pub ticket: Option<TicketId>,
    /// Search text: [`super::search::words`] of its customer.
    pub found_by: String,
    pub last_message_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
}

impl Participant {
    /// Changes the state (SPEC 3.4), the control version and the agent. If a chat opens again, a new episode begins.
    pub fn apply(&mut self, step: ParticipantMove) -> std::result::Result<(), MoveRefused> {
        let moved = self.state.apply(step)?;
        if self.state == ParticipantState::Closed && moved.state != ParticipantState::Closed {
            self.bot_state.clear();
            self.bot_state_plugin = None;
            self.team = None;
            self.queued_reason = None;
            self.bot_plugin = None;
            (self.missed, self.missed_by) = (false, None);
            self.after_hours = false;
            self.send_rating = false;
            self.ticket = None;
        }
        self.state = moved.state;
        self.missed |= moved.missed;
        self.control_version += i64::from(moved.control_changed);
        if moved.releases_agent {
            self.last_assigned_agent = self.assigned_agent.take().or(self.last_assigned_agent);
        }
        Ok(())
    }

    /// The state that this chatbot set. Empty if another one set the present state.
    pub fn state_of(&self, plugin: &str) -> &str {
        match &self.bot_state_plugin {
            Some(other) if other != plugin => "",
            _ => &self.bot_state,
        }
    }

    pub fn set_bot_state(&mut self, plugin: &str, state: String) {
        self.bot_state = state;
        self.bot_state_plugin = Some(plugin.to_owned());
    }

    pub fn take_sequence(&mut self, at: DateTime<Utc>) -> i64 {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        self.last_message_at = self.last_message_at.max(at);
        sequence
    }
}

#[derive(sqlx::FromRow)]
pub(super) struct ParticipantRow {
    id: Uuid,
    inbox_id: Uuid,
    customer_id: Uuid,
    channel: String,
    state: String,
    control_version: i64,
    next_sequence: i64,
    events_handled: i64,
    bot_state: String,
    bot_state_plugin: Option<String>,
    tags: Vec<String>,
    missed: bool,
    missed_agent_id: Option<Uuid>,
    after_hours: bool,
    send_rating: bool,
    assigned_agent_id: Option<Uuid>,
    last_assigned_agent_id: Option<Uuid>,
    team_id: Option<Uuid>,
    team_name: Option<String>,
    unread: i32,
    queued_reason: Option<String>,
    bot_plugin: Option<String>,
    ticket_id: Option<Uuid>,
    found_by: String,
    last_message_at: DateTime<Utc>,
    created_at: DateTime<Utc>,
}

impl TryFrom<ParticipantRow> for Participant {
    type Error = Error;

    fn try_from(row: ParticipantRow) -> Result<Self> {
        Ok(Self {
            id: ParticipantId(row.id),
            inbox: InboxId(row.inbox_id),
            customer: CustomerId(row.customer_id),
            channel: chat_channel(&row.channel)?,
            state: read_value("participant", "state", &row.state, ParticipantState::from_name)?,
            control_version: row.control_version,
            next_sequence: row.next_sequence,
            events_handled: row.events_handled,
            bot_state: row.bot_state,
            bot_state_plugin: row.bot_state_plugin,
            tags: row.tags,
            missed: row.missed,
            missed_by: row.missed_agent_id.map(UserId),
            after_hours: row.after_hours,
            send_rating: row.send_rating,
            assigned_agent: row.assigned_agent_id.map(UserId),
            last_assigned_agent: row.last_assigned_agent_id.map(UserId),
            team: row.team_id.zip(row.team_name).map(|(id, name)| ChatTeam { id: TeamId(id), name }),
            unread: row.unread,
            queued_reason: row.queued_reason,
            bot_plugin: row.bot_plugin,
            ticket: row.ticket_id.map(TicketId),
            found_by: row.found_by,
            last_message_at: row.last_message_at,
            created_at: row.created_at,
        })
    }
}

pub(super) fn chat_channel(name: &str) -> Result<Channel> {
    read_value("participant", "channel", name, |name| name.parse().ok())
}

/// A process of an earlier release changes the state and leaves its plugin and its hash as they were. Then the plugin of the
/// state is not known.
pub(super) const COLUMNS: &str = "id, inbox_id, customer_id, channel, state, control_version, next_sequence, \
    events_handled, bot_state, \
    CASE WHEN bot_state_hash = sha256(convert_to(bot_state, 'UTF8')) THEN bot_state_plugin END AS bot_state_plugin, \
    tags, missed, missed_agent_id, after_hours, send_rating, assigned_agent_id, last_assigned_agent_id, \
    team_id, (SELECT team.name FROM team WHERE team.client_id = participant.client_id AND team.id = team_id) AS team_name, \
    unread, queued_reason, bot_plugin, ticket_id, found_by, last_message_at, created_at";

pub async fn find(db: &mut PgConnection, client: ClientId, id: ParticipantId) -> Result<Option<Participant>> {
    let row: Option<ParticipantRow> = sqlx::query_as(&format!(
        "SELECT {COLUMNS} FROM participant WHERE client_id = $1 AND id = COALESCE(
             (SELECT merged_into FROM participant WHERE client_id = $1 AND id = $2), $2)"
    ))
    .bind(client.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    row.map(Participant::try_from).transpose()
}

/// Locks a participant until the transaction ends. The id of a merged one returns its own closed row.
pub async fn lock(db: &mut PgConnection, client: ClientId, id: ParticipantId) -> Result<Option<Participant>> {
    let row: Option<ParticipantRow> =
        sqlx::query_as(&format!("SELECT {COLUMNS} FROM participant WHERE client_id = $1 AND id = $2 FOR UPDATE"))
            .bind(client.0)
            .bind(id.0)
            .fetch_optional(db)
            .await?;
    row.map(Participant::try_from).transpose()
}

/// Locks the participant of a customer. `None` if it, or its customer, was merged while this waited.
pub async fn lock_of_customer(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    customer: CustomerId,
) -> Result<Option<Participant>> {
    let row: Option<ParticipantRow> = sqlx::query_as(&format!(
        "SELECT {COLUMNS} FROM participant WHERE client_id = $1 AND inbox_id = $2 AND customer_id = $3
           AND merged_into IS NULL FOR UPDATE"
    ))
    .bind(client.0)
    .bind(inbox.0)
    .bind(customer.0)
    .fetch_optional(db)
    .await?;
    row.map(Participant::try_from).transpose()
}

pub async fn of_address(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    address: &Address,
) -> Result<Option<ParticipantId>> {
    let id: Option<Uuid> = sqlx::query_scalar(
        "SELECT participant.id FROM customer_address address
         JOIN participant ON participant.client_id = $1 AND participant.inbox_id = $2
              AND participant.customer_id = address.customer_id
         WHERE address.client_id = $1 AND address.kind = $3 AND address.value = $4",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(address.kind().as_str())
    .bind(address.value())
    .fetch_optional(db)
    .await?;
    Ok(id.map(ParticipantId))
}

#[derive(Debug, Clone, Copy)]
pub struct NewParticipant {
    pub id: ParticipantId,
    pub inbox: InboxId,
    pub customer: CustomerId,
    pub channel: Channel,
    pub state: ParticipantState,
}

/// `None` if the customer has one on this inbox. A channel without chats is [`Error::Inconsistent`].
pub async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    new: NewParticipant,
    now: DateTime<Utc>,
) -> Result<Option<Participant>> {
    let NewParticipant { id, inbox, customer, channel, state } = new;
    chat_channel(channel.as_str())?;
    let row: Option<ParticipantRow> = sqlx::query_as(&format!(
        "INSERT INTO participant (client_id, id, inbox_id, customer_id, channel, state, last_message_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
         ON CONFLICT (client_id, inbox_id, customer_id) DO NOTHING RETURNING {COLUMNS}"
    ))
    .bind(client.0)
    .bind(id.0)
    .bind(inbox.0)
    .bind(customer.0)
    .bind(channel.as_str())
    .bind(state.as_str())
    .bind(now)
    .fetch_optional(db)
    .await?;
    row.map(Participant::try_from).transpose()
}

pub async fn save(db: &mut PgConnection, client: ClientId, participant: &Participant) -> Result<()> {
    sqlx::query(
        "UPDATE participant SET state = $3, control_version = $4, next_sequence = $5, events_handled = $6, bot_state = $7,
             tags = $8, missed = $9, after_hours = $10, send_rating = $11, assigned_agent_id = $12,
             last_assigned_agent_id = $13, team_id = $14, unread = $15, queued_reason = $16, last_message_at = $17,
             bot_plugin = $18, found_by = $19, ticket_id = $20, missed_agent_id = $21, bot_state_plugin = $22,
             bot_state_hash = CASE WHEN $22::text IS NOT NULL THEN sha256(convert_to($7, 'UTF8')) END
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(participant.id.0)
    .bind(participant.state.as_str())
    .bind(participant.control_version)
    .bind(participant.next_sequence)
    .bind(participant.events_handled)
    .bind(&participant.bot_state)
    .bind(&participant.tags)
    .bind(participant.missed)
    .bind(participant.after_hours)
    .bind(participant.send_rating)
    .bind(participant.assigned_agent.map(|agent| agent.0))
    .bind(participant.last_assigned_agent.map(|agent| agent.0))
    .bind(participant.team.as_ref().map(|team| team.id.0))
    .bind(participant.unread)
    .bind(participant.queued_reason.as_deref())
    .bind(participant.last_message_at)
    .bind(participant.bot_plugin.as_deref())
    .bind(&participant.found_by)
    .bind(participant.ticket.map(|ticket| ticket.0))
    .bind(participant.missed_by.map(|agent| agent.0))
    .bind(participant.bot_state_plugin.as_deref())
    .execute(db)
    .await?;
    Ok(())
}

pub async fn agent_names(
    db: &mut PgConnection,
    client: ClientId,
    agents: &[UserId],
) -> Result<HashMap<UserId, String>> {
    let rows: Vec<(Uuid, String)> =
        sqlx::query_as("SELECT id, name FROM client_user WHERE client_id = $1 AND id = ANY($2)")
            .bind(client.0)
            .bind(agents.iter().map(|agent| agent.0).collect::<Vec<_>>())
            .fetch_all(db)
            .await?;
    Ok(rows.into_iter().map(|(id, name)| (UserId(id), name)).collect())
}

pub async fn client_and_agent_names(
    db: &mut PgConnection,
    client: ClientId,
    agents: &[UserId],
) -> Result<(Option<String>, HashMap<UserId, String>)> {
    let rows: Vec<(String, Option<Uuid>, Option<String>)> = sqlx::query_as(
        "SELECT client.client_ref, agent.id, agent.name FROM client
         LEFT JOIN client_user agent ON agent.client_id = client.id AND agent.id = ANY($2)
         WHERE client.id = $1",
    )
    .bind(client.0)
    .bind(agents.iter().map(|agent| agent.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let client_ref = rows.first().map(|(client_ref, ..)| client_ref.clone());
    let names = rows.into_iter().filter_map(|(_, agent, name)| Some((UserId(agent?), name?))).collect();
    Ok((client_ref, names))
}
