//! `patchbay client|user|key|number|page|site list` (CONTRACT 9): an operator sees all created objects again, without
//! secrets.

use harness::SharedPatchbay;
use serde_json::Value;

fn each<'l>(list: &'l Value, name: &str, field: &str) -> Vec<&'l str> {
    list[name].as_array().unwrap().iter().map(|one| one[field].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_clients_are_listed_with_their_parents() {
    let patchbay = SharedPatchbay::get().await;
    let parent = patchbay.new_client().await;
    let child = format!("{}-child", parent.client_ref);
    let email = format!("ops@{child}.example");
    patchbay.admin(&[
        "client",
        "create",
        "--ref",
        &child,
        "--name",
        "Child",
        "--email",
        &email,
        "--password",
        "long enough",
        "--parent",
        &parent.client_ref,
    ]);

    let below = patchbay.admin(&["client", "list", "--client", &parent.client_ref]);
    let all = patchbay.admin(&["client", "list"]);

    assert_eq!(each(&below, "clients", "clientRef"), [parent.client_ref.as_str(), &child]);
    assert_eq!(below["clients"][1]["parentRef"], parent.client_ref.as_str());
    assert!(each(&all, "clients", "clientRef").contains(&child.as_str()));
}

#[tokio::test]
async fn users_and_keys_are_listed_without_passwords_and_keys() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let client_ref = client.client_ref.as_str();
    patchbay.admin(&[
        "user",
        "create",
        "--client",
        client_ref,
        "--email",
        "agent@shop.example",
        "--password",
        "long enough",
        "--name",
        "Agent",
        "--role",
        "AGENT",
    ]);

    let users = patchbay.admin(&["user", "list", "--client", client_ref]);
    let keys = patchbay.admin(&["key", "list", "--client", client_ref]);

    assert!(each(&users, "users", "email").contains(&"agent@shop.example"));
    assert!(each(&users, "users", "role").contains(&"AGENT"));
    assert_eq!(each(&keys, "keys", "userId").len(), each(&users, "users", "userId").len());
    assert!(!format!("{users}{keys}").contains(&client.key));
}

#[tokio::test]
async fn numbers_pages_and_sites_are_listed_with_their_ids() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let client_ref = client.client_ref.as_str();
    let site =
        patchbay.admin(&["site", "add", "--client", client_ref, "--name", "Shop", "--origin", "https://shop.example"]);

    let numbers = patchbay.admin(&["number", "list", "--client", client_ref]);
    let pages = patchbay.admin(&["page", "list", "--client", client_ref]);
    let sites = patchbay.admin(&["site", "list", "--client", client_ref]);

    assert_eq!(numbers["numbers"][0]["whatsAppNumber"]["number"], client.number.as_str());
    assert!(numbers["numbers"][0]["id"].is_string() && pages["pages"].is_array());
    assert_eq!(sites["sites"][0]["siteKey"], site["siteKey"]);
    assert_eq!(sites["sites"][0]["origins"][0], "https://shop.example");
}

#[tokio::test]
async fn an_unknown_client_is_refused_with_the_command_that_lists_them() {
    let patchbay = SharedPatchbay::get().await;
    for command in ["user", "key", "number", "page", "site", "client"] {
        let said = patchbay.refused(&[command, "list", "--client", "no-such-client"]);
        assert!(said.contains("patchbay client list"), "{command}: {said}");
    }
}
