use domain::{
    hours::{BusinessHours, TimeZone},
    ids::{ClientId, TeamId, UserId},
    page::{Page, PageRequest},
    search::fold,
    team::{AfterHoursText, Assignment, BadTeamName, TeamName},
};
use storage::{
    Db,
    chat::due_work,
    tenancy::{
        profiles,
        teams::{self, MEMBERS_FK, NAME_UNIQUE},
    },
    violates,
};

pub use storage::tenancy::teams::Team;

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
};

/// Changes of a team, or the settings of a new one. `None` = unchanged.
#[derive(Debug, Clone, Default)]
pub struct TeamChange {
    pub name: Option<String>,
    pub assignment: Option<Assignment>,
    /// The time zone of its hours. `Some(None)` = the client's.
    pub time_zone: Option<Option<TimeZone>>,
    /// The business hours. `Some(None)` = always open.
    pub hours: Option<Option<BusinessHours>>,
    /// The text for customers outside the hours. `Some(None)` = none.
    pub after_hours_text: Option<Option<AfterHoursText>>,
}

#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    #[error("there is no such team")]
    Unknown,
    #[error("there is no such user")]
    UnknownUser,
    #[error(transparent)]
    BadName(#[from] BadTeamName),
    #[error("you have a team of this name already")]
    NameTaken,
    #[error("users belong to this team: take them out first")]
    HasMembers,
    #[error("chats wait for this team or belong to its agents: move or close them first")]
    HasChats,
    #[error("the chats of a web site wait for this team: give the site another team first")]
    HasSites,
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<storage::Error> for TeamError {
    fn from(error: storage::Error) -> Self {
        if violates(&error, NAME_UNIQUE) { Self::NameTaken } else { Self::Failed(error.into()) }
    }
}

pub async fn create(
    admin: &Administration<'_>,
    client: ClientId,
    name: &str,
    begin: TeamChange,
    actor: Actor,
) -> Result<Team, TeamError> {
    let name = TeamName::parse(name)?;
    let id: TeamId = admin.mint();
    let mut tx = admin.db.begin().await?;
    teams::insert(&mut tx, client, id, name.as_str(), admin.now()).await?;
    let mut team = teams::lock(&mut tx, client, id).await?.ok_or(TeamError::Unknown)?;
    apply(&mut team, begin)?;
    teams::save(&mut tx, client, &team).await?;
    audit(admin, &mut tx, client, actor, "create", AuditObject::new("team", &id)).await?;
    let made = teams::get(&mut tx, client, id).await?.ok_or(TeamError::Unknown)?;
    tx.commit().await?;
    Ok(made)
}

pub async fn update(
    admin: &Administration<'_>,
    client: ClientId,
    team: TeamId,
    change: TeamChange,
    actor: Actor,
) -> Result<Team, TeamError> {
    let mut tx = admin.db.begin().await?;
    let mut found = teams::lock(&mut tx, client, team).await?.ok_or(TeamError::Unknown)?;
    apply(&mut found, change)?;
    teams::save(&mut tx, client, &found).await?;
    // Waiting chats may now be assigned automatically.
    due_work::room_in(&mut tx, client, &[team], admin.now()).await?;
    audit(admin, &mut tx, client, actor, "update", AuditObject::new("team", &team)).await?;
    let stored = teams::get(&mut tx, client, team).await?.ok_or(TeamError::Unknown)?;
    tx.commit().await?;
    Ok(stored)
}

fn apply(team: &mut Team, change: TeamChange) -> Result<(), BadTeamName> {
    if let Some(name) = change.name {
        team.name = TeamName::parse(&name)?.as_str().to_owned();
    }
    team.assignment = change.assignment.unwrap_or(team.assignment);
    team.own_time_zone = change.time_zone.unwrap_or(team.own_time_zone);
    if let Some(hours) = change.hours {
        team.hours.hours = hours;
    }
    if let Some(text) = change.after_hours_text {
        team.after_hours_text = text;
    }
    Ok(())
}

pub async fn find(db: &Db, client: ClientId, team: TeamId) -> Result<Team, TeamError> {
    let mut db = db.acquire().await?;
    teams::get(&mut db, client, team).await?.ok_or(TeamError::Unknown)
}

/// The teams whose names contain `search` (`""` = all), sorted by name.
pub async fn list(db: &Db, client: ClientId, search: &str, page: PageRequest) -> base::Result<Page<Team>> {
    let mut db = db.acquire().await?;
    let search = fold(search);
    let (items, total) = teams::page(&mut db, client, &search, page).await?;
    Ok(Page::of(items, total))
}

pub async fn delete(admin: &Administration<'_>, client: ClientId, team: TeamId, actor: Actor) -> Result<(), TeamError> {
    let mut tx = admin.db.begin().await?;
    teams::lock(&mut tx, client, team).await?.ok_or(TeamError::Unknown)?;
    let used = teams::in_use(&mut tx, client, team).await?;
    if used.members {
        return Err(TeamError::HasMembers);
    }
    if used.chats {
        return Err(TeamError::HasChats);
    }
    if used.sites {
        return Err(TeamError::HasSites);
    }
    teams::delete(&mut tx, client, team).await.map_err(|error| {
        // A user joined at the same time.
        if violates(&error, MEMBERS_FK) { TeamError::HasMembers } else { error.into() }
    })?;
    audit(admin, &mut tx, client, actor, "delete", AuditObject::new("team", &team)).await?;
    tx.commit().await?;
    Ok(())
}

pub async fn add_member(
    admin: &Administration<'_>,
    client: ClientId,
    team: TeamId,
    user: UserId,
    actor: Actor,
) -> Result<(), TeamError> {
    let mut tx = admin.db.begin().await?;
    let found = teams::lock(&mut tx, client, team).await?.ok_or(TeamError::Unknown)?;
    let mut member = profiles::lock(&mut tx, client, user).await?.ok_or(TeamError::UnknownUser)?;
    member.team = Some((team, found.name));
    profiles::save(&mut tx, client, &member).await?;
    due_work::room_in(&mut tx, client, &[team], admin.now()).await?;
    audit(admin, &mut tx, client, actor, "join", AuditObject::new("team", &format!("{team} {user}"))).await?;
    tx.commit().await?;
    Ok(())
}

pub async fn remove_member(
    admin: &Administration<'_>,
    client: ClientId,
    team: TeamId,
    user: UserId,
    actor: Actor,
) -> Result<(), TeamError> {
    let mut tx = admin.db.begin().await?;
    let mut member = profiles::lock(&mut tx, client, user).await?.ok_or(TeamError::UnknownUser)?;
    if member.team.as_ref().is_none_or(|(of, _)| *of != team) {
        return Err(TeamError::UnknownUser);
    }
    member.team = None;
    profiles::save(&mut tx, client, &member).await?;
    audit(admin, &mut tx, client, actor, "leave", AuditObject::new("team", &format!("{team} {user}"))).await?;
    tx.commit().await?;
    Ok(())
}
