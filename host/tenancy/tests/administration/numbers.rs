//! Business numbers and their template catalogue, fetched from a server that answers like Meta (PROVIDERS F).

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use base::{audit::Actor, secrets::SecretPurpose};
use channels::whatsapp_cloud::{CloudApi, CloudSettings};
use chrono::TimeDelta;
use domain::{
    channel::Channel,
    ids::NodeId,
    inbox_fault::{InboxFaults, TokenRefusal},
    page::PageRequest,
};
use storage::inboxes::{Inbox, faults};
use tenancy::{
    accounts::create_client,
    inboxes::{
        AddNumberError, CloudAccount, NewNumber, NewToken, NumberConnection, SyncError, WhatsAppNumber, add_number,
        list_numbers, list_templates, refresh_due, renew_token, request_refresh, sync_templates,
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::office::{Office, acme};

const ALL: PageRequest = PageRequest { page: 0, size: 100 };

fn new_number() -> NewNumber {
    NewNumber {
        client_ref: "acme".to_owned(),
        msisdn: "+27820001001".to_owned(),
        provider: NumberConnection::Cloud,
        cloud: Some(CloudAccount {
            phone_number_id: "106540352242922".to_owned(),
            waba_id: "102290129340398".to_owned(),
            access_token: "EAAG-token".to_owned(),
            app_secret: Some("own-secret".to_owned()),
        }),
        rate_per_second: Some(20),
    }
}

async fn add(office: &Office, new: NewNumber) -> Result<Inbox, AddNumberError> {
    add_number(&office.administration(), new, Actor::Operator).await
}

/// A server that answers each request with `status` and `body`, and counts the requests with the token.
async fn graph(status: &'static str, body: &'static str) -> (CloudApi, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let graph_url = format!("http://{}", listener.local_addr().unwrap());
    let with_token = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&with_token);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                match stream.read_u8().await {
                    Ok(byte) => head.push(byte),
                    Err(_) => break,
                }
            }
            let authorized = String::from_utf8_lossy(&head).contains("EAAG-token");
            counted.fetch_add(usize::from(authorized), Ordering::Relaxed);
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let settings = CloudSettings { graph_url, ..CloudSettings::default() };
    (CloudApi::new(settings).unwrap(), with_token)
}

const CATALOGUE: &str = r#"{"data":[
    {"id":"920","name":"order_ready","language":"en","status":"APPROVED","category":"UTILITY",
     "parameter_format":"POSITIONAL","components":[{"type":"BODY","text":"Hi {{1}}, order {{2}} is ready."}]},
    {"id":"921","name":"goodbye","language":"en","status":"PAUSED","category":"MARKETING",
     "parameter_format":"POSITIONAL","components":[{"type":"BODY","text":"Goodbye"}]}]}"#;

#[tokio::test]
async fn a_number_is_stored_as_digits_with_its_secrets_sealed() {
    let office = Office::open().await;
    let client = create_client(&office.administration(), acme()).await.unwrap().client;
    let number = add(&office, new_number()).await.unwrap();
    assert_eq!(number.address(), Some("27820001001"));
    let open = |purpose, sealed: &[u8]| office.sealer.open_text(client, purpose, sealed).unwrap();
    let cloud = number.cloud().unwrap();
    assert_eq!(open(SecretPurpose::AccessToken, &cloud.access_token_sealed), "EAAG-token");
    assert_eq!(open(SecretPurpose::AppSecret, cloud.app_secret_sealed.as_deref().unwrap()), "own-secret");
    let listed = list_numbers(&office.db, client, "2000", ALL).await.unwrap();
    assert_eq!((listed.items.as_slice(), listed.total), ([WhatsAppNumber::of(&number).unwrap()].as_slice(), 1));
}

#[tokio::test]
async fn a_missing_or_superfluous_field_of_a_number_is_named() {
    let office = Office::open().await;
    create_client(&office.administration(), acme()).await.unwrap();
    let cloud = |change: fn(&mut CloudAccount)| {
        let mut new = new_number();
        change(new.cloud.as_mut().unwrap());
        new
    };
    let lite = NewNumber { provider: NumberConnection::Lite, ..new_number() };
    let refused = add(&office, lite.clone()).await;
    assert!(matches!(refused, Err(AddNumberError::CloudAccountNotTaken)));
    let refused = add(&office, NewNumber { cloud: None, ..new_number() }).await;
    assert!(matches!(refused, Err(AddNumberError::CloudAccountMissing)));
    let refused = add(&office, NewNumber { msisdn: "0820001001".to_owned(), ..new_number() }).await;
    assert!(matches!(refused, Err(AddNumberError::BadNumber(..))));
    let refused = add(&office, NewNumber { client_ref: "nobody".to_owned(), ..new_number() }).await;
    assert!(matches!(refused, Err(AddNumberError::UnknownClient(_))));
    let refused = add(&office, cloud(|cloud| cloud.waba_id = "../1".to_owned())).await;
    assert!(matches!(refused, Err(AddNumberError::BadId(_))));
    let refused = add(&office, cloud(|cloud| cloud.access_token = "two words".to_owned())).await;
    assert!(matches!(refused, Err(AddNumberError::BadSecret("access token"))));
    add(&office, NewNumber { cloud: None, ..lite }).await.unwrap();
}

#[tokio::test]
async fn a_number_is_added_once() {
    let office = Office::open().await;
    create_client(&office.administration(), acme()).await.unwrap();
    add(&office, new_number()).await.unwrap();
    assert!(matches!(add(&office, new_number()).await, Err(AddNumberError::NumberTaken(_))));
    let same_id = NewNumber { msisdn: "27820001002".to_owned(), ..new_number() };
    assert!(matches!(add(&office, same_id).await, Err(AddNumberError::PhoneNumberIdTaken(_))));
}

#[tokio::test]
async fn templates_are_fetched_with_the_numbers_token_and_listed() {
    let office = Office::open().await;
    let admin = office.administration();
    let client = create_client(&admin, acme()).await.unwrap().client;
    add(&office, new_number()).await.unwrap();
    let (cloud, with_token) = graph("200 OK", CATALOGUE).await;
    assert_eq!(sync_templates(&admin, &cloud, client, Some(Actor::Operator)).await.unwrap(), 2);
    assert_eq!(with_token.load(Ordering::Relaxed), 1);
    let listed = list_templates(&office.db, client, "ORDER", ALL).await.unwrap();
    assert_eq!((listed.items.len(), listed.total), (1, 1));
    assert_eq!((listed.items[0].record.id.as_str(), listed.items[0].record.status.as_str()), ("920", "APPROVED"));
}

#[tokio::test]
async fn catalogues_are_fetched_when_added_then_hourly_and_on_request() {
    let office = Office::open().await;
    let admin = office.administration();
    let client = create_client(&admin, acme()).await.unwrap().client;
    let waba = add(&office, new_number()).await.unwrap().cloud().unwrap().waba_id.clone();
    let (cloud, _) = graph("200 OK", CATALOGUE).await;
    assert_eq!(refresh_due(&admin, &cloud).await.unwrap(), 1);
    assert_eq!(refresh_due(&admin, &cloud).await.unwrap(), 0);
    request_refresh(&admin, client, &waba).await.unwrap();
    assert_eq!(refresh_due(&admin, &cloud).await.unwrap(), 1);
    office.clock.advance(std::time::Duration::from_secs(3599));
    assert_eq!(refresh_due(&admin, &cloud).await.unwrap(), 0);
    office.clock.advance(std::time::Duration::from_secs(1));
    assert_eq!(refresh_due(&admin, &cloud).await.unwrap(), 1);
}

#[tokio::test]
async fn a_provider_that_refuses_leaves_the_catalogue_as_it_was() {
    let office = Office::open().await;
    let admin = office.administration();
    let client = create_client(&admin, acme()).await.unwrap().client;
    let waba = add(&office, new_number()).await.unwrap().cloud().unwrap().waba_id.clone();
    let (cloud, _) = graph("200 OK", CATALOGUE).await;
    sync_templates(&admin, &cloud, client, None).await.unwrap();
    let (broken, _) =
        graph("400 Bad Request", r#"{"error":{"message":"no","type":"OAuthException","code":190}}"#).await;
    let failed = sync_templates(&admin, &broken, client, None).await;
    assert!(matches!(failed, Err(SyncError::Provider { .. })));
    request_refresh(&admin, client, &waba).await.unwrap();
    assert_eq!(refresh_due(&admin, &broken).await.unwrap(), 0);
    assert_eq!(list_templates(&office.db, client, "", ALL).await.unwrap().total, 2);
}

#[tokio::test]
async fn a_new_token_ends_the_faults_of_its_number() {
    let office = Office::open().await;
    let client = create_client(&office.administration(), acme()).await.unwrap().client;
    let number = add(&office, new_number()).await.unwrap();
    let at = office.administration().now();
    let refusal = TokenRefusal { code: "190".to_owned(), at };
    let found = InboxFaults { refusal: Some(refusal), failed_call: None };
    let mut db = office.db.acquire().await.unwrap();
    faults::record(&mut db, client, number.id, &found, NodeId(office.ids.mint(at))).await.unwrap();
    let new = NewToken {
        client_ref: "acme".to_owned(),
        channel: Channel::Whatsapp,
        address: "27820001001".to_owned(),
        access_token: "EAAG-new".to_owned(),
    };

    renew_token(&office.administration(), new, Actor::Operator).await.unwrap();

    assert_eq!(faults::count_refused(&mut db, at - TimeDelta::days(1)).await.unwrap(), 0);
}
