//! Lists of chats (SPEC 4.2 `scope`, `search`), defined by `domain::chat::ChatScope`; a test compares the two.

use std::collections::HashMap;

use domain::{
    address::AddressKind,
    chat::ChatScope,
    ids::{ClientId, CustomerId, InboxId, ParticipantId, UserId},
    page::{Page, PageRequest},
    privacy::SHOWN_DIGITS,
};
use uuid::Uuid;

pub use super::list_conditions::COUNTED;
use super::{
    common_words::{self, ListReading},
    list_conditions::{ListedChats, condition, counted_page},
    participants::{COLUMNS, Participant, ParticipantRow},
    search::SHORTEST_INDEXED,
    teams,
};
use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListSearch {
    Everything,
    Customer(CustomerId),
    /// Chats of any of the customers.
    Customers(Vec<CustomerId>),
    /// Chats with this text in their [`super::search::words`]; lower case, not empty.
    Words(String),
    /// Chats of customers whose shown name begins with this; folded. For callers that see only the first letter.
    Initial(String),
    /// Chats of customers with these digits among the last of the shown number. For callers that see only those.
    Ending(String),
    Nothing,
}

impl ListSearch {
    fn customer_filter(&self) -> Option<String> {
        match self {
            Self::Everything | Self::Nothing => None,
            Self::Customer(customer) => Some(customer.to_string()),
            Self::Customers(customers) => {
                Some(customers.iter().map(CustomerId::to_string).collect::<Vec<_>>().join(","))
            }
            Self::Words(words) | Self::Initial(words) | Self::Ending(words) => Some(words.clone()),
        }
    }
}

/// Chats with the words `$3`, found by the index of words if there is enough text.
macro_rules! with_words {
    ($($more:tt)*) => {
        concat!(
            "strpos(found_by, $3) > 0 AND id = ANY(ARRAY(
                 SELECT found.participant_id FROM participant_search found
                 WHERE found.client_id = $1 AND found.grams @> chat_grams($1, $3)
                   AND strpos(found.words, $3) > 0))",
            $($more)*
        )
    };
}

/// Chats whose shown number has the digits `$3` in the part that masked callers see: [`SHOWN_DIGITS`].
macro_rules! at_the_end {
    () => {
        " AND strpos(right((SELECT number.value FROM customer_address number
                            WHERE number.client_id = $1 AND number.customer_id = participant.customer_id
                              AND number.kind = 'PHONE'
                            ORDER BY number.seen_at DESC, number.value LIMIT 1), 3), $3) > 0"
    };
}

const _: () = assert!(SHOWN_DIGITS == 3, "the statements of this file and of the address book name it");

/// Returns the customer with exactly this provider id: a BSUID, or its counterpart on other channels.
pub async fn customer_by_user_id(db: &mut PgConnection, client: ClientId, id: &str) -> Result<Option<CustomerId>> {
    let kinds: Vec<&str> =
        AddressKind::ALL.into_iter().filter(|kind| *kind != AddressKind::Phone).map(AddressKind::as_str).collect();
    let found: Option<Uuid> = sqlx::query_scalar(
        "SELECT customer_id FROM customer_address WHERE client_id = $1 AND kind = ANY($2) AND value = $3 LIMIT 1",
    )
    .bind(client.0)
    .bind(kinds)
    .bind(id)
    .fetch_optional(db)
    .await?;
    Ok(found.map(CustomerId))
}

fn sought(search: &ListSearch) -> &'static str {
    match search {
        ListSearch::Everything => "$3::text IS NULL",
        ListSearch::Customer(_) => "customer_id = $3::text::uuid",
        ListSearch::Customers(_) => "customer_id = ANY(string_to_array($3, ',')::uuid[])",
        ListSearch::Words(words) if words.chars().count() >= SHORTEST_INDEXED => with_words!(""),
        ListSearch::Words(_) => "strpos(found_by, $3) > 0",
        // The first line is the shown name, if there is one.
        ListSearch::Initial(_) => "starts_with(found_by, $3)",
        ListSearch::Ending(digits) if digits.len() >= SHORTEST_INDEXED => with_words!(at_the_end!()),
        ListSearch::Ending(_) => concat!("strpos(found_by, $3) > 0", at_the_end!()),
        ListSearch::Nothing => "$3::text IS NOT NULL",
    }
}

/// The statement of a page of a list: offset `$4`, limit `$5`. Public for the test of its plan.
#[doc(hidden)]
pub fn page_statement(scope: ChatScope, search: &ListSearch) -> String {
    let (condition, sought) = (condition(scope), sought(search));
    format!(
        "SELECT {COLUMNS} FROM participant
         WHERE client_id = $1 AND merged_into IS NULL AND {condition} AND {sought}
         ORDER BY last_message_at DESC, id OFFSET $4 LIMIT $5"
    )
}

/// The statement that counts a list up to `$4`. Public for the test of its plan.
#[doc(hidden)]
pub fn count_statement(scope: ChatScope, search: &ListSearch) -> String {
    let (condition, sought) = (condition(scope), sought(search));
    format!(
        "SELECT count(*) FROM (
             SELECT 1 FROM participant WHERE client_id = $1 AND merged_into IS NULL AND {condition} AND {sought} LIMIT $4
         ) counted"
    )
}

/// A list of chats as this user sees it.
#[derive(Debug, Clone, Copy)]
pub struct ChatList {
    pub scope: ChatScope,
    pub caller: UserId,
}

pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    ChatList { scope, caller }: ChatList,
    search: &ListSearch,
    page: PageRequest,
) -> Result<Page<Participant>> {
    let agents = match scope {
        ChatScope::Team => teams::mates(db, client, caller).await?,
        _ => vec![caller],
    };
    let agents: Vec<Uuid> = agents.into_iter().map(|agent| agent.0).collect();
    let list = ListedChats { client, scope, agents: &agents };
    let reading = match search {
        ListSearch::Words(words) => common_words::walk(db, list, words, page).await?,
        ListSearch::Nothing => return Ok(Page { items: Vec::new(), total: 0 }),
        ListSearch::Everything
        | ListSearch::Customer(_)
        | ListSearch::Customers(_)
        | ListSearch::Initial(_)
        | ListSearch::Ending(_) => ListReading::default(),
    };
    let wanted = search.customer_filter();
    let rows = match reading.rows {
        Some(rows) => rows,
        None => rows(db, list, search, wanted.as_deref(), page).await?,
    };
    let counted = match reading.counted {
        Some(counted) => counted,
        None => count(db, list, search, wanted.as_deref()).await?,
    };
    counted_page(rows, counted, page)
}

async fn rows(
    db: &mut PgConnection,
    list: ListedChats<'_>,
    search: &ListSearch,
    wanted: Option<&str>,
    page: PageRequest,
) -> Result<Vec<ParticipantRow>> {
    let rows = sqlx::query_as(&page_statement(list.scope, search))
        .bind(list.client.0)
        .bind(list.agents)
        .bind(wanted)
        .bind(page.offset())
        .bind(page.limit() + 1)
        .fetch_all(db)
        .await?;
    Ok(rows)
}

async fn count(db: &mut PgConnection, list: ListedChats<'_>, search: &ListSearch, wanted: Option<&str>) -> Result<u64> {
    let counted: i64 = sqlx::query_scalar(&count_statement(list.scope, search))
        .bind(list.client.0)
        .bind(list.agents)
        .bind(wanted)
        .bind(i64::try_from(COUNTED).unwrap_or(i64::MAX))
        .fetch_one(db)
        .await?;
    Ok(u64::try_from(counted).unwrap_or_default())
}

/// The statement of the ids that a search finds: at most `$4`. Public for the test of its plan.
#[doc(hidden)]
pub fn ids_statement(search: &ListSearch) -> String {
    let (condition, sought) = (condition(ChatScope::All), sought(search));
    format!(
        "SELECT id FROM participant WHERE client_id = $1 AND merged_into IS NULL AND {condition} AND {sought}
         ORDER BY last_message_at DESC, id LIMIT $4"
    )
}

/// The chats of a client that a search finds, those with the latest messages first, at most `limit`.
pub async fn find_ids(
    db: &mut PgConnection,
    client: ClientId,
    search: &ListSearch,
    limit: u32,
) -> Result<Vec<ParticipantId>> {
    let (list, limit) = (ListedChats { client, scope: ChatScope::All, agents: &[] }, i64::from(limit));
    let ids_by_walk = match search {
        ListSearch::Words(words) => common_words::walk_ids(db, list, words, limit).await?,
        ListSearch::Nothing => return Ok(Vec::new()),
        ListSearch::Everything
        | ListSearch::Customer(_)
        | ListSearch::Customers(_)
        | ListSearch::Initial(_)
        | ListSearch::Ending(_) => None,
    };
    let ids: Vec<Uuid> = match ids_by_walk {
        Some(ids) => ids,
        None => {
            sqlx::query_scalar(&ids_statement(search))
                .bind(client.0)
                .bind(list.agents)
                .bind(search.customer_filter())
                .bind(limit)
                .fetch_all(db)
                .await?
        }
    };
    Ok(ids.into_iter().map(ParticipantId).collect())
}

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ShownCustomer {
    id: Uuid,
    pub name: Option<String>,
    pub username: Option<String>,
    pub phone: Option<String>,
    /// BSUID, or the provider's id on channels without BSUIDs.
    pub user_id: Option<String>,
    pub parent_user_id: Option<String>,
}

impl ShownCustomer {
    pub fn reached_at(&self) -> Option<&str> {
        self.phone.as_deref().or(self.user_id.as_deref())
    }

    /// The name, else the user name.
    pub fn shown_name(&self) -> Option<&str> {
        self.name.as_deref().or(self.username.as_deref())
    }
}

/// Returns the shown facts of customers. The name in the address book has priority.
pub async fn customers(
    db: &mut PgConnection,
    client: ClientId,
    customers: &[CustomerId],
) -> Result<HashMap<CustomerId, ShownCustomer>> {
    let user_ids: Vec<&str> =
        AddressKind::USER_IDS.into_iter().filter(|kind| *kind != AddressKind::Bsuid).map(AddressKind::as_str).collect();
    let rows: Vec<ShownCustomer> = sqlx::query_as(
        "SELECT customer.id, customer.username, customer.parent_user_id,
                COALESCE((SELECT COALESCE((SELECT kept.full_name FROM contact kept
                                           WHERE kept.client_id = contact.client_id AND kept.id = (
                                               SELECT merge.kept_id FROM contact_merge merge
                                               WHERE merge.client_id = contact.client_id AND merge.contact_id = contact.id)),
                                          contact.full_name)
                          FROM contact
                          WHERE contact.client_id = wanted.client_id AND contact.customer_id = wanted.id),
                         customer.full_name) AS name,
                (SELECT value FROM customer_address
                 WHERE client_id = wanted.client_id AND customer_id = wanted.id AND kind = 'PHONE'
                 ORDER BY seen_at DESC LIMIT 1) AS phone,
                COALESCE((SELECT value FROM customer_address
                          WHERE client_id = wanted.client_id AND customer_id = wanted.id AND kind = 'BSUID'
                          ORDER BY seen_at DESC LIMIT 1),
                         (SELECT value FROM customer_address
                          WHERE client_id = wanted.client_id AND customer_id = wanted.id AND kind = ANY($3)
                          ORDER BY kind = 'LID', kind, seen_at DESC LIMIT 1)) AS user_id
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[]) AS one (id) OFFSET 0) wanted
         JOIN customer ON customer.client_id = wanted.client_id AND customer.id = wanted.id",
    )
    .bind(client.0)
    .bind(customers.iter().map(|customer| customer.0).collect::<Vec<_>>())
    .bind(user_ids)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| (CustomerId(row.id), row)).collect())
}

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ShownAgent {
    id: Uuid,
    pub name: String,
    pub email: String,
}

pub async fn agents(db: &mut PgConnection, client: ClientId, agents: &[UserId]) -> Result<HashMap<UserId, ShownAgent>> {
    let rows: Vec<ShownAgent> = sqlx::query_as(
        "SELECT member.id, member.name, member.email
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[]) AS one (id) OFFSET 0) wanted
         JOIN client_user member ON member.client_id = wanted.client_id AND member.id = wanted.id",
    )
    .bind(client.0)
    .bind(agents.iter().map(|agent| agent.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| (UserId(row.id), row)).collect())
}

pub async fn inbox_addresses(
    db: &mut PgConnection,
    client: ClientId,
    inboxes: &[InboxId],
) -> Result<HashMap<InboxId, String>> {
    let rows: Vec<(Uuid, String)> = sqlx::query_as(
        "SELECT inbox.id, inbox.address
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[]) AS one (id) OFFSET 0) wanted
         JOIN inbox ON inbox.client_id = wanted.client_id AND inbox.id = wanted.id WHERE inbox.address IS NOT NULL",
    )
    .bind(client.0)
    .bind(inboxes.iter().map(|inbox| inbox.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(id, address)| (InboxId(id), address)).collect())
}

pub async fn customers_of_chats(
    db: &mut PgConnection,
    client: ClientId,
    chats: &[ParticipantId],
) -> Result<HashMap<ParticipantId, ShownCustomer>> {
    if chats.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Uuid, Uuid)> = sqlx::query_as(
        "SELECT chat.id, chat.customer_id
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[]) AS one (id) OFFSET 0) wanted
         JOIN participant chat ON chat.client_id = wanted.client_id AND chat.id = wanted.id",
    )
    .bind(client.0)
    .bind(chats.iter().map(|chat| chat.0).collect::<Vec<_>>())
    .fetch_all(&mut *db)
    .await?;
    let ids: Vec<CustomerId> = rows.iter().map(|(_, customer)| CustomerId(*customer)).collect();
    let known = customers(db, client, &ids).await?;
    let shown = |(chat, customer)| Some((ParticipantId(chat), known.get(&CustomerId(customer))?.clone()));
    Ok(rows.into_iter().filter_map(shown).collect())
}
