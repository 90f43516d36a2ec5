//! Migrations from [`FIRST`] on change only what the previous release does not notice, unless their name says which programs
//! may work on them (ADR 0060).

use std::collections::HashSet;

use sqlx::migrate::Migration;
use storage::MIGRATOR;

/// Earlier ones are the baseline.
const FIRST: i64 = 16;

/// Beginnings of statements that change rows, or whose effect cannot be read here.
const DATA: [&str; 7] = ["UPDATE", "DELETE", "TRUNCATE", "DO", "LOCK", "CLUSTER", "REINDEX"];
/// Defaults with another value for each row, for which PostgreSQL writes the whole table again.
const VOLATILE: [&str; 6] = ["RANDOM", "GENERATED", "SERIAL", "NEXTVAL", "CLOCK_TIMESTAMP", "UUIDV7"];

/// The statements in capital letters with single blanks, without comments and bodies of functions.
fn statements(sql: &str) -> Vec<String> {
    let code: Vec<&str> = sql.lines().map(|line| line.split_once("--").map_or(line, |(code, _)| code)).collect();
    let code = code.join(" ");
    let outside: Vec<&str> = code.split("$$").step_by(2).collect();
    let words = |statement: &str| statement.split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase();
    outside.join(" ").split(';').map(words).filter(|statement| !statement.is_empty()).collect()
}

/// The word after a phrase.
fn word_after<'s>(statement: &'s str, phrase: &str) -> Option<&'s str> {
    let (_, rest) = statement.split_once(phrase)?;
    rest.split([' ', '(']).find(|word| !word.is_empty())
}

/// Parts of an `ALTER TABLE`, separated by commas outside parentheses.
fn parts(statement: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0_i32);
    for letter in statement.chars() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        match parts.last_mut() {
            Some(part) if letter != ',' || depth > 0 => part.push(letter),
            _ => parts.push(String::new()),
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

fn fault_of_change(part: &str, statement: &str) -> Option<&'static str> {
    if let Some(name) = word_after(part, "DROP CONSTRAINT ") {
        let replaced = statement.contains(&format!("ADD CONSTRAINT {name} CHECK"));
        return (!replaced).then_some("drops a constraint without a wider one of the same name");
    }
    if part.contains("ADD COLUMN") && VOLATILE.iter().any(|word| part.contains(word)) {
        return Some("adds a column that makes PostgreSQL write the table again");
    }
    if part.contains("ADD COLUMN") && part.contains("NOT NULL") && !part.contains("DEFAULT") {
        return Some("adds a column that the previous release does not fill");
    }
    if part.contains("ADD COLUMN") && ["UNIQUE", "PRIMARY KEY"].iter().any(|word| part.contains(word)) {
        return Some("builds an index while writers wait");
    }
    if part.contains("ADD CONSTRAINT") && !part.ends_with("NOT VALID") {
        return Some("reads the whole table while writers wait: add NOT VALID");
    }
    if part.contains("ALTER COLUMN") && (part.contains(" TYPE ") || part.contains("SET NOT NULL")) {
        return Some("changes a column that the previous release uses");
    }
    None
}

/// The fault of a statement, if the tables with these names are new.
fn fault(statement: &str, new_tables: &HashSet<String>, no_transaction: bool) -> Option<&'static str> {
    let is_new = |phrase: &str| word_after(statement, phrase).is_some_and(|table| new_tables.contains(table));
    if DATA.iter().any(|word| statement.split(' ').next() == Some(word)) {
        return Some("changes rows in one transaction: move them in batches after the start");
    }
    if statement.starts_with("INSERT") && !is_new("INTO ") {
        return Some("changes rows of a table that the previous release uses");
    }
    if statement.contains("RENAME ") || statement.replace("DROP CONSTRAINT ", "").contains("DROP ") {
        return Some("takes away something that the previous release uses");
    }
    if statement.starts_with("CREATE UNIQUE INDEX") && !is_new(" ON ") {
        return Some("refuses rows that the previous release writes");
    }
    if statement.starts_with("CREATE INDEX") && !is_new(" ON ") && !statement.contains(" ON ONLY ") {
        let is_concurrent = statement.starts_with("CREATE INDEX CONCURRENTLY") && no_transaction;
        return (!is_concurrent)
            .then_some("builds an index while writers wait: build it CONCURRENTLY in a file of its own");
    }
    if statement.starts_with("ALTER TABLE") && !is_new("ALTER TABLE ") {
        return parts(statement).iter().find_map(|part| fault_of_change(part, statement));
    }
    None
}

fn faults(sql: &str, no_transaction: bool) -> Vec<String> {
    let statements = statements(sql);
    let new_tables: HashSet<String> =
        statements.iter().filter_map(|one| word_after(one, "CREATE TABLE ")).map(str::to_owned).collect();
    let fault = |one: &String| Some(format!("{one}: {}", fault(one, &new_tables, no_transaction)?));
    let mut faults: Vec<String> = statements.iter().filter_map(fault).collect();
    if no_transaction && statements.len() > 1 {
        faults.push("a file without a transaction has one statement".to_owned());
    }
    faults
}

/// The number of the oldest program, if the migration is a contract.
fn contract(migration: &Migration) -> Option<Option<i64>> {
    let rest = migration.description.strip_prefix("contract ")?;
    Some(rest.split(' ').next().and_then(|number| number.parse().ok()))
}

#[test]
fn migrations_change_only_what_the_previous_release_does_not_notice() {
    for migration in MIGRATOR.iter().filter(|migration| migration.version >= FIRST) {
        let version = migration.version;
        match contract(migration) {
            Some(oldest) => assert!(
                oldest.is_some_and(|oldest| oldest < version && MIGRATOR.iter().any(|one| one.version == oldest)),
                "{version:04}: the name of a contract has the number of an earlier migration"
            ),
            None => {
                let faults = faults(&migration.sql, migration.no_tx);
                assert!(faults.is_empty(), "{version:04} needs a contract (ADR 0060): {faults:#?}");
            }
        }
    }
}

#[test]
fn changes_that_the_previous_release_notices_are_found() {
    for sql in [
        "DROP TABLE motto",
        "ALTER TABLE client DROP COLUMN motto",
        "ALTER TABLE client RENAME COLUMN motto TO slogan",
        "ALTER TABLE client ADD COLUMN motto text NOT NULL",
        "ALTER TABLE client ADD COLUMN a text, -- first\n ADD COLUMN b integer\n NOT NULL",
        "ALTER TABLE client ADD COLUMN number uuid NOT NULL DEFAULT gen_random_uuid()",
        "ALTER TABLE client ADD COLUMN number bigint UNIQUE",
        "ALTER TABLE client ALTER COLUMN motto TYPE varchar(10)",
        "ALTER TABLE client ALTER COLUMN motto SET NOT NULL",
        "ALTER TABLE client ALTER COLUMN motto DROP DEFAULT",
        "ALTER TABLE client ADD CONSTRAINT motto_short CHECK (length(motto) < 10)",
        "ALTER TABLE client DROP CONSTRAINT motto_known",
        "CREATE INDEX client_by_motto ON client (motto)",
        "CREATE INDEX CONCURRENTLY client_by_motto ON client (motto)",
        "CREATE UNIQUE INDEX client_motto_unique ON client (motto)",
        "UPDATE client SET motto = ''",
        "INSERT INTO client (motto) SELECT motto FROM motto",
        "DO $$ BEGIN END $$",
    ] {
        assert_eq!(faults(sql, false).len(), 1, "{sql}: {:?}", faults(sql, false));
    }
    assert_eq!(faults("CREATE INDEX CONCURRENTLY a ON client (motto); SELECT 1", true).len(), 1);
}

#[test]
fn changes_that_the_previous_release_does_not_notice_are_allowed() {
    for sql in [
        "CREATE TABLE motto (id uuid PRIMARY KEY, client_id uuid REFERENCES client (id));
         CREATE UNIQUE INDEX motto_unique ON motto (client_id);
         ALTER TABLE motto ALTER COLUMN id SET NOT NULL;
         INSERT INTO motto DEFAULT VALUES;",
        "ALTER TABLE client ADD COLUMN motto text, ADD COLUMN length numeric(10, 2) NOT NULL DEFAULT 0",
        "ALTER TABLE client ADD CONSTRAINT motto_short CHECK (length(motto) < 10) NOT VALID",
        "ALTER TABLE client DROP CONSTRAINT motto_known,
             ADD CONSTRAINT motto_known CHECK (motto IN ('A', 'B')) NOT VALID",
        "CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM motto; RETURN NEW; END $$;
         CREATE TRIGGER filled BEFORE INSERT ON client FOR EACH ROW EXECUTE FUNCTION fill();",
        "CREATE INDEX chat_message_by_owner ON ONLY chat_message (client_id, owner)",
    ] {
        assert_eq!(faults(sql, false), Vec::<String>::new(), "{sql}");
    }
    assert_eq!(faults("CREATE INDEX CONCURRENTLY a ON client (motto)", true), Vec::<String>::new());
}
