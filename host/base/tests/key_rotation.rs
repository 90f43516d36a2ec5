//! The change of the master key.
#![expect(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

use base::{
    key_rotation::{RotationReport, rotate},
    secrets::{MasterKeyError, SealError, Sealer, SecretPurpose},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::ids::ClientId;
use storage::{
    Db,
    tenancy::sealed_columns::{SealedColumn, SealedForm},
};
use uuid::Uuid;

const CLIENT: ClientId = ClientId(Uuid::from_u128(1));
const OLD: [u8; 32] = [7; 32];
const NEW: [u8; 32] = [8; 32];

fn both() -> Sealer {
    Sealer::with_previous(NEW, Some(OLD))
}

/// The purpose of a column, from its name.
fn purpose(column: SealedColumn) -> SecretPurpose {
    match column.place() {
        ("api_key", _) => SecretPurpose::ApiKey,
        (_, "access_token_sealed") => SecretPurpose::AccessToken,
        (_, "app_secret_sealed") => SecretPurpose::AppSecret,
        ("web_inbox", _) => SecretPurpose::SiteIdentity,
        ("client", _) => SecretPurpose::SmsPassword,
        ("webhook_config", _) => SecretPurpose::WebhookSecret,
        ("lite_device_value", _) => SecretPurpose::LiteDevice,
        ("plugin_request", _) => SecretPurpose::PluginRequest,
        _ => SecretPurpose::PluginSecret,
    }
}

/// Tables with the sealed columns and nothing else, so that each column can be filled alone.
async fn tables() -> Db {
    let db = scratch::database().await.pool(3).await;
    for column in SealedColumn::ALL {
        let (table, name) = column.place();
        let kind = match column.form() {
            SealedForm::One => "bytea",
            SealedForm::List => "bytea[]",
            SealedForm::Json => "jsonb",
        };
        let client = if table == "client" { "id" } else { "client_id" };
        let columns: i64 = sqlx::query_scalar("SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass($1)")
            .bind(format!("own.{table}"))
            .fetch_one(&db)
            .await
            .unwrap();
        let statement = match columns {
            0 => format!("CREATE SCHEMA IF NOT EXISTS own; CREATE TABLE own.{table} ({client} uuid, {name} {kind})"),
            _ => format!("ALTER TABLE own.{table} ADD COLUMN {name} {kind}"),
        };
        sqlx::raw_sql(&statement).execute(&db).await.unwrap();
    }
    let moves = SealedColumn::ALL.map(|column| {
        let (table, _) = column.place();
        format!("DROP TABLE IF EXISTS public.{table} CASCADE; ALTER TABLE IF EXISTS own.{table} SET SCHEMA public;")
    });
    let mut moved: Vec<String> = moves.to_vec();
    moved.sort_unstable();
    moved.dedup();
    sqlx::raw_sql(&moved.concat()).execute(&db).await.unwrap();
    db
}

/// Puts a secret into a column.
async fn put(db: &Db, column: SealedColumn, sealed: &[u8]) {
    let (table, name) = column.place();
    let client = if table == "client" { "id" } else { "client_id" };
    let statement = format!("INSERT INTO {table} ({client}, {name}) VALUES ($1, $2)");
    let query = sqlx::query(&statement).bind(CLIENT.0);
    let query = match column.form() {
        SealedForm::One => query.bind(sealed.to_vec()),
        SealedForm::List => query.bind(vec![sealed.to_vec()]),
        SealedForm::Json => {
            let text = STANDARD.encode(sealed);
            let statement = format!(
                r#"INSERT INTO {table} (client_id, {name})
                   VALUES ($1, '{{"a": [{{"$sealed": "{text}"}}], "n": 123456789012345678901234567890}}')"#
            );
            sqlx::query(&statement).bind(CLIENT.0).execute(db).await.unwrap();
            return;
        }
    };
    query.execute(db).await.unwrap();
}

/// All values of a column of any form.
async fn stored(db: &Db, column: SealedColumn) -> Vec<Vec<u8>> {
    let (table, name) = column.place();
    let content = match column.form() {
        SealedForm::One => name.to_owned(),
        SealedForm::List => format!("unnest({name})"),
        SealedForm::Json => format!("decode({name}->'a'->0->>'$sealed', 'base64')"),
    };
    let statement =
        format!("SELECT * FROM (SELECT {content} AS one FROM {table}) AS all_of_them WHERE one IS NOT NULL");
    sqlx::query_scalar(&statement).fetch_all(db).await.unwrap()
}

async fn marked(db: &Db) -> Sealer {
    let sealer = Sealer::new(OLD);
    sealer.check_or_init(&mut db.acquire().await.unwrap()).await.unwrap();
    sealer
}

#[tokio::test]
async fn the_secrets_of_every_column_are_sealed_again() {
    let db = tables().await;
    let old = marked(&db).await;
    for column in SealedColumn::ALL {
        for _ in 0..210 {
            put(&db, column, &old.seal(CLIENT, purpose(column), b"\"secret\"").unwrap()).await;
        }
    }
    let mut lines = Vec::new();

    let report = rotate(&db, &both(), |line| lines.push(line.to_owned())).await.unwrap();

    assert_eq!(report, RotationReport { resealed: 210 * SealedColumn::ALL.len() as u64, unreadable: 0 });
    assert_eq!(lines.len(), SealedColumn::ALL.len(), "{lines:?}");
    let new = Sealer::new(NEW);
    for column in SealedColumn::ALL {
        let values = stored(&db, column).await;
        assert_eq!(values.len(), 210, "{column:?}");
        for value in values {
            assert_eq!(new.open(CLIENT, purpose(column), &value).unwrap(), b"\"secret\"", "{column:?}");
        }
    }
    let number: String =
        sqlx::query_scalar("SELECT config->>'n' FROM plugin_activation LIMIT 1").fetch_one(&db).await.unwrap();
    assert_eq!(number, "123456789012345678901234567890");
}

#[tokio::test]
async fn a_value_that_neither_key_opens_is_counted_and_stays() {
    let db = tables().await;
    marked(&db).await;
    let stranger = Sealer::new([9; 32]).seal(CLIENT, SecretPurpose::SmsPassword, b"secret").unwrap();
    put(&db, SealedColumn::SmsPassword, &stranger).await;

    let report = rotate(&db, &both(), |_| {}).await.unwrap();

    assert_eq!(report, RotationReport { resealed: 0, unreadable: 1 });
    assert_eq!(stored(&db, SealedColumn::SmsPassword).await, [stranger]);
}

#[tokio::test]
async fn a_process_with_both_keys_seals_with_the_key_that_the_database_names() {
    let scratch = scratch::database().await;
    let mut db = scratch.connection().await;
    let old = Sealer::new(OLD);
    old.check_or_init(&mut db).await.unwrap();
    let (here, there) = (both(), both());
    for process in [&here, &there] {
        process.check_or_init(&mut db).await.unwrap();
    }
    let sealed = here.seal(CLIENT, SecretPurpose::ApiKey, b"key").unwrap();
    assert_eq!(
        old.open(CLIENT, SecretPurpose::ApiKey, &sealed).unwrap(),
        b"key",
        "not every process has the new key yet"
    );
    assert_eq!(here.fingerprints_in_use(), old.fingerprints());

    assert!(here.switch(&mut db).await.unwrap());
    assert!(!here.switch(&mut db).await.unwrap(), "only once");
    there.check(&mut db).await.unwrap();

    for process in [&here, &there] {
        let sealed = process.seal(CLIENT, SecretPurpose::ApiKey, b"key").unwrap();
        assert_eq!(old.open(CLIENT, SecretPurpose::ApiKey, &sealed), Err(SealError::OtherKey));
        assert_eq!(Sealer::new(NEW).open(CLIENT, SecretPurpose::ApiKey, &sealed).unwrap(), b"key");
    }
    assert!(matches!(old.check_or_init(&mut db).await, Err(MasterKeyError::OtherKey)));
    assert_eq!(here.fingerprints_in_use().len(), 2, "old values may be there until they are sealed again");
}

#[tokio::test]
async fn keys_of_other_uses_outlive_a_change_of_the_master_key() {
    let scratch = scratch::database().await;
    let mut db = scratch.connection().await;
    let first = Sealer::new(OLD);
    first.check_or_init(&mut db).await.unwrap();
    let both = both();
    both.switch(&mut db).await.unwrap();
    let second = Sealer::new(NEW);
    second.check_or_init(&mut db).await.unwrap();
    let third = Sealer::with_previous([9; 32], Some(NEW));
    third.switch(&mut db).await.unwrap();

    for sealer in [&both, &second, &third] {
        assert_eq!(sealer.derive("media-address"), first.derive("media-address"));
    }
}
