//! `patchbay page add` (CONTRACT 3): one page, one client.

use harness::Shared;

#[tokio::test]
async fn a_page_is_added_once_and_belongs_to_one_client() {
    let patchbay = Shared::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    let page = format!("77{}", patchbay.new_phone().msisdn);
    let id = patchbay.page(&client, &page).await;
    assert_eq!(uuid::Uuid::parse_str(&id).unwrap().get_version_num(), 7);
    let add = |client_ref: &str| {
        patchbay.refused(&["page", "add", "--client", client_ref, "--page-id", &page, "--access-token", "t"])
    };
    assert!(add(&client.client_ref).contains("has the page"));
    assert!(add(&other.client_ref).contains("belongs to a client already"));
    assert!(add("nobody").contains("there is no client `nobody`"));
}

#[tokio::test]
async fn what_cannot_be_a_page_or_a_token_is_refused_and_named() {
    let patchbay = Shared::get().await;
    let client = patchbay.new_bare_client();
    let add = |page: &str, token: &str| {
        let names = ["page", "add", "--client", &client.client_ref, "--page-id", page, "--access-token", token];
        patchbay.refused(&names)
    };
    for page in ["acme", "12 34", "", &"1".repeat(65)] {
        assert!(add(page, "t").contains("is no id of a page"), "{page}");
    }
    assert!(add("123", "with space").contains("visible ASCII"));
}

#[tokio::test]
async fn the_token_of_a_page_is_sealed() {
    let patchbay = Shared::get().await;
    let client = patchbay.new_bare_client();
    let page = format!("78{}", patchbay.new_phone().msisdn);
    patchbay.page(&client, &page).await;
    let mut db = patchbay.database().await;
    let statement = "SELECT access_token_sealed FROM messenger_inbox page JOIN page_directory known
        ON known.client_id = page.client_id AND known.inbox_id = page.id WHERE known.page_id = $1";
    let sealed: Vec<u8> = sqlx::query_scalar(statement).bind(&page).fetch_one(&mut db).await.unwrap();
    assert!(!String::from_utf8_lossy(&sealed).contains("token-of-the-page"));
}
