//! The OpenAPI document (`/openapi.json`), the page that shows it (`/docs`), and the guides (`/docs/webhooks`).
//!
//! `routes!` takes every route from its description, so the document describes exactly the served routes. A description
//! has the facts of its route only. Errors, headers and roles that follow from the properties of a route are added
//! here.

mod cleanup;
mod errors;
mod examples;
mod guides;
mod operations;
mod page;
mod webhooks;

use std::sync::{Arc, LazyLock};

use api_core::{
    admission::answer::SharedBytes,
    auth::PERMISSIONS,
    product::{ApiProduct, Credential},
    query_names::QueryNames,
    served_document::Document,
    state::ApiState,
};
use api_operators::OPERATOR_KEY;
use axum::{
    Extension,
    http::header,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde_json::Value;
use utoipa::openapi::{
    Components, Contact, Content, Info, License, OpenApi, RefOr, Required, Schema, Server, Tag,
    extensions::ExtensionsBuilder,
    path::{Operation, ParameterIn, PathItem},
    security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme},
};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The security scheme of most products.
pub(crate) const API_KEY: &str = "apiKey";
const GATEWAY_KEY: &str = "gatewayKey";

/// The tags with their descriptions, in the order of the page.
const TAGS: &[(&str, &str)] = &[
    (
        "Sending",
        "Messages to customers. A 202 means that they are stored and will be sent, not that they have arrived.",
    ),
    ("Conversations", "Long-lived conversations: open until they are closed, not for 24 hours."),
    ("SMS gateway", "SMS as JSON: sending, tracking, opt-outs, credits. Its key is in `X-API-Key`."),
    ("Batch SMS gateway", "SMS as forms with answers in XML. Its key is in `X-API-Key`."),
    ("Messages", "The story of a message."),
    ("Batches", "The progress of a send, and how to stop it."),
    ("Blocklist", "Recipients that sends reject."),
    ("Live chat", "For agents: lists of chats, assignments, and messages."),
    ("Live chat v1", "Version 1 of live chat. It still works, but is deprecated."),
    ("Web chat", "The chat widget on web sites: the sites, and the calls of their widgets."),
    ("Tickets", "The episodes of chats that agents worked on."),
    ("Rate card", "The cost of messages."),
    ("Account keys", "API keys, sessions and passwords of users, and test keys with the messages of test customers."),
    ("Audit", "Administrative changes of the client."),
    ("Clients", "The client and its descendants."),
    ("Users", "The people and programs that act for a client."),
    ("Teams", "Teams of agents: members, business hours, and the assignment of chats."),
    ("Contacts", "The address book: customers with the names that the client gives them."),
    ("Personal data", "All data of one customer: export and erasure."),
    (
        "Webhook configuration",
        "The addresses for events: one configuration for all numbers, and overrides for single numbers.",
    ),
    ("Webhook deliveries", "Deliveries and attempts of a configuration, and sending deliveries again."),
    ("Numbers", "Business numbers."),
    ("WhatsApp Lite", "Numbers that are paired like a phone: their sessions and their pace."),
    ("Templates", "Message templates with their approval status."),
    ("Plugins", "WebAssembly components that make decisions: upload, activation, observation and rollback."),
    ("Routing", "Decisions of routers about conversations."),
    ("Live events", "Events of chats, at the time they happen."),
    ("Media", "Files that customers sent."),
    ("Webhooks", "Requests that Patchbay makes to addresses of the client."),
    ("Provider callbacks", "For providers, not for clients."),
    ("Operations", "For operators of the server."),
    ("Testing", "Served only if `testing.clock` is set."),
];

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(openapi_json)).merge(page::routes()).merge(guides::routes())
}

/// Returns this document.
///
/// OpenAPI 3.1, made from the program's own routes and types. It describes exactly what this server serves.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapi",
    tag = "Operations",
    responses((status = 200, description = "The document.", body = Object, content_type = "application/json")),
)]
async fn openapi_json(Extension(Document { json, .. }): Extension<Document>) -> Response {
    let json = LazyLock::force(&json).clone();
    ([(header::CONTENT_TYPE, "application/json")], Extension(SharedBytes), json).into_response()
}

/// `public_url` is the address of this server. If it is empty, the document names the host that serves it.
pub(crate) fn complete(mut document: OpenApi, public_url: &str) -> Document {
    document.info = info();
    document.servers = Some(vec![Server::new(if public_url.is_empty() { "/" } else { public_url })]);
    document.tags = Some(TAGS.iter().map(|(name, about)| tag(name, about)).collect());
    let components = document.components.get_or_insert_with(Components::new);
    errors::define(components);
    for (name, credential, said) in [
        (API_KEY, Credential::Authorization, "The API key itself: 36 characters, without `Bearer`."),
        (GATEWAY_KEY, Credential::ApiKey, "The API key, for the SMS gateways."),
        (
            OPERATOR_KEY,
            Credential::Authorization,
            "The key of an operator, from `patchbay operator add`. No client has one.",
        ),
    ] {
        let header = ApiKeyValue::with_description(credential.header().as_str(), said);
        components.security_schemes.insert(name.to_owned(), SecurityScheme::ApiKey(ApiKey::Header(header)).into());
    }
    for (path, item) in &mut document.paths.paths {
        operations(item).for_each(|operation| complete_operation(path, operation));
    }
    let query_names = Arc::new(QueryNames::of(&document));
    let json: Box<dyn FnOnce() -> Bytes + Send> = Box::new(move || {
        // The serialisation cannot fail, because every key is a text.
        let mut json = serde_json::to_value(document).unwrap_or_default();
        webhooks::add(&mut json);
        cleanup::clean(&mut json);
        Bytes::from(json.to_string())
    });
    let public_url = public_url.to_owned();
    let overview: Box<dyn FnOnce() -> Bytes + Send> = Box::new(move || guides::overview(&public_url).into());
    Document { json: Arc::new(LazyLock::new(json)), overview: Arc::new(LazyLock::new(overview)), query_names }
}

fn info() -> Info {
    let mut info = Info::new("Patchbay", env!("CARGO_PKG_VERSION"));
    info.description = Some(include_str!("about.md").to_owned());
    let mut license = License::new("Apache-2.0");
    license.url = Some("https://www.apache.org/licenses/LICENSE-2.0".to_owned());
    info.license = Some(license);
    let mut contact = Contact::new();
    contact.name = Some("The operator of this server".to_owned());
    info.contact = Some(contact);
    info
}

fn tag(name: &str, about: &str) -> Tag {
    let mut tag = Tag::new(name);
    tag.description = Some(about.to_owned());
    tag
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.post, &mut item.put, &mut item.delete, &mut item.options].into_iter().flatten()
}

fn complete_operation(path: &str, operation: &mut Operation) {
    let (roles, of_operators) = (roles(operation), wants_operator(operation));
    if let Some(roles) = &roles {
        let list = roles.iter().map(|role| format!("`{role}`")).collect::<Vec<_>>().join(", ");
        let said = operation.description.take().unwrap_or_default();
        let callers = if roles.is_empty() { "Callers: test keys.".to_owned() } else { format!("Roles: {list}.") };
        operation.description = Some(format!("{said}\n\n{callers}").trim_start().to_owned());
        let scheme = match ApiProduct::of(path).credential() {
            Credential::Authorization => API_KEY,
            Credential::ApiKey => GATEWAY_KEY,
        };
        operation.security = Some(vec![SecurityRequirement::new::<_, [&str; 0], &str>(scheme, [])]);
        operation.extensions = Some(ExtensionsBuilder::new().add("x-roles", roles.clone()).build());
    } else if !of_operators {
        // An empty list is needed, because an absent list means the default of the document.
        operation.security = Some(vec![SecurityRequirement::default()]);
    }
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        body.content.values_mut().for_each(|content| optional(content, &mut body.required));
    }
    let placed = |place: ParameterIn| {
        let all = operation.parameters.iter().flatten();
        all.filter_map(|one| match one {
            RefOr::T(parameter) => Some(&parameter.parameter_in),
            RefOr::Ref(_) => None,
        })
        .any(|other| *other == place)
    };
    let nature = errors::RouteNature {
        probe: api_core::https::is_probe(path),
        callback: path.starts_with("/providers/"),
        login: takes_password(operation),
        keyed: roles.is_some() || of_operators,
        body: operation.request_body.is_some(),
        // Chats and tickets are also named in queries and bodies.
        names_objects: placed(ParameterIn::Path) || path.starts_with("/chat-service/"),
        other_parameters: placed(ParameterIn::Query) || placed(ParameterIn::Header),
    };
    errors::add(&mut operation.responses, &nature);
    if takes_idempotency_key(operation) {
        errors::add_replay(&mut operation.responses);
    }
    if ApiProduct::of(path) == ApiProduct::BatchGateway {
        errors::as_xml(&mut operation.responses);
    }
}

/// True if the key of an operator opens it.
fn wants_operator(operation: &Operation) -> bool {
    let requirements = operation.security.as_ref().and_then(|security| serde_json::to_value(security).ok());
    let named = |one: &Value| one.get(OPERATOR_KEY).is_some();
    requirements.as_ref().and_then(Value::as_array).is_some_and(|all| all.iter().any(named))
}

/// True if the body is a login with a password.
fn takes_password(operation: &Operation) -> bool {
    let Some(RefOr::T(body)) = &operation.request_body else { return false };
    body.content.values().any(|content| {
        let RefOr::T(Content { schema: Some(RefOr::Ref(schema)), .. }) = content else { return false };
        schema.ref_location.ends_with("/Login")
    })
}

fn takes_idempotency_key(operation: &Operation) -> bool {
    operation.parameters.iter().flatten().any(|parameter| match parameter {
        RefOr::T(parameter) => parameter.name == "Idempotency-Key",
        RefOr::Ref(_) => false,
    })
}

/// An optional body may be absent, but not `null`.
fn optional(content: &mut RefOr<Content>, required: &mut Option<Required>) {
    let RefOr::T(content) = content else { return };
    let Some(RefOr::T(Schema::OneOf(choice))) = &content.schema else { return };
    let body = choice.items.iter().find(|item| matches!(item, RefOr::Ref(_))).cloned();
    content.schema = body.or_else(|| content.schema.take());
    *required = Some(Required::False);
}

/// The roles that may call it with a live key; none if it needs a test key. `None`: no key is needed. A description names a permission of `docs/roles.md`.
fn roles(operation: &Operation) -> Option<Vec<String>> {
    let requirements = serde_json::to_value(operation.security.as_ref()?).ok()?;
    let named = requirements.as_array()?.iter().find_map(|one| one.get(API_KEY)?.get(0).and_then(Value::as_str))?;
    let row = PERMISSIONS.iter().find(|row| row.name == named)?;
    let roles = if row.needs_test_key() { &[] } else { row.roles };
    Some(roles.iter().map(ToString::to_string).collect())
}
