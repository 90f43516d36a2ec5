//! Sessions of visitors. A visitor who only looks leaves no row.

use base::{
    Context, Error, Result,
    secrets::{SealError, SecretPurpose},
};
use domain::address::{Address, AddressKind};
use events::record_folded;
use people::Introduction;
use storage::{
    PgConnection, Queue,
    web::{
        sites::{self, Site},
        threads::Thread,
        visitors::{self, NewVisitor, Visitor},
    },
};
use uuid::Uuid;

use super::{
    thread,
    token::{TokenRefused, VisitorToken, proves, visitor_of_user},
};

const USER_ID_MAX: usize = 128;

#[derive(Debug, Clone, Default)]
pub struct VisitorSessionRequest {
    pub token: Option<String>,
    pub identity: Option<Identity>,
}

#[derive(Debug, Clone)]
pub struct Identity {
    pub user_id: String,
    /// HMAC-SHA256 of `user_id` under the site's secret, in hexadecimal.
    pub hash: String,
}

#[derive(Debug)]
pub struct VisitorSession {
    pub token: VisitorToken,
    pub sealed: String,
    pub chat: Option<Thread>,
    pub form_answered: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum SessionRefused {
    #[error("identity.hash is not the HMAC-SHA256 of identity.userId under the secret of the site")]
    NotProven,
    #[error("identity.userId must have 1 to {USER_ID_MAX} characters")]
    BadUserId,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(SessionRefused: storage::Error, SealError);

/// Begins a session of the proven user, or else of the visitor in the token, or else of a new visitor. An invalid token
/// counts as none. When an anonymous visitor proves to be a user, the chat comes along.
pub async fn begin(ctx: &Context, site: &Site, asked: VisitorSessionRequest) -> Result<VisitorSession, SessionRefused> {
    let brought = asked.token.as_deref().and_then(|text| VisitorToken::open(ctx, site.client, site.id, text).ok());
    // A proven user may have logged out since, so an old proof does not count.
    let unproven = brought.filter(|token| !token.proven);
    let token = match &asked.identity {
        Some(identity) => prove(ctx, site, identity, unproven.as_ref()).await?,
        None => {
            let known = match unproven {
                Some(token) => still_itself(ctx, site, &token).await?.then_some(token.visitor),
                None => None,
            };
            VisitorToken::new(ctx, site.id, known.unwrap_or_else(|| ctx.mint::<Uuid>()), false)
        }
    };
    let mut db = ctx.db.acquire().await?;
    let visitor = token.visitor.to_string();
    let known = visitors::find(&mut db, site.client, site.id, &visitor).await?;
    let chat = thread::find(&mut db, site, &visitor).await?;
    let sealed = token.seal(ctx, site.client);
    Ok(VisitorSession { token, sealed, chat, form_answered: known.is_some_and(|known| known.form_answered) })
}

pub async fn visitor_of(ctx: &Context, site: &Site, token: &str) -> Result<Result<VisitorToken, TokenRefused>> {
    let token = match VisitorToken::open(ctx, site.client, site.id, token) {
        Ok(token) => token,
        Err(refused) => return Ok(Err(refused)),
    };
    if !token.proven && !still_itself(ctx, site, &token).await? {
        return Ok(Err(TokenRefused::Expired));
    }
    Ok(Ok(token))
}

/// False if the visitor has become a user of the site. Its old token must not open that user's chat.
async fn still_itself(ctx: &Context, site: &Site, token: &VisitorToken) -> Result<bool> {
    let mut db = ctx.db.acquire().await?;
    let known = visitors::find(&mut db, site.client, site.id, &token.visitor.to_string()).await?;
    Ok(known.is_none_or(|known| known.joined_to.is_none()))
}

async fn prove(
    ctx: &Context,
    site: &Site,
    identity: &Identity,
    was: Option<&VisitorToken>,
) -> Result<VisitorToken, SessionRefused> {
    let user = identity.user_id.as_str();
    if user.is_empty() || user.chars().count() > USER_ID_MAX || user.chars().any(char::is_control) {
        return Err(SessionRefused::BadUserId);
    }
    let sealed = {
        let mut db = ctx.db.acquire().await?;
        sites::identity_secret(&mut db, site.client, site.id).await?.ok_or(SessionRefused::NotProven)?
    };
    let secret = ctx.sealer.open_text(site.client, SecretPurpose::SiteIdentity, &sealed)?;
    if !proves(&secret, user, &identity.hash) {
        return Err(SessionRefused::NotProven);
    }
    let visitor = visitor_of_user(ctx, site.client, site.id, user);
    let mut tx = ctx.db.begin().await?;
    let new = NewVisitor { inbox: site.id, visitor: &visitor.to_string(), proven: Some(user) };
    let known = visitors::begin(&mut tx, site.client, new, ctx.now()).await?;
    let wakes = match was {
        Some(was) => join(ctx, &mut tx, site, was.visitor, ProvenUser { visitor, user, known }).await?,
        None => Vec::new(),
    };
    tx.commit().await?;
    ctx.wake.wake_all(site.client, wakes);
    Ok(VisitorToken::new(ctx, site.id, visitor, true))
}

/// A user of the site that proved who it is.
struct ProvenUser<'a> {
    visitor: Uuid,
    user: &'a str,
    known: Visitor,
}

/// Merges the customer of the anonymous visitor into that of the user. Returns the lanes to wake after the commit.
async fn join(
    ctx: &Context,
    db: &mut PgConnection,
    site: &Site,
    was: Uuid,
    ProvenUser { visitor, user, mut known }: ProvenUser<'_>,
) -> Result<Vec<(Queue, Uuid)>> {
    let (was, is) = (was.to_string(), visitor.to_string());
    let Some(mut before) = visitors::find(db, site.client, site.id, &was).await? else { return Ok(Vec::new()) };
    if before.joined_to.is_some() {
        return Ok(Vec::new());
    }
    let address = |visitor: &str| Address::of_kind(AddressKind::Visitor, visitor);
    let introduction = Introduction {
        addresses: [&is, &was].into_iter().filter_map(|visitor| address(visitor)).collect(),
        username: Some(user.to_owned()),
        ..Introduction::default()
    };
    let folded = people::introduce(db, site.client, &ctx.ids, introduction, ctx.now()).await?.folded;
    known.epoch = known.epoch.saturating_add(1);
    known.form_answered |= before.form_answered;
    // Receipts start again: sequence numbers restart with the next message.
    known.delivered_up_to = 0;
    known.read_up_to = 0;
    before.joined_to = Some(is.clone());
    visitors::save(db, site.client, site.id, &is, &known).await?;
    visitors::save(db, site.client, site.id, &was, &before).await?;
    record_folded(ctx, db, site.client, &folded).await
}
