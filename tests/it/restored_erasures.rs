//! `patchbay restore` of a backup that is older than an erasure (ADR 0077).

use std::{fs, path::PathBuf};

use harness::{Patchbay, PatchbaySetup, TestClient, eventually};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use tempfile::TempDir;

use crate::{
    backup::{count, database_of_another_owner, place},
    live_events::{socket, until},
};

pub(crate) const THANDI: &str = "27820000001";
pub(crate) const SIPHO: &str = "27820000002";

/// Makes a new database fail when the first person of a restore is erased again, as if the process had ended there.
const FAULT: &str = "
    CREATE SCHEMA fault;
    GRANT USAGE ON SCHEMA fault TO PUBLIC;
    CREATE FUNCTION fault.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'the restore ends here';
    END $$;
    CREATE FUNCTION fault.prepare() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE object_identity LIKE '%.unfinished_restore') THEN
            CREATE TRIGGER refused BEFORE DELETE ON customer_address
                FOR EACH STATEMENT EXECUTE FUNCTION fault.refuse();
        END IF;
    END $$;
    CREATE EVENT TRIGGER marked ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION fault.prepare()";

/// A program with a backup, and the new database after it was lost.
pub(crate) struct Stage {
    pub(crate) patchbay: Patchbay,
    files: TempDir,
    backup: String,
    /// The database to restore into.
    pub(crate) url: String,
}

fn ledger(patchbay: &Patchbay) -> PathBuf {
    patchbay.data_dir().join("data/erasures.jsonl")
}

/// Both persons write to the client.
pub(crate) async fn written_to(setup: PatchbaySetup) -> (Patchbay, TestClient) {
    let patchbay = setup.start().await;
    let client = patchbay.client("acme", "27110000001").await;
    for number in [THANDI, SIPHO] {
        patchbay.phone(number).write(&client.number, "hello").await;
        let stored = format!(
            "SELECT count(*) FROM chat_message message
             JOIN participant chat ON chat.client_id = message.client_id AND chat.id = message.participant_id
             JOIN customer_address known ON known.client_id = chat.client_id AND known.customer_id = chat.customer_id
             WHERE known.value = '{number}'"
        );
        let url = patchbay.database_url();
        eventually("the message", || async { (count(url, &stored).await == 1).then_some(()) }).await;
    }
    (patchbay, client)
}

impl Stage {
    /// A program that was killed after a person of its backup was erased.
    async fn open() -> Self {
        let (patchbay, client) = written_to(PatchbaySetup::new()).await;
        let stage = Self::save(patchbay);
        stage.erase(&client, THANDI);
        stage.lose_database().await
    }

    /// Makes a backup of a running program.
    pub(crate) fn save(patchbay: Patchbay) -> Self {
        let files = tempfile::tempdir().unwrap();
        let backup = place(&files, "backup");
        patchbay.admin(&["backup", &backup]);
        Self { patchbay, files, backup, url: String::new() }
    }

    pub(crate) fn erase(&self, client: &TestClient, number: &str) {
        let person = ["--client", &client.client_ref, "--number", number, "--rewrite", "none"];
        let certificate = self.patchbay.admin(&[&["person", "erase"], &person[..]].concat());
        assert_eq!(certificate["complete"], true, "{certificate}");
    }

    /// Kills the program and gives it a new database.
    pub(crate) async fn lose_database(mut self) -> Self {
        self.patchbay.kill();
        self.url = database_of_another_owner(&self.patchbay).await;
        self.patchbay.set("database.url", &self.url);
        self
    }

    pub(crate) fn restore(&self, options: &[&str]) -> Value {
        self.patchbay.admin(&[&["restore", self.backup.as_str()], options].concat())
    }

    pub(crate) fn refused(&self, options: &[&str]) -> String {
        self.patchbay.refused(&[&["restore", self.backup.as_str()], options].concat())
    }

    pub(crate) async fn customers(&self, address: &str) -> i64 {
        count(&self.url, &format!("SELECT count(*) FROM customer_address WHERE value = '{address}'")).await
    }

    /// Executes statements in the new database as its superuser.
    async fn execute(&self, statements: &'static str) {
        let (superuser, _) = self.patchbay.database_url().split_once('@').unwrap();
        let (_, database) = self.url.split_once('@').unwrap();
        let mut db = PgConnection::connect(&format!("{superuser}@{database}")).await.unwrap();
        sqlx::raw_sql(statements).execute(&mut db).await.unwrap();
    }
}

#[tokio::test]
async fn a_person_that_was_erased_after_the_backup_is_erased_again() {
    let mut stage = Stage::open().await;

    let restored = stage.restore(&[]);

    assert_eq!(restored["erasedAgain"], 1, "{restored}");
    assert_eq!((stage.customers(THANDI).await, stage.customers(SIPHO).await), (0, 1));
    assert_eq!(count(&stage.url, "SELECT count(*) FROM chat_message").await, 1);
    stage.patchbay.launch().await;
}

#[tokio::test]
async fn a_person_that_was_erased_before_the_backup_is_not_erased_again() {
    let mut stage = Stage::open().await;
    stage.restore(&[]);
    let later = place(&stage.files, "later");
    stage.patchbay.admin(&["backup", &later]);
    let url = database_of_another_owner(&stage.patchbay).await;
    stage.patchbay.set("database.url", &url);

    let restored = stage.patchbay.admin(&["restore", &later]);

    assert_eq!(restored["erasedAgain"], 0, "{restored}");
}

#[tokio::test]
async fn a_restore_without_a_ledger_is_refused_and_says_how_to_go_on() {
    let stage = Stage::open().await;
    let elsewhere = place(&stage.files, "kept.jsonl");
    fs::rename(ledger(&stage.patchbay), &elsewhere).unwrap();

    let said = stage.refused(&[]);
    assert!(said.contains("there is no ledger of erasures") && said.contains("--without-erasures"), "{said}");
    assert_eq!(count(&stage.url, "SELECT count(*) FROM pg_class WHERE relname = 'client'").await, 0);
    let restored = stage.restore(&["--erasures", &elsewhere]);

    assert_eq!(restored["erasedAgain"], 1, "{restored}");
    assert_eq!(stage.customers(THANDI).await, 0);
}

#[tokio::test]
async fn a_restore_without_erasures_brings_the_person_back() {
    let stage = Stage::open().await;
    fs::remove_file(ledger(&stage.patchbay)).unwrap();

    let restored = stage.restore(&["--without-erasures"]);

    assert_eq!(restored["erasedAgain"], 0, "{restored}");
    assert_eq!(stage.customers(THANDI).await, 1);
}

#[tokio::test]
async fn a_ledger_of_another_installation_or_with_an_unreadable_line_is_refused() {
    let stage = Stage::open().await;
    let path = ledger(&stage.patchbay);
    let whole = fs::read_to_string(&path).unwrap();
    let mut other: Value = serde_json::from_str(whole.lines().next().unwrap()).unwrap();
    other["installation"] = json!("00");
    let line = format!("line {} of", whole.lines().count() + 1);
    fs::write(&path, format!("{whole}{other}\n")).unwrap();
    let said = stage.refused(&[]);
    assert!(said.contains(&line) && said.contains("another installation"), "{said}");
    fs::write(&path, format!("nothing\n{whole}")).unwrap();
    let said = stage.refused(&[]);
    assert!(said.contains("line 1 of") && said.contains("cannot be read"), "{said}");
    assert_eq!(count(&stage.url, "SELECT count(*) FROM client").await, 0, "nothing was restored");

    fs::write(&path, whole).unwrap();
    assert_eq!(stage.restore(&[])["erasedAgain"], 1);
}

#[tokio::test]
async fn an_interrupted_restore_serves_nothing_and_is_continued_by_the_next_one() {
    let stage = Stage::open().await;
    stage.execute(FAULT).await;
    let said = stage.refused(&[]);
    assert!(said.contains("the restore ends here"), "{said}");
    stage.execute("DROP SCHEMA fault CASCADE").await;
    assert_eq!(stage.customers(THANDI).await, 1, "the rows are there, and the person is not erased");

    let said = stage.patchbay.refused(&["client", "list"]);
    assert!(said.contains("is not finished"), "{said}");
    let said = stage.patchbay.refused(&["migrate"]);
    assert!(said.contains("is not finished"), "{said}");
    let restored = stage.restore(&[]);

    assert_eq!(restored["erasedAgain"], 1, "{restored}");
    assert_eq!(stage.customers(THANDI).await, 0);
    stage.patchbay.admin(&["client", "list"]);
}

#[tokio::test]
async fn an_interrupted_restore_is_continued_with_no_other_backup() {
    let stage = Stage::open().await;
    stage.execute(FAULT).await;
    stage.refused(&[]);
    stage.execute("DROP SCHEMA fault CASCADE").await;
    stage.execute("UPDATE unfinished_restore SET taken_at = taken_at - interval '1 day'").await;

    let said = stage.refused(&[]);

    assert!(said.contains("the database has the rows of the backup of"), "{said}");
    assert_eq!(stage.customers(THANDI).await, 1);
}

#[tokio::test]
async fn the_ledger_has_erasures_by_api_and_no_address() {
    let (patchbay, client) = written_to(PatchbaySetup::new()).await;
    let erase = json!({ "phoneNumber": format!("+{THANDI}") });
    client.post("/chat-service/api/v2/people/erase", &erase).await.ok();

    let path = ledger(&patchbay);
    let written = || async { fs::read_to_string(&path).ok().filter(|text| text.ends_with('\n')) };
    let text = eventually("the line", written).await;

    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(!text.contains(THANDI), "{text}");
    let files = tempfile::tempdir().unwrap();
    let copy = place(&files, "copy.jsonl");
    assert_eq!(patchbay.admin(&["person", "ledger", "--file", &copy])["added"], 1);
    assert_eq!(patchbay.admin(&["person", "ledger", "--file", &copy])["added"], 0);
    assert_eq!(fs::read_to_string(&copy).unwrap(), text);
}

#[tokio::test]
async fn a_reader_of_live_events_loads_all_again_after_a_restore() {
    let (mut patchbay, client) = written_to(PatchbaySetup::new()).await;
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    let before = until(&mut live, "hello").await[0]["sequence"].as_i64().unwrap();
    let files = tempfile::tempdir().unwrap();
    let backup = place(&files, "backup");
    patchbay.admin(&["backup", &backup]);
    patchbay.phone(THANDI).write(&client.number, "after the backup").await;
    let seen = until(&mut live, "message.received").await.last().unwrap()["sequence"].as_i64().unwrap();
    assert!(seen > before);
    patchbay.kill();
    let url = database_of_another_owner(&patchbay).await;
    patchbay.set("database.url", &url);
    patchbay.admin(&["restore", &backup]);
    patchbay.launch().await;

    for cursor in [before, seen] {
        let mut back = socket(&patchbay.url(), &format!("?after={cursor}"), &client.key).await;
        let first = until(&mut back, "resync").await;
        assert_eq!(first.len(), 1, "{first:?}");
        assert!(first[0]["sequence"].as_i64().unwrap() > seen, "{first:?}");
    }
}
