//! Users, teams, clients and contacts with a real database.

use super::office::{Office, acme, grace};
use base::audit::Actor;
use domain::{contact::NewContact, ids::UserId, page::PageRequest, privacy::CustomerVisibility};
use tenancy::{
    accounts::{
        CreateError, CreatedUser, Login, LoginError, NewUser, PasswordError, Role, change_password, create_client,
        create_user, reset_password, retrieve_api_key,
        users::{self, Invitation, UserChange, UserError},
    },
    clients::{self, ClientChange, ClientError},
    contacts::{self, ContactError},
    teams::{self, TeamChange, TeamError},
};

const ALL: PageRequest = PageRequest { page: 0, size: 10 };

async fn office() -> (Office, CreatedUser) {
    let office = Office::open().await;
    let ada = create_client(&office.administration(), acme()).await.unwrap();
    (office, ada)
}

fn thandi() -> Invitation {
    Invitation { email: "thandi@acme.example".to_owned(), name: "Thandi".to_owned(), role: Role::Agent, team: None }
}

fn login(password: &str) -> Login {
    Login {
        email: "thandi@acme.example".to_owned(),
        password: password.to_owned(),
        client_ref: "acme".to_owned(),
        from: None,
    }
}

#[tokio::test]
async fn an_invited_user_has_a_key_only_after_choosing_a_password() {
    let (office, ada) = office().await;
    let admin = office.administration();
    let by_ada = Actor::User(ada.user);
    let (user, temporary) = users::invite(&admin, ada.client, thandi(), by_ada).await.unwrap();
    assert_eq!((user.name.as_str(), user.role, user.available), ("Thandi", Role::Agent, false));

    let refused = retrieve_api_key(&admin, login(temporary.expose())).await.unwrap_err();
    assert!(matches!(refused, LoginError::TemporaryPassword));
    change_password(&admin, login(temporary.expose()), "newPassword", "my own words".to_owned()).await.unwrap();
    let again = change_password(&admin, login(temporary.expose()), "newPassword", "others".repeat(2)).await;
    assert!(matches!(again, Err(PasswordError::Login(LoginError::InvalidCredentials))));
    retrieve_api_key(&admin, login("my own words")).await.unwrap();
}

#[tokio::test]
async fn two_temporary_passwords_are_never_the_same() {
    let (office, ada) = office().await;
    let admin = office.administration();
    let (user, first) = users::invite(&admin, ada.client, thandi(), Actor::User(ada.user)).await.unwrap();
    let second = reset_password(&admin, ada.client, user.id, Actor::User(ada.user)).await.unwrap();
    assert_ne!(first.expose(), second.expose());
    assert_eq!(format!("{second:?}"), "TemporaryPassword");
    let own = reset_password(&admin, ada.client, ada.user, Actor::User(ada.user)).await.unwrap_err();
    assert!(matches!(own, UserError::OwnPassword));
}

#[tokio::test]
async fn a_user_of_another_client_is_not_found() {
    let (office, ada) = office().await;
    let admin = office.administration();
    let other = tenancy::accounts::NewClient { client_ref: "other".to_owned(), ..acme() };
    let other = create_client(&admin, other).await.unwrap();
    let change = || UserChange { name: Some("X".to_owned()), ..UserChange::default() };
    for user in [other.user, UserId(uuid::Uuid::nil())] {
        let by_ada = Actor::User(ada.user);
        assert!(matches!(users::find(&office.db, ada.client, user).await, Err(UserError::Unknown)));
        let changed = users::update(&admin, ada.client, user, change(), by_ada).await;
        assert!(matches!(changed, Err(UserError::Unknown)));
        assert!(matches!(users::delete(&admin, ada.client, user, by_ada).await, Err(UserError::Unknown)));
        assert!(matches!(reset_password(&admin, ada.client, user, by_ada).await, Err(UserError::Unknown)));
    }
}

#[tokio::test]
async fn the_operator_may_delete_every_admin_but_the_last() {
    let (office, ada) = office().await;
    let admin = office.administration();
    let other = NewUser { role: Role::Admin, ..grace() };
    let other = create_user(&admin, "acme", other, Actor::Operator).await.unwrap();
    users::delete(&admin, ada.client, other.user, Actor::Operator).await.unwrap();
    let refused = users::delete(&admin, ada.client, ada.user, Actor::Operator).await;
    assert!(matches!(refused, Err(UserError::LastAdmin)));
}

#[tokio::test]
async fn the_team_of_the_command_line_is_created_and_audited_once() {
    let (office, ada) = office().await;
    let admin = office.administration();
    for (email, team) in [("a@acme.example", "Sales"), ("b@acme.example", " SALES ")] {
        let user = NewUser { email: email.to_owned(), team: Some(team.to_owned()), ..grace() };
        create_user(&admin, "acme", user, Actor::Operator).await.unwrap();
    }
    let page = teams::list(&office.db, ada.client, "", ALL).await.unwrap();
    assert_eq!(page.items.iter().map(|team| team.name.as_str()).collect::<Vec<_>>(), ["Sales"]);
    let audited: i64 = sqlx::query_scalar("SELECT count(*) FROM audit WHERE object_kind = 'team'")
        .fetch_one(&office.db)
        .await
        .unwrap();
    assert_eq!(audited, 1);
    let nameless = NewUser { email: "c@acme.example".to_owned(), team: Some(" ".to_owned()), ..grace() };
    let refused = create_user(&admin, "acme", nameless, Actor::Operator).await;
    assert!(matches!(refused, Err(CreateError::BadTeam(_))));
}

#[tokio::test]
async fn a_team_that_was_left_by_all_is_deleted() {
    let (office, ada) = office().await;
    let admin = office.administration();
    let by_ada = Actor::User(ada.user);
    let team = teams::create(&admin, ada.client, "Sales", TeamChange::default(), by_ada).await.unwrap();
    teams::add_member(&admin, ada.client, team.id, ada.user, by_ada).await.unwrap();
    assert!(matches!(teams::delete(&admin, ada.client, team.id, by_ada).await, Err(TeamError::HasMembers)));
    teams::remove_member(&admin, ada.client, team.id, ada.user, by_ada).await.unwrap();
    let again = teams::remove_member(&admin, ada.client, team.id, ada.user, by_ada).await;
    assert!(matches!(again, Err(TeamError::UnknownUser)));
    teams::delete(&admin, ada.client, team.id, by_ada).await.unwrap();
    assert!(matches!(teams::find(&office.db, ada.client, team.id).await, Err(TeamError::Unknown)));
}

#[tokio::test]
async fn a_client_is_not_named_after_another_nor_me() {
    let (office, ada) = office().await;
    let admin = office.administration();
    let other = tenancy::accounts::NewClient { client_ref: "other".to_owned(), ..acme() };
    create_client(&admin, other).await.unwrap();
    for (new, expected) in [("other", "taken"), ("me", "reserved"), ("a b", "not a clientRef")] {
        let change = ClientChange { client_ref: Some(new.to_owned()), ..ClientChange::default() };
        let refused = clients::update(&admin, ada.client, "me", change, Actor::User(ada.user)).await.unwrap_err();
        assert!(matches!(refused, ClientError::Refused(_)) && refused.to_string().contains(expected), "{refused}");
    }
    assert_eq!(clients::find(&office.db, ada.client, "acme").await.unwrap().client.client_ref, "acme");
    assert!(matches!(clients::find(&office.db, ada.client, "other").await, Err(ClientError::Unknown)));
}

#[tokio::test]
async fn a_second_contact_of_a_customer_is_refused() {
    let (office, ada) = office().await;
    let admin = office.administration();
    let new = |name: &str| {
        NewContact::parse(format!(r#"{{"fullName":"{name}","phoneNumber":"27820000001"}}"#).as_bytes()).unwrap()
    };
    let first = contacts::create(&admin, ada.client, new("Thandi"), Actor::User(ada.user)).await.unwrap();
    let second = contacts::create(&admin, ada.client, new("T"), Actor::User(ada.user)).await;
    assert!(matches!(second, Err(ContactError::Taken)));
    for (searched, found) in [
        ("THANDI", 1),
        ("+27 82", 1),
        ("82 000-0001", 1),
        ("(082) 000 0001", 1),
        ("0027 82", 1),
        ("thándi", 1),
        ("nobody", 0),
        ("", 1),
    ] {
        let page = contacts::list(&office.db, ada.client, CustomerVisibility::Whole, searched, ALL).await.unwrap();
        assert_eq!(page.total, found, "{searched}");
    }
    // A role that sees `T***` and `********001` can search only for these parts.
    for (searched, found) in [("T", 1), ("001", 1), ("TH", 0), ("0001", 0), ("+27820000001", 0), ("", 1)] {
        let page = contacts::list(&office.db, ada.client, CustomerVisibility::Masked, searched, ALL).await.unwrap();
        assert_eq!(page.total, found, "{searched}");
    }
    contacts::delete(&admin, ada.client, first.id, Actor::User(ada.user)).await.unwrap();
    let gone = contacts::delete(&admin, ada.client, first.id, Actor::User(ada.user)).await;
    assert!(matches!(gone, Err(ContactError::Unknown)));
}
