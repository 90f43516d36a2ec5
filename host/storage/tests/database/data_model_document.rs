//! Compares `docs/data-model.md` with the schema and the migrations.

use std::{collections::BTreeSet, env, fs, path::PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..")
}

fn data_model() -> String {
    fs::read_to_string(root().join("docs/data-model.md")).unwrap()
}

/// The texts between backticks.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// A paragraph of the document, up to the next one or to `end`.
fn paragraph(begin: &str, end: &str) -> String {
    let text = data_model();
    let (_, rest) = text.split_once(begin).unwrap();
    let rest = rest.split("\n- **").next().unwrap();
    rest.split(end).next().unwrap().to_owned()
}

/// Tables that are no partitions, of which this holds.
async fn tables_where(condition: &str) -> BTreeSet<String> {
    let scratch = scratch::database().await;
    let mut db = scratch.connection().await;
    let tables = format!(
        "SELECT relname::text FROM pg_class tables
         WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
           AND relname <> '_sqlx_migrations' AND {condition}"
    );
    sqlx::query_scalar::<_, String>(&tables).fetch_all(&mut db).await.unwrap().into_iter().collect()
}

#[tokio::test]
async fn the_tables_that_are_not_led_by_their_client_are_those_that_the_data_model_names() {
    let others = tables_where(
        "relname <> 'client' AND NOT EXISTS (
             SELECT 1 FROM pg_index keys
             JOIN pg_attribute first ON first.attrelid = keys.indrelid AND first.attnum = keys.indkey[0]
             WHERE keys.indrelid = tables.oid AND keys.indisprimary AND first.attname = 'client_id')",
    )
    .await;
    let mut named = quoted(&paragraph("- **Primary key does not begin with `client_id`:**", "\0"));
    named.remove("client_id");
    assert_eq!(named, others);
}

#[tokio::test]
async fn the_tables_that_are_partitioned_are_those_that_the_data_model_names() {
    let partitioned = tables_where("relkind = 'p'").await;
    assert_eq!(quoted(&paragraph("- **Partitioned**", "`base::upkeep`")), partitioned);
}

#[test]
fn the_data_model_has_a_row_for_each_migration() {
    let files = fs::read_dir(root().join("migrations")).unwrap().map(|entry| entry.unwrap().file_name());
    let files = files.filter_map(|name| Some(name.to_str()?.strip_suffix(".sql")?.to_owned()));
    let text = data_model();
    let missing: Vec<String> = files.filter(|file| !text.contains(&format!("| `{file}` |"))).collect();
    assert!(missing.is_empty(), "no row tells what these make: {missing:?}");
}
