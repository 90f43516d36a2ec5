//! Teams and their members, in a real database.

use domain::{
    hours::{BusinessHours, TimeZone},
    ids::{TeamId, UserId},
    page::PageRequest,
    team::Assignment,
};
use storage::{
    PgConnection,
    tenancy::{
        profiles::{self, ProfileFilter},
        teams::{self, TeamUsage},
        users::{self, Role, User},
    },
    violates,
};
use uuid::Uuid;

use crate::fixtures::{self, CLIENT, STRANGER, moment};

const SALES: TeamId = TeamId(Uuid::from_u128(500));
const SUPPORT: TeamId = TeamId(Uuid::from_u128(501));

fn user(id: u128, role: Role, team: Option<TeamId>) -> User {
    User {
        id: UserId(Uuid::from_u128(id)),
        email: format!("u{id}@one.example"),
        name: format!("User {id}"),
        role,
        team,
        password_hash: "hash".to_owned(),
        password_is_temporary: false,
    }
}

async fn database() -> PgConnection {
    let mut db = fixtures::database().await;
    teams::insert(&mut db, CLIENT, SALES, "Sales", moment(0)).await.unwrap();
    teams::insert(&mut db, CLIENT, SUPPORT, "Support", moment(0)).await.unwrap();
    for user in [user(600, Role::Admin, None), user(601, Role::Agent, Some(SALES)), user(602, Role::Agent, Some(SALES))]
    {
        users::insert(&mut db, CLIENT, &user, moment(0)).await.unwrap();
    }
    db
}

async fn names(db: &mut PgConnection, search: &str, team: Option<TeamId>) -> Vec<String> {
    let search = &domain::search::fold(search);
    let (found, total) =
        profiles::page(db, CLIENT, ProfileFilter { search, team }, PageRequest::first(10)).await.unwrap();
    assert_eq!(i64::try_from(found.len()).unwrap(), total);
    found.into_iter().map(|user| user.name).collect()
}

#[tokio::test]
async fn a_team_comes_back_as_it_was_stored() {
    let mut db = database().await;
    let hours: BusinessHours = serde_json::from_value(serde_json::json!({
        "weekly": [{ "day": "MONDAY", "from": "22:00", "to": "06:00" }],
        "holidays": [{ "date": "2026-12-25", "name": "Christmas" }],
    }))
    .unwrap();
    let mut team = teams::lock(&mut db, CLIENT, SALES).await.unwrap().unwrap();
    team.assignment = Assignment::LeastBusy;
    team.own_time_zone = Some("Africa/Johannesburg".parse().unwrap());
    team.hours.hours = Some(hours);
    teams::save(&mut db, CLIENT, &team).await.unwrap();
    team.hours.zone = team.own_time_zone.unwrap();
    assert_eq!(teams::get(&mut db, CLIENT, SALES).await.unwrap(), Some(team));
    assert_eq!(teams::get(&mut db, STRANGER, SALES).await.unwrap(), None);
}

#[tokio::test]
async fn a_team_without_a_zone_goes_by_the_clients() {
    let mut db = database().await;
    assert_eq!(teams::get(&mut db, CLIENT, SALES).await.unwrap().unwrap().hours.zone, TimeZone::UTC);
    sqlx::query("UPDATE client SET time_zone = 'Asia/Tokyo' WHERE id = $1")
        .bind(CLIENT.0)
        .execute(&mut db)
        .await
        .unwrap();
    let team = teams::get(&mut db, CLIENT, SALES).await.unwrap().unwrap();
    assert_eq!((team.own_time_zone, team.hours.zone.name()), (None, "Asia/Tokyo"));
}

#[tokio::test]
async fn a_name_in_any_case_finds_its_team_or_creates_one() {
    let mut db = database().await;
    let new = TeamId(Uuid::from_u128(502));
    assert_eq!(teams::find_or_insert(&mut db, CLIENT, new, "SALES", moment(1)).await.unwrap(), SALES);
    assert_eq!(teams::find_or_insert(&mut db, CLIENT, new, "Night", moment(1)).await.unwrap(), new);
    assert_eq!(teams::id_of_name(&mut db, CLIENT, "nIGHT").await.unwrap(), Some(new));
    assert_eq!(teams::id_of_name(&mut db, STRANGER, "Sales").await.unwrap(), None);
    let taken = teams::insert(&mut db, CLIENT, TeamId(Uuid::from_u128(503)), "sales", moment(1)).await.unwrap_err();
    assert!(violates(&taken, teams::NAME_UNIQUE));
}

#[tokio::test]
async fn a_team_is_in_use_while_it_has_a_member_or_a_chat() {
    let mut db = database().await;
    let used = teams::in_use(&mut db, CLIENT, SALES).await.unwrap();
    assert_eq!(used, TeamUsage { members: true, chats: false, sites: false });
    assert_eq!(
        teams::in_use(&mut db, CLIENT, SUPPORT).await.unwrap(),
        TeamUsage { members: false, chats: false, sites: false }
    );
    for id in [601, 602] {
        profiles::delete(&mut db, CLIENT, UserId(Uuid::from_u128(id)), moment(2)).await.unwrap();
    }
    assert!(!teams::in_use(&mut db, CLIENT, SALES).await.unwrap().members);
    teams::delete(&mut db, CLIENT, SALES).await.unwrap();
    assert_eq!(teams::get(&mut db, CLIENT, SALES).await.unwrap(), None);
}

#[tokio::test]
async fn a_team_with_a_new_member_is_not_deleted() {
    let mut db = database().await;
    let refused = teams::delete(&mut db, CLIENT, SALES).await.unwrap_err();
    assert!(violates(&refused, teams::MEMBERS_FK));
}

#[tokio::test]
async fn users_are_found_by_part_of_name_or_email_and_by_team() {
    let mut db = database().await;
    assert_eq!(names(&mut db, "", None).await, ["User 600", "User 601", "User 602"]);
    assert_eq!(names(&mut db, "USER 601", None).await, ["User 601"]);
    assert_eq!(names(&mut db, "u602@", None).await, ["User 602"]);
    assert_eq!(names(&mut db, "", Some(SALES)).await, ["User 601", "User 602"]);
    assert!(names(&mut db, "%", None).await.is_empty());
}

#[tokio::test]
async fn a_deleted_user_is_in_no_answer_and_its_email_is_free() {
    let mut db = database().await;
    let gone = UserId(Uuid::from_u128(601));
    profiles::delete(&mut db, CLIENT, gone, moment(2)).await.unwrap();
    assert_eq!(names(&mut db, "", None).await, ["User 600", "User 602"]);
    assert!(profiles::get(&mut db, CLIENT, gone).await.unwrap().is_none());
    assert!(users::find_by_email(&mut db, CLIENT, "u601@one.example").await.unwrap().is_none());
    assert_eq!(users::role_of(&mut db, CLIENT, gone).await.unwrap(), None);
    let again = User { email: "U601@one.example".to_owned(), ..user(603, Role::Agent, None) };
    users::insert(&mut db, CLIENT, &again, moment(3)).await.unwrap();
    let name: String = sqlx::query_scalar("SELECT name FROM client_user WHERE client_id = $1 AND id = $2")
        .bind(CLIENT.0)
        .bind(gone.0)
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert_eq!(name, "User 601", "its messages keep its name");
}

#[tokio::test]
async fn deleted_admins_do_not_count() {
    let mut db = database().await;
    let admin = UserId(Uuid::from_u128(600));
    assert_eq!(profiles::lock_admins(&mut db, CLIENT).await.unwrap(), [admin]);
    profiles::delete(&mut db, CLIENT, admin, moment(2)).await.unwrap();
    assert!(profiles::lock_admins(&mut db, CLIENT).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_password_is_replaced_only_while_it_is_the_one_that_was_seen() {
    let mut db = database().await;
    let agent = UserId(Uuid::from_u128(601));
    let new = users::NewPassword { hash: "other", is_temporary: true };
    assert!(users::set_password(&mut db, CLIENT, agent, "hash", new).await.unwrap());
    assert!(!users::set_password(&mut db, CLIENT, agent, "hash", new).await.unwrap());
    let stored = users::get(&mut db, CLIENT, agent).await.unwrap().unwrap();
    assert_eq!((stored.password_hash.as_str(), stored.password_is_temporary), ("other", true));
}
