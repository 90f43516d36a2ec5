//! `/messaging-service/WhatsApp/contacts/import`: contacts from CSV, with a preview.

use api_core::{
    auth::{AuthorizedCaller, Contacts, Permission},
    body::JsonBody,
    error::ApiError,
    state::ApiState,
};
use axum::{Json, extract::State};
use domain::{
    body::FieldFault,
    contact_import::{ImportTable, RowFault},
};
use serde::{Deserialize, Serialize};
use tenancy::contact_import::{self, ContactImport, ImportAction, PlannedRow};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::contacts::api_error;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(import))
}

/// A CSV text with contacts.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ContactImport, examples(json!({
    "csv": "fullName,phoneNumber,tags\nThandi Mokoena,+27820000001,vip\n", "commit": false,
})))]
struct ImportBody {
    /// The first row names the columns: `fullName`, `phoneNumber`, and optionally `tags` (separated by `;` or `|`).
    /// Other columns are ignored. Commas or semicolons separate fields. At most 1,000 rows.
    #[schema(required, nullable = false)]
    csv: Option<String>,
    /// `false`: a preview. `true`: the rows without findings are imported.
    #[serde(default)]
    commit: bool,
}

/// A finding about a row, which is not imported.
#[derive(Serialize, ToSchema)]
#[schema(as = ContactImportFault)]
struct FaultBody {
    /// The line of the text, from 1.
    line: usize,
    /// The column.
    field: String,
    /// The fault.
    message: String,
}

/// A row, and its effect.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ContactImportRow)]
struct RowBody {
    /// The line of the text, from 1.
    line: usize,
    /// The name.
    full_name: String,
    /// The number in digits.
    phone_number: String,
    /// The tags.
    tags: Vec<String>,
    /// `CREATE`; `UPDATE`: the contact gets the name, and the tags in addition; `UNCHANGED`.
    #[schema(examples("CREATE"))]
    action: &'static str,
}

/// The effect of an import.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ContactImportResult)]
struct ResultBody {
    /// `true`: it was imported. `false`: it is a preview.
    committed: bool,
    /// Number of new contacts.
    created: usize,
    /// Number of contacts that change.
    updated: usize,
    /// Number of contacts that stay as they are.
    unchanged: usize,
    /// The rows without findings.
    rows: Vec<RowBody>,
    /// The findings. These rows are not imported.
    faults: Vec<FaultBody>,
    /// Names of ignored columns.
    ignored_columns: Vec<String>,
}

fn action_name(action: ImportAction) -> &'static str {
    match action {
        ImportAction::Create => "CREATE",
        ImportAction::Update => "UPDATE",
        ImportAction::Unchanged => "UNCHANGED",
    }
}

impl ResultBody {
    fn of(import: ContactImport, committed: bool) -> Self {
        let count = |action| import.count(action);
        let row = |PlannedRow { row, action }: PlannedRow| RowBody {
            line: row.line,
            full_name: row.name.as_str().to_owned(),
            phone_number: row.phone.as_str().to_owned(),
            tags: row.tags,
            action: action_name(action),
        };
        let fault = |RowFault { line, fault }: RowFault| FaultBody { line, field: fault.field, message: fault.message };
        Self {
            committed,
            created: count(ImportAction::Create),
            updated: count(ImportAction::Update),
            unchanged: count(ImportAction::Unchanged),
            rows: import.rows.into_iter().map(row).collect(),
            faults: import.faults.into_iter().map(fault).collect(),
            ignored_columns: import.ignored,
        }
    }
}

/// Imports contacts from CSV, or shows the effect first.
///
/// Send it with `commit` `false`, show the rows and findings, then send the same with `commit` `true`. If the answer to a
/// commit is an error, the rows of the first hundreds may have been imported: send it again.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/contacts/import",
    operation_id = "importContacts",
    tag = "Contacts",
    request_body = ImportBody,
    security(("apiKey" = [Contacts::ROW.name])),
    responses((status = 200, description = "The rows with their effect, and the findings.", body = ResultBody)),
)]
async fn import(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    JsonBody(body): JsonBody<ImportBody>,
) -> Result<Json<ResultBody>, ApiError> {
    let text = body.csv.ok_or_else(|| ApiError::faults(vec![FieldFault::required("csv")]))?;
    let table = ImportTable::parse(&text).map_err(|fault| ApiError::faults(vec![fault]))?;
    let (admin, client) = (state.administration(), allowed.caller.client);
    let import = match body.commit {
        true => contact_import::import(&admin, client, table, allowed.actor()).await,
        false => contact_import::preview(&admin, client, table).await,
    };
    Ok(Json(ResultBody::of(import.map_err(api_error)?, body.commit)))
}
