use domain::{
    chat::ChatTeam,
    ids::{ClientId, UserId},
};
use plugin_host::router::{Route, Target};
use storage::{chat::teams, tenancy::users};

use super::question::RoutingCase;
use crate::conversation::responsible_plugin;
use base::{Context, Result};

/// Bound on the stored reason, in characters.
const REASON_LENGTH: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RoutingTarget {
    /// A chatbot: the default one, or one by name.
    Bot(Option<String>),
    Team(ChatTeam),
    Agent(UserId),
    Queue,
}

impl RoutingTarget {
    pub(super) fn words(&self) -> (&'static str, Option<String>) {
        match self {
            Self::Bot(name) => ("bot", name.clone()),
            Self::Team(team) => ("team", Some(team.name.clone())),
            Self::Agent(id) => ("agent", Some(id.to_string())),
            Self::Queue => ("queue", None),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) goes: RoutingTarget,
    pub(super) reason: String,
    pub(super) note: Option<String>,
    /// The host decided, because the router failed or its answer was impossible.
    pub(super) fallback: bool,
}

impl Decision {
    /// The host's decision: the default chatbot, or else the queue. `why`: the fault of the router.
    pub(super) fn of_host(case: &RoutingCase, why: String) -> Self {
        let goes = if case.default_bot.is_some() { RoutingTarget::Bot(None) } else { RoutingTarget::Queue };
        Self { goes, reason: shorten(&why), note: None, fallback: true }
    }

    pub(super) fn queued_because(self, why: &str) -> Self {
        Self {
            goes: RoutingTarget::Queue,
            reason: shorten(&format!("{why}; {}", self.reason)),
            note: self.note.map(|note| format!("{why}; {note}")),
            fallback: true,
        }
    }

    pub(super) async fn of_router(ctx: &Context, client: ClientId, case: &RoutingCase, route: Route) -> Result<Self> {
        let Route { target, reason, note } = route;
        let note = note.filter(|note| !note.trim().is_empty());
        let decided = |goes| Self { goes, reason: shorten(&reason), note: note.clone(), fallback: false };
        Ok(match target {
            Target::Bot(None) if case.default_bot.is_some() => decided(RoutingTarget::Bot(None)),
            Target::Bot(None) => Self::of_host(case, format!("there is no default chatbot on this number; {reason}")),
            Target::Bot(Some(name)) => {
                let mut db = ctx.db.acquire().await?;
                match responsible_plugin::find_by_name(ctx, &mut db, client, &name).await? {
                    Some(_) => decided(RoutingTarget::Bot(Some(name))),
                    None => Self::of_host(case, format!("there is no chatbot `{name}`; {reason}")),
                }
            }
            Target::Team(name) if name.trim().is_empty() => {
                Self::of_host(case, format!("the name of the team is empty; {reason}"))
            }
            Target::Team(name) => {
                let mut db = ctx.db.acquire().await?;
                match teams::by_name(&mut db, client, &name).await? {
                    Some(team) => decided(RoutingTarget::Team(team)),
                    None => {
                        let missing = format!("there is no team `{}`", name.trim());
                        Self {
                            note: note.as_ref().map(|note| format!("{missing}; {note}")),
                            reason: shorten(&format!("{missing}; {reason}")),
                            fallback: true,
                            ..decided(RoutingTarget::Queue)
                        }
                    }
                }
            }
            Target::Agent(called) => match agent(ctx, client, called.trim()).await? {
                Ok(agent) => decided(RoutingTarget::Agent(agent)),
                Err(why) => Self {
                    reason: shorten(&format!("`{}` is {why}; {reason}", called.trim())),
                    fallback: true,
                    ..decided(RoutingTarget::Queue)
                },
            },
            Target::Queue => decided(RoutingTarget::Queue),
            Target::Custom(_) => Self::of_host(case, format!("this version knows no target of its own kind; {reason}")),
        })
    }
}

/// A user of the client who may answer customers, by id, or by an unambiguous name or e-mail address. The inner error
/// is the reason why there is none.
async fn agent(ctx: &Context, client: ClientId, called: &str) -> Result<std::result::Result<UserId, &'static str>> {
    let mut db = ctx.db.acquire().await?;
    if let Ok(id) = called.parse::<UserId>() {
        let role = users::role_of(&mut db, client, id).await?;
        return Ok(role.filter(|role| role.takes_chats()).map(|_| id).ok_or(NO_AGENT));
    }
    Ok(match users::find_by_name(&mut db, client, called).await?.as_slice() {
        [id] => Ok(*id),
        [] => Err(NO_AGENT),
        _ => Err("the name of several users who can take chats: use the id of one"),
    })
}

const NO_AGENT: &str = "no agent that can take chats";

fn shorten(reason: &str) -> String {
    reason.chars().filter(|character| *character != '\0').take(REASON_LENGTH).collect()
}
