//! Teams of agents: making and changing them, and who belongs to them.

use domain::{
    hours::{BusinessHours, TimeZone},
    ids::{ClientId, TeamId, UserId},
    page::{Page, PageRequest},
    search::fold,
    team::{AfterHoursText, Assignment, BadTeamName, TeamName},
};
use storage::{
    PgPool,
    chat::due,
    tenancy::{
        profiles,
        teams::{self, MEMBERS_FK, NAME_UNIQUE},
    },
    violates,
};

pub use storage::tenancy::teams::Team;

use base::{
    Error,
    audit::{Actor, Administration, audit},
};

/// What is to change of a team, or how a new one begins; `None` = as it was.
#[derive(Debug, Clone, Default)]
pub struct TeamChange {
    /// Its name.
    pub name: Option<String>,
    /// Who is given a chat that waits for it.
    pub assignment: Option<Assignment>,
    /// Whose clock its hours go by; `Some(None)` = the client's.
    pub time_zone: Option<Option<TimeZone>>,
    /// When it answers; `Some(None)` = always.
    pub hours: Option<Option<BusinessHours>>,
    /// What is said to who comes to wait outside them; `Some(None)` = nothing.
    pub after_hours_text: Option<Option<AfterHoursText>>,
}

/// Why a team was not changed.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The client has none with this id.
    #[error("there is no such team")]
    Unknown,
    /// The client has no user with this id.
    #[error("there is no such user")]
    UnknownUser,
    /// Not a name.
    #[error(transparent)]
    BadName(#[from] BadTeamName),
    /// Another team's.
    #[error("you have a team of this name already")]
    NameTaken,
    /// Somebody belongs to it.
    #[error("users belong to this team: take them out first")]
    HasMembers,
    /// Chats are with it.
    #[error("chats wait for this team or are in the hands of its agents: move or close them first")]
    HasChats,
    /// A web site names it.
    #[error("a web site has its chats wait for the team: give the site another team first")]
    HasSites,
    /// Nobody's fault.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<storage::Error> for TeamError {
    fn from(error: storage::Error) -> Self {
        if violates(&error, NAME_UNIQUE) { Self::NameTaken } else { Self::Failed(error.into()) }
    }
}

impl From<storage::SqlxError> for TeamError {
    fn from(error: storage::SqlxError) -> Self {
        Self::Failed(error.into())
    }
}

/// Makes a team.
pub async fn create(
    admin: &Administration<'_>,
    client: ClientId,
    (name, begin): (&str, TeamChange),
    actor: Actor,
) -> Result<Team, TeamError> {
    let name = TeamName::parse(name)?;
    let id: TeamId = admin.mint();
    let mut tx = admin.db.begin().await?;
    teams::insert(&mut tx, client, id, name.as_str(), admin.now()).await?;
    let mut team = teams::lock(&mut tx, client, id).await?.ok_or(TeamError::Unknown)?;
    apply(&mut team, begin)?;
    teams::save(&mut tx, client, &team).await?;
    audit(admin, &mut tx, client, actor, "create", ("team", &id.to_string())).await?;
    let made = teams::get(&mut tx, client, id).await?.ok_or(TeamError::Unknown)?;
    tx.commit().await?;
    Ok(made)
}

/// Changes a team.
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
    // What waits may be given out from now on.
    due::room_in(&mut tx, client, &[team], admin.now()).await?;
    audit(admin, &mut tx, client, actor, "update", ("team", &team.to_string())).await?;
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

/// One team.
pub async fn find(db: &PgPool, client: ClientId, team: TeamId) -> Result<Team, TeamError> {
    let mut db = db.acquire().await?;
    teams::get(&mut db, client, team).await?.ok_or(TeamError::Unknown)
}

/// The teams whose names contain `search` (`""` = all), by name.
pub async fn list(db: &PgPool, client: ClientId, search: &str, page: PageRequest) -> base::Result<Page<Team>> {
    let mut db = db.acquire().await?;
    let search = fold(search);
    let (items, total) = teams::page(&mut db, client, &search, page.limit(), page.offset()).await?;
    Ok(Page { items, total: u64::try_from(total).unwrap_or(0) })
}

/// Deletes a team that nobody belongs to and no chat is with.
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
        // Somebody joined in between.
        if violates(&error, MEMBERS_FK) { TeamError::HasMembers } else { error.into() }
    })?;
    audit(admin, &mut tx, client, actor, "delete", ("team", &team.to_string())).await?;
    tx.commit().await?;
    Ok(())
}

/// Makes a user a member of a team, and of no other.
pub async fn add_member(
    admin: &Administration<'_>,
    client: ClientId,
    (team, user): (TeamId, UserId),
    actor: Actor,
) -> Result<(), TeamError> {
    let mut tx = admin.db.begin().await?;
    let found = teams::lock(&mut tx, client, team).await?.ok_or(TeamError::Unknown)?;
    let mut member = profiles::lock(&mut tx, client, user).await?.ok_or(TeamError::UnknownUser)?;
    member.team = Some((team, found.name));
    profiles::save(&mut tx, client, &member).await?;
    due::room_in(&mut tx, client, &[team], admin.now()).await?;
    audit(admin, &mut tx, client, actor, "join", ("team", &format!("{team} {user}"))).await?;
    tx.commit().await?;
    Ok(())
}

/// Takes a user out of a team that it is a member of.
pub async fn remove_member(
    admin: &Administration<'_>,
    client: ClientId,
    (team, user): (TeamId, UserId),
    actor: Actor,
) -> Result<(), TeamError> {
    let mut tx = admin.db.begin().await?;
    let mut member = profiles::lock(&mut tx, client, user).await?.ok_or(TeamError::UnknownUser)?;
    if member.team.as_ref().is_none_or(|(of, _)| *of != team) {
        return Err(TeamError::UnknownUser);
    }
    member.team = None;
    profiles::save(&mut tx, client, &member).await?;
    audit(admin, &mut tx, client, actor, "leave", ("team", &format!("{team} {user}"))).await?;
    tx.commit().await?;
    Ok(())
}
