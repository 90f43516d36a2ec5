//! The data of one customer: export and erasure. The customer is named in the body, because URLs are written to logs.

use std::{collections::BTreeMap, sync::Arc};

use api_core::{
    auth::{AuthorizedCaller, People, Permission},
    body::JsonBytes,
    error::{ApiError, ErrorKind},
    state::ApiState,
};
use axum::{Json, extract::State};
use base::media;
use domain::iso_time::iso_time;
use domain::{
    address::Address,
    body,
    ids::{ClientId, MediaId},
    phone::{Bsuid, Msisdn},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tenancy::person::{self, Certificate, EraseError, ErasedTable, Export, StopEntries, WantedErasure};
use tracing::{Instrument, Span};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::closed_sets::{AddressKindName, ErasureActionName};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(export)).routes(routes!(erase))
}

/// A customer: by phone number or by user id, not by both.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Person, examples(json!({"phoneNumber": "+27820000001"})))]
struct PersonBody {
    /// Phone number in international format.
    phone_number: Option<String>,
    /// The id that WhatsApp gives the customer (BSUID).
    customer_user_id: Option<String>,
}

/// A customer whose data are erased: by phone number or by user id, not by both.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PersonErasure, examples(json!({"phoneNumber": "+27820000001"})))]
struct EraseBody {
    /// Phone number in international format.
    phone_number: Option<String>,
    /// The id that WhatsApp gives the customer (BSUID).
    customer_user_id: Option<String>,
    /// `true`: also erase blocklist entries and opt-outs. The customer can then be written to again.
    with_stops: Option<bool>,
}

/// All data of a customer.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PersonExport, examples(json!({
    "person": "9f2c…", "exportedTime": "2026-11-27T08:00:00.000Z",
    "addresses": [{"kind": "PHONE", "value": "27820000001"}],
    "tables": {"customer": [{"id": "01932f5e-5c1b-7c3a-9f55-0d6c1a2b3c4d", "full_name": "Thandi Mokoena"}]},
    "files": [{"id": "01932f5e-5c1b-7c3a-9f55-0d6c1a2b3c4e", "url": "https://chat.example.com/media/..."}]
})))]
struct ExportBody {
    /// Name of the customer in the audit trail: a keyed hash.
    person: String,
    /// Time of the export.
    #[schema(format = DateTime)]
    exported_time: String,
    /// All known addresses.
    addresses: Vec<AddressBody>,
    /// Rows about the customer, by table. Columns are described in `migrations/`.
    #[schema(value_type = Object)]
    tables: BTreeMap<&'static str, Vec<Value>>,
    /// Files of the customer. Their names and types are in table `media`.
    files: Vec<FileBody>,
}

/// An address of a customer.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonAddress)]
struct AddressBody {
    /// Its kind.
    #[schema(value_type = AddressKindName)]
    kind: &'static str,
    /// Digits of a number, otherwise as the provider writes it.
    #[schema(examples("27820000001"))]
    value: String,
}

/// A file of a customer.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonFile)]
struct FileBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: MediaId,
    /// A signed address that is valid for a week.
    #[schema(examples("https://chat.example.com/media/..."))]
    url: String,
}

/// The proof of an erasure, without personal data.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ErasureCertificate, examples(json!({
    "person": "9f2c…", "startedTime": "2026-11-27T08:00:00.000Z", "finishedTime": "2026-11-27T08:00:02.000Z",
    "complete": true, "cancelledMessages": 0, "files": 1,
    "tables": [{"table": "chat_message", "action": "deleted", "rows": 12}]
})))]
struct CertificateBody {
    /// Name of the customer: a keyed hash, the same for each erasure of the same address.
    person: String,
    /// Time of the request.
    #[schema(format = DateTime)]
    started_time: String,
    /// Time of the end.
    #[schema(format = DateTime)]
    finished_time: String,
    /// `false` if new rows came during the erasure. Then repeat it.
    complete: bool,
    /// Messages that waited to be sent and will not be.
    cancelled_messages: u64,
    /// Deleted files.
    files: u64,
    /// All tables with rows of customers.
    tables: Vec<TableBody>,
}

/// The erased rows of a table.
#[derive(Serialize, ToSchema)]
#[schema(as = ErasedRows)]
struct TableBody {
    /// Name of the table.
    #[schema(examples("chat_message"))]
    table: &'static str,
    /// `deleted`; `blanked`: personal columns are empty and figures stay; `redacted`: mentions of the customer in rows
    /// of several customers read `erased`; `kept`: the rows stay, for `reason`.
    #[schema(value_type = ErasureActionName)]
    action: &'static str,
    /// Number of rows.
    rows: u64,
    /// Why rows were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("keeps the wish of the person to get no messages"))]
    reason: Option<&'static str>,
}

impl From<&ErasedTable> for TableBody {
    fn from(one: &ErasedTable) -> Self {
        Self { table: one.table, action: one.action.as_str(), rows: one.rows, reason: one.action.reason() }
    }
}

impl From<Certificate> for CertificateBody {
    fn from(certificate: Certificate) -> Self {
        Self {
            tables: certificate.tables.iter().map(TableBody::from).collect(),
            started_time: iso_time(certificate.started_at),
            finished_time: iso_time(certificate.finished_at),
            complete: certificate.is_complete,
            cancelled_messages: certificate.cancelled,
            files: certificate.files,
            person: certificate.person,
        }
    }
}

/// Exports all data of a customer.
///
/// Returns every row about the customer in every table, with the merged customers and all addresses: messages, chats,
/// contacts, tickets, key-values, recordings, webhook deliveries. An unknown address gives an export without rows. The
/// export is entered in the audit trail.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/people/export",
    operation_id = "exportPerson",
    tag = "Personal data",
    request_body = PersonBody,
    security(("apiKey" = [People::ROW.name])),
    responses((status = 200, description = "The data.", body = ExportBody)),
)]
async fn export(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<People>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<ExportBody>, ApiError> {
    let body: PersonBody = body::parse(&bytes).map_err(ApiError::faults)?;
    let address = address(body.phone_number.as_deref(), body.customer_user_id.as_deref())?;
    let (client, actor) = (allowed.caller.client, allowed.actor());
    let context = Arc::clone(&state.context);
    let export = to_its_end(async move { person::export(&context.as_ref().into(), client, &address, actor).await });
    Ok(Json(export_body(&state, client, export.await??)))
}

fn export_body(state: &ApiState, client: ClientId, export: Export) -> ExportBody {
    let address = |one: &Address| AddressBody { kind: one.kind().as_str(), value: one.value().to_owned() };
    let file = |id| FileBody { id, url: media::url_for(&state.context, client, id) };
    ExportBody {
        person: export.person,
        exported_time: iso_time(export.exported_at),
        addresses: export.addresses.iter().map(address).collect(),
        tables: export.tables.into_iter().map(|table| (table.table, table.rows)).collect(),
        files: export.files.into_iter().map(|one| file(one.id)).collect(),
    }
}

/// Erases all data of a customer.
///
/// Cancels waiting messages, deletes files, then deletes or blanks every row about the customer. Counts and credits
/// stay. Blocklist entries and opt-outs stay too, so that the customer gets no messages in the future, unless
/// `withStops` is `true`. The erasure continues if the caller hangs up, and a repetition continues an interrupted one.
/// Erased bytes stay in free space of the database until the operator runs `patchbay person rewrite`.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/people/erase",
    operation_id = "erasePerson",
    tag = "Personal data",
    request_body = EraseBody,
    security(("apiKey" = [People::ROW.name])),
    responses(
        (status = 200, description = "The certificate.", body = CertificateBody),
        (status = 409, description = "Messages to the customer are being sent. Try again in a minute."),
    ),
)]
async fn erase(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<People>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<CertificateBody>, ApiError> {
    let body: EraseBody = body::parse(&bytes).map_err(ApiError::faults)?;
    let address = address(body.phone_number.as_deref(), body.customer_user_id.as_deref())?;
    let stops = if body.with_stops.unwrap_or_default() { StopEntries::Erase } else { StopEntries::Keep };
    let (client, actor) = (allowed.caller.client, allowed.actor());
    let context = Arc::clone(&state.context);
    let erased = to_its_end(async move {
        let admin = context.as_ref().into();
        let wanted = WantedErasure { address: &address, stops };
        person::erase(&admin, context.media.as_ref(), client, wanted, actor).await
    });
    Ok(Json(CertificateBody::from(erased.await?.map_err(api_error)?)))
}

async fn to_its_end<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Result<T, ApiError> {
    tokio::spawn(work.instrument(Span::current())).await.map_err(ApiError::internal)
}

fn address(phone_number: Option<&str>, customer_user_id: Option<&str>) -> Result<Address, ApiError> {
    match (phone_number, customer_user_id) {
        (Some(number), None) => {
            let number = Msisdn::parse(number).map_err(|error| ApiError::fault("phoneNumber", error.to_string()))?;
            Ok(number.into())
        }
        (None, Some(user_id)) => {
            let user_id =
                Bsuid::parse(user_id).map_err(|error| ApiError::fault("customerUserId", error.to_string()))?;
            Ok(user_id.into())
        }
        _ => Err(ApiError::fault("phoneNumber", "must be given, or `customerUserId` instead of it")),
    }
}

fn api_error(error: EraseError) -> ApiError {
    match error {
        EraseError::InFlight(_) | EraseError::Incomplete => ApiError::new(ErrorKind::Conflict, error.to_string()),
        EraseError::File(cause) => ApiError::internal(cause),
        EraseError::Failed(cause) => cause.into(),
    }
}
