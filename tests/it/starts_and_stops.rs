//! Starts that are refused, and the log of a quiet life.

use harness::{Patchbay, PatchbaySetup};

/// The lines of a log with this level.
fn lines<'l>(log: &'l str, level: &str) -> Vec<&'l str> {
    log.lines().filter(|line| line.contains(level)).collect()
}

#[tokio::test]
async fn probes_are_not_logged_requests_name_their_source_and_a_clean_stop_warns_of_nothing() {
    let mut patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    patchbay.get("/healthz").await.ok();
    patchbay.get("/readyz").await.ok();
    client.get("/api/v1/users/me").await.ok();
    let before = patchbay.log().len();

    assert_eq!(patchbay.terminate().await, Some(0));

    let log = patchbay.log();
    assert!(!log.contains("/healthz") && !log.contains("/readyz"), "{log}");
    let access = log
        .lines()
        .find(|line| line.contains("request answered") && line.contains("/api/v1/users/me"))
        .expect("an access line");
    assert!(access.contains("source=127.0.0.1"), "{access}");
    for level in ["WARN", "ERROR"] {
        assert_eq!(lines(&log[before..], level), Vec::<&str>::new());
    }
}

/// The server of the tests keeps nothing over a crash of its machine.
#[tokio::test]
async fn a_start_on_a_database_without_safeguards_warns_and_names_the_cure() {
    let patchbay = Patchbay::start().await;
    let log = patchbay.log();
    for setting in ["fsync", "full_page_writes"] {
        let cure = format!("ALTER SYSTEM SET {setting} = on");
        assert!(lines(&log, "WARN").iter().any(|line| line.contains(&cure)), "{cure}: {log}");
    }
}

#[tokio::test]
async fn a_start_with_an_unusable_folder_for_files_is_refused() {
    let mut patchbay = Patchbay::start().await;
    patchbay.terminate().await;
    let file = patchbay.data_dir().join("a-file");
    std::fs::write(&file, "").unwrap();
    patchbay.set("media.store", file.join("media").to_str().unwrap());

    let said = patchbay.refused(&["serve"]);

    assert!(said.contains("media.store") && said.contains("no file can be written"), "{said}");
}

#[tokio::test]
async fn a_start_without_the_key_of_a_sealed_database_is_refused_and_makes_no_other_key() {
    let mut patchbay = PatchbaySetup::new().start().await;
    patchbay.bare_client("acme");
    patchbay.terminate().await;
    let elsewhere = patchbay.data_dir().join("elsewhere");
    patchbay.set("data_dir", elsewhere.to_str().unwrap());

    let said = patchbay.refused(&["serve"]);

    assert!(said.contains("master key") || said.contains("master.key"), "{said}");
    assert!(!elsewhere.join("master.key").exists(), "a new key was left behind");
}
