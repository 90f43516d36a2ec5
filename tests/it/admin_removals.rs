//! `patchbay user|site remove`: an operator ends the access of a user and the widget of a site.

use harness::SharedPatchbay;

#[tokio::test]
async fn a_removed_user_loses_its_key_at_once_and_the_last_admin_stays() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let client_ref = client.client_ref.as_str();
    let user = patchbay.new_user(client_ref, "dev@shop.example", "DEVELOPER");
    let mut dev = client.clone();
    user["apiKey"].as_str().unwrap().clone_into(&mut dev.key);
    assert_eq!(dev.get("/api/v1/users/me").await.status, 200);

    let removed = patchbay.admin(&["user", "remove", "--client", client_ref, "--email", "dev@shop.example"]);

    assert_eq!(removed["userId"], user["userId"]);
    assert_eq!(dev.get("/api/v1/users/me").await.status, 401);
    let said = patchbay.refused(&["user", "remove", "--client", client_ref, "--email", "dev@shop.example"]);
    assert!(said.contains("has no user `dev@shop.example`"), "{said}");
    let admin = client.get("/api/v1/users/me").await.ok()["email"].as_str().unwrap().to_owned();
    patchbay.refused(&["user", "remove", "--client", client_ref, "--email", &admin]);
    assert_eq!(client.get("/api/v1/users/me").await.status, 200);
}

#[tokio::test]
async fn a_removed_site_is_in_no_list() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let client_ref = client.client_ref.as_str();
    let site =
        patchbay.admin(&["site", "add", "--client", client_ref, "--name", "Shop", "--origin", "https://shop.example"]);
    let id = site["id"].as_str().unwrap();

    patchbay.admin(&["site", "remove", "--client", client_ref, "--id", id]);

    let sites = patchbay.admin(&["site", "list", "--client", client_ref]);
    assert_eq!(sites["sites"].as_array().unwrap().len(), 0);
    patchbay.refused(&["site", "remove", "--client", client_ref, "--id", id]);
}
