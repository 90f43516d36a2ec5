//! The list of sealed columns and the schema must agree: a change of the master key may not forget one.

use std::collections::BTreeSet;

use storage::tenancy::sealed::SealedColumn;

/// Columns of bytes and of JSON that hold nothing sealed.
const NOT_SEALED: &[(&str, &str)] = &[];

#[tokio::test]
async fn every_column_that_can_hold_a_sealed_value_is_in_the_list_or_known_not_to() {
    let scratch = scratch::database().await;
    let mut db = scratch.connection().await;
    let columns: Vec<(String, String)> = sqlx::query_as(
        "SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
           AND c.relname <> '_sqlx_migrations' AND a.attnum > 0 AND NOT a.attisdropped
           AND a.atttypid IN ('bytea'::regtype, 'bytea[]'::regtype, 'jsonb'::regtype, 'json'::regtype)
         ORDER BY 1, 2",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    let present: BTreeSet<(&str, &str)> =
        columns.iter().map(|(table, column)| (table.as_str(), column.as_str())).collect();
    let sealed: BTreeSet<(&str, &str)> = SealedColumn::ALL.iter().map(|column| column.place()).collect();
    let known: BTreeSet<(&str, &str)> = sealed.iter().chain(NOT_SEALED).copied().collect();
    let forgotten: Vec<_> = present.difference(&known).collect();
    let gone: Vec<_> = known.difference(&present).collect();
    assert!(forgotten.is_empty(), "say in SealedColumn or in NOT_SEALED what these are: {forgotten:?}");
    assert!(gone.is_empty(), "{gone:?}");
    assert!(sealed.iter().all(|column| !NOT_SEALED.contains(column)));
}
