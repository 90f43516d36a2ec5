//! The address book (SPEC 2.10, 4.4).

use std::collections::HashMap;

use api_core::{
    auth::{AuthorizedCaller, Contacts, Permission},
    body::JsonBytes,
    error::{ApiError, ErrorKind},
    page::{ListQuery, Page, SearchParameter},
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::iso_time::iso_time;
use domain::{
    contact::{NewContact, parse_rename},
    ids::{ContactId, CustomerId},
};
use serde::Serialize;
use serde_json::{Map, Value};
use tenancy::{
    contact_attributes::{self, AttributeValues},
    contacts::{self, Contact, ContactError},
};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::attribute_values::shown;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(rename, remove))
}

/// A customer in the address book, with the name that the client gave.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Contact)]
pub(crate) struct ContactBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: ContactId,
    /// The client's name for the customer.
    #[schema(examples("Thandi Mokoena"))]
    full_name: String,
    /// The number in digits. Null if it is no longer known.
    #[schema(examples("27820000001"))]
    phone_number: Option<String>,
    /// The id that WhatsApp gives the customer (BSUID), if it is known.
    customer_user_id: Option<String>,
    /// The values of its attributes, by name. A caller who sees customers masked gets null for texts, numbers and dates.
    #[schema(value_type = Object, examples(json!({ "plan": "gold", "visits": 7 })))]
    attributes: Map<String, Value>,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_time: String,
}

impl ContactBody {
    /// Takes the values of the customer out of `values`.
    fn of(
        contact: Contact,
        values: &mut HashMap<CustomerId, AttributeValues>,
        allowed: &AuthorizedCaller<Contacts>,
    ) -> Self {
        let attributes = values.remove(&contact.customer).unwrap_or_default();
        Self {
            id: contact.id,
            full_name: contact.full_name,
            phone_number: contact.phone,
            customer_user_id: contact.bsuid,
            attributes: shown(attributes, allowed.sight()),
            created_time: iso_time(contact.created_at),
        }
    }
}

/// The body of one contact, with the values of its attributes.
async fn body_of(
    state: &ApiState,
    allowed: &AuthorizedCaller<Contacts>,
    contact: Contact,
) -> Result<ContactBody, ApiError> {
    let (db, client) = (&state.context.db, allowed.caller.client);
    let mut values = contact_attributes::of_contacts(db, client, std::slice::from_ref(&contact)).await?;
    Ok(ContactBody::of(contact, &mut values, allowed))
}

/// A new contact.
#[derive(ToSchema)]
#[schema(as = NewContact, rename_all = "camelCase", examples(json!({"fullName": "Thandi Mokoena", "phoneNumber": "+27820000001"})))]
#[expect(dead_code, reason = "described, never made: `domain` reads it")]
struct CreateBody {
    /// 1 to 200 characters.
    full_name: String,
    /// International format, with or without `+`.
    #[schema(pattern = r"^\+?[1-9][0-9]{6,14}$")]
    phone_number: String,
}

/// A new name for a contact. Nothing else changes.
#[derive(ToSchema)]
#[schema(as = ContactChange, rename_all = "camelCase", examples(json!({"fullName": "Thandi Mokoena"})))]
#[expect(dead_code, reason = "described, never made: `domain` reads it")]
struct RenameBody {
    /// 1 to 200 characters.
    full_name: String,
}

pub(crate) fn contact_id(text: &str) -> Result<ContactId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found())
}

pub(crate) fn api_error(error: ContactError) -> ApiError {
    match error {
        ContactError::Unknown => ApiError::not_found(),
        ContactError::Fault(fault) => ApiError::faults(fault),
        ContactError::Faults(faults) => ApiError::faults(faults),
        ContactError::Conflict(_) | ContactError::Taken => ApiError::new(ErrorKind::Conflict, error.to_string()),
        ContactError::Failed(cause) => cause.into(),
    }
}

/// Lists the contacts, by name.
///
/// `search` is a part of a name, in any case and script, with or without accents, or a part of a phone number in any
/// spelling. A role that sees customers masked finds them by the first letter of a name and the last three digits of a
/// number, and gets them in the order of that letter.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/contacts",
    operation_id = "listContacts",
    tag = "Contacts",
    params(ListQuery, SearchParameter),
    security(("apiKey" = [Contacts::ROW.name])),
    responses((status = 200, description = "A page of contacts.", body = Page<ContactBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    query: ListQuery,
    SearchParameter(search): SearchParameter,
) -> Result<Page<ContactBody>, ApiError> {
    let (client, sight) = (allowed.caller.client, allowed.caller.sight);
    let found = contacts::list(&state.context.db, client, sight, &search, query.page).await?;
    let mut values = contact_attributes::of_contacts(&state.context.db, client, &found.items).await?;
    Ok(Page::new(query.page, found, |contact| ContactBody::of(contact, &mut values, &allowed)))
}

/// Creates a contact.
///
/// A customer has at most one contact, whichever of its numbers is used.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/contacts",
    operation_id = "createContact",
    tag = "Contacts",
    request_body = CreateBody,
    security(("apiKey" = [Contacts::ROW.name])),
    responses(
        (status = 201, description = "The contact.", body = ContactBody),
        (status = 409, description = "The customer has a contact already."),
    ),
)]
async fn create(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    JsonBytes(bytes): JsonBytes,
) -> Result<(StatusCode, Json<ContactBody>), ApiError> {
    let new = NewContact::parse(&bytes).map_err(ApiError::faults)?;
    let (admin, client) = (state.administration(), allowed.caller.client);
    let made = contacts::create(&admin, client, new, allowed.actor()).await.map_err(api_error)?;
    Ok((StatusCode::CREATED, Json(body_of(&state, &allowed, made).await?)))
}

/// Renames a contact.
///
/// All agents see the new name in the chats of the customer. Nothing else of the contact changes.
#[utoipa::path(
    put,
    path = "/messaging-service/WhatsApp/contacts/{id}",
    operation_id = "renameContact",
    tag = "Contacts",
    params(("id" = String, Path, description = "Id of the contact.")),
    request_body = RenameBody,
    security(("apiKey" = [Contacts::ROW.name])),
    responses((status = 200, description = "The changed contact.", body = ContactBody)),
)]
async fn rename(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    Segments(id): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<ContactBody>, ApiError> {
    let (contact, name) = (contact_id(&id)?, parse_rename(&bytes).map_err(ApiError::faults)?);
    let (admin, client) = (state.administration(), allowed.caller.client);
    let renamed = contacts::rename(&admin, client, contact, &name, allowed.actor()).await.map_err(api_error)?;
    Ok(Json(body_of(&state, &allowed, renamed).await?))
}

/// Deletes a contact, and those that are merged into it. The customers' chats stay.
///
/// Chats then show the name that the customer chose, if there is one.
#[utoipa::path(
    delete,
    path = "/messaging-service/WhatsApp/contacts/{id}",
    operation_id = "deleteContact",
    tag = "Contacts",
    params(("id" = String, Path, description = "Id of the contact.")),
    security(("apiKey" = [Contacts::ROW.name])),
    responses((status = 204, description = "The contact is deleted.")),
)]
async fn remove(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    Segments(id): Segments<String>,
) -> Result<StatusCode, ApiError> {
    let (admin, client) = (state.administration(), allowed.caller.client);
    contacts::delete(&admin, client, contact_id(&id)?, allowed.actor()).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}
