//! A client and its descendants (SPEC 4.7): `/api/v1/clients`. Secrets are accepted and never shown.

use api_core::{
    auth::{AuthorizedCaller, Clients, OwnClient, Permission},
    body::JsonBytes,
    error::ApiError,
    page::{ListQuery, Page},
    path::Segments,
    query::choose,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::iso_time::iso_time;
use domain::{
    body::{self, Faults, FieldFault},
    chat::FallbackMode,
    hours::TimeZone,
};
use serde::{Deserialize, Serialize};
use tenancy::{
    accounts::CreateError,
    clients::{self, ClientChange, ClientError, ClientView, FallbackChange, NewChild, SMS_LOGIN_MAX},
};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{closed_sets::FallbackModeName, users::refused_creation};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(read, update))
        .routes(routes!(children, create_child))
        .routes(routes!(set_fallback))
        .routes(routes!(set_popia))
}

/// A client, without credentials.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Client)]
struct ClientBody {
    /// The reference for programs.
    #[schema(examples("acme"))]
    client_ref: String,
    /// The name for people.
    #[schema(examples("Acme"))]
    display_name: String,
    /// Reference of its parent client.
    parent_ref: Option<String>,
    /// IANA name of the time zone of its schedules and hours.
    #[schema(examples("Africa/Johannesburg"))]
    time_zone: String,
    /// `true`: phone numbers and names of customers are masked for roles that do not need them.
    popia_compliant: bool,
    /// `true`: customers are asked for a rating when `terminate` ends a chat that an agent had.
    rating_widget: bool,
    /// `true`: a message whose outcome is unknown is not sent again. It fails with 900409, and may be lost.
    at_most_once: bool,
    /// SMS fallback for messages that WhatsApp cannot deliver.
    sms_fallback: FallbackBody,
    /// `true` in the sandbox of test keys. Absent elsewhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    test: bool,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_time: String,
}

/// SMS fallback for messages that WhatsApp cannot deliver.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SmsFallback)]
struct FallbackBody {
    /// `true`: the `fallback` of sends is carried out.
    enabled: bool,
    /// The failures that count as "not on WhatsApp", if changed: `ANY_131026`. If absent, `STRICT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<FallbackModeName>)]
    mode: Option<&'static str>,
    /// Name of the client's own account for SMS.
    sms_username: Option<String>,
}

impl From<ClientView> for ClientBody {
    fn from(ClientView { client, parent_ref }: ClientView) -> Self {
        Self {
            client_ref: client.client_ref,
            display_name: client.display_name,
            parent_ref,
            time_zone: client.time_zone,
            popia_compliant: client.popia_compliant,
            rating_widget: client.asks_rating,
            at_most_once: client.at_most_once,
            sms_fallback: FallbackBody {
                enabled: client.sms_fallback.enabled,
                mode: (client.fallback_mode != FallbackMode::default()).then(|| client.fallback_mode.as_str()),
                sms_username: client.sms_fallback.username,
            },
            test: client.sandbox_of.is_some(),
            created_time: iso_time(client.created_at),
        }
    }
}

/// A new client.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = NewClient, examples(json!({"clientRef": "acme-shop", "displayName": "Acme Shop"})))]
struct ChildBody {
    /// 1 to 64 letters, digits, `.`, `_` and `-`; unique in the whole service.
    #[schema(required, nullable = false)]
    client_ref: Option<String>,
    /// The name for people, 1 to 200 characters.
    #[schema(required, nullable = false)]
    display_name: Option<String>,
}

/// Changes of a client. Absent fields stay as they are.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ClientChange, examples(json!({"clientRef": "acme-2", "displayName": "Acme", "timeZone": "Africa/Johannesburg"})))]
struct ChangeBody {
    /// The new reference. Requests with the old one get empty results after that.
    #[schema(nullable = false)]
    client_ref: Option<String>,
    /// The name for people, 1 to 200 characters.
    #[schema(nullable = false)]
    display_name: Option<String>,
    /// IANA name of the time zone.
    #[schema(nullable = false)]
    time_zone: Option<String>,
    /// `true`: customers are asked for a rating when `terminate` ends a chat that an agent had.
    #[schema(nullable = false)]
    rating_widget: Option<bool>,
    /// `true`: a message whose outcome is still unknown after a minute (`limits.unknown_after`) is not sent again, on any
    /// channel. It fails with 900409, and may be lost. `false`: it is sent once more, and may arrive twice.
    #[schema(nullable = false)]
    at_most_once: Option<bool>,
}

/// Settings of the SMS fallback.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SmsFallbackChange, examples(json!({"enabled": true, "smsUsername": "acme", "smsPassword": "secret"})))]
struct FallbackChangeBody {
    /// `true`: the `fallback` of sends is carried out.
    #[schema(required, nullable = false)]
    enabled: Option<bool>,
    /// The failures that count as "not on WhatsApp". If absent, no change. WhatsApp's code 131026 also covers other
    /// reasons. `STRICT` accepts it only for recipients that the sending number never reached and never heard from.
    /// `ANY_131026` always accepts it.
    #[schema(value_type = Option<FallbackModeName>, nullable = false)]
    mode: Option<String>,
    /// Name of the client's own account for SMS. If absent, no change. If null, it is removed.
    #[serde(default, deserialize_with = "body::given")]
    #[schema(value_type = Option<String>, max_length = 200)]
    sms_username: Option<Option<String>>,
    /// Password of that account, which is never shown. If absent, no change. If null, it is removed.
    #[serde(default, deserialize_with = "body::given")]
    #[schema(value_type = Option<String>, max_length = 200, write_only)]
    sms_password: Option<Option<String>>,
}

/// Masking of customers' phone numbers and names.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = PopiaCompliance, examples(json!({"popiaCompliant": true})))]
struct PopiaBody {
    /// `true`: phone numbers and names of customers are masked for roles that do not need them.
    #[schema(required, nullable = false)]
    popia_compliant: Option<bool>,
}

fn parsed<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    body::parse(bytes).map_err(|fault| ApiError::faults(vec![fault]))
}

fn api_error(error: ClientError) -> ApiError {
    match error {
        ClientError::Unknown => ApiError::not_found(),
        ClientError::Refused(CreateError::BadName) => ApiError::fault("displayName", CreateError::BadName.to_string()),
        ClientError::Refused(error) => refused_creation(error),
        ClientError::Failed(cause) => cause.into(),
    }
}

/// Returns a client: the caller's own, or a descendant.
///
/// For another client the answer is 404, as for an unknown one.
#[utoipa::path(
    get,
    path = "/api/v1/clients/{clientRef}",
    operation_id = "readClient",
    tag = "Clients",
    params(("clientRef" = String, Path, description = "Reference of the client; `me` is the caller's own.")),
    security(("apiKey" = [OwnClient::ROW.name])),
    responses((status = 200, description = "The client.", body = ClientBody)),
)]
async fn read(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<OwnClient>,
    Segments(client_ref): Segments<String>,
) -> Result<Json<ClientBody>, ApiError> {
    let found = clients::find(&state.context.db, allowed.caller.client, &client_ref).await.map_err(api_error)?;
    Ok(Json(found.into()))
}

/// Renames a client, or changes its settings.
///
/// A new `clientRef` is valid from the next request on. Another client can then use the old one.
#[utoipa::path(
    put,
    path = "/api/v1/clients/{clientRef}",
    operation_id = "updateClient",
    tag = "Clients",
    params(("clientRef" = String, Path, description = "Reference of the client; `me` is the caller's own.")),
    request_body = ChangeBody,
    security(("apiKey" = [Clients::ROW.name])),
    responses(
        (status = 200, description = "The changed client.", body = ClientBody),
        (status = 409, description = "Another client has the reference."),
    ),
)]
async fn update(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Clients>,
    Segments(client_ref): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<ClientBody>, ApiError> {
    let asked: ChangeBody = parsed(&bytes)?;
    let time_zone = asked.time_zone.as_deref().map(str::parse::<TimeZone>).transpose();
    let time_zone = time_zone.map_err(|error| ApiError::fault("timeZone", error.to_string()))?;
    let change = ClientChange {
        client_ref: asked.client_ref,
        display_name: asked.display_name,
        time_zone,
        asks_rating: asked.rating_widget,
        at_most_once: asked.at_most_once,
    };
    let (admin, caller) = (state.administration(), allowed.caller.client);
    let changed = clients::update(&admin, caller, &client_ref, change, allowed.actor()).await.map_err(api_error)?;
    Ok(Json(changed.into()))
}

/// Lists the children of a client, by reference.
///
/// A reference that the caller may not see, or an old one, gives an empty list.
#[utoipa::path(
    get,
    path = "/api/v1/clients/{clientRef}/children",
    operation_id = "listChildClients",
    tag = "Clients",
    params(
        ("clientRef" = String, Path, description = "Reference of the client; `me` is the caller's own."),
        ListQuery,
    ),
    security(("apiKey" = [Clients::ROW.name])),
    responses((status = 200, description = "A page of clients.", body = Page<ClientBody>)),
)]
async fn children(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Clients>,
    Segments(client_ref): Segments<String>,
    query: ListQuery,
) -> Result<Page<ClientBody>, ApiError> {
    let (db, caller) = (&state.context.db, allowed.caller.client);
    let found = clients::children(db, caller, &client_ref, query.page).await.map_err(api_error)?;
    Ok(Page::new(query.page, found, ClientBody::from))
}

/// Creates a child of a client.
///
/// It has no users. The operator creates the first one.
#[utoipa::path(
    post,
    path = "/api/v1/clients/{clientRef}/children",
    operation_id = "createChildClient",
    tag = "Clients",
    params(("clientRef" = String, Path, description = "Reference of the client; `me` is the caller's own.")),
    request_body = ChildBody,
    security(("apiKey" = [Clients::ROW.name])),
    responses(
        (status = 201, description = "The new client.", body = ClientBody),
        (status = 409, description = "The reference is in use."),
    ),
)]
async fn create_child(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Clients>,
    Segments(client_ref): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<(StatusCode, Json<ClientBody>), ApiError> {
    let asked: ChildBody = parsed(&bytes)?;
    let mut missing = Faults::default();
    let new_ref = missing.required_text("clientRef", asked.client_ref);
    let name = missing.required_text("displayName", asked.display_name);
    if !missing.is_empty() {
        return Err(ApiError::faults(missing));
    }
    let (admin, caller) = (state.administration(), allowed.caller.client);
    let new = NewChild { client_ref: &new_ref, display_name: &name };
    let made = clients::create_child(&admin, caller, &client_ref, new, allowed.actor());
    Ok((StatusCode::CREATED, Json(made.await.map_err(api_error)?.into())))
}

/// Sets the SMS fallback of a client.
///
/// While it is not `enabled`, the `fallback` of sends is ignored, and an undeliverable message ends as `FAILED`.
/// `smsPassword` is stored encrypted and never shown. Absent fields stay as they are.
#[utoipa::path(
    put,
    path = "/api/v1/clients/{clientRef}/sms-fallback",
    operation_id = "setSmsFallback",
    tag = "Clients",
    params(("clientRef" = String, Path, description = "Reference of the client; `me` is the caller's own.")),
    request_body = FallbackChangeBody,
    security(("apiKey" = [Clients::ROW.name])),
    responses((status = 200, description = "The changed client.", body = ClientBody)),
)]
async fn set_fallback(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Clients>,
    Segments(client_ref): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<ClientBody>, ApiError> {
    let asked: FallbackChangeBody = parsed(&bytes)?;
    let mut faults = Vec::new();
    if asked.enabled.is_none() {
        faults.push(FieldFault::required("enabled"));
    }
    let mode = asked.mode.map(|mode| choose("mode", &mode, FallbackMode::ALL, FallbackMode::as_str)).transpose();
    let mode = mode.unwrap_or_else(|fault| {
        faults.push(fault);
        None
    });
    for (field, value) in [("smsUsername", &asked.sms_username), ("smsPassword", &asked.sms_password)] {
        let length = value.as_ref().and_then(Option::as_ref).map(|text| text.chars().count());
        if length.is_some_and(|length| !(1..=SMS_LOGIN_MAX).contains(&length)) {
            faults.push(FieldFault::new(field, format!("must have 1 to {SMS_LOGIN_MAX} characters, or be null")));
        }
    }
    if !faults.is_empty() {
        return Err(ApiError::faults(faults));
    }
    let change = FallbackChange {
        enabled: asked.enabled.unwrap_or_default(),
        mode,
        username: asked.sms_username,
        password: asked.sms_password,
    };
    let (admin, caller) = (state.administration(), allowed.caller.client);
    let changed = clients::set_sms_fallback(&admin, caller, &client_ref, change, allowed.actor()).await;
    Ok(Json(changed.map_err(api_error)?.into()))
}

/// Turns the masking of customers' phone numbers and names on or off.
///
/// It applies from the next request on. `docs/roles.md` lists the roles that still see them.
#[utoipa::path(
    put,
    path = "/api/v1/clients/{clientRef}/popia-compliance",
    operation_id = "setPopiaCompliance",
    tag = "Clients",
    params(("clientRef" = String, Path, description = "Reference of the client; `me` is the caller's own.")),
    request_body = PopiaBody,
    security(("apiKey" = [Clients::ROW.name])),
    responses((status = 200, description = "The changed client.", body = ClientBody)),
)]
async fn set_popia(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Clients>,
    Segments(client_ref): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<ClientBody>, ApiError> {
    let asked: PopiaBody = parsed(&bytes)?;
    let compliant = asked.popia_compliant;
    let compliant = compliant.ok_or_else(|| ApiError::faults(vec![FieldFault::required("popiaCompliant")]))?;
    let (admin, caller) = (state.administration(), allowed.caller.client);
    let changed = clients::set_popia(&admin, caller, &client_ref, compliant, allowed.actor()).await;
    Ok(Json(changed.map_err(api_error)?.into()))
}
