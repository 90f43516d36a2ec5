//! Names in send requests: sending inboxes, templates and idempotency keys. One statement finds all names of a group of
//! requests.

use std::collections::HashMap;

use domain::{
    ids::{ClientId, InboxId},
    inbox::InboxKind,
    template::TemplateRecord,
};
use sqlx::types::Json;
use uuid::Uuid;

use crate::{PgConnection, Result, column_values::read_value};

#[derive(Debug, Default)]
pub struct GroupNames<'a> {
    pub keys: Vec<&'a str>,
    pub numbers: Vec<&'a str>,
    /// Templates: the sending number, and the id.
    pub templates: Vec<(&'a str, &'a str)>,
    pub sources: Vec<&'a str>,
    pub default_source: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendingInbox {
    pub id: InboxId,
    pub kind: InboxKind,
    pub address: Option<String>,
    pub waba_id: Option<String>,
    pub is_default_source: bool,
}

#[derive(Debug, Default)]
pub struct NamedRows {
    pub responses: HashMap<String, Vec<u8>>,
    pub inboxes: Vec<SendingInbox>,
    /// Templates of the accounts of the sending numbers. A Lite number has those of all accounts of its client.
    pub templates: Vec<TemplateRecord>,
}

#[derive(sqlx::FromRow)]
struct NamedRow {
    inbox_id: Option<Uuid>,
    kind: Option<String>,
    address: Option<String>,
    waba_id: Option<String>,
    is_default: bool,
    template: Option<Json<TemplateRecord>>,
    key: Option<String>,
    response: Option<Vec<u8>>,
}

pub async fn find(db: &mut PgConnection, client: ClientId, names: &GroupNames<'_>) -> Result<NamedRows> {
    let (senders, templates): (Vec<&str>, Vec<&str>) = names.templates.iter().copied().unzip();
    // A client has few inboxes and accounts. Tables that grow are read by their whole key.
    let rows: Vec<NamedRow> = sqlx::query_as(
        "SELECT inbox.id AS inbox_id, inbox.kind, inbox.address, cloud.waba_id, false AS is_default,
                NULL::jsonb AS template, NULL::text AS key, NULL::bytea AS response
         FROM inbox
         LEFT JOIN LATERAL (
             SELECT waba_id FROM whatsapp_cloud_inbox one
             WHERE one.client_id = inbox.client_id AND one.id = inbox.id OFFSET 0) cloud ON true
         WHERE inbox.client_id = $1 AND inbox.channel = 'WHATSAPP' AND inbox.address = ANY($2)
         UNION ALL
         SELECT inbox.id, inbox.kind, inbox.address, NULL, sms.is_default, NULL, NULL, NULL
         FROM inbox
         CROSS JOIN LATERAL (
             SELECT is_default, removed_at FROM sms_inbox one
             WHERE one.client_id = inbox.client_id AND one.id = inbox.id OFFSET 0) sms
         WHERE inbox.client_id = $1 AND inbox.channel = 'SMS' AND inbox.address = ANY($3) AND sms.removed_at IS NULL
         UNION ALL
         SELECT inbox.id, inbox.kind, inbox.address, NULL, true, NULL, NULL, NULL
         FROM sms_inbox sms JOIN inbox ON inbox.client_id = sms.client_id AND inbox.id = sms.id
         WHERE sms.client_id = $1 AND sms.is_default AND $4
         UNION ALL
         SELECT NULL, NULL, NULL, NULL, false, to_jsonb(named), NULL, NULL
         FROM (SELECT template.*
               FROM (SELECT DISTINCT $1::uuid AS client_id, account.waba_id, asked.id
                     FROM unnest($5::text[], $6::text[]) AS asked (sender, id)
                     CROSS JOIN LATERAL (
                         SELECT id, kind FROM inbox one
                         WHERE one.client_id = $1 AND one.channel = 'WHATSAPP' AND one.address = asked.sender) sender
                     CROSS JOIN LATERAL (
                         SELECT cloud.waba_id FROM whatsapp_cloud_inbox cloud
                         WHERE cloud.client_id = $1 AND cloud.id = sender.id
                         UNION ALL
                         SELECT directory.waba_id FROM waba_directory directory
                         WHERE directory.client_id = $1 AND sender.kind = 'WHATSAPP_LITE') account
                     OFFSET 0) wanted
               CROSS JOIN LATERAL (
                   SELECT id, waba_id, name, language, status, category, parameter_format, components FROM template one
                   WHERE one.client_id = wanted.client_id AND one.waba_id = wanted.waba_id AND one.id = wanted.id
                   OFFSET 0) template) named
         UNION ALL
         SELECT NULL, NULL, NULL, NULL, false, NULL, stored.key, stored.response
         FROM (SELECT $1::uuid AS client_id, key FROM unnest($7::text[]) AS key OFFSET 0) wanted
         JOIN idempotency stored ON stored.client_id = wanted.client_id AND stored.key = wanted.key",
    )
    .bind(client.0)
    .bind(&names.numbers)
    .bind(&names.sources)
    .bind(names.default_source)
    .bind(&senders)
    .bind(&templates)
    .bind(&names.keys)
    .fetch_all(db)
    .await?;
    let mut found = NamedRows::default();
    for row in rows {
        if let Some((id, kind)) = row.inbox_id.zip(row.kind) {
            let kind = read_value("inbox", "kind", &kind, |kind| kind.parse().ok())?;
            found.add(SendingInbox {
                id: InboxId(id),
                kind,
                address: row.address,
                waba_id: row.waba_id,
                is_default_source: row.is_default,
            });
        } else if let Some(Json(template)) = row.template {
            found.templates.push(template);
        } else {
            found.responses.extend(row.key.zip(row.response));
        }
    }
    Ok(found)
}

impl NamedRows {
    /// The default source may be named, too.
    fn add(&mut self, inbox: SendingInbox) {
        if self.inboxes.iter().all(|known| known.id != inbox.id) {
            self.inboxes.push(inbox);
        }
    }
}
