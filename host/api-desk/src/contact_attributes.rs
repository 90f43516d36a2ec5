//! Attributes of contacts: `/messaging-service/WhatsApp/contact-attributes`, and the values of a contact.

use api_core::{
    auth::{AttributeReading, Attributes, AuthorizedCaller, Contacts, Permission},
    body::JsonBytes,
    error::ApiError,
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::contact_attribute::{AttributeChanges, AttributeDefinition, AttributeName};
use serde::Serialize;
use serde_json::{Map, Value};
use tenancy::contact_attributes;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    attribute_values::shown,
    closed_sets::AttributeTypeName,
    contacts::{api_error, contact_id},
};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(define, remove)).routes(routes!(values, change))
}

/// An attribute that contacts can have.
#[derive(Serialize, ToSchema)]
#[schema(as = ContactAttribute)]
struct DefinitionBody {
    /// Its name. Plugins use it.
    #[schema(examples("plan"))]
    name: String,
    /// The name for people.
    #[schema(examples("Plan"))]
    label: String,
    /// The type of its values.
    #[serde(rename = "type")]
    #[schema(value_type = AttributeTypeName)]
    kind: &'static str,
    /// The possible values of a `CHOICE`. Empty for other types.
    choices: Vec<String>,
}

impl From<AttributeDefinition> for DefinitionBody {
    fn from(definition: AttributeDefinition) -> Self {
        Self {
            name: definition.name.as_str().to_owned(),
            kind: definition.kind.as_str(),
            choices: definition.kind.choices().to_vec(),
            label: definition.label,
        }
    }
}

/// The attributes that contacts can have, by name.
#[derive(Serialize, ToSchema)]
#[schema(as = ContactAttributes)]
struct DefinitionsBody {
    /// At most 50.
    attributes: Vec<DefinitionBody>,
}

/// The definition of an attribute.
#[derive(ToSchema)]
#[schema(as = ContactAttributeDraft, examples(json!({ "label": "Plan", "type": "CHOICE", "choices": ["silver", "gold"] })))]
#[expect(dead_code, reason = "described, never made: `domain` reads it")]
struct DraftBody {
    /// The name for people: 1 to 100 characters.
    label: String,
    /// The type of its values. It never changes.
    #[schema(rename = "type", value_type = AttributeTypeName)]
    kind: String,
    /// Required for a `CHOICE`, and only for it: 1 to 100 different texts of 1 to 100 characters. Values that contacts have
    /// stay, even if their choice is left out.
    #[schema(required = false)]
    choices: Vec<String>,
}

/// The values of a contact.
#[derive(Serialize, ToSchema)]
#[schema(as = ContactAttributeValues, examples(json!({ "attributes": { "plan": "gold", "visits": 7, "birthday": "1990-05-31" } })))]
struct ValuesBody {
    /// The values by name. A contact has no entry for an attribute without a value. A caller who sees customers masked
    /// gets null for texts, numbers and dates.
    #[schema(value_type = Object)]
    attributes: Map<String, Value>,
}

/// New values of a contact. Other attributes stay as they are.
#[derive(ToSchema)]
#[schema(as = ContactAttributeChanges, examples(json!({ "attributes": { "plan": "gold", "visits": 7, "birthday": null } })))]
#[expect(dead_code, reason = "described, never made: `domain` reads it")]
struct ChangesBody {
    /// Values by name: a text of 1 to 1,000 characters, a number, true or false, a date such as `1990-05-31`, or a choice.
    /// Null removes a value.
    #[schema(value_type = Object)]
    attributes: Map<String, Value>,
}

fn known_name(text: &str) -> Result<AttributeName, ApiError> {
    AttributeName::parse(text).ok_or_else(ApiError::not_found)
}

/// Lists the attributes that contacts can have, by name.
///
/// They are at most 50, so there are no pages.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/contact-attributes",
    operation_id = "listContactAttributes",
    tag = "Contacts",
    security(("apiKey" = [AttributeReading::ROW.name])),
    responses((status = 200, description = "The attributes.", body = DefinitionsBody)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<AttributeReading>,
) -> Result<Json<DefinitionsBody>, ApiError> {
    let known = contact_attributes::definitions(&state.context.db, allowed.caller.client).await?;
    Ok(Json(DefinitionsBody { attributes: known.into_iter().map(DefinitionBody::from).collect() }))
}

/// Defines an attribute of contacts, or replaces its label and its choices.
///
/// The type of an attribute never changes. Values that contacts have stay, even if their choice is left out.
#[utoipa::path(
    put,
    path = "/messaging-service/WhatsApp/contact-attributes/{name}",
    operation_id = "defineContactAttribute",
    tag = "Contacts",
    params(("name" = String, Path, description = "1 to 40 lower-case letters, digits and `-`, a letter first.")),
    request_body = DraftBody,
    security(("apiKey" = [Attributes::ROW.name])),
    responses(
        (status = 200, description = "The replaced definition.", body = DefinitionBody),
        (status = 201, description = "The new definition.", body = DefinitionBody),
        (status = 409, description = "The attribute has another type, or there are 50 attributes already."),
    ),
)]
async fn define(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Attributes>,
    Segments(name): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<(StatusCode, Json<DefinitionBody>), ApiError> {
    let name = AttributeName::parse(&name).ok_or_else(|| ApiError::fault("name", AttributeName::RULE))?;
    let definition = AttributeDefinition::parse(name, &bytes).map_err(ApiError::faults)?;
    let (admin, client) = (state.administration(), allowed.caller.client);
    let is_new = contact_attributes::define(&admin, client, &definition, allowed.actor()).await.map_err(api_error)?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(definition.into())))
}

/// Deletes an attribute of contacts, with all its values.
///
/// If the request is interrupted, a part of the values may be deleted: repeat it.
#[utoipa::path(
    delete,
    path = "/messaging-service/WhatsApp/contact-attributes/{name}",
    operation_id = "deleteContactAttribute",
    tag = "Contacts",
    params(("name" = String, Path, description = "The name of the attribute.")),
    security(("apiKey" = [Attributes::ROW.name])),
    responses((status = 204, description = "The attribute is deleted.")),
)]
async fn remove(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Attributes>,
    Segments(name): Segments<String>,
) -> Result<StatusCode, ApiError> {
    let (admin, client) = (state.administration(), allowed.caller.client);
    contact_attributes::delete(&admin, client, &known_name(&name)?, allowed.actor()).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the values of a contact's attributes.
///
/// Users and chatbots set them. If merged contacts have different values of an attribute, the newest value
/// is returned.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/contacts/{id}/attributes",
    operation_id = "getContactAttributes",
    tag = "Contacts",
    params(("id" = String, Path, description = "Id of the contact.")),
    security(("apiKey" = [Contacts::ROW.name])),
    responses((status = 200, description = "The values.", body = ValuesBody)),
)]
async fn values(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    Segments(id): Segments<String>,
) -> Result<Json<ValuesBody>, ApiError> {
    let (client, contact) = (allowed.caller.client, contact_id(&id)?);
    let values = contact_attributes::values(&state.context.db, client, contact).await.map_err(api_error)?;
    Ok(Json(ValuesBody { attributes: shown(values, allowed.sight()) }))
}

/// Sets values of a contact's attributes.
///
/// Attributes that the body does not name stay as they are, and null removes a value. All values are stored, or none.
/// They belong to the customer: if the contact is deleted and created again, it has them.
#[utoipa::path(
    put,
    path = "/messaging-service/WhatsApp/contacts/{id}/attributes",
    operation_id = "setContactAttributes",
    tag = "Contacts",
    params(("id" = String, Path, description = "Id of the contact.")),
    request_body = ChangesBody,
    security(("apiKey" = [Contacts::ROW.name])),
    responses(
        (status = 200, description = "All values of the contact.", body = ValuesBody),
        (status = 409, description = "A definition was changed at the same time."),
    ),
)]
async fn change(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Contacts>,
    Segments(id): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<ValuesBody>, ApiError> {
    let changes = AttributeChanges::parse(&bytes).map_err(ApiError::faults)?;
    let (admin, client, contact) = (state.administration(), allowed.caller.client, contact_id(&id)?);
    let values = contact_attributes::change(&admin, client, contact, changes, allowed.actor());
    let values = values.await.map_err(api_error)?;
    Ok(Json(ValuesBody { attributes: shown(values, allowed.sight()) }))
}
