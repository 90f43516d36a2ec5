//! Accounts with a real database: clients, users, passwords and API keys (SPEC 4.6, part 5).

use std::{collections::HashSet, time::Duration};

use super::office::{self, Office, acme};
use base::audit::Actor;
use tenancy::accounts::{
    ApiKey, CreateError, Login, LoginError, NewClient, NewUser, Role, create_client, create_user, forget_old_failures,
    generate_api_key, retrieve_api_key,
};

fn login(password: &str) -> Login {
    Login {
        email: "ada@acme.example".to_owned(),
        password: password.to_owned(),
        client_ref: "acme".to_owned(),
        from: None,
    }
}

async fn fails(office: &Office, login: Login) -> LoginError {
    retrieve_api_key(&office.administration(), login).await.unwrap_err()
}

#[tokio::test]
async fn a_new_client_has_an_admin_whose_key_is_retrieved_with_the_password() {
    let office = Office::open().await;
    let created = create_client(&office.administration(), acme()).await.unwrap();
    let retrieved = retrieve_api_key(&office.administration(), login("correct horse")).await.unwrap();
    assert_eq!(retrieved, created.api_key);

    let caller = office.authenticator().authenticate(retrieved.expose().as_bytes()).await.unwrap();
    let caller = caller.unwrap();
    assert_eq!((caller.client, caller.user, caller.role), (created.client, created.user, Role::Admin));
    assert_eq!(caller.client_ref, "acme");
}

#[tokio::test]
async fn a_key_is_a_uuid_of_36_characters_in_lower_case() {
    let office = Office::open().await;
    let key = create_client(&office.administration(), acme()).await.unwrap().api_key;
    let uuid: uuid::Uuid = key.expose().parse().unwrap();
    assert_eq!((key.expose(), uuid.get_version_num()), (uuid.hyphenated().to_string().as_str(), 4));
}

#[tokio::test]
async fn a_key_with_anything_changed_or_around_it_is_unknown() {
    let office = Office::open().await;
    let key = create_client(&office.administration(), acme()).await.unwrap().api_key;
    let key = key.expose();
    let authenticator = office.authenticator();
    for other in [format!("{key} "), format!(" {key}"), key.to_uppercase(), key[..35].to_owned(), String::new()] {
        // A key of digits only has no upper case.
        if other != key {
            assert_eq!(authenticator.authenticate(other.as_bytes()).await.unwrap(), None);
        }
    }
}

#[tokio::test]
async fn a_regenerated_key_replaces_the_old_one_at_once() {
    let office = Office::open().await;
    let created = create_client(&office.administration(), acme()).await.unwrap();
    let authenticator = office.authenticator();
    let known = async |key: &ApiKey| authenticator.authenticate(key.expose().as_bytes()).await.unwrap().is_some();
    assert!(known(&created.api_key).await);
    let token = generate_api_key(&office.administration(), created.client, created.user).await.unwrap();
    assert!(!known(&created.api_key).await);
    assert!(known(&token).await);
    assert_eq!(retrieve_api_key(&office.administration(), login("correct horse")).await.unwrap(), token);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_each_get_their_own_caller() {
    let office = Office::open().await;
    let admin = office.administration();
    let created = create_client(&admin, acme()).await.unwrap();
    let other = NewUser { email: "grace@acme.example".to_owned(), role: Role::Agent, ..office::grace() };
    let other = create_user(&admin, "acme", other, Actor::Operator).await.unwrap();
    let authenticator = office.authenticator();
    let requests = (0..300).map(|at| {
        let authenticator = authenticator.clone();
        let (key, user) = match at % 3 {
            0 => (created.api_key.expose().to_owned(), Some(created.user)),
            1 => (other.api_key.expose().to_owned(), Some(other.user)),
            _ => (format!("{at:036}"), None),
        };
        tokio::spawn(async move {
            let caller = authenticator.authenticate(key.as_bytes()).await.unwrap();
            assert_eq!(caller.map(|caller| caller.user), user);
        })
    });
    for request in requests.collect::<Vec<_>>() {
        request.await.unwrap();
    }
}

#[tokio::test]
async fn an_unreachable_database_is_not_an_unknown_key() {
    let office = Office::open().await;
    let authenticator = office.authenticator();
    office.db.close().await;
    assert!(authenticator.authenticate(b"anything").await.is_err());
}

#[tokio::test]
async fn an_unknown_account_and_a_wrong_password_have_the_same_answer() {
    let office = Office::open().await;
    create_client(&office.administration(), acme()).await.unwrap();
    let unknown_user = Login { email: "nobody@acme.example".to_owned(), ..login("correct horse") };
    let unknown_client = Login { client_ref: "other".to_owned(), ..login("correct horse") };
    let nul = Login { client_ref: "ac\0me".to_owned(), ..login("correct horse") };
    let endless = login(&"x".repeat(5000));
    for wrong in [login("wrong"), unknown_user, unknown_client, nul, endless] {
        assert!(matches!(fails(&office, wrong).await, LoginError::InvalidCredentials));
    }
}

#[tokio::test]
async fn the_eleventh_attempt_is_refused_even_with_the_right_password_until_the_window_has_passed() {
    let office = Office::open().await;
    create_client(&office.administration(), acme()).await.unwrap();
    for _ in 0..9 {
        assert!(matches!(fails(&office, login("wrong")).await, LoginError::InvalidCredentials));
    }
    // Nine failures do not block the account.
    retrieve_api_key(&office.administration(), login("correct horse")).await.unwrap();
    office.clock.advance(Duration::from_secs(60));
    assert!(matches!(fails(&office, login("wrong")).await, LoginError::InvalidCredentials));

    let LoginError::RateLimited { retry_after } = fails(&office, login("correct horse")).await else {
        panic!("the right password must be refused too");
    };
    assert_eq!(retry_after, Duration::from_secs(14 * 60));
    // Another case of the e-mail address is the same account.
    let shouted = Login { email: "ADA@ACME.EXAMPLE".to_owned(), ..login("correct horse") };
    assert!(matches!(fails(&office, shouted).await, LoginError::RateLimited { .. }));

    office.clock.advance(retry_after);
    retrieve_api_key(&office.administration(), login("correct horse")).await.unwrap();
}

#[tokio::test]
async fn another_spelling_of_the_same_address_gives_no_additional_guesses() {
    let office = Office::open().await;
    let iris = tenancy::accounts::NewClient { email: "iris@acme.example".to_owned(), ..acme() };
    create_client(&office.administration(), iris).await.unwrap();
    let spelled = |email: &str, password: &str| Login { email: email.to_owned(), ..login(password) };
    retrieve_api_key(&office.administration(), spelled("İRİS@acme.example", "correct horse")).await.unwrap();
    for at in 0..10 {
        let email = ["iris@acme.example", "İris@acme.example", "irİs@ACME.example"][at % 3];
        assert!(matches!(fails(&office, spelled(email, "wrong")).await, LoginError::InvalidCredentials));
    }
    for email in ["iris@acme.example", "İRİS@acme.example"] {
        let refused = fails(&office, spelled(email, "correct horse")).await;
        assert!(matches!(refused, LoginError::RateLimited { .. }), "{email}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_that_logged_in_from_this_source_does_not_wait_for_strangers() {
    const STRANGERS: usize = 60;
    let office = std::sync::Arc::new(Office::open().await);
    create_client(&office.administration(), acme()).await.unwrap();
    let from = |address: &str| Some(address.parse().unwrap());
    let returning = Login { from: from("192.0.2.1"), ..login("correct horse") };
    retrieve_api_key(&office.administration(), returning.clone()).await.unwrap();
    let answered = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let stranger = |at: usize| {
        let (office, answered) = (std::sync::Arc::clone(&office), std::sync::Arc::clone(&answered));
        let email = format!("nobody-{at}@acme.example");
        let login = Login { email, from: from(&format!("198.51.100.{at}")), ..login("wrong") };
        tokio::spawn(async move {
            let refused = fails(&office, login).await;
            answered.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            refused
        })
    };
    let strangers: Vec<_> = (0..STRANGERS).map(stranger).collect();
    while answered.load(std::sync::atomic::Ordering::Relaxed) == 0 {
        tokio::task::yield_now().await;
    }
    retrieve_api_key(&office.administration(), returning).await.unwrap();
    let before = answered.load(std::sync::atomic::Ordering::Relaxed);
    assert!(before < STRANGERS / 2, "{before} strangers came first");
    for stranger in strangers {
        assert!(matches!(stranger.await.unwrap(), LoginError::InvalidCredentials));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_that_is_too_long_waits_for_its_turn_before_it_is_written_down() {
    const LOGINS: usize = 200;
    let office = std::sync::Arc::new(Office::open().await);
    create_client(&office.administration(), acme()).await.unwrap();
    let logins: Vec<_> = (0..LOGINS)
        .map(|at| {
            let office = std::sync::Arc::clone(&office);
            let email = format!("nobody-{at}@acme.example");
            let login = Login { email, from: Some("203.0.113.7".parse().unwrap()), ..login(&"x".repeat(1_025)) };
            tokio::spawn(async move { fails(&office, login).await })
        })
        .collect();
    let (mut crowded, mut counted) = (0, 0);
    for login in logins {
        match login.await.unwrap() {
            LoginError::Crowded => crowded += 1,
            LoginError::InvalidCredentials => counted += 1,
            error @ (LoginError::RateLimited { .. }
            | LoginError::TemporaryPassword
            | LoginError::PasswordOff
            | LoginError::Disabled(_)
            | LoginError::Failed(_)) => {
                panic!("{error:?}")
            }
        }
    }
    assert!(crowded > 0, "{counted} of {LOGINS} were written down without waiting");
    office.clock.advance(Duration::from_secs(16 * 60));
    assert_eq!(forget_old_failures(&office.administration()).await.unwrap(), counted);
}

#[tokio::test]
async fn a_password_may_have_1024_bytes_and_no_more() {
    let office = Office::open().await;
    let longest = "x".repeat(1_024);
    create_client(&office.administration(), NewClient { password: longest.clone(), ..acme() }).await.unwrap();
    retrieve_api_key(&office.administration(), login(&longest)).await.unwrap();
    let longer = fails(&office, login(&format!("{longest}x"))).await;
    assert!(matches!(longer, LoginError::InvalidCredentials));
}

/// The usual login, from this address.
fn login_from(address: &str, password: &str) -> Login {
    Login { from: Some(address.parse().unwrap()), ..login(password) }
}

#[tokio::test]
async fn wrong_passwords_of_strangers_do_not_lock_a_user_out_of_a_familiar_place() {
    let office = Office::open().await;
    create_client(&office.administration(), acme()).await.unwrap();
    retrieve_api_key(&office.administration(), login_from("2001:db8:1:2::1", "correct horse")).await.unwrap();
    for at in 0..10 {
        let wrong = login_from(&format!("198.51.100.{at}"), "wrong");
        assert!(matches!(fails(&office, wrong).await, LoginError::InvalidCredentials));
    }
    let stranger = fails(&office, login_from("203.0.113.1", "correct horse")).await;
    assert!(matches!(stranger, LoginError::RateLimited { .. }));
    // Another address of the same /64 network is the same place.
    retrieve_api_key(&office.administration(), login_from("2001:db8:1:2::2", "correct horse")).await.unwrap();
}

#[tokio::test]
async fn wrong_passwords_from_a_familiar_place_close_the_account_for_that_place_alone() {
    let office = Office::open().await;
    create_client(&office.administration(), acme()).await.unwrap();
    for place in ["192.0.2.1", "192.0.2.2"] {
        retrieve_api_key(&office.administration(), login_from(place, "correct horse")).await.unwrap();
    }
    for _ in 0..10 {
        assert!(matches!(fails(&office, login_from("192.0.2.1", "wrong")).await, LoginError::InvalidCredentials));
    }
    let refused = fails(&office, login_from("192.0.2.1", "correct horse")).await;
    assert!(matches!(refused, LoginError::RateLimited { .. }));
    for place in ["192.0.2.2", "203.0.113.1"] {
        retrieve_api_key(&office.administration(), login_from(place, "correct horse")).await.unwrap();
    }
}

#[tokio::test]
async fn a_place_is_forgotten_ninety_days_after_the_last_login_from_there() {
    let office = Office::open().await;
    create_client(&office.administration(), acme()).await.unwrap();
    retrieve_api_key(&office.administration(), login_from("192.0.2.1", "correct horse")).await.unwrap();
    let day = Duration::from_secs(24 * 60 * 60);
    office.clock.advance(day * 89);
    assert_eq!(forget_old_failures(&office.administration()).await.unwrap(), 0);
    office.clock.advance(day * 2);
    assert_eq!(forget_old_failures(&office.administration()).await.unwrap(), 1);
}

#[tokio::test]
async fn unknown_accounts_are_limited_too() {
    let office = Office::open().await;
    for _ in 0..10 {
        assert!(matches!(fails(&office, login("wrong")).await, LoginError::InvalidCredentials));
    }
    assert!(matches!(fails(&office, login("wrong")).await, LoginError::RateLimited { .. }));
    assert_eq!(forget_old_failures(&office.administration()).await.unwrap(), 0);
    office.clock.advance(Duration::from_secs(16 * 60));
    assert_eq!(forget_old_failures(&office.administration()).await.unwrap(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_guesses_reveal_no_more_than_successive_ones() {
    let office = std::sync::Arc::new(Office::open().await);
    create_client(&office.administration(), acme()).await.unwrap();
    let guesses: Vec<_> = (0..16)
        .map(|_| {
            let office = std::sync::Arc::clone(&office);
            tokio::spawn(async move { fails(&office, login("wrong")).await })
        })
        .collect();
    let mut judged = 0;
    for guess in guesses {
        match guess.await.unwrap() {
            LoginError::InvalidCredentials => judged += 1,
            LoginError::RateLimited { .. } => {}
            error @ (LoginError::TemporaryPassword
            | LoginError::PasswordOff
            | LoginError::Disabled(_)
            | LoginError::Crowded
            | LoginError::Failed(_)) => {
                panic!("{error:?}")
            }
        }
    }
    assert_eq!(judged, 10);
}

#[tokio::test]
async fn client_refs_are_unique_and_me_is_reserved() {
    let office = Office::open().await;
    let admin = office.administration();
    create_client(&admin, acme()).await.unwrap();
    assert!(matches!(create_client(&admin, acme()).await, Err(CreateError::RefTaken(taken)) if taken == "acme"));
    let named = |client_ref: &str| tenancy::accounts::NewClient { client_ref: client_ref.to_owned(), ..acme() };
    for reserved in ["me", "ME"] {
        assert!(matches!(create_client(&admin, named(reserved)).await, Err(CreateError::ReservedRef)));
    }
    for bad in ["", "a b", "-a", "a/b", &"a".repeat(65)] {
        assert!(matches!(create_client(&admin, named(bad)).await, Err(CreateError::BadRef(_))), "{bad}");
    }
    create_client(&admin, named(&"a".repeat(64))).await.unwrap();
}

#[tokio::test]
async fn a_child_client_names_its_parent() {
    let office = Office::open().await;
    let admin = office.administration();
    let parent = create_client(&admin, acme()).await.unwrap();
    let child = |parent: &str| tenancy::accounts::NewClient {
        client_ref: "acme-shop".to_owned(),
        parent: Some(parent.to_owned()),
        ..acme()
    };
    let unknown = create_client(&admin, child("nobody")).await;
    assert!(matches!(unknown, Err(CreateError::UnknownClient(name)) if name == "nobody"));
    let created = create_client(&admin, child("acme")).await.unwrap();
    let mut db = office.db.acquire().await.unwrap();
    let stored = storage::tenancy::clients::get(&mut db, created.client).await.unwrap().unwrap();
    assert_eq!(stored.parent, Some(parent.client));
}

#[tokio::test]
async fn an_email_is_unique_within_a_client_only() {
    let office = Office::open().await;
    let admin = office.administration();
    create_client(&admin, acme()).await.unwrap();
    create_client(&admin, tenancy::accounts::NewClient { client_ref: "other".to_owned(), ..acme() }).await.unwrap();
    let shouted = NewUser { email: "Ada@Acme.Example".to_owned(), ..office::grace() };
    let refused = create_user(&admin, "acme", shouted, Actor::Operator).await;
    assert!(matches!(refused, Err(CreateError::EmailTaken(_))));
}

#[tokio::test]
async fn an_invalid_email_name_or_password_is_refused() {
    let office = Office::open().await;
    let admin = office.administration();
    create_client(&admin, acme()).await.unwrap();
    for email in ["", "ada", "@acme.example", "ada@", "a da@acme.example", "ada@.example"] {
        let user = NewUser { email: email.to_owned(), ..office::grace() };
        let refused = create_user(&admin, "acme", user, Actor::Operator).await;
        assert!(matches!(refused, Err(CreateError::BadEmail(_))), "{email}");
    }
    for (password, taken) in [("1234567", false), ("12345678", true)] {
        let user = NewUser { password: password.to_owned(), ..office::grace() };
        assert_eq!(create_user(&admin, "acme", user, Actor::Operator).await.is_ok(), taken);
    }
    let nameless = NewUser { name: " ".to_owned(), ..office::grace() };
    assert!(matches!(create_user(&admin, "acme", nameless, Actor::Operator).await, Err(CreateError::BadName)));
}

#[tokio::test]
async fn every_change_leaves_an_audit_row() {
    let office = Office::open().await;
    let admin = office.administration();
    let created = create_client(&admin, acme()).await.unwrap();
    generate_api_key(&admin, created.client, created.user).await.unwrap();
    let rows: Vec<(String, String, String)> =
        sqlx::query_as("SELECT actor, action, object_kind FROM audit WHERE client_id = $1")
            .bind(created.client.0)
            .fetch_all(&office.db)
            .await
            .unwrap();
    let user = created.user.to_string();
    let expected = [("operator", "create", "client"), ("operator", "create", "user"), (&user, "regenerate", "apiKey")];
    let found: HashSet<(&str, &str, &str)> =
        rows.iter().map(|(actor, action, kind)| (actor.as_str(), action.as_str(), kind.as_str())).collect();
    assert_eq!(found, HashSet::from(expected));
}

#[tokio::test]
async fn neither_keys_nor_passwords_are_stored_readable() {
    let office = Office::open().await;
    let created = create_client(&office.administration(), acme()).await.unwrap();
    let (sealed, hash): (Vec<u8>, String) =
        sqlx::query_as("SELECT api_key.sealed, client_user.password_hash FROM api_key, client_user")
            .fetch_one(&office.db)
            .await
            .unwrap();
    let key = created.api_key.expose().as_bytes();
    assert!(!sealed.windows(key.len()).any(|window| window == key));
    assert!(hash.starts_with("$argon2id$"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_that_is_replaced_while_its_login_waits_opens_nothing() {
    let office = std::sync::Arc::new(Office::open().await);
    let created = create_client(&office.administration(), acme()).await.unwrap();
    let mut reset = office.db.begin().await.unwrap();
    sqlx::query("UPDATE client_user SET password_hash = 'of another password' WHERE client_id = $1")
        .bind(created.client.0)
        .execute(&mut *reset)
        .await
        .unwrap();
    let waiting = tokio::spawn({
        let office = std::sync::Arc::clone(&office);
        async move { fails(&office, login("correct horse")).await }
    });
    scratch::until_lock_wait(&office.db, "").await;

    reset.commit().await.unwrap();

    assert!(matches!(waiting.await.unwrap(), LoginError::InvalidCredentials));
}
