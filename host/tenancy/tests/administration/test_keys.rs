//! Test keys and the sandbox that they open (ADR 0058).

use base::{audit::Actor, secrets::SecretPurpose};
use domain::{ids::ClientId, page::PageRequest, sandbox::KeyMode};
use storage::tenancy::sandboxes;
use tenancy::{
    accounts::{NewClient, Role, create_client, test_keys},
    clients::{self, ClientChange},
    inboxes::{CloudAccount, NewNumber, NumberConnection, add_number, list_numbers, list_templates},
};

use super::office::{Office, acme};

const ALL: PageRequest = PageRequest { page: 0, size: 100 };

async fn sandbox_of(office: &Office, live: ClientId) -> ClientId {
    let mut db = office.db.acquire().await.unwrap();
    sandboxes::of(&mut db, live).await.unwrap().unwrap()
}

fn number(client_ref: &str) -> NewNumber {
    NewNumber {
        client_ref: client_ref.to_owned(),
        msisdn: "27820001001".to_owned(),
        provider: NumberConnection::Cloud,
        cloud: Some(CloudAccount {
            phone_number_id: "1064".to_owned(),
            waba_id: "1022".to_owned(),
            access_token: "EAAG-token".to_owned(),
            app_secret: None,
        }),
        rate_per_second: None,
    }
}

#[tokio::test]
async fn a_test_key_opens_a_client_of_its_own_with_copies_that_no_provider_knows() {
    let office = Office::open().await;
    let admin = office.administration();
    let live = create_client(&admin, acme()).await.unwrap();
    add_number(&admin, number("acme"), Actor::Operator).await.unwrap();

    let (made, key) = test_keys::create(&admin, live.client, "CI", Actor::Operator).await.unwrap();

    let authenticator = office.authenticator();
    let caller = authenticator.authenticate(key.expose().as_bytes()).await.unwrap().unwrap();
    assert_eq!((caller.mode, caller.role, caller.client_ref.as_str()), (KeyMode::Test, Role::Admin, "acme:test"));
    assert_eq!(caller.user, made.id);
    let of_live = authenticator.authenticate(live.api_key.expose().as_bytes()).await.unwrap().unwrap();
    assert_eq!(of_live.mode, KeyMode::Live);
    let sandbox = sandbox_of(&office, live.client).await;
    assert_eq!(caller.client, sandbox);
    let copies = list_numbers(&office.db, sandbox, "", ALL).await.unwrap();
    let copies: Vec<&str> = copies.items.iter().map(|number| number.msisdn.as_str()).collect();
    assert_eq!(copies, ["27820001001", "9990000000"]);
    assert_eq!(list_templates(&office.db, sandbox, "", ALL).await.unwrap().total, 1);
    let mut db = office.db.acquire().await.unwrap();
    let known = "SELECT count(*) FROM phone_number_directory WHERE client_id = $1";
    assert_eq!(sqlx::query_scalar::<_, i64>(known).bind(sandbox.0).fetch_one(&mut *db).await.unwrap(), 0);
    let token = "SELECT access_token_sealed FROM whatsapp_cloud_inbox WHERE client_id = $1 LIMIT 1";
    let token: Vec<u8> = sqlx::query_scalar(token).bind(sandbox.0).fetch_one(&mut *db).await.unwrap();
    assert_eq!(office.sealer.open_text(sandbox, SecretPurpose::AccessToken, &token).unwrap(), "sandbox");
}

#[tokio::test]
async fn a_second_key_shares_the_sandbox_and_a_deleted_one_is_unknown() {
    let office = Office::open().await;
    let admin = office.administration();
    let live = create_client(&admin, acme()).await.unwrap().client;
    let (first, key) = test_keys::create(&admin, live, "one", Actor::Operator).await.unwrap();
    let sandbox = sandbox_of(&office, live).await;
    test_keys::create(&admin, live, "two", Actor::Operator).await.unwrap();
    assert_eq!(sandbox_of(&office, live).await, sandbox);
    assert_eq!(test_keys::list(&office.db, live, ALL).await.unwrap().total, 2);

    test_keys::delete(&admin, live, first.id, Actor::Operator).await.unwrap();

    let authenticator = office.authenticator();
    assert_eq!(authenticator.authenticate(key.expose().as_bytes()).await.unwrap(), None);
    assert_eq!(test_keys::list(&office.db, live, ALL).await.unwrap().total, 1);
    let other = create_client(&admin, NewClient { client_ref: "rival".to_owned(), ..acme() }).await.unwrap().client;
    let theirs = test_keys::list(&office.db, live, ALL).await.unwrap().items.remove(0);
    assert!(test_keys::delete(&admin, other, theirs.id, Actor::Operator).await.is_err());
}

#[tokio::test]
async fn a_sandbox_follows_its_client_and_is_reached_by_no_other_reference() {
    let office = Office::open().await;
    let admin = office.administration();
    let live = create_client(&admin, acme()).await.unwrap().client;
    test_keys::create(&admin, live, "CI", Actor::Operator).await.unwrap();
    let sandbox = sandbox_of(&office, live).await;
    let renamed = ClientChange { client_ref: Some("acme-new".to_owned()), ..ClientChange::default() };
    clients::update(&admin, live, "acme", renamed, Actor::Operator).await.unwrap();

    let own = async |client_ref: &str| clients::find(&office.db, sandbox, client_ref).await.map(|own| own.client.id);
    assert_eq!(own("acme-new").await.unwrap(), sandbox);
    assert_eq!(own("acme-new:test").await.unwrap(), sandbox);
    assert!(own("acme").await.is_err());
    assert!(clients::find(&office.db, live, "acme-new:test").await.is_err());
    assert!(
        add_number(&admin, number("acme-new:test"), Actor::Operator).await.is_err(),
        "no command reaches a sandbox"
    );
    assert_eq!(clients::children(&office.db, live, "me", ALL).await.unwrap().total, 0);
}
