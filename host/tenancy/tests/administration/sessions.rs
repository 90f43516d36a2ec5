//! Sessions with a real database: renewal, bounds and ends (ADR 0065).

use std::time::Duration;

use super::office::{self, Office, acme};
use base::audit::Actor;
use tenancy::{
    accounts::{
        Caller, Login, LoginError, Role, change_password, create_client, create_user, reset_password,
        sessions::{self, OpenedSession},
        users,
    },
    disabling::{DisableTarget, set_enabled},
};

fn login(password: &str) -> Login {
    Login {
        email: "ada@acme.example".to_owned(),
        password: password.to_owned(),
        client_ref: "acme".to_owned(),
        from: None,
    }
}

fn of_grace() -> Login {
    Login { email: "grace@acme.example".to_owned(), ..login("battery staple") }
}

async fn opened(office: &Office, login: Login) -> OpenedSession {
    sessions::open(&office.administration(), login, office.session_times()).await.unwrap()
}

async fn caller(office: &Office, session: &OpenedSession) -> Option<Caller> {
    office.authenticator().authenticate(session.key.expose().as_bytes()).await.unwrap()
}

#[tokio::test]
async fn a_session_key_is_a_uuid_that_opens_the_client_of_its_user() {
    let office = Office::open().await;
    let created = create_client(&office.administration(), acme()).await.unwrap();

    let session = opened(&office, login("correct horse")).await;

    let key: uuid::Uuid = session.key.expose().parse().unwrap();
    assert_eq!((session.key.expose().len(), key.get_version_num()), (36, 4));
    let caller = caller(&office, &session).await.unwrap();
    assert_eq!((caller.client, caller.user, caller.role), (created.client, created.user, Role::Admin));
    assert_eq!(caller.session, Some(session.id));
    let with_api_key = office.authenticator().authenticate(created.api_key.expose().as_bytes()).await.unwrap();
    assert_eq!(with_api_key.unwrap().session, None);
}

#[tokio::test]
async fn a_session_ends_after_an_hour_without_use_and_lives_on_with_use_up_to_its_bound() {
    let office = Office::open().await;
    create_client(&office.administration(), acme()).await.unwrap();
    let session = opened(&office, login("correct horse")).await;
    let unused = opened(&office, login("correct horse")).await;
    for _ in 0..11 {
        office.clock.advance(Duration::from_secs(50 * 60));
        assert!(caller(&office, &session).await.is_some());
    }
    assert!(caller(&office, &unused).await.is_none());
    office.clock.advance(Duration::from_secs(50 * 60));
    assert!(caller(&office, &session).await.is_none(), "ten hours have passed");
}

#[tokio::test]
async fn a_link_to_the_webhooks_opens_a_session_before_its_hour_has_passed_and_both_end_with_it() {
    let office = Office::open().await;
    let client = create_client(&office.administration(), acme()).await.unwrap();
    let (used, end) = sessions::make_link(&office.administration(), client.client, client.user).await.unwrap();
    let (late, _) = sessions::make_link(&office.administration(), client.client, client.user).await.unwrap();
    let open =
        async |token: &str| sessions::open_link(&office.administration(), token, office.session_times()).await.unwrap();
    office.clock.advance(Duration::from_secs(3_599));

    let session = open(used.expose()).await.unwrap();

    let is_known =
        async || office.authenticator().authenticate(session.key.expose().as_bytes()).await.unwrap().is_some();
    assert_eq!(session.ends_at, end);
    assert!(is_known().await);
    office.clock.advance(Duration::from_secs(1));
    assert!(open(late.expose()).await.is_none(), "an hour has passed");
    assert!(!is_known().await);
}

#[tokio::test]
async fn a_use_is_recorded_at_most_every_five_minutes() {
    let office = Office::open().await;
    let client = create_client(&office.administration(), acme()).await.unwrap();
    let session = opened(&office, login("correct horse")).await;
    let recorded = async || {
        caller(&office, &session).await.unwrap();
        let now = office.administration().now();
        let listed = sessions::list(&office.db, client.client, client.user, now).await.unwrap();
        (now - listed[0].used_at).num_seconds()
    };
    office.clock.advance(Duration::from_secs(299));
    assert_eq!(recorded().await, 299);
    office.clock.advance(Duration::from_secs(2));
    assert_eq!(recorded().await, 0);
}

#[tokio::test]
async fn a_user_ends_own_sessions_and_an_administrator_those_of_others() {
    let office = Office::open().await;
    let admin = office.administration();
    let client = create_client(&admin, acme()).await.unwrap();
    let grace = create_user(&admin, "acme", office::grace(), Actor::Operator).await.unwrap().user;
    let (own, other) = (opened(&office, login("correct horse")).await, opened(&office, of_grace()).await);
    let actor = Actor::User(grace);
    assert!(!sessions::end(&admin, client.client, Some(grace), own.id, actor).await.unwrap());
    assert!(caller(&office, &own).await.is_some());
    assert!(sessions::end(&admin, client.client, None, other.id, Actor::User(client.user)).await.unwrap());
    assert!(caller(&office, &other).await.is_none());
    assert!(!sessions::end(&admin, client.client, None, other.id, actor).await.unwrap(), "it has ended already");
}

#[tokio::test]
async fn a_change_or_reset_of_the_password_ends_all_sessions_of_the_user() {
    let office = Office::open().await;
    let admin = office.administration();
    let client = create_client(&admin, acme()).await.unwrap();
    let grace = create_user(&admin, "acme", office::grace(), Actor::Operator).await.unwrap().user;
    let own = opened(&office, login("correct horse")).await;
    let other = opened(&office, of_grace()).await;
    change_password(&admin, login("correct horse"), "new", "another horse".to_owned()).await.unwrap();
    assert!(caller(&office, &own).await.is_none());
    assert!(caller(&office, &other).await.is_some());
    reset_password(&admin, client.client, grace, Actor::Operator).await.unwrap();
    assert!(caller(&office, &other).await.is_none());
    let refused = sessions::open(&admin, of_grace(), office.session_times()).await.unwrap_err();
    assert!(matches!(refused, LoginError::InvalidCredentials), "{refused}");
}

#[tokio::test]
async fn a_disabled_and_a_deleted_user_have_no_sessions() {
    let office = Office::open().await;
    let admin = office.administration();
    let client = create_client(&admin, acme()).await.unwrap();
    let grace = create_user(&admin, "acme", office::grace(), Actor::Operator).await.unwrap().user;
    let session = opened(&office, of_grace()).await;
    let target = DisableTarget::User("grace@acme.example");
    set_enabled(&admin, "acme", target, false, Actor::Operator).await.unwrap();
    set_enabled(&admin, "acme", target, true, Actor::Operator).await.unwrap();
    assert!(caller(&office, &session).await.is_none());
    let session = opened(&office, of_grace()).await;
    users::delete(&admin, client.client, grace, Actor::User(client.user)).await.unwrap();
    assert!(caller(&office, &session).await.is_none());
}

#[tokio::test]
async fn the_twenty_first_session_ends_the_oldest() {
    let office = Office::open().await;
    create_client(&office.administration(), acme()).await.unwrap();
    let first = opened(&office, login("correct horse")).await;
    let second = opened(&office, login("correct horse")).await;
    for _ in 0..19 {
        opened(&office, login("correct horse")).await;
    }
    assert!(caller(&office, &first).await.is_none());
    assert!(caller(&office, &second).await.is_some());
}

#[tokio::test]
async fn ten_wrong_passwords_close_the_account_for_sessions_too() {
    let office = Office::open().await;
    create_client(&office.administration(), acme()).await.unwrap();
    for _ in 0..10 {
        let refused = sessions::open(&office.administration(), login("wrong"), office.session_times()).await;
        assert!(matches!(refused.unwrap_err(), LoginError::InvalidCredentials));
    }
    let refused = sessions::open(&office.administration(), login("correct horse"), office.session_times()).await;
    assert!(matches!(refused.unwrap_err(), LoginError::RateLimited { .. }));
}
