//! Asks SMS routers about a subscriber's SMS before it is stored (ADR 0036). They may rewrite or refuse it.

use base::{Context, Result};
use channels::smpp::MobileOriginated;
use domain::{
    address::{Address, AddressKind},
    ids::{ClientId, MessageId},
    inbox::InboxKind,
    recipient::order_key,
    sms_route::SmsRoute,
};
use plugin_host::sms_router::{Direction, Sms};
use plugins::calls::{self, FinishedCall, RemainingComparisons};
use storage::{
    PgConnection, inboxes,
    sms::{products::replies, routes},
};
use uuid::Uuid;

use crate::routing::{Bounds, Routers, SmsQuestion};

/// The decision of the routers on an SMS of a subscriber.
#[derive(Default)]
pub(crate) struct IncomingDecision {
    route: Option<SmsRoute>,
    calls: Vec<FinishedCall>,
}

/// Asks the routers if the SMS answers a client with a router, or if the operator has one.
pub(crate) async fn ask(ctx: &Context, id: Uuid, message: &MobileOriginated, text: &str) -> Result<IncomingDecision> {
    let mut db = ctx.db.acquire().await?;
    let Some((client, answered)) = replies::find_answered(&mut db, &message.to, &message.from).await? else {
        return Ok(IncomingDecision::default());
    };
    let Some(inbox) = inboxes::default_sms(&mut db, client).await? else { return Ok(IncomingDecision::default()) };
    let Some(routers) = Routers::in_force(ctx, &mut db, client, inbox.id).await? else {
        return Ok(IncomingDecision::default());
    };
    let known = routes::background(&mut db, client, &[answered]).await?.pop();
    drop(db);
    let bounds = Bounds::of(None);
    let subject = Address::of_kind(AddressKind::Phone, &message.from)
        .map_or(id, |from| Uuid::from_u64_pair(0, order_key(inbox.id, &from).cast_unsigned()));
    let product = known.as_ref().and_then(|known| known.product.as_deref()).map(str::to_lowercase);
    let asked = SmsQuestion {
        id,
        subject,
        forgets: known.as_ref().is_some_and(|known| known.forgets),
        bounds,
        sms: Sms {
            id: id.to_string(),
            direction: Direction::Incoming,
            client_ref: known.map(|known| known.client_ref).unwrap_or_default(),
            destination: message.to.clone(),
            source: message.from.clone(),
            product: product.unwrap_or_default(),
            traffic: "reply".to_owned(),
            segments: bounds.segments(text).unwrap_or(1),
            text: text.to_owned(),
            bind: Some(message.bind.clone()),
            binds: ctx.carriers.of(InboxKind::Sms).map(|carrier| carrier.binds()).unwrap_or_default(),
            metadata: vec![("answers".to_owned(), MessageId::to_string(&answered))],
        },
        route: SmsRoute::default(),
    };
    let routed = routers.ask(ctx, client, vec![asked]).await;
    Ok(IncomingDecision { route: routed.routes.into_iter().next(), calls: routed.calls })
}

impl IncomingDecision {
    /// The text after the routers.
    pub(crate) fn text<'a>(&'a self, said: &'a str) -> &'a str {
        self.route.as_ref().and_then(|route| route.text.as_deref()).unwrap_or(said)
    }

    pub(crate) fn is_refused(&self) -> bool {
        self.route.as_ref().is_some_and(|route| route.refused.is_some())
    }

    /// Stores the decision and the calls inside the caller's transaction.
    pub(crate) async fn keep(
        &mut self,
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        id: Uuid,
    ) -> Result<RemainingComparisons> {
        if let Some(route) = &self.route {
            routes::keep_incoming(db, id, route).await?;
        }
        let made = std::mem::take(&mut self.calls).into_iter().filter(FinishedCall::matters).collect();
        calls::keep(ctx, db, client, made).await
    }
}
