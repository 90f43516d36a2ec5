//! Authentication and permissions (SPEC part 5; `docs/roles.md`).

use std::marker::PhantomData;

use axum::{
    extract::{FromRef, FromRequestParts},
    http::{Method, request::Parts},
};
use base::audit::Actor;
use domain::{ids::ClientId, privacy::CustomerVisibility, session::SessionPurpose};
use futures::{FutureExt, future::BoxFuture};
use tenancy::{
    accounts::{Caller, DisabledOwner, Role},
    clients,
};
use tracing::Span;

use crate::{
    admission::reservation::AdmittedRequest,
    error::{ApiError, ErrorKind},
    privacy::CustomerView,
    product::ApiProduct,
    request_facts::RequestFacts,
    served_document::Document,
    state::ApiState,
};

/// An action that only some roles may take.
pub trait Permission: Send + Sync {
    /// The row of this permission in `docs/roles.md`.
    const ROW: PermissionRow;
}

/// A permission and its roles.
#[derive(Debug, Clone, Copy)]
pub struct PermissionRow {
    /// Name in the OpenAPI document.
    pub name: &'static str,
    pub what: &'static str,
    pub roles: &'static [Role],
}

impl PermissionRow {
    /// True if its requests wait for a turn at the database. Sends share transactions. Requests for plugins, numbers,
    /// templates and webhooks may wait for other systems, and have other bounds.
    fn takes_turns(self, method: &Method) -> bool {
        const WAIT_FOR_OTHERS: [PermissionRow; 8] = [
            Sending::ROW,
            SmsGateway::ROW,
            Plugins::ROW,
            Numbers::ROW,
            LiteNumbers::ROW,
            Templates::ROW,
            Webhooks::ROW,
            People::ROW,
        ];
        method.is_safe() || !WAIT_FOR_OTHERS.iter().any(|row| row.name == self.name)
    }

    /// True if a test key has this permission. It has not if the action leaves the sandbox: connections with providers,
    /// code of plugins and pages of web chat reach others, and users, teams and clients are those of live keys.
    pub fn opens_to_test_keys(self) -> bool {
        const LIVE_ONLY: [PermissionRow; 9] = [
            LiteNumbers::ROW,
            Numbers::ROW,
            Plugins::ROW,
            Sites::ROW,
            Clients::ROW,
            Users::ROW,
            Agents::ROW,
            Teams::ROW,
            TestKeys::ROW,
        ];
        !LIVE_ONLY.iter().any(|row| row.name == self.name)
    }

    /// True if a live key does not have this permission.
    pub fn needs_test_key(self) -> bool {
        self.name == TestCustomers::ROW.name
    }

    /// True if a session that a link opened has this permission.
    pub fn opens_to_links(self) -> bool {
        [Webhooks::ROW, Looking::ROW, OwnSessions::ROW].iter().any(|row| row.name == self.name)
    }
}

macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident: $what:literal => [$($role:ident),+];)+) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy)]
            pub struct $name;

            impl Permission for $name {
                const ROW: PermissionRow = PermissionRow {
                    name: stringify!($name),
                    what: $what,
                    roles: &[$(Role::$role),+],
                };
            }
        )+

        /// The table of `docs/roles.md`.
        pub const PERMISSIONS: &[PermissionRow] = &[$($name::ROW),+];
    };
}

permissions! {
    /// Sending through the API.
    Sending: "send messages (`/whatsapp-api-service`)" => [Admin, Supervisor, Developer, Api];
    /// Following messages.
    Following: "follow messages and batches, download reports" => [Admin, Supervisor, Developer, Api];
    /// The blocklist.
    Blocking: "keep the blocklist" => [Admin, Supervisor, Developer, Api];
    /// The rate card.
    Rates: "set the rate card" => [Admin];
    /// Reading numbers, templates and configurations.
    Looking: "list numbers, pages, bots and templates, read the webhook configuration" => [Admin, Supervisor, Agent, Developer, Api];
    /// Changing webhooks.
    Webhooks: "change the webhook configuration, read and rotate its secret, see deliveries and send them again" => [Admin, Developer];
    /// Callbacks that could not be read.
    FailedCallbacks: "see items of providers' callbacks that could not be read" => [Admin, Developer];
    /// The log of requests.
    Requests: "see the log of requests" => [Admin, Developer];
    /// The audit trail.
    AuditTrail: "see, export and verify the audit trail" => [Admin];
    /// Lite numbers.
    LiteNumbers: "connect and log out WhatsApp Lite numbers, see their QR codes, set their pace" => [Admin, Developer];
    /// Registering numbers.
    Numbers: "register WhatsApp Lite numbers" => [Admin, Developer];
    /// Refreshing the catalogue.
    Templates: "fetch the template catalogue from the provider" => [Admin, Supervisor, Developer];
    /// Plugins.
    Plugins: "upload, activate, try out and delete plugins, read their history" => [Admin, Developer];
    /// Opening and closing conversations.
    Conversations: "open and close long-lived conversations" => [Admin, Supervisor, Developer, Api];
    /// Reading conversations.
    ConversationReading: "list long-lived conversations, read their remaining time and analytics" => [Admin, Supervisor, Agent, Developer, Api];
    /// Web chat.
    Sites: "add, change and delete web chat sites, read and rotate their keys and secrets" => [Admin, Developer];
    /// Reading web chat sites.
    SiteReading: "list web chat sites" => [Admin, Supervisor, Agent, Developer, Api];
    /// Live chat.
    LiveChat: "work with chats and tickets, send templates in chats (`/chat-service`)" => [Admin, Supervisor, Agent, Api];
    /// Canned replies.
    CannedReplies: "create, change and delete canned replies" => [Admin, Supervisor];
    /// Figures of the desk.
    Figures: "see figures of chats, the queue and agents" => [Admin, Supervisor];
    /// The caller's own client.
    OwnClient: "see one's own client" => [Admin, Supervisor, Agent, Developer, Api];
    /// Clients.
    Clients: "rename clients, see and create descendants, set the SMS fallback, the masking of numbers and names and the rule for OpenID Connect" => [Admin];
    /// The address book.
    Contacts: "keep contacts" => [Admin, Supervisor, Agent, Api];
    /// The attributes that contacts have.
    AttributeReading: "see which attributes contacts have" => [Admin, Supervisor, Agent, Developer, Api];
    /// Defining attributes.
    Attributes: "define and delete attributes of contacts" => [Admin];
    /// The data of single customers.
    People: "export and erase the data of a customer" => [Admin];
    /// Reading users and teams.
    UserReading: "see users and teams" => [Admin, Supervisor, Agent, Developer];
    /// Administration of users.
    Users: "create, change and delete users, reset their passwords" => [Admin];
    /// Settings of agents.
    Agents: "set availability and chat limit of agents" => [Admin, Supervisor];
    /// Administration of teams.
    Teams: "create, change and delete teams and their members" => [Admin, Supervisor];
    /// The caller's own user.
    OwnProfile: "see one's own user and credits, set one's own availability, change one's own password" => [Admin, Supervisor, Agent, Developer, Api];
    /// Live events.
    LiveEvents: "follow live events of visible chats" => [Admin, Supervisor, Agent, Api];
    /// The SMS gateways.
    SmsGateway: "send SMS through the gateways, follow them, keep opt-outs, see the balance" => [Admin, Supervisor, Developer, Api];
    /// Test keys.
    TestKeys: "make, list and delete test keys" => [Admin];
    /// Messages of test customers.
    TestCustomers: "write as a customer of the sandbox" => [Admin];
    /// Sessions.
    OwnSessions: "see and end one's own sessions" => [Admin, Supervisor, Agent, Developer, Api];
    /// The caller's own key.
    OwnKey: "regenerate one's own API key" => [Admin, Supervisor, Agent, Developer, Api];
}

/// A caller with permission `P`. A missing or unknown key gives 401; a known key without the permission gives 403.
pub struct AuthorizedCaller<P> {
    pub caller: Caller,
    /// The place of the request in the ledger.
    pub held: AdmittedRequest,
    viewer: CustomerView,
    permission: PhantomData<P>,
}

impl<P> AuthorizedCaller<P> {
    /// Returns 403 if the caller's view of customers is masked, because `what` shows them and cannot be masked.
    pub fn sees_customers(&self, what: &str) -> Result<(), ApiError> {
        match self.viewer.sight() {
            CustomerVisibility::Whole => Ok(()),
            CustomerVisibility::Masked => {
                let said =
                    format!("{what} shows the customer, and a user with the role {} may not see it", self.caller.role);
                Err(ApiError::new(ErrorKind::Forbidden, said))
            }
        }
    }

    /// How the caller sees customers. It may change when [`Self::opens`] opens another client.
    pub fn sight(&self) -> CustomerVisibility {
        self.viewer.sight()
    }

    /// The caller, for the audit trail.
    pub fn actor(&self) -> Actor {
        Actor::User(self.caller.user)
    }

    /// Returns the client of a `clientRef`: the caller's own or a descendant. `None` for every other reference.
    pub async fn opens(&self, state: &ApiState, client_ref: &str) -> Result<Option<ClientId>, ApiError> {
        let opened = clients::open(&state.context.db, &self.caller, client_ref).await?;
        Ok(opened.map(|(client, sight)| {
            self.viewer.sees(sight);
            client
        }))
    }
}

impl<P: Permission, S> FromRequestParts<S> for AuthorizedCaller<P>
where
    S: Send + Sync,
    ApiState: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let state = ApiState::from_ref(state);
        let Admitted { caller, held, viewer } = admit(parts, &state, P::ROW).await?;
        Ok(Self { caller, held, viewer, permission: PhantomData })
    }
}

struct Admitted {
    caller: Caller,
    held: AdmittedRequest,
    viewer: CustomerView,
}

/// Looks the key up and checks the role. It is compiled once, not in each handler.
fn admit<'a>(
    parts: &'a Parts,
    state: &'a ApiState,
    permission: PermissionRow,
) -> BoxFuture<'a, Result<Admitted, ApiError>> {
    async move {
        let credential = ApiProduct::of(parts.uri.path()).credential();
        let key = credential.key(&parts.headers).ok_or_else(|| ApiError::unauthorized(credential))?;
        let caller = state.authenticator.authenticate(key).await.map_err(ApiError::unavailable)?;
        let Some(caller) = caller else {
            state.admission.forget_key(key);
            return Err(ApiError::unauthorized(credential));
        };
        if let Some(disabled) = caller.disabled {
            state.admission.forget_key(key);
            let said = match disabled {
                DisabledOwner::Key => "this API key is disabled: ask the operator".to_owned(),
                owner => format!("the {} of this API key is disabled: ask the operator", owner.as_str()),
            };
            return Err(ApiError::new(ErrorKind::Forbidden, said));
        }
        state.admission.remember_key(key, caller.live_client);
        RequestFacts::of(&parts.extensions).set_caller(&caller, key);
        Span::current().record("client.id", tracing::field::display(caller.client));
        let held = AdmittedRequest::of(&parts.extensions);
        let viewer = CustomerView::of(&parts.extensions);
        viewer.sees(caller.sight);
        held.belongs_to(caller.live_client)?;
        if permission.takes_turns(&parts.method) {
            held.wait_for_turn().await?;
        }
        if !permission.roles.contains(&caller.role) {
            let said = format!("a user with the role {} may not {}", caller.role, permission.what);
            return Err(ApiError::new(ErrorKind::Forbidden, said));
        }
        if caller.mode.is_test() && !permission.opens_to_test_keys() {
            let said = format!("a test key may not {}: use a live key", permission.what);
            return Err(ApiError::new(ErrorKind::Forbidden, said));
        }
        if !caller.mode.is_test() && permission.needs_test_key() {
            let said = format!("only a test key may {}: make one with POST /api/v1/test-keys", permission.what);
            return Err(ApiError::new(ErrorKind::Forbidden, said));
        }
        if caller.purpose == SessionPurpose::Webhooks && !permission.opens_to_links() {
            let said = format!("this key is for the webhook page only; it may not {}", permission.what);
            return Err(ApiError::new(ErrorKind::Forbidden, said));
        }
        if let Some(document) = parts.extensions.get::<Document>() {
            document.query_names.check(parts)?;
        }
        Ok(Admitted { caller, held, viewer })
    }
    .boxed()
}
