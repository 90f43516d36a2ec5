//! Business numbers of the caller (SPEC 4.7).

use api_core::{
    auth::{AuthorizedCaller, Looking, Numbers, Permission},
    body::JsonBytes,
    error::ApiError,
    page::{ListQuery, Page, SearchStringParameter},
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::{ids::InboxId, registration::LiteRegistration, sandbox::KeyMode, search::SearchText};
use serde::Serialize;
use tenancy::inboxes::{self, RegisterError};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::closed_sets::{BillingModelName, HostingTypeName, ProviderName};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(register))
}

/// The link between client and number, with the number.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NumberRow {
    /// Id of the link, not of the number.
    id: Uuid,
    /// The number.
    whats_app_number: WhatsAppNumber,
    /// For a Lite number: the host of its device.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<HostingTypeName>, nullable = false)]
    hosting_type: Option<&'static str>,
    /// For a Lite number: the billing model.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BillingModelName>, nullable = false)]
    billing_model: Option<&'static str>,
    /// `true` in the sandbox of test keys. Absent elsewhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    test: bool,
}

/// A business number.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WhatsAppNumber {
    /// The `whatsAppNumberId` of all other endpoints.
    #[schema(value_type = Uuid)]
    id: InboxId,
    /// Digits, without `+`.
    #[schema(examples("27820001001"))]
    number: String,
    /// The software behind it.
    #[schema(value_type = ProviderName)]
    whats_app_provider: &'static str,
}

impl NumberRow {
    fn new(number: inboxes::WhatsAppNumber, mode: KeyMode) -> Self {
        Self {
            id: number.link_id,
            whats_app_number: WhatsAppNumber {
                id: number.id,
                number: number.msisdn.into(),
                whats_app_provider: number.kind.as_str(),
            },
            hosting_type: number.lite.map(|(hosting, _)| hosting.as_str()),
            billing_model: number.lite.map(|(_, billing)| billing.as_str()),
            test: mode.is_test(),
        }
    }
}

/// Lists the client's business numbers.
///
/// `searchString` matches a part of the number, in any spelling.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser",
    operation_id = "listNumbers",
    tag = "Numbers",
    params(ListQuery, SearchStringParameter),
    security(("apiKey" = [Looking::ROW.name])),
    responses((status = 200, description = "A page of numbers.", body = Page<NumberRow>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Looking>,
    query: ListQuery,
) -> Result<Page<NumberRow>, ApiError> {
    let sought = SearchText::parse(&query.search);
    let search = sought.as_ref().map(SearchText::digits_or_words).unwrap_or_default();
    let page = inboxes::list_numbers(&state.context.db, allowed.caller.client, search, query.page).await?;
    let mode = allowed.caller.mode;
    Ok(Page::new(query.page, page, |number| NumberRow::new(number, mode)))
}

/// A number to register.
#[derive(ToSchema)]
#[schema(as = NumberRegistration, rename_all = "camelCase", examples(json!({"number": "27820001002"})))]
#[expect(dead_code, reason = "described, never made: `domain` reads it")]
struct Registration {
    /// International format, with or without `+`.
    #[schema(pattern = r"^\+?[1-9][0-9]{6,14}$")]
    number: String,
    /// The host. If absent, `WHATSAPP_GO`.
    #[schema(value_type = Option<HostingTypeName>)]
    hosting_type: Option<String>,
}

/// Registers a number for WhatsApp Lite.
///
/// Its owner pairs it afterwards with the phone.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/WhatsAppClientNumbers/registerWLNumber",
    operation_id = "registerLiteNumber",
    tag = "Numbers",
    request_body = Registration,
    security(("apiKey" = [Numbers::ROW.name])),
    responses((status = 201, description = "The number is registered.", body = NumberRow)),
)]
async fn register(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Numbers>,
    JsonBytes(body): JsonBytes,
) -> Result<(StatusCode, Json<NumberRow>), ApiError> {
    let new = LiteRegistration::parse(&body).map_err(|fault| ApiError::faults(vec![fault]))?;
    let admin = state.administration();
    match inboxes::register_lite_number(&admin, allowed.caller.client, allowed.actor(), new).await {
        Ok(number) => Ok((StatusCode::CREATED, Json(NumberRow::new(number, KeyMode::Live)))),
        Err(taken @ RegisterError::NumberTaken) => Err(ApiError::fault("number", taken.to_string())),
        Err(RegisterError::Failed(error)) => Err(error.into()),
    }
}
