//! Disables and enables objects of a client. `docs/operations.md` has the rules.

use std::time::Duration;

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
};
use domain::{
    channel::Channel,
    ids::{ClientId, InboxId},
    sms_products::email::EmailAddress,
};
use storage::{
    Db, PgConnection, Queue, inboxes,
    tenancy::{clients, disablement, users},
    violates,
};
use uuid::Uuid;

/// Time in which running work of a disabled object ends: its lease is renewed every five seconds, and calls in flight are
/// waited for.
const ENDS_WITHIN: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(200);

#[derive(Debug, Clone, Copy)]
pub enum DisableTarget<'a> {
    Client,
    /// By e-mail address.
    User(&'a str),
    /// The key of the user with this e-mail address.
    Key(&'a str),
    /// A number, page or bot, by channel and address.
    Inbox(Channel, &'a str),
    Site(InboxId),
    /// A sender of e-mail to SMS.
    Sender(&'a str),
}

impl DisableTarget<'_> {
    /// The name under which the operator gave the object of a client.
    pub fn name(self, client_ref: &str) -> String {
        match self {
            Self::Client => client_ref.to_owned(),
            Self::Site(id) => id.to_string(),
            Self::User(name) | Self::Key(name) | Self::Inbox(_, name) | Self::Sender(name) => name.to_owned(),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum DisableError {
    #[error("there is no client `{0}`; `patchbay client list` lists all clients")]
    UnknownClient(String),
    #[error("client `{client}` has no {kind} `{name}`; `patchbay {kind} list --client {client}` lists them")]
    Unknown { client: String, kind: &'static str, name: String },
    #[error("another client has connected `{0}`; that one must remove it first")]
    Taken(String),
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(DisableError: storage::Error);

/// Disables an object, or enables it again. After a disabling of a client or an inbox it waits until running work has
/// ended, and returns the number of lanes that are still worked on.
pub async fn set_enabled(
    admin: &Administration<'_>,
    client_ref: &str,
    what: DisableTarget<'_>,
    enabled: bool,
    actor: Actor,
) -> Result<i64, DisableError> {
    let mut tx = admin.db.begin().await?;
    let client = find_client(&mut tx, client_ref).await?;
    let object = Object::find(&mut tx, client, what).await?;
    let object = object.ok_or_else(|| unknown(client_ref, what))?;
    if let (Object::Inbox(inbox), true) = (&object, enabled) {
        take_back(admin, &mut tx, client, *inbox, what).await?;
    }
    let at = (!enabled).then(|| admin.now());
    if !object.set(&mut tx, client, at).await? {
        return Err(unknown(client_ref, what));
    }
    let action = if enabled { "enable" } else { "disable" };
    audit(admin, &mut tx, client, actor, action, AuditObject::new(object.kind(), &object.id(client))).await?;
    tx.commit().await?;
    match (object, enabled) {
        (Object::Client, false) => Ok(until_ended(admin.db, client, None).await?),
        (Object::Inbox(inbox), false) => Ok(until_ended(admin.db, client, Some(inbox)).await?),
        _ => Ok(0),
    }
}

/// Disables a number, page or bot, and frees its address for another client. Its messages and chats stay. Enabling takes
/// the address back.
pub async fn remove_inbox(
    admin: &Administration<'_>,
    client_ref: &str,
    channel: Channel,
    address: &str,
    actor: Actor,
) -> Result<i64, DisableError> {
    let what = DisableTarget::Inbox(channel, address);
    let mut tx = admin.db.begin().await?;
    let client = find_client(&mut tx, client_ref).await?;
    let inbox = disablement::inbox_of(&mut tx, client, channel, address).await?;
    let inbox = inbox.ok_or_else(|| unknown(client_ref, what))?;
    disablement::set_inbox(&mut tx, client, inbox, Some(admin.now())).await?;
    inboxes::release(&mut tx, client, inbox, admin.now()).await?;
    audit(admin, &mut tx, client, actor, "remove", AuditObject::new("inbox", &inbox)).await?;
    tx.commit().await?;
    Ok(until_ended(admin.db, client, Some(inbox)).await?)
}

async fn find_client(db: &mut PgConnection, client_ref: &str) -> Result<ClientId, DisableError> {
    let found = clients::find_by_ref(db, client_ref).await?;
    found.ok_or_else(|| DisableError::UnknownClient(client_ref.to_owned()))
}

async fn take_back(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    what: DisableTarget<'_>,
) -> Result<(), DisableError> {
    let taken = [inboxes::PHONE_NUMBER_ID_UNIQUE, inboxes::PAGE_UNIQUE, inboxes::accounts::ACCOUNT_UNIQUE];
    inboxes::take_back(db, client, inbox, admin.now()).await.map_err(|error| match what {
        DisableTarget::Inbox(_, address) if taken.iter().any(|name| violates(&error, name)) => {
            DisableError::Taken(address.to_owned())
        }
        _ => error.into(),
    })
}

enum Object {
    Client,
    User(domain::ids::UserId),
    Key(domain::ids::UserId),
    Inbox(InboxId),
    Sender(EmailAddress),
}

impl Object {
    async fn find(db: &mut PgConnection, client: ClientId, what: DisableTarget<'_>) -> storage::Result<Option<Self>> {
        Ok(match what {
            DisableTarget::Client => Some(Self::Client),
            DisableTarget::User(email) => {
                users::find_by_email(db, client, email).await?.map(|user| Self::User(user.id))
            }
            DisableTarget::Key(email) => users::find_by_email(db, client, email).await?.map(|user| Self::Key(user.id)),
            DisableTarget::Inbox(channel, address) => {
                disablement::inbox_of(db, client, channel, address).await?.map(Self::Inbox)
            }
            DisableTarget::Site(id) => {
                storage::web::sites::by_id(db, client, id).await?.map(|site| Self::Inbox(site.id))
            }
            DisableTarget::Sender(address) => EmailAddress::parse(address).map(Self::Sender),
        })
    }

    async fn set(
        &self,
        db: &mut PgConnection,
        client: ClientId,
        at: Option<chrono::DateTime<chrono::Utc>>,
    ) -> storage::Result<bool> {
        match self {
            Self::Client => disablement::set_client(db, client, at).await,
            Self::User(user) => disablement::set_user(db, client, *user, at).await,
            Self::Key(user) => disablement::set_key(db, client, *user, at).await,
            Self::Inbox(inbox) => disablement::set_inbox(db, client, *inbox, at).await,
            Self::Sender(address) => disablement::set_sender(db, client, address, at).await,
        }
    }

    /// As in the audit trail.
    fn kind(&self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::User(_) => "user",
            Self::Key(_) => "apiKey",
            Self::Inbox(_) => "inbox",
            Self::Sender(_) => "email-sender",
        }
    }

    fn id(&self, client: ClientId) -> String {
        match self {
            Self::Client => client.to_string(),
            Self::User(user) | Self::Key(user) => user.to_string(),
            Self::Inbox(inbox) => inbox.to_string(),
            Self::Sender(address) => address.as_str().to_owned(),
        }
    }
}

fn unknown(client_ref: &str, what: DisableTarget<'_>) -> DisableError {
    let kind = match what {
        DisableTarget::Client => "client",
        DisableTarget::User(_) => "user",
        DisableTarget::Key(_) => "key",
        DisableTarget::Inbox(Channel::Facebook, _) => "page",
        DisableTarget::Inbox(Channel::Telegram, _) => "telegram",
        DisableTarget::Inbox(..) => "number",
        DisableTarget::Site(_) => "site",
        DisableTarget::Sender(_) => "sender",
    };
    DisableError::Unknown { client: client_ref.to_owned(), kind, name: what.name(client_ref) }
}

/// Waits until no process works on a lane that the disabling closed: the outbound lane of the inbox, or all lanes of the
/// client whose queue waits. Returns the number of lanes that are left.
async fn until_ended(db: &Db, client: ClientId, inbox: Option<InboxId>) -> storage::Result<i64> {
    let queues: Vec<&str> = match inbox {
        Some(_) => vec![Queue::Outbound.name()],
        None => Queue::ALL.into_iter().filter(|queue| queue.waits_while_disabled()).map(Queue::name).collect(),
    };
    until_free(db, client, &queues, inbox.map(Uuid::from)).await
}

pub(crate) async fn until_free(db: &Db, client: ClientId, queues: &[&str], lane: Option<Uuid>) -> storage::Result<i64> {
    let mut waited = Duration::ZERO;
    loop {
        let left = disablement::leases(&mut *db.acquire().await?, client, queues, lane).await?;
        if left == 0 || waited >= ENDS_WITHIN {
            return Ok(left);
        }
        tokio::time::sleep(LOOK).await;
        waited += LOOK;
    }
}
