use domain::ids::{ClientId, InboxId};
use plugin_host::{PluginRef, ProgramState, World};
use storage::{
    PgConnection,
    chat::participants::Participant,
    plugins::{activations, versions},
};

use base::{Context, Result};
use plugins::{
    calls::AnsweringVersion,
    slots::{self, SlotActivation, Slots},
};

/// Past activations of a plugin that are searched for its last one as a live chatbot.
const LOOK_BACK: i64 = 50;

/// True if a router decides about conversations of an inbox, at least for the share of a canary.
pub(crate) async fn is_routed(db: &mut PgConnection, client: ClientId, inbox: InboxId) -> Result<bool> {
    Ok(routes(&slots::in_force(db, client, World::Router, inbox).await?))
}

/// True if one of these routers is active, at least as a canary.
pub(crate) fn routes(routers: &Slots) -> bool {
    routers.live.is_some() || routers.canary.is_some()
}

pub(crate) struct ChatbotInCharge {
    pub(crate) answering: AnsweringVersion,
    pub(crate) live_version: Option<AnsweringVersion>,
}

/// The chatbot that answers in a chat: the choice of its router, or else the one that is active on the inbox.
pub(crate) async fn chatbot(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    participant: &Participant,
) -> Result<Option<ChatbotInCharge>> {
    let slots = slots::in_force(db, client, World::Chatbot, participant.inbox).await?;
    let alone = |answering| ChatbotInCharge { answering, live_version: None };
    match &participant.bot_plugin {
        Some(name) if slots.live.as_ref().is_none_or(|live| live.plugin.name() != name) => {
            Ok(find_by_name(ctx, db, client, name).await?.map(alone))
        }
        _ => Ok(AnsweringVersion::of(&slots, participant.id.0).map(|answering| ChatbotInCharge {
            live_version: answering.is_canary().then(|| AnsweringVersion::live_of(&slots)).flatten(),
            answering,
        })),
    }
}

/// A chatbot by its name: as last activated, or its newest version without configuration, or the built-in one.
pub(crate) async fn find_by_name(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    name: &str,
) -> Result<Option<AnsweringVersion>> {
    let world = World::Chatbot.as_str();
    let newest = versions::one(db, client, name, None).await?;
    let is_shipped = ctx
        .plugins
        .find(name)
        .is_some_and(|plugin| plugin.world == Some(World::Chatbot) && plugin.state == ProgramState::Ready);
    if newest.as_ref().map_or(!is_shipped, |version| version.world != world) {
        return Ok(None);
    }
    let history = activations::history(db, client, name, LOOK_BACK).await?;
    let mut past = history.into_iter().map(|past| past.activation);
    let latest = past.find(|past| past.world == world && past.mode == activations::LIVE);
    if let Some(latest) = latest {
        let is_there = match &latest.upload {
            Some(upload) => versions::one(db, client, name, Some(upload.version)).await?.is_some(),
            None => newest.is_none(),
        };
        if is_there {
            let mut latest = SlotActivation::try_from(latest)?;
            slots::read_shared_secrets(db, client, vec![&mut latest]).await?;
            return Ok(Some(AnsweringVersion::from(&latest)));
        }
    }
    let plugin = match newest {
        Some(version) => PluginRef::uploaded(name, version.version.unsigned_abs(), version.sha256),
        None => PluginRef::shipped(name),
    };
    Ok(Some(AnsweringVersion::bare(World::Chatbot, plugin)))
}
