//! Finds a person: from one address to all addresses and objects.

use std::collections::BTreeSet;

use domain::{
    address::{Address, AddressKind},
    ids::ClientId,
};
use sqlx::Row;
use uuid::Uuid;

use super::{person::KnownPerson, registry::REGISTRY};
use crate::{PgConnection, Result, column_values, inbound::media};

/// Finds a person of a client. Call [`begin_search`](super::begin_search) first.
pub async fn find(db: &mut PgConnection, client: ClientId, address: Address) -> Result<KnownPerson> {
    let mut person = KnownPerson::new(client, address);
    let customers = add_customers(db, &mut person).await?;
    let chats = add_chats(db, &mut person, &customers).await?;
    let own_files = add_chat_messages(db, &mut person, &chats).await?;
    add_messages(db, &mut person).await?;
    add_sms(db, &mut person).await?;
    let of_parts = add_parts(db, &mut person).await?;
    add_own_files(db, &mut person, &chats, own_files.union(&of_parts).copied().collect()).await?;
    add_unnamed_files(db, &mut person).await?;
    let inboxes = ids(db, "SELECT id FROM inbox WHERE client_id = $1", &person, &[]).await?;
    person.add_orders(&inboxes);
    person.ids.extend(person.subjects.clone());
    person.ids.extend(person.media.clone());
    add_deliveries(db, &mut person).await?;
    Ok(person)
}

async fn ids(db: &mut PgConnection, sql: &'static str, person: &KnownPerson, list: &[Uuid]) -> Result<Vec<Uuid>> {
    Ok(sqlx::query_scalar(sql).bind(person.client().0).bind(list).fetch_all(db).await?)
}

async fn add_customers(db: &mut PgConnection, person: &mut KnownPerson) -> Result<Vec<Uuid>> {
    let mut customers = BTreeSet::new();
    loop {
        let before = (customers.len(), person.addresses.len());
        customers.extend(with_addresses(db, person).await?);
        for merged in [
            "SELECT id FROM customer WHERE client_id = $1 AND merged_into = ANY ($2::uuid[])",
            "SELECT merged_into FROM customer WHERE client_id = $1 AND id = ANY ($2::uuid[]) AND merged_into IS NOT NULL",
        ] {
            let known: Vec<Uuid> = customers.iter().copied().collect();
            customers.extend(ids(db, merged, person, &known).await?);
        }
        let known: Vec<Uuid> = customers.iter().copied().collect();
        add_addresses(db, person, &known).await?;
        if (customers.len(), person.addresses.len()) == before {
            person.subjects.extend(&known);
            return Ok(known);
        }
    }
}

async fn with_addresses(db: &mut PgConnection, person: &KnownPerson) -> Result<Vec<Uuid>> {
    let kinds: Vec<&str> = person.addresses.iter().map(|address| address.kind().as_str()).collect();
    let found = sqlx::query_scalar(
        "SELECT known.customer_id
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::text[], $3::text[]) AS one (kind, value) OFFSET 0) wanted
         JOIN customer_address known
              ON known.client_id = wanted.client_id AND known.kind = wanted.kind AND known.value = wanted.value",
    );
    Ok(found.bind(person.client().0).bind(kinds).bind(person.values()).fetch_all(db).await?)
}

async fn add_addresses(db: &mut PgConnection, person: &mut KnownPerson, customers: &[Uuid]) -> Result<()> {
    let known = sqlx::query_as(
        "SELECT kind, value FROM customer_address WHERE client_id = $1 AND customer_id = ANY ($2::uuid[])
         UNION ALL
         SELECT 'VISITOR', visitor FROM web_visitor WHERE client_id = $1 AND joined_to = ANY ($3::text[])",
    );
    let known: Vec<(String, String)> =
        known.bind(person.client().0).bind(customers).bind(person.values()).fetch_all(db).await?;
    for (kind, value) in known {
        person.addresses.insert(column_values::address("customer_address", ("kind", "value"), &kind, &value)?);
    }
    Ok(())
}

/// Adds chats and conversations. Returns the chats.
async fn add_chats(db: &mut PgConnection, person: &mut KnownPerson, customers: &[Uuid]) -> Result<Vec<Uuid>> {
    let own = "SELECT id FROM participant WHERE client_id = $1 AND customer_id = ANY ($2::uuid[])";
    let mut chats = ids(db, own, person, customers).await?;
    let merged = "SELECT id FROM participant WHERE client_id = $1 AND merged_into = ANY ($2::uuid[])";
    chats.extend(ids(db, merged, person, &chats).await?);
    person.subjects.extend(&chats);
    let conversations = "SELECT unnest(ARRAY[id, participant_id]) FROM conversation
                         WHERE client_id = $1 AND customer_id = ANY ($2::uuid[])";
    let conversations = ids(db, conversations, person, customers).await?;
    person.subjects.extend(conversations);
    Ok(chats)
}

/// Returns the files of the client itself in them, which other messages may name, too.
async fn add_chat_messages(db: &mut PgConnection, person: &mut KnownPerson, chats: &[Uuid]) -> Result<BTreeSet<Uuid>> {
    let mut own_files = BTreeSet::new();
    let messages = sqlx::query(
        "SELECT id, media_id, gst_id, ct_id, content::text AS content FROM chat_message
         WHERE client_id = $1 AND participant_id = ANY ($2::uuid[])",
    );
    for message in messages.bind(person.client().0).bind(chats).fetch_all(&mut *db).await? {
        person.ids.insert(message.try_get("id")?);
        person.media.extend(message.try_get::<Option<Uuid>, _>("media_id")?);
        person.names.extend(message.try_get::<Option<String>, _>("ct_id")?);
        // Of a message of ours, the tracking id is the id of the outbound message.
        person.ids.extend(Uuid::try_parse(message.try_get("gst_id")?));
        own_files.extend(named_files(person, message.try_get("content")?));
    }
    let versions = sqlx::query(
        "SELECT media_id, content::text AS content FROM message_version
         WHERE client_id = $1 AND message_id = ANY ($2::uuid[])",
    );
    for version in versions.bind(person.client().0).bind(person.id_list()).fetch_all(db).await? {
        person.media.extend(version.try_get::<Option<Uuid>, _>("media_id")?);
        own_files.extend(named_files(person, version.try_get("content")?));
    }
    Ok(own_files)
}

/// The files of the client that a text names by our addresses.
fn named_files(person: &KnownPerson, text: &str) -> Vec<Uuid> {
    let place = format!("/media/{}/", person.client());
    let after = text.split(place.as_str()).skip(1);
    after.filter_map(|rest| rest.get(..36).and_then(|id| Uuid::try_parse(id).ok())).collect()
}

async fn add_messages(db: &mut PgConnection, person: &mut KnownPerson) -> Result<()> {
    for sql in [
        "SELECT id, ct_id FROM outbound_message WHERE client_id = $1 AND address_value = ANY ($2::text[])",
        "SELECT id, ct_id FROM outbound_message WHERE client_id = $1 AND other_value = ANY ($2::text[])",
        "SELECT leg.message_id, message.ct_id FROM outbound_leg leg
         JOIN outbound_message message ON message.client_id = leg.client_id AND message.id = leg.message_id
         WHERE leg.client_id = $1 AND leg.address_value = ANY ($2::text[])",
    ] {
        let found = sqlx::query_as(sql).bind(person.client().0).bind(person.values());
        let found: Vec<(Uuid, Option<String>)> = found.fetch_all(&mut *db).await?;
        for (id, ct_id) in found {
            person.ids.insert(id);
            person.names.extend(ct_id);
        }
    }
    Ok(())
}

async fn add_sms(db: &mut PgConnection, person: &mut KnownPerson) -> Result<()> {
    let found = sqlx::query_as(
        "SELECT id, request_id, ct_id FROM sms_message WHERE client_id = $1 AND recipient = ANY ($2::text[])",
    );
    let found: Vec<(Uuid, Uuid, Option<String>)> =
        found.bind(person.client().0).bind(person.values()).fetch_all(&mut *db).await?;
    let mut requests = BTreeSet::new();
    for (id, request, ct_id) in found {
        person.ids.insert(id);
        requests.insert(request);
        person.names.extend(ct_id);
    }
    let requests: Vec<Uuid> = requests.into_iter().collect();
    let shared = sqlx::query_scalar(
        "SELECT DISTINCT request_id FROM sms_message
         WHERE client_id = $1 AND request_id = ANY ($2::uuid[]) AND recipient <> ALL ($3::text[])",
    );
    let shared: Vec<Uuid> = shared.bind(person.client().0).bind(&requests).bind(person.values()).fetch_all(db).await?;
    person.ids.extend(requests.iter().filter(|request| !shared.contains(request)));
    Ok(())
}

async fn add_parts(db: &mut PgConnection, person: &mut KnownPerson) -> Result<BTreeSet<Uuid>> {
    let of_messages = "SELECT DISTINCT part_id FROM outbound_message WHERE client_id = $1 AND id = ANY ($2::uuid[])";
    let parts = ids(db, of_messages, person, &person.id_list()).await?;
    let shared = sqlx::query_scalar(
        "SELECT DISTINCT part_id FROM outbound_message
         WHERE client_id = $1 AND part_id = ANY ($2::uuid[]) AND id <> ALL ($3::uuid[])",
    );
    let shared: Vec<Uuid> =
        shared.bind(person.client().0).bind(&parts).bind(person.id_list()).fetch_all(&mut *db).await?;
    let own: Vec<Uuid> = parts.into_iter().filter(|part| !shared.contains(part)).collect();
    let contents = "SELECT content::text FROM outbound_part WHERE client_id = $1 AND id = ANY ($2::uuid[])";
    let contents: Vec<String> = sqlx::query_scalar(contents).bind(person.client().0).bind(&own).fetch_all(db).await?;
    person.ids.extend(own);
    Ok(contents.iter().flat_map(|content| named_files(person, content)).collect())
}

/// Adds files that the client sent, if no message to another person names them.
async fn add_own_files(
    db: &mut PgConnection,
    person: &mut KnownPerson,
    chats: &[Uuid],
    mut files: BTreeSet<Uuid>,
) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let others = sqlx::query_scalar(
        "SELECT content::text FROM chat_message
         WHERE client_id = $1 AND participant_id <> ALL ($2::uuid[]) AND strpos(content::text, $4) > 0
         UNION ALL
         SELECT content::text FROM outbound_part
         WHERE client_id = $1 AND id <> ALL ($3::uuid[]) AND strpos(content::text, $4) > 0",
    );
    let place = format!("/media/{}/", person.client());
    let others: Vec<String> =
        others.bind(person.client().0).bind(chats).bind(person.id_list()).bind(place).fetch_all(db).await?;
    for other in others {
        for file in named_files(person, &other) {
            files.remove(&file);
        }
    }
    person.media.extend(files);
    Ok(())
}

/// Adds files that no message names yet: those that chatbots wrote in the chats of the person, and uploads of a visitor. Call it
/// after [`KnownPerson::join`], too, because they may be stored until the chats are deleted.
pub async fn add_unnamed_files(db: &mut PgConnection, person: &mut KnownPerson) -> Result<()> {
    let chats: Vec<Uuid> = person.subjects.iter().copied().collect();
    let unsent = "SELECT media_id FROM unsent_file WHERE client_id = $1 AND participant_id = ANY ($2::uuid[])";
    let mut files = ids(db, unsent, person, &chats).await?;
    let visitors = person.addresses.iter().filter(|address| address.kind() == AddressKind::Visitor);
    let owners: Vec<String> = visitors.map(|visitor| media::uploaded_by(visitor.value())).collect();
    if !owners.is_empty() {
        let uploads = "SELECT id FROM media WHERE client_id = $1 AND provider_media_id = ANY ($2::text[])";
        let uploads: Vec<Uuid> = sqlx::query_scalar(uploads).bind(person.client().0).bind(owners).fetch_all(db).await?;
        files.extend(uploads);
    }
    person.ids.extend(&files);
    person.media.extend(files);
    Ok(())
}

async fn add_deliveries(db: &mut PgConnection, person: &mut KnownPerson) -> Result<()> {
    let condition = REGISTRY.iter().find(|table| table.name == "webhook_delivery").and_then(|table| table.condition());
    let sql = format!("SELECT id FROM webhook_delivery WHERE {}", condition.unwrap_or_else(|| "false".to_owned()));
    let found: Vec<Uuid> =
        person.bind(&sql).fetch_all(db).await?.iter().map(|row| row.try_get("id")).collect::<sqlx::Result<_>>()?;
    person.ids.extend(found);
    Ok(())
}
