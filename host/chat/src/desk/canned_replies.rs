//! Canned replies of teams: their texts, and a text with the values of a chat.

use base::audit::{Actor, Administration, AuditObject, audit};
use domain::{
    canned_reply::{self, ReplyDraft, ReplyVariable},
    ids::{CannedReplyId, ClientId, ParticipantId},
    page::{Page, PageRequest},
    privacy::CustomerVisibility,
};
pub use storage::chat::canned_replies::CannedReply;
use storage::{
    Db, PgConnection,
    chat::{
        canned_replies::{self, ReplyReader, SHORTCUT_UNIQUE, TEAM_KNOWN},
        participants::{self, Participant},
        tickets,
    },
    tenancy::{clients, users::Role},
    violates,
};

use super::{ActingUser, ChatView, DeskError, view};

/// A text with the values of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilledReply {
    pub text: String,
    /// Variables without a value.
    pub missing: Vec<ReplyVariable>,
}

/// The replies that the caller may use, by shortcut: an agent has those for all teams and those of its team. `search`:
/// a part of shortcut or text.
pub async fn list(
    db: &Db,
    acting: ActingUser,
    search: &str,
    page: PageRequest,
) -> Result<Page<CannedReply>, DeskError> {
    let mut db = db.acquire().await?;
    let reader = reader(&mut db, acting).await?;
    Ok(canned_replies::page(&mut db, acting.client, reader, search.trim(), page).await?)
}

async fn reader(db: &mut PgConnection, acting: ActingUser) -> Result<ReplyReader, DeskError> {
    match acting.role {
        Role::Agent => Ok(ReplyReader::Team(canned_replies::team_of(db, acting.client, acting.user).await?)),
        _ => Ok(ReplyReader::Everything),
    }
}

pub async fn create(
    admin: &Administration<'_>,
    client: ClientId,
    draft: ReplyDraft,
    actor: Actor,
) -> Result<CannedReply, DeskError> {
    let now = admin.now();
    let ReplyDraft { shortcut, text, team } = draft;
    let reply = CannedReply { id: admin.mint(), team, shortcut, text, created_at: now, updated_at: now };
    let mut tx = admin.db.begin().await?;
    canned_replies::insert(&mut tx, client, &reply).await.map_err(refused)?;
    audit(admin, &mut tx, client, actor, "create", AuditObject::new("cannedReply", &reply.id)).await?;
    tx.commit().await?;
    Ok(reply)
}

/// Replaces team, shortcut and text.
pub async fn change(
    admin: &Administration<'_>,
    client: ClientId,
    id: CannedReplyId,
    draft: ReplyDraft,
    actor: Actor,
) -> Result<CannedReply, DeskError> {
    let mut tx = admin.db.begin().await?;
    let known = canned_replies::get(&mut tx, client, id).await?.ok_or(DeskError::NotFound)?;
    let ReplyDraft { shortcut, text, team } = draft;
    let reply = CannedReply { team, shortcut, text, updated_at: admin.now(), ..known };
    if !canned_replies::save(&mut tx, client, &reply).await.map_err(refused)? {
        return Err(DeskError::NotFound);
    }
    audit(admin, &mut tx, client, actor, "update", AuditObject::new("cannedReply", &id)).await?;
    tx.commit().await?;
    Ok(reply)
}

pub async fn delete(
    admin: &Administration<'_>,
    client: ClientId,
    id: CannedReplyId,
    actor: Actor,
) -> Result<(), DeskError> {
    let mut tx = admin.db.begin().await?;
    if !canned_replies::delete(&mut tx, client, id).await? {
        return Err(DeskError::NotFound);
    }
    audit(admin, &mut tx, client, actor, "delete", AuditObject::new("cannedReply", &id)).await?;
    tx.commit().await?;
    Ok(())
}

fn refused(error: storage::Error) -> DeskError {
    if violates(&error, SHORTCUT_UNIQUE) {
        DeskError::Conflict("there is a reply with this shortcut already: change that one".to_owned())
    } else if violates(&error, TEAM_KNOWN) {
        DeskError::fault("teamId", "is not the id of one of your teams")
    } else {
        error.into()
    }
}

/// Puts the values of a chat into a reply that the caller may use. A caller who sees customers masked gets no value of a
/// customer.
pub async fn fill(
    db: &Db,
    acting: ActingUser,
    reply: CannedReplyId,
    chat: ParticipantId,
) -> Result<FilledReply, DeskError> {
    let mut db = db.acquire().await?;
    let known = canned_replies::get(&mut db, acting.client, reply).await?.ok_or(DeskError::NotFound)?;
    if let (ReplyReader::Team(own), Some(team)) = (reader(&mut db, acting).await?, known.team)
        && own != Some(team)
    {
        return Err(DeskError::NotFound);
    }
    let fault = || DeskError::fault("participantId", "is not the id of one of your chats");
    let chat = participants::find(&mut db, acting.client, chat).await?.ok_or_else(fault)?;
    let values = Values::of(&mut db, acting, chat).await?;
    let (text, missing) = canned_reply::fill(&known.text, |variable| values.value(variable));
    Ok(FilledReply { text, missing })
}

struct Values {
    chat: ChatView,
    agent: Option<String>,
    ticket: Option<i64>,
    client: Option<String>,
    sight: CustomerVisibility,
}

impl Values {
    async fn of(db: &mut PgConnection, acting: ActingUser, chat: Participant) -> Result<Self, DeskError> {
        let client = acting.client;
        let agent = participants::agent_names(db, client, &[acting.user]).await?.remove(&acting.user);
        let ticket = match chat.ticket {
            Some(ticket) => tickets::find(db, client, ticket).await?.map(|ticket| ticket.number),
            None => None,
        };
        let name = clients::get(db, client).await?.map(|client| client.display_name);
        let chat = view::of_one(db, client, chat).await?.ok_or(DeskError::NotFound)?;
        Ok(Self { chat, agent, ticket, client: name, sight: acting.sight })
    }

    fn value(&self, variable: ReplyVariable) -> Option<String> {
        let customer = self.chat.customer.as_ref().filter(|_| self.sight == CustomerVisibility::Whole);
        match variable {
            ReplyVariable::CustomerName => customer?.name.clone(),
            ReplyVariable::CustomerPhone => customer?.phone.clone(),
            ReplyVariable::AgentName => self.agent.clone(),
            ReplyVariable::TeamName => self.chat.chat.team.as_ref().map(|team| team.name.clone()),
            ReplyVariable::TicketNumber => self.ticket.map(|number| number.to_string()),
            ReplyVariable::ClientName => self.client.clone(),
        }
    }
}
