//! Contacts that users merge by hand: `/messaging-service/WhatsApp/contacts/{id}/merges`.

use api_core::{
    auth::{AuthorizedCaller, Contacts, Permission},
    body::JsonBody,
    error::ApiError,
    page::{ListQuery, Page},
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::iso_time::iso_time;
use domain::{
    body::FieldFault,
    ids::{ContactId, UserId},
};
use serde::{Deserialize, Serialize};
use tenancy::contact_merges::{self, ContactMergeView, ContactPair};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::contacts::{api_error, contact_id};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list, merge)).routes(routes!(undo))
}

/// A contact that was merged into another one.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ContactMerge)]
struct MergeBody {
    /// Id of the merged contact. Until the merge is undone, calls with this id find the contact that it was merged into.
    #[schema(value_type = Uuid)]
    contact_id: ContactId,
    /// The name of the merged contact.
    full_name: String,
    /// The number of the merged contact, in digits. Null if it is no longer known.
    phone_number: Option<String>,
    /// Tags that the contact of the path got by the merge.
    tags_added: Vec<String>,
    /// Id of the user who merged them.
    #[schema(value_type = Uuid)]
    user_id: UserId,
    /// Name of that user.
    user_name: Option<String>,
    /// Time of the merge.
    #[schema(format = DateTime)]
    created_time: String,
}

impl From<ContactMergeView> for MergeBody {
    fn from(view: ContactMergeView) -> Self {
        let ContactMergeView { listed, user } = view;
        Self {
            contact_id: listed.merge.contact,
            full_name: listed.name,
            phone_number: listed.phone,
            tags_added: listed.merge.tags_added,
            user_id: listed.merge.by,
            user_name: user,
            created_time: iso_time(listed.merge.created_at),
        }
    }
}

/// The contact to merge.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = NewContactMerge, examples(json!({ "contactId": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41" })))]
struct NewMergeBody {
    /// The contact that is merged into that of the path.
    #[schema(value_type = Uuid, required, nullable = false)]
    contact_id: Option<String>,
}

/// Lists the contacts that were merged into a contact, newest first.
///
/// Only the newest merge of a contact can be undone (`DELETE .../merges/{contactId}`), then the one before it.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/contacts/{id}/merges",
    operation_id = "listContactMerges",
    tag = "Contacts",
    params(("id" = String, Path, description = "Id of the contact."), ListQuery),
    security(("apiKey" = [Contacts::ROW.name])),
    responses((status = 200, description = "A page of merges.", body = Page<MergeBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    Segments(id): Segments<String>,
    query: ListQuery,
) -> Result<Page<MergeBody>, ApiError> {
    let (db, client) = (&state.context.db, allowed.caller.client);
    let found = contact_merges::list(db, client, contact_id(&id)?, query.page).await.map_err(api_error)?;
    Ok(Page::new(query.page, found, MergeBody::from))
}

/// Merges another contact into this one.
///
/// Lists, chats and searches show this contact in the place of the other one. It gets the tags of the other one, and
/// shows the notes and chats of both. The customers stay apart: each keeps its numbers and its chats, so the merge can be
/// undone at any time.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/contacts/{id}/merges",
    operation_id = "mergeContact",
    tag = "Contacts",
    params(("id" = String, Path, description = "Id of the contact that stays.")),
    request_body = NewMergeBody,
    security(("apiKey" = [Contacts::ROW.name])),
    responses(
        (status = 201, description = "The merge.", body = MergeBody),
        (status = 409, description = "The two are merged already, have too many customers together, or are changed by another request."),
    ),
)]
async fn merge(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    Segments(id): Segments<String>,
    JsonBody(body): JsonBody<NewMergeBody>,
) -> Result<(StatusCode, Json<MergeBody>), ApiError> {
    let kept = contact_id(&id)?;
    let second = body.contact_id.ok_or_else(|| ApiError::faults(FieldFault::required("contactId")))?;
    let unknown = |_| ApiError::fault("contactId", "is not the id of one of your contacts");
    let second: ContactId = second.parse().map_err(unknown)?;
    let (admin, caller) = (state.administration(), &allowed.caller);
    let contacts = ContactPair { kept, second };
    let merged = contact_merges::merge(&admin, caller.client, contacts, caller.user).await.map_err(api_error)?;
    Ok((StatusCode::CREATED, Json(merged.into())))
}

/// Undoes a merge: the other contact is back, with its name, tags and notes.
///
/// This contact loses the tags that it got with the merge. Notes that were written since stay with this contact. The
/// newest merge of a contact is undone first.
#[utoipa::path(
    delete,
    path = "/messaging-service/WhatsApp/contacts/{id}/merges/{contactId}",
    operation_id = "undoContactMerge",
    tag = "Contacts",
    params(
        ("id" = String, Path, description = "Id of the contact that stayed."),
        ("contactId" = String, Path, description = "Id of the merged contact."),
    ),
    security(("apiKey" = [Contacts::ROW.name])),
    responses(
        (status = 204, description = "The merge is undone."),
        (status = 409, description = "A later merge of this contact must be undone first."),
    ),
)]
async fn undo(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    Segments((id, merged)): Segments<(String, String)>,
) -> Result<StatusCode, ApiError> {
    let contacts = ContactPair { kept: contact_id(&id)?, second: contact_id(&merged)? };
    let (admin, client) = (state.administration(), allowed.caller.client);
    contact_merges::undo(&admin, client, contacts, allowed.actor()).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}
