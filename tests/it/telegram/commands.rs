//! `patchbay telegram` (CONTRACT 9).

use harness::{SharedPatchbay, bot_token};
use serde_json::json;

#[tokio::test]
async fn a_bot_belongs_to_one_client_and_adding_it_again_changes_the_way_of_its_updates() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    let bot = patchbay.new_phone().msisdn;
    let id = patchbay.bot(&client, &bot, "--webhook");
    let user = patchbay.telegram_user("1", &bot);
    let url = format!("{}/providers/telegram/webhook/{id}", patchbay.url());
    assert_eq!(user.bot().await["webhook"]["url"], json!(url));
    let wanted = user.calls("setWebhook").await[0]["allowed_updates"].clone();
    assert!(wanted.as_array().unwrap().contains(&json!("message_reaction")), "{wanted}");
    assert_eq!(patchbay.bot(&client, &bot, "--polling"), id, "the same inbox");
    assert!(user.bot().await["webhook"].is_null());
    let token = bot_token(&bot);
    let refused = patchbay.refused(&["telegram", "add", "--client", &other.client_ref, "--token", &token]);
    assert!(refused.contains("belongs to another client"), "{refused}");
    let listed = patchbay.admin(&["telegram", "list", "--client", &client.client_ref]);
    let shown = json!([{ "id": id, "botId": bot, "username": format!("bot_{bot}_bot"), "disabledTime": null }]);
    assert_eq!((&listed["clientRef"], &listed["bots"]), (&json!(client.client_ref), &shown));
    let listed = patchbay.admin(&["telegram", "list", "--client", &other.client_ref]);
    assert_eq!(listed["bots"], json!([]));
}

#[tokio::test]
async fn an_invalid_token_or_one_unknown_to_telegram_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let add = |token: &str| patchbay.refused(&["telegram", "add", "--client", &client.client_ref, "--token", token]);
    for token in ["nonsense", "12:short", "1:../../../../../../etc/passwd"] {
        let refused = add(token);
        assert!(refused.contains("form of @BotFather's tokens") && !refused.contains(token), "{refused}");
    }
    let bot = patchbay.new_phone().msisdn;
    patchbay.bot(&client, &bot, "--polling");
    let other = format!("{bot}:another_secret_0123456789abcdef");
    let refused = add(&other);
    assert!(refused.contains("does not know a bot") && !refused.contains("another_secret"), "{refused}");
    let names = ["telegram", "add", "--client", "nobody", "--token", &bot_token(&bot)];
    assert!(patchbay.refused(&names).contains("there is no client `nobody`"));
}

#[tokio::test]
async fn the_secrets_of_a_bot_are_sealed() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let bot = patchbay.new_phone().msisdn;
    patchbay.bot(&client, &bot, "--webhook");
    let secret = patchbay.telegram_user("1", &bot).calls("setWebhook").await[0]["secret_token"].clone();
    let mut db = patchbay.database().await;
    let statement = "SELECT access_token_sealed, app_secret_sealed FROM account_inbox account
        JOIN account_directory known ON known.inbox_id = account.id WHERE known.account_id = $1";
    let (token, own): (Vec<u8>, Vec<u8>) = sqlx::query_as(statement).bind(&bot).fetch_one(&mut db).await.unwrap();
    assert!(!String::from_utf8_lossy(&token).contains("token_of_the_bot"));
    assert!(!String::from_utf8_lossy(&own).contains(secret.as_str().unwrap()));
}
