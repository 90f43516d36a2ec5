//! Senders of e-mail to SMS, and mails on their way.

use domain::{
    ids::{ClientId, SmsRequestId, UserId},
    sms_products::email::EmailAddress,
};
use storage::{
    PgConnection,
    sms::products::mails::{self, OriginMail, OutgoingMail},
    tenancy::{
        email_senders,
        users::{self, Role, User},
    },
    violates,
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, STRANGER, database, moment};

const USER: UserId = UserId(Uuid::from_u128(50));

fn address(text: &str) -> EmailAddress {
    EmailAddress::parse(text).unwrap()
}

async fn user(db: &mut PgConnection, client: ClientId, id: UserId, role: Role) {
    let user = User {
        id,
        email: format!("{id}@example.com"),
        name: "Ada".to_owned(),
        role,
        team: None,
        password_hash: String::new(),
        password_is_temporary: false,
    };
    users::insert(db, client, &user, moment(0)).await.unwrap();
}

#[tokio::test]
async fn a_sender_is_of_one_client_and_only_that_one_takes_it_out() {
    let mut db = database().await;
    user(&mut db, CLIENT, USER, Role::Admin).await;
    user(&mut db, STRANGER, USER, Role::Admin).await;
    let sender = address("a@b.c");
    email_senders::insert(&mut db, CLIENT, USER, &sender, moment(0)).await.unwrap();
    assert_eq!(email_senders::find(&mut db, &sender).await.unwrap(), Some((CLIENT, USER)));
    let taken = email_senders::insert(&mut db, STRANGER, USER, &sender, moment(0)).await.unwrap_err();
    assert!(violates(&taken, email_senders::ADDRESS_UNIQUE));
    assert!(!email_senders::remove(&mut db, STRANGER, &sender).await.unwrap());
    assert!(email_senders::remove(&mut db, CLIENT, &sender).await.unwrap());
    assert_eq!(email_senders::find(&mut db, &sender).await.unwrap(), None);
}

#[tokio::test]
async fn the_first_admin_is_the_oldest_one() {
    let mut db = database().await;
    assert_eq!(email_senders::first_admin(&mut db, CLIENT).await.unwrap(), None);
    user(&mut db, CLIENT, UserId(Uuid::from_u128(60)), Role::Agent).await;
    user(&mut db, CLIENT, UserId(Uuid::from_u128(62)), Role::Admin).await;
    user(&mut db, CLIENT, UserId(Uuid::from_u128(61)), Role::Admin).await;
    user(&mut db, STRANGER, USER, Role::Admin).await;
    assert_eq!(email_senders::first_admin(&mut db, CLIENT).await.unwrap(), Some(UserId(Uuid::from_u128(61))));
}

#[tokio::test]
async fn errors_are_counted_by_the_hour() {
    let mut db = database().await;
    user(&mut db, CLIENT, USER, Role::Admin).await;
    let sender = address("a@b.c");
    email_senders::insert(&mut db, CLIENT, USER, &sender, moment(0)).await.unwrap();
    let mut counted =
        async |client, at| email_senders::count_error(&mut db, client, &sender, 2, moment(at)).await.unwrap();
    assert!(counted(CLIENT, 0).await && counted(CLIENT, 3599).await);
    assert!(!counted(CLIENT, 3599).await);
    assert!(counted(CLIENT, 3600).await && counted(CLIENT, 3601).await && !counted(CLIENT, 3602).await);
    assert!(!counted(STRANGER, 9000).await);
}

fn mail(id: u128, at: i64) -> OutgoingMail {
    OutgoingMail {
        id: Uuid::from_u128(id),
        mailbox: "sms".to_owned(),
        recipient: "a@b.c".to_owned(),
        subject: String::new(),
        body: String::new(),
        in_reply_to: None,
        attempts: 0,
        created_at: moment(at),
    }
}

#[tokio::test]
async fn mails_are_due_in_order_until_they_are_done_and_deferred_ones_wait() {
    let mut db = database().await;
    mails::insert(&mut db, CLIENT, &[mail(1, 2), mail(2, 1)]).await.unwrap();
    mails::insert(&mut db, STRANGER, &[mail(1, 0)]).await.unwrap();
    let mut due = async |at| {
        let found = mails::due(&mut db, CLIENT, CLIENT.0, moment(at), 10).await.unwrap();
        found.iter().map(|mail| (mail.id.as_u128(), mail.attempts)).collect::<Vec<_>>()
    };
    assert_eq!(due(5).await, [(2, 0), (1, 0)]);
    mails::done(&mut db, CLIENT, &[Uuid::from_u128(2)]).await.unwrap();
    mails::postpone(&mut db, CLIENT, &[(Uuid::from_u128(1), moment(60))]).await.unwrap();
    let lanes = storage::work::lanes::due(&mut db, storage::Queue::Email, moment(59), 10).await.unwrap();
    assert_eq!(lanes, [(STRANGER, STRANGER.0)]);
    let lanes = storage::work::lanes::due(&mut db, storage::Queue::Email, moment(60), 10).await.unwrap();
    assert_eq!(lanes, [(CLIENT, CLIENT.0), (STRANGER, STRANGER.0)]);
    let again = mails::due(&mut db, CLIENT, CLIENT.0, moment(60), 10).await.unwrap();
    assert_eq!(again.iter().map(|mail| mail.attempts).collect::<Vec<_>>(), [1]);
}

#[tokio::test]
async fn a_request_remembers_its_mail_for_its_client_alone() {
    let mut db = database().await;
    let (request, other) = (SmsRequestId(Uuid::from_u128(7)), SmsRequestId(Uuid::from_u128(8)));
    let origin = OriginMail { sender: address("a@b.c"), message_id: Some("1@x".to_owned()) };
    mails::insert_origin(&mut db, CLIENT, request, &origin).await.unwrap();
    let found = mails::origins(&mut db, CLIENT, &[request, other]).await.unwrap();
    let found = found.into_iter().map(|(request, origin)| (request, origin.unwrap()));
    assert_eq!(found.collect::<Vec<_>>(), [(request, origin)]);
    assert!(mails::origins(&mut db, STRANGER, &[request]).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_mail_that_cannot_be_read_is_an_error_of_its_request_alone() {
    let mut db = database().await;
    let (broken, whole) = (SmsRequestId(Uuid::from_u128(7)), SmsRequestId(Uuid::from_u128(8)));
    let origin = OriginMail { sender: address("a@b.c"), message_id: None };
    for request in [broken, whole] {
        mails::insert_origin(&mut db, CLIENT, request, &origin).await.unwrap();
    }
    sqlx::query("UPDATE email_request SET sender = 'nobody' WHERE request_id = $1")
        .bind(broken.0)
        .execute(&mut db)
        .await
        .unwrap();
    let mut found = mails::origins(&mut db, CLIENT, &[broken, whole]).await.unwrap();
    assert_eq!(found.remove(&whole).unwrap().unwrap(), origin);
    let error = found.remove(&broken).unwrap().unwrap_err();
    assert!(error.is_of_a_stored_value() && error.to_string().contains("email_request.sender"), "{error}");
}
