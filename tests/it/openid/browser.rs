//! The login in the console.

use serde_json::json;

use super::Stage;
use crate::browser_stories;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_logs_in_to_the_console_at_the_provider_and_an_admin_sets_the_rule() {
    let stage = Stage::set().await;
    let given = json!({
        "base": stage.patchbay.url(),
        "clientRef": "acme",
        "admin": { "email": "acme@example.com", "password": "correct horse" },
    });
    browser_stories::play("../console/openid.mjs", given).await;
}
