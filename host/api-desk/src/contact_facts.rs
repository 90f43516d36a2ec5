//! Notes and tags of contacts.

use api_core::{
    auth::{AuthorizedCaller, Contacts, Permission},
    body::JsonBytes,
    error::ApiError,
    page::{ListQuery, Page},
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::iso_time::iso_time;
use domain::{
    contact::{parse_note, parse_tag_list},
    ids::{NoteId, UserId},
};
use serde::Serialize;
use tenancy::{
    accounts::Role,
    contact_facts::{self, CustomerNoteView, NoteDeletion},
};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::contacts::{api_error, contact_id};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(tags, set_tags)).routes(routes!(notes, write_note)).routes(routes!(delete_note))
}

/// The tags of a contact.
#[derive(Serialize, ToSchema)]
#[schema(as = ContactTags, examples(json!({ "tags": ["vip"] })))]
struct TagsBody {
    /// At most 20, each of 1 to 40 characters, each once in any case.
    tags: Vec<String>,
}

/// A note about the customer of a contact. No customer sees it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ContactNote)]
struct NoteBody {
    /// Id of the note.
    #[schema(value_type = Uuid)]
    id: NoteId,
    /// The text.
    text: String,
    /// Id of the user who wrote it.
    #[schema(value_type = Uuid)]
    author_id: UserId,
    /// Name of that user.
    author_name: Option<String>,
    /// Time of the note.
    #[schema(format = DateTime)]
    created_time: String,
}

impl From<CustomerNoteView> for NoteBody {
    fn from(view: CustomerNoteView) -> Self {
        Self {
            id: view.note.id,
            text: view.note.text,
            author_id: view.note.author,
            author_name: view.author,
            created_time: iso_time(view.note.created_at),
        }
    }
}

/// A new note about a customer.
#[derive(ToSchema)]
#[schema(as = NewContactNote, examples(json!({ "text": "Prefers to be called in the morning." })))]
#[expect(dead_code, reason = "described, never made: `domain` reads it")]
struct WriteBody {
    /// 1 to 4,000 characters.
    text: String,
}

/// Returns the tags of a contact.
///
/// They are set by users, and apart from the tags that chatbots give a chat.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/contacts/{id}/tags",
    operation_id = "getContactTags",
    tag = "Contacts",
    params(("id" = String, Path, description = "Id of the contact.")),
    security(("apiKey" = [Contacts::ROW.name])),
    responses((status = 200, description = "The tags.", body = TagsBody)),
)]
async fn tags(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    Segments(id): Segments<String>,
) -> Result<Json<TagsBody>, ApiError> {
    let (client, contact) = (allowed.caller.client, contact_id(&id)?);
    let tags = contact_facts::tags(&state.context.db, client, contact).await.map_err(api_error)?;
    Ok(Json(TagsBody { tags }))
}

/// Replaces the tags of a contact.
///
/// An empty list removes all.
#[utoipa::path(
    put,
    path = "/messaging-service/WhatsApp/contacts/{id}/tags",
    operation_id = "setContactTags",
    tag = "Contacts",
    params(("id" = String, Path, description = "Id of the contact.")),
    request_body = TagsBody,
    security(("apiKey" = [Contacts::ROW.name])),
    responses((status = 200, description = "The new tags.", body = TagsBody)),
)]
async fn set_tags(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    Segments(id): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<TagsBody>, ApiError> {
    let tags = parse_tag_list(&bytes).map_err(ApiError::faults)?;
    let (admin, client, contact) = (state.administration(), allowed.caller.client, contact_id(&id)?);
    let tags = contact_facts::set_tags(&admin, client, contact, tags, allowed.actor()).await.map_err(api_error)?;
    Ok(Json(TagsBody { tags }))
}

/// Lists the notes about the customer of a contact, newest first.
///
/// If other contacts were merged into this one, the notes about their customers are in the list too.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/contacts/{id}/notes",
    operation_id = "listContactNotes",
    tag = "Contacts",
    params(("id" = String, Path, description = "Id of the contact."), ListQuery),
    security(("apiKey" = [Contacts::ROW.name])),
    responses((status = 200, description = "A page of notes.", body = Page<NoteBody>)),
)]
async fn notes(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    Segments(id): Segments<String>,
    query: ListQuery,
) -> Result<Page<NoteBody>, ApiError> {
    let (client, contact) = (allowed.caller.client, contact_id(&id)?);
    let found = contact_facts::notes(&state.context.db, client, contact, query.page).await.map_err(api_error)?;
    Ok(Page::new(query.page, found, NoteBody::from))
}

/// Writes a note about the customer of a contact.
///
/// It stays if the contact is deleted and created again.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/contacts/{id}/notes",
    operation_id = "writeContactNote",
    tag = "Contacts",
    params(("id" = String, Path, description = "Id of the contact.")),
    request_body = WriteBody,
    security(("apiKey" = [Contacts::ROW.name])),
    responses((status = 201, description = "The note.", body = NoteBody)),
)]
async fn write_note(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    Segments(id): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<(StatusCode, Json<NoteBody>), ApiError> {
    let (contact, text) = (contact_id(&id)?, parse_note(&bytes).map_err(ApiError::faults)?);
    let (admin, caller) = (state.administration(), &allowed.caller);
    let written = contact_facts::write_note(&admin, caller.client, contact, text, caller.user);
    Ok((StatusCode::CREATED, Json(written.await.map_err(api_error)?.into())))
}

/// Deletes a note about a customer.
///
/// An AGENT deletes its own notes only.
#[utoipa::path(
    delete,
    path = "/messaging-service/WhatsApp/contacts/{id}/notes/{note}",
    operation_id = "deleteContactNote",
    tag = "Contacts",
    params(
        ("id" = String, Path, description = "Id of the contact."),
        ("note" = String, Path, description = "Id of the note."),
    ),
    security(("apiKey" = [Contacts::ROW.name])),
    responses((status = 204, description = "The note is deleted.")),
)]
async fn delete_note(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    Segments((id, note)): Segments<(String, String)>,
) -> Result<StatusCode, ApiError> {
    let (admin, caller) = (state.administration(), &allowed.caller);
    let deletion = NoteDeletion {
        contact: contact_id(&id)?,
        note: note.parse().map_err(|_| ApiError::not_found())?,
        author: (caller.role == Role::Agent).then_some(caller.user),
    };
    contact_facts::delete_note(&admin, caller.client, deletion, allowed.actor()).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}
