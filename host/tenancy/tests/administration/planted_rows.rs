//! Rows of a person in every table that has a rule for persons, made from the registry and the schema: a new table is
//! planted without a change here.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::{address::Address, ids::InboxId, phone::Msisdn, recipient::order_key};
use sqlx::Row;
use storage::{
    Db, PgConnection,
    personal_data::{ColumnForm, PersonLink, PersonalTable, REGISTRY, RowTreatment, TableRule},
};
use uuid::Uuid;

/// An id that no other test of this process has.
pub fn new_id() -> Uuid {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    const FIRST: u128 = 0x0193_2f5e_5c1b_7c3a_9f55_0000_0000_0000;
    Uuid::from_u128(FIRST + u128::from(NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// A person and the word that its rows carry.
pub struct Planted {
    pub client: Uuid,
    /// The id of all its objects: customer, chat, message, file.
    pub id: Uuid,
    pub phone: &'static str,
    pub marker: String,
    inbox: Uuid,
}

struct Column {
    name: String,
    kind: String,
    is_needed: bool,
}

impl Planted {
    /// A person of a client. The client is made if it is new.
    pub async fn new(db: &Db, client: Uuid, phone: &'static str) -> Self {
        let (id, inbox) = (new_id(), new_id());
        sqlx::query(
            "INSERT INTO client (id, client_ref, display_name, created_at) VALUES ($1, $1::text, 'A client', now())
             ON CONFLICT DO NOTHING",
        )
        .bind(client)
        .execute(db)
        .await
        .unwrap();
        sqlx::query(
            "INSERT INTO inbox (client_id, id, kind, channel, address, created_at) VALUES ($1, $2, 'SMS', 'SMS', $3, now())",
        )
        .bind(client)
        .bind(inbox)
        .bind(source(inbox))
        .execute(db)
        .await
        .unwrap();
        Self { client, id, phone, marker: format!("marker{}", id.simple()), inbox }
    }

    /// Plants one row for each tie of each table.
    pub async fn plant(&self, db: &Db) {
        let mut db = db.acquire().await.unwrap().detach();
        // Without foreign keys and checks, because the rows say nothing.
        sqlx::raw_sql("SET session_replication_role = replica").execute(&mut db).await.unwrap();
        for checked in checks(&mut db).await {
            sqlx::raw_sql(&checked).execute(&mut db).await.unwrap();
        }
        for table in REGISTRY {
            let TableRule::Tied(ties, ..) = table.rule else { continue };
            let columns = columns(&mut db, table.name).await;
            for (row, tie) in ties.iter().enumerate() {
                let planted: Vec<(&str, String)> = columns
                    .iter()
                    .filter_map(|column| Some((column.name.as_str(), self.value(table, (*tie, row), column)?)))
                    .collect();
                let (names, values): (Vec<&str>, Vec<String>) = planted.into_iter().unzip();
                let sql = format!("INSERT INTO {} ({}) VALUES ({})", table.name, names.join(", "), values.join(", "));
                sqlx::raw_sql(&sql).execute(&mut db).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
            }
        }
    }

    /// The value of a column as SQL; `None` if it can be left out.
    fn value(&self, table: &PersonalTable, (tie, row): (PersonLink, usize), column: &Column) -> Option<String> {
        let text = |text: &str| in_type(&column.kind, text);
        let name = column.name.as_str();
        let mention = || if is_redacted(table, name) { format!("+{}", self.phone) } else { self.mention() };
        match tie {
            PersonLink::Id(tied) if tied == name => return Some(text(&self.id.to_string())),
            PersonLink::Value(tied) if tied == name => return Some(text(self.phone)),
            PersonLink::Name(tied) if tied == name => return Some(text(&self.marker)),
            PersonLink::Order(tied) if tied == name => {
                let phone = Address::from(Msisdn::parse(self.phone).unwrap());
                return Some(order_key(InboxId(self.inbox), &phone).to_string());
            }
            PersonLink::Mention(tied, _) if tied == name => return Some(text(&mention())),
            PersonLink::Subject(tied, _) if tied == name => return Some(text(&format!("{}/{}", self.marker, self.id))),
            PersonLink::Party(tied, form) if tied == name => return Some(self.party(form)),
            PersonLink::Id(_) | PersonLink::Value(_) | PersonLink::Name(_) | PersonLink::Order(_) => {}
            PersonLink::Mention(..) | PersonLink::Subject(..) | PersonLink::Party(..) => {}
        }
        match (table.name, name) {
            (_, "client_id") => Some(text(&self.client.to_string())),
            ("participant", "id") | ("chat_message", "media_id") => Some(text(&self.id.to_string())),
            ("customer_address", "value") => Some(text(self.phone)),
            (_, "kind" | "address_kind") => Some(text("PHONE")),
            (_, "receiver") => Some(text(&source(self.inbox))),
            ("audit", "actor") => Some(text("operator")),
            (_, personal) if is_redacted(table, personal) => Some(text("of another")),
            (_, "ct_id") => Some(text(&self.marker)),
            // Some personal columns are part of a key.
            (_, personal) if table.columns.contains(&personal) => Some(text(&format!("{}-{row}", self.marker))),
            _ => column.is_needed.then(|| filler(&column.kind)),
        }
    }

    /// A text from the person.
    fn party(&self, form: ColumnForm) -> String {
        match form {
            ColumnForm::Json => format!("'{{\"from\": \"{}\", \"body\": \"{}\"}}'", self.phone, self.marker),
            ColumnForm::Text | ColumnForm::Bytes => format!("'from={}&messageText={}'", self.phone, self.marker),
        }
    }

    fn mention(&self) -> String {
        format!("{}/+{}", self.marker, self.phone)
    }

    /// The number of rows that carry the marker, in all tables.
    pub async fn rows(&self, db: &Db) -> i64 {
        rows_with(db, &self.marker).await
    }
}

/// The number of rows with a text, in all tables of the registry.
pub async fn rows_with(db: &Db, text: &str) -> i64 {
    let mut found = 0;
    for table in REGISTRY {
        let sql = format!(
            "SELECT count(*) FROM {} one WHERE strpos(one::text, $1) > 0 OR strpos(one::text, $2) > 0",
            table.name
        );
        let rows: i64 = sqlx::query_scalar(&sql).bind(text).bind(hex::encode(text)).fetch_one(db).await.unwrap();
        found += rows;
    }
    found
}

/// True if the rest of the column's text stays, because other persons share the row.
fn is_redacted(table: &PersonalTable, column: &str) -> bool {
    let TableRule::Tied(_, RowTreatment::Redact(columns), _) = table.rule else { return false };
    columns.iter().any(|(redacted, form)| *redacted == column && *form != ColumnForm::Json)
}

fn source(inbox: Uuid) -> String {
    inbox.simple().to_string()
}

fn in_type(kind: &str, text: &str) -> String {
    match kind {
        "json" | "jsonb" => format!("to_json('{text}'::text)"),
        "bytea" => format!("convert_to('{text}', 'UTF8')"),
        "text[]" => format!("ARRAY['{text}']"),
        "bigint[]" | "integer[]" => "'{7}'".to_owned(),
        _ => format!("'{text}'"),
    }
}

fn filler(kind: &str) -> String {
    match kind {
        "uuid" => "gen_random_uuid()".to_owned(),
        "text" => "gen_random_uuid()::text".to_owned(),
        "smallint" | "integer" | "bigint" => "floor(random() * 30000)::int".to_owned(),
        "boolean" => "false".to_owned(),
        "bytea" => "uuid_send(gen_random_uuid())".to_owned(),
        "json" | "jsonb" => "'{}'".to_owned(),
        "timestamp with time zone" => "now()".to_owned(),
        other => panic!("say how a column of type {other} is filled"),
    }
}

/// Statements that drop the checks of columns.
async fn checks(db: &mut PgConnection) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint
         WHERE contype = 'c' AND connamespace = 'public'::regnamespace AND coninhcount = 0",
    )
    .fetch_all(db)
    .await
    .unwrap()
}

async fn columns(db: &mut PgConnection, table: &str) -> Vec<Column> {
    let rows = sqlx::query(
        "SELECT attname::text AS name, format_type(atttypid, NULL) AS kind, attnotnull AND NOT atthasdef AS is_needed
         FROM pg_attribute
         WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = ''",
    );
    let rows = rows.bind(table).fetch_all(db).await.unwrap();
    let column = |row: &sqlx::postgres::PgRow| Column {
        name: row.get("name"),
        kind: row.get("kind"),
        is_needed: row.get("is_needed"),
    };
    rows.iter().map(column).collect()
}
