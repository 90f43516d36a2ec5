//! `/chat-service/ticket`: tickets (SPEC 4.3, CONTRACT 7).

use api_core::{
    auth::{AuthorizedCaller, LiveChat, Permission},
    error::ApiError,
    page::{ListQuery, Page},
    path::Segments,
    query::{QueryParameters, choose},
    state::ApiState,
};
use axum::{
    Json,
    extract::{FromRequestParts, State},
    http::request::Parts,
};
use chat::desk::{
    ActingUser,
    tickets::{self, Filter, TicketView},
};
use domain::iso_time::iso_time;
use domain::{
    body::{Faults, FieldFault},
    chat::{Rating, TicketStatus},
    ids::{ParticipantId, TicketId, UserId},
    page::PageRequest,
    phone,
};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::{
    closed_sets::{SelectedStatus, TicketRating, TicketStatusName, searched_rating, searched_status},
    live_chat::desk::{acting, api_error},
};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(search)).routes(routes!(set_status)).routes(routes!(by_number))
}

/// The work of an agent on one episode of a chat. Fields without a value are null.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Ticket)]
struct TicketBody {
    /// Id of the ticket.
    id: Uuid,
    /// The ticket number, which counts up per client.
    #[schema(examples("1042"))]
    ticket_number: String,
    /// Its status.
    #[schema(value_type = TicketStatusName)]
    status: String,
    /// Id of the chat.
    participant_id: Uuid,
    /// The customer's name in the address book, else the customer's own, else the user name. Null if none is known.
    customer_name: Option<String>,
    /// The customer's number. Null if it is not known.
    phone_number: Option<String>,
    /// The number or inbox that the customer wrote to.
    whats_app_number: Option<String>,
    /// Reference of the client.
    client_ref: String,
    /// The agent who works on it.
    agent_id: Option<Uuid>,
    /// Name of that agent.
    agent_name: Option<String>,
    /// The customer's rating.
    #[schema(value_type = Option<TicketRating>)]
    rating: Option<String>,
    /// Time of opening.
    #[schema(format = DateTime)]
    created_time: String,
    /// Time of the last change.
    #[schema(format = DateTime)]
    updated_time: String,
    /// Time since which it is resolved or closed.
    #[schema(format = DateTime)]
    closed_time: Option<String>,
}

impl From<TicketView> for TicketBody {
    fn from(view: TicketView) -> Self {
        let TicketView { ticket, customer, inbox_address, client_ref, agent } = view;
        Self {
            id: ticket.id.0,
            ticket_number: ticket.number.to_string(),
            status: ticket.status.as_str().to_owned(),
            participant_id: ticket.participant.0,
            customer_name: customer.as_ref().and_then(|known| known.shown_name()).map(str::to_owned),
            phone_number: customer.and_then(|known| known.phone),
            whats_app_number: inbox_address,
            client_ref,
            agent_id: ticket.agent.map(|agent| agent.0),
            agent_name: agent.map(|(_, shown)| shown.name),
            rating: ticket.rating.map(|rating| rating.as_str().to_lowercase()),
            created_time: iso_time(ticket.created_at),
            updated_time: iso_time(ticket.updated_at),
            closed_time: ticket.closed_at.map(iso_time),
        }
    }
}

/// Filters of the list of tickets.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the parameters")]
struct TicketFilterParameters {
    /// Number of the page, from 0.
    page: u32,
    /// Items per page.
    #[param(minimum = 1, maximum = 500)]
    size: u32,
    /// Opened at or after this time (ISO 8601; UTC if there is no offset).
    #[param(example = "2026-11-01T00:00:00Z")]
    start_date_time: String,
    /// Opened at or before this time.
    #[param(example = "2026-11-30T23:59:59Z")]
    end_date_time: String,
    /// The client: the caller's own reference (or `me`), or a descendant's. Any other reference has no tickets.
    client_ref: String,
    /// The business number.
    #[param(nullable = false)]
    whats_app_number: Option<String>,
    /// The customer's rating.
    #[param(value_type = Option<TicketRating>, nullable = false, inline)]
    rating: Option<String>,
    /// The ticket number.
    #[param(nullable = false)]
    ticket_number: Option<String>,
    /// The agent who works on it.
    #[param(nullable = false)]
    agent_id: Option<String>,
    /// Id of the chat.
    #[param(nullable = false)]
    participant_id: Option<String>,
    /// The status.
    #[param(value_type = Option<SelectedStatus>, nullable = false, inline)]
    selected_status: Option<String>,
    /// Part of a name or number of the customer, as in the search of chats. If it matches more than 1,000 chats, the
    /// tickets of the latest 1,000 are searched.
    #[param(nullable = false)]
    customer: Option<String>,
}

#[derive(Debug)]
struct TicketQuery {
    page: PageRequest,
    client_ref: String,
    /// `None`: no ticket can match.
    filter: Option<Filter>,
    /// Part of a name or number. Blank: any customer.
    customer: String,
}

impl FromRequestParts<ApiState> for TicketQuery {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        let given = QueryParameters::of(&parts.uri)?;
        let query = read(&given);
        let page = ListQuery::<10>::from_request_parts(parts, state).await?.page;
        query.map(|query| Self { page, ..query }).map_err(ApiError::faults)
    }
}

const REQUIRED: [&str; 5] = ["page", "size", "startDateTime", "endDateTime", "clientRef"];

fn read(given: &QueryParameters) -> Result<TicketQuery, Faults> {
    let value = |wanted: &str| given.value(wanted).map(str::trim).filter(|value| !value.is_empty());
    let missing = REQUIRED.into_iter().filter(|name| value(name).is_none());
    let mut faults: Faults = missing.map(FieldFault::required).collect();
    let [from, until] = given.moments(["startDateTime", "endDateTime"], &mut faults);
    if let (Some(from), Some(until)) = (from, until)
        && from > until
    {
        faults.push(FieldFault::new("endDateTime", "is before startDateTime"));
    }
    let word = |wanted: &str| value(wanted).map(|text| text.to_lowercase().replace(['_', '-'], " "));
    let rating = word("rating").map(|text| choose("rating", &text, Rating::ALL, searched_rating)).transpose();
    let rating = rating.unwrap_or_else(|fault| {
        faults.push(fault);
        None
    });
    let status = word("selectedStatus");
    let status = status.map(|text| choose("selectedStatus", &text, TicketStatus::ALL, searched_status)).transpose();
    let status = status.unwrap_or_else(|fault| {
        faults.push(fault);
        None
    });
    let (Some(from), Some(until), Some(client_ref), true) = (from, until, value("clientRef"), faults.is_empty()) else {
        return Err(faults);
    };
    // A text that cannot be a number or an id matches no ticket.
    let number = value("ticketNumber").map(tickets::ticket_number);
    let agent = value("agentId").map(|text| text.parse::<UserId>().ok());
    let chat = value("participantId").map(|text| text.parse::<ParticipantId>().ok());
    let nothing = number == Some(None) || agent == Some(None) || chat == Some(None);
    let filter = Filter {
        from,
        until,
        inbox_address: value("whatsAppNumber")
            .map(|number| phone::as_searched(number).unwrap_or_else(|| number.to_owned())),
        rating,
        number: number.flatten(),
        agent: agent.flatten(),
        status,
        chats: chat.flatten().map(|chat| vec![chat]),
    };
    Ok(TicketQuery {
        page: PageRequest { page: 0, size: 10 },
        client_ref: client_ref.to_owned(),
        filter: (!nothing).then_some(filter),
        customer: value("customer").unwrap_or_default().to_owned(),
    })
}

/// Lists tickets, newest first.
///
/// If there are more than 10,000, `totalElements` is a lower bound. `last` is always exact.
#[utoipa::path(
    get,
    path = "/chat-service/ticket/search",
    operation_id = "searchTickets",
    tag = "Tickets",
    params(TicketFilterParameters),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "A page of tickets.", body = Page<TicketBody>)),
)]
async fn search(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    query: TicketQuery,
) -> Result<Page<TicketBody>, ApiError> {
    let (Some(filter), Some(client)) = (query.filter, allowed.opens(&state, &query.client_ref).await?) else {
        return Ok(Page::around(query.page, 0));
    };
    let acting = ActingUser { client, sight: allowed.sight(), ..acting(&allowed) };
    let found = tickets::search(&state.context, acting, filter, &query.customer, query.page).await;
    Ok(Page::new(query.page, found.map_err(api_error)?, TicketBody::from))
}

/// The new status.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the parameters")]
struct NewTicketStatusParameter {
    /// The new status.
    #[param(value_type = TicketStatusName, inline)]
    new_status: String,
}

/// Sets any of the five statuses of a ticket. The chat does not change.
///
/// If the status is unknown, the answer is 400 and lists the known ones.
#[utoipa::path(
    put,
    path = "/chat-service/ticket/{ticketId}/status",
    operation_id = "setTicketStatus",
    tag = "Tickets",
    params(("ticketId" = Uuid, Path, description = "`id` of a ticket."), NewTicketStatusParameter),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The changed ticket.", body = TicketBody)),
)]
async fn set_status(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
    parts: Parts,
) -> Result<Json<TicketBody>, ApiError> {
    let id: TicketId = id.parse().map_err(|_| ApiError::not_found())?;
    let given = QueryParameters::of(&parts.uri)?;
    let name = given.value("newStatus").unwrap_or_default();
    let status = choose("newStatus", name, TicketStatus::ALL, TicketStatus::as_str).map_err(ApiError::faults)?;
    let moved = tickets::set_status(&state.context, acting(&allowed), id, status).await.map_err(api_error)?;
    Ok(Json(moved.into()))
}

/// The ticket.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the parameters")]
struct TicketNumberParameter {
    /// The ticket number.
    ticket_number: String,
}

/// Returns a ticket by its number.
///
/// Each ticket of a client has a number of its own. If no ticket has the number, the answer is 404.
#[utoipa::path(
    get,
    path = "/chat-service/ticket/by-ticket-number",
    operation_id = "getTicketByNumber",
    tag = "Tickets",
    params(TicketNumberParameter),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The ticket.", body = TicketBody)),
)]
async fn by_number(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    parts: Parts,
) -> Result<Json<TicketBody>, ApiError> {
    let given = QueryParameters::of(&parts.uri)?;
    let number = given.value("ticketNumber").map(str::trim).filter(|number| !number.is_empty());
    let number = number.ok_or_else(|| ApiError::fault("ticketNumber", "is required"))?;
    let found = tickets::by_number(&state.context, acting(&allowed), number).await.map_err(api_error)?;
    Ok(Json(found.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Result<TicketQuery, Vec<String>> {
        let escaped = text.replace(' ', "%20").replace('+', "%2B");
        let given = QueryParameters::of(&format!("/?{escaped}").parse().unwrap()).unwrap();
        read(&given).map_err(|faults| faults.into_listed().into_iter().map(|fault| fault.field).collect())
    }

    const WHOLE: &str =
        "page=0&size=10&startDateTime=2026-11-01T00:00:00Z&endDateTime=2026-11-30T00:00:00&clientRef=acme";

    #[test]
    fn the_required_parameters_are_required() {
        assert_eq!(query("").unwrap_err(), REQUIRED);
        assert!(query(WHOLE).is_ok());
    }

    #[test]
    fn every_filter_is_read_and_an_unknown_word_is_refused() {
        let filter = |more: &str| query(&format!("{WHOLE}&{more}")).unwrap().filter;
        assert_eq!(filter("selectedStatus=awaiting agent").unwrap().status, Some(TicketStatus::AwaitingAgent));
        assert_eq!(filter("rating=excellent").unwrap().rating, Some(Rating::Excellent));
        for number in ["+2760", "27 60", "0027-60"] {
            let filter = filter(&format!("whatsAppNumber={number}")).unwrap();
            assert_eq!(filter.inbox_address.as_deref(), Some("2760"), "{number}");
        }
        assert_eq!(filter("ticketNumber=12").unwrap().number, Some(12));
        assert_eq!(filter("ticketNumber=T-1"), None, "no ticket has it");
        assert_eq!(filter("agentId=somebody"), None);
        let chat: ParticipantId = "01998000-0000-7000-8000-0000000000aa".parse().unwrap();
        assert_eq!(filter(&format!("participantId={chat}")).unwrap().chats, Some(vec![chat]));
        assert_eq!(filter("participantId=somebody"), None);
        assert_eq!(query(&format!("{WHOLE}&rating=good")).unwrap_err(), ["rating"]);
        assert_eq!(query(&format!("{WHOLE}&selectedStatus=done")).unwrap_err(), ["selectedStatus"]);
    }

    #[test]
    fn times_are_in_utc_unless_they_say_otherwise() {
        let at = |text: &str| {
            let whole = format!("page=0&size=10&startDateTime={text}&endDateTime=2027-01-01T00:00:00Z&clientRef=acme");
            Ok::<_, Vec<String>>(iso_time(query(&whole)?.filter.unwrap().from))
        };
        assert_eq!(at("2026-11-22T10:00:00").unwrap(), "2026-11-22T10:00:00.000Z");
        assert_eq!(at("2026-11-22T10:00:00 02:00").unwrap(), "2026-11-22T08:00:00.000Z");
        assert_eq!(at("2026-11-22 10:00:00").unwrap(), "2026-11-22T10:00:00.000Z");
        for no_time in ["yesterday", "-5000-11-22T10:00:00", "+11000-11-22T10:00:00", "26-11-22T10:00:00"] {
            assert_eq!(at(no_time).unwrap_err(), ["startDateTime"], "{no_time}");
        }
    }
}
