//! Settings of a session from its role and database, and those that count.

use scratch::Scratch;
use storage::{Db, work::safeguards};

/// Carries out statements as the owner of everything.
async fn run(scratch: &Scratch, statements: &str) {
    let mut db = scratch.connection().await;
    sqlx::raw_sql(statements).execute(&mut db).await.unwrap();
    db.close().await.unwrap();
}

async fn shown(pool: &Db, setting: &str) -> String {
    sqlx::query_scalar("SELECT current_setting($1)").bind(setting).fetch_one(pool).await.unwrap()
}

/// A role with a name of its own, and the URL with which it connects: roles belong to the whole server.
async fn role(scratch: &Scratch, name: &str) -> String {
    run(scratch, &format!("CREATE ROLE {name} LOGIN SUPERUSER")).await;
    scratch.url.replace("patchbay@localhost", &format!("{name}@localhost"))
}

#[tokio::test]
async fn settings_of_the_role_that_change_the_meaning_of_statements_are_overridden() {
    let scratch = scratch::database().await;
    let url = role(&scratch, "strange").await;
    let settings = [
        ("default_transaction_isolation", "serializable", "read committed"),
        ("default_transaction_read_only", "on", "off"),
        ("default_transaction_deferrable", "on", "off"),
        ("statement_timeout", "1h", "0"),
        ("lock_timeout", "1ms", "15s"),
        ("idle_in_transaction_session_timeout", "1ms", "15s"),
        ("timezone", "Africa/Johannesburg", "UTC"),
        ("datestyle", "German, DMY", "ISO, MDY"),
        ("intervalstyle", "iso_8601", "postgres"),
        ("bytea_output", "escape", "hex"),
        ("standard_conforming_strings", "off", "on"),
        ("array_nulls", "off", "on"),
        ("transform_null_equals", "on", "off"),
        ("gin_fuzzy_search_limit", "1", "0"),
        ("exit_on_error", "on", "off"),
        ("row_security", "off", "on"),
        ("plan_cache_mode", "force_custom_plan", "force_generic_plan"),
        ("client_encoding", "LATIN1", "UTF8"),
    ];
    for (name, of_the_role, _) in settings {
        let quoted = if name == "datestyle" { of_the_role.to_owned() } else { format!("'{of_the_role}'") };
        run(&scratch, &format!("ALTER ROLE strange SET {name} = {quoted}")).await;
    }
    let pool = storage::connect(&url, 2).await.unwrap();
    for pool in [pool.clone(), pool.second_pool()] {
        for (name, _, ours) in settings {
            assert_eq!(shown(&pool, name).await, ours, "{name}");
        }
    }
}

#[tokio::test]
async fn a_commit_is_answered_when_it_is_on_the_disk_also_if_the_role_does_not_want_that() {
    let scratch = scratch::database().await;
    let url = role(&scratch, "hurried").await;
    for (of_the_role, ours) in [("off", "on"), ("local", "local"), ("on", "on"), ("remote_apply", "remote_apply")] {
        run(&scratch, &format!("ALTER ROLE hurried SET synchronous_commit = {of_the_role}")).await;
        let pool = storage::connect(&url, 1).await.unwrap();
        assert_eq!(shown(&pool, "synchronous_commit").await, ours, "{of_the_role}");
        pool.close().await;
    }
}

#[tokio::test]
async fn safeguards_of_the_server_that_are_off_are_named() {
    let scratch = scratch::database().await;
    let pool = storage::connect(&scratch.url, 1).await.unwrap();
    let disabled = safeguards::disabled(&mut pool.acquire().await.unwrap()).await.unwrap();
    assert_eq!(disabled, ["fsync", "full_page_writes"], "the server of the tests has none");
}

#[tokio::test]
async fn timeouts_that_only_newer_servers_have_are_overridden_there() {
    let scratch = scratch::database().await;
    let url = role(&scratch, "hasty").await;
    let mut known = Vec::new();
    for name in ["idle_session_timeout", "transaction_timeout"] {
        let mut db = scratch.connection().await;
        let there: Option<String> =
            sqlx::query_scalar("SELECT current_setting($1, true)").bind(name).fetch_one(&mut db).await.unwrap();
        if there.is_some() {
            run(&scratch, &format!("ALTER ROLE hasty SET {name} = '1h'")).await;
            known.push(name);
        }
    }
    let pool = storage::connect(&url, 1).await.unwrap();
    for name in known {
        assert_eq!(shown(&pool, name).await, "0", "{name}");
    }
}

#[tokio::test]
async fn a_changed_search_path_of_the_role_does_not_lead_away_from_the_tables() {
    let scratch = scratch::database().await;
    let url = role(&scratch, "wanderer").await;
    run(&scratch, "CREATE SCHEMA elsewhere").await;
    for path in ["elsewhere", "nowhere", "elsewhere, public", "pg_catalog"] {
        run(&scratch, &format!("ALTER ROLE wanderer SET search_path = {path}")).await;
        let pool = storage::connect(&url, 1).await.unwrap();
        assert_eq!(shown(&pool, "search_path").await, "public", "{path}");
        assert!(storage::is_current(&mut pool.acquire().await.unwrap()).await.unwrap(), "{path}");
        pool.close().await;
    }
}

#[tokio::test]
async fn tables_in_a_schema_of_their_own_are_found_there() {
    let scratch = scratch::empty_database().await;
    let url = role(&scratch, "settler").await;
    run(&scratch, "CREATE SCHEMA \"My tables\"; ALTER ROLE settler SET search_path = \"My tables\", public").await;
    let pool = storage::connect(&url, 1).await.unwrap();
    assert!(storage::migrate(&pool).await.unwrap() > 0);
    pool.close().await;

    let pool = storage::connect(&url, 1).await.unwrap();
    assert_eq!(shown(&pool, "search_path").await, "\"My tables\"");
    assert!(storage::is_current(&mut pool.acquire().await.unwrap()).await.unwrap());
    assert_eq!(storage::migrate(&pool).await.unwrap(), 0);
}

#[tokio::test]
async fn a_database_that_was_made_read_only_stays_so() {
    let scratch = scratch::database().await;
    let mut db = scratch.connection().await;
    let name: String = sqlx::query_scalar("SELECT current_database()").fetch_one(&mut db).await.unwrap();
    run(&scratch, &format!("ALTER DATABASE {name} SET default_transaction_read_only = on")).await;
    let pool = scratch.pool(1).await;
    assert_eq!(shown(&pool, "transaction_read_only").await, "on");
}
