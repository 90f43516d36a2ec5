//! Lists of chats, and their assignment.

use harness::{PatchbaySetup, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Agent, CHATS, Desk, MESSAGES, chat_of, ids};

const CONTACTS: &str = "/messaging-service/WhatsApp/contacts";

#[tokio::test]
async fn a_customers_message_waits_in_the_queue_until_an_agent_takes_the_chat() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    assert_eq!(thandi.list("unassigned").await, [desk.chat.as_str()]);
    assert_eq!(thandi.list("open").await, [desk.chat.as_str()]);
    assert!(thandi.list("my").await.is_empty() && thandi.list("closed").await.is_empty());
    let waits = desk.chat().await;
    assert_eq!((&waits["phoneNumber"], &waits["unreadCount"]), (&json!(desk.phone.msisdn), &json!(1)));
    assert_eq!(waits["userId"], desk.phone.user_id().await);
    assert_eq!((&waits["whatsAppNumber"], &waits["channel"]), (&json!(desk.client.number), &json!("WHATSAPP")));
    for flag in [
        "conversationClosed",
        "missedConversation",
        "afterHoursConversation",
        "sendRatingWidget",
        "chatBotConversation",
    ] {
        assert_eq!(waits[flag], false, "{flag}");
    }
    for absent in ["assignedTo", "lastAssignedAgent", "teamId", "parentUserId"] {
        assert_eq!(waits.get(absent), None, "{absent}");
    }

    let taken = thandi.does(&desk.chat, "assign").await.ok();

    assert_eq!(taken["assignedTo"]["id"], thandi.id);
    assert_eq!(thandi.list("my").await, [desk.chat.as_str()]);
    assert!(thandi.list("unassigned").await.is_empty());
    assert_eq!(thandi.does(&desk.chat, "assign").await.ok()["assignedTo"]["id"], thandi.id, "it has it already");
}

#[tokio::test]
async fn a_customer_waits_from_the_first_message_until_an_agent_answers() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    let since = desk.chat().await["waitingSince"].as_str().unwrap().to_owned();
    desk.phone.write(&desk.client.number, "is anybody there?").await;
    eventually("the second message", || async { (desk.chat().await["unreadCount"] == 2).then_some(()) }).await;
    let taken = thandi.does(&desk.chat, "assign").await.ok();
    assert_eq!(taken["waitingSince"], since, "neither a second message nor a taken chat is an answer");
    let listed = thandi.client.get(&format!("{CHATS}?scope=my")).await.ok();
    assert_eq!(listed["content"][0]["waitingSince"], since);

    thandi.client.post(MESSAGES, &desk.text("good day")).await.ok();

    assert_eq!(desk.chat().await.get("waitingSince"), None);
    desk.phone.write(&desk.client.number, "thanks").await;
    eventually("the third message", || async { (desk.chat().await["unreadCount"] == 1).then_some(()) }).await;
    assert_eq!(desk.chat().await.get("waitingSince"), None, "it had its first answer");
}

#[tokio::test]
async fn of_two_agents_taking_a_chat_at_once_one_gets_it_and_the_other_gets_the_name() {
    let desk = Desk::set().await;
    let agents: Vec<Agent> = (0..6).map(|number| desk.agent(&format!("agent{number}"))).collect();
    let replies = futures::future::join_all(agents.iter().map(|agent| agent.does(&desk.chat, "assign"))).await;
    let winners: Vec<usize> = (0..6).filter(|at| replies[*at].status == 200).collect();
    assert_eq!(winners.len(), 1, "{replies:?}");
    let name = replies[winners[0]].json()["assignedTo"]["name"].as_str().unwrap().to_owned();
    for (at, reply) in replies.iter().enumerate().filter(|(at, _)| *at != winners[0]) {
        assert_eq!(reply.status, 409, "{at}");
        assert_eq!(reply.json()["message"], format!("{name} has this chat"));
    }
}

#[tokio::test]
async fn an_agent_never_has_more_chats_than_allowed_however_many_are_taken_at_once() {
    let patchbay = PatchbaySetup::new().set("limits.agent_chats", "3").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let user = patchbay.new_user("acme", "thandi@acme.example", "AGENT");
    let thandi = Agent::of(&client, &user);
    let mut chats = Vec::new();
    for number in 0..12 {
        let phone = patchbay.phone(&format!("27820000{number:03}"));
        phone.write(&client.number, "hello").await;
        chats.push(chat_of(&client, &phone).await);
    }
    let replies = futures::future::join_all(chats.iter().map(|chat| thandi.does(chat, "assign"))).await;
    let taken: Vec<&String> =
        chats.iter().zip(&replies).filter(|(_, reply)| reply.status == 200).map(|(id, _)| id).collect();
    assert_eq!(taken.len(), 3, "{replies:?}");
    let full = replies.iter().find(|reply| reply.status == 409).unwrap().json();
    assert!(full["message"].as_str().unwrap().contains("has 3 chats, and may have 3 at a time"), "{full}");
    assert_eq!(thandi.list("my").await.len(), 3);

    thandi.does(taken[0], "terminate").await.ok();

    let next = chats.iter().find(|chat| !taken.contains(chat)).unwrap();
    assert_eq!(thandi.does(next, "assign").await.status, 200, "a place was freed");
}

#[tokio::test]
async fn ending_a_chat_frees_its_agent_and_opening_it_assigns_it_to_the_opener() {
    let desk = Desk::set().await;
    let (thandi, sipho) = (desk.agent("thandi"), desk.agent("sipho"));
    thandi.does(&desk.chat, "assign").await.ok();
    let other = sipho.does(&desk.chat, "terminate").await;
    assert_eq!((other.status, other.json()["message"].as_str().unwrap().contains("has this chat")), (409, true));

    let ended = thandi.does(&desk.chat, "terminate").await.ok();

    assert_eq!((&ended["conversationClosed"], &ended["lastAssignedAgent"]["id"]), (&json!(true), &json!(thandi.id)));
    assert_eq!((ended.get("assignedTo"), &ended["missedConversation"]), (None, &json!(false)));
    assert_eq!(thandi.list("closed").await, [desk.chat.as_str()]);
    assert_eq!(thandi.does(&desk.chat, "terminate").await.status, 409, "it is over already");
    assert_eq!(thandi.does(&desk.chat, "assign").await.status, 409);

    let opened = sipho.does(&desk.chat, "open").await.ok();

    assert_eq!((&opened["conversationClosed"], &opened["assignedTo"]["id"]), (&json!(false), &json!(sipho.id)));
    assert_ne!(opened["ticketId"], ended["ticketId"], "another episode, another ticket");
    assert_eq!(thandi.does(&desk.chat, "open").await.status, 409, "it is open");
}

#[tokio::test]
async fn a_chat_that_waits_is_missed_when_it_is_ended_without_an_agent() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    assert_eq!(thandi.does(&desk.chat, "resolve").await.status, 409, "no agent has solved it");
    let ended = thandi.does(&desk.chat, "terminate").await.ok();
    assert_eq!(ended["missedConversation"], true);
    assert_eq!(thandi.list("missed-agent").await, [desk.chat.as_str()]);
}

#[tokio::test]
async fn a_chat_is_passed_on_to_a_team_and_to_another_agent() {
    let desk = Desk::set().await;
    let (thandi, sipho) = (desk.agent("thandi"), desk.agent("sipho"));
    let sales = desk.team("Sales", &[&sipho]).await;
    thandi.does(&desk.chat, "assign").await.ok();
    let path = format!("{CHATS}/{}/transfer", desk.chat);

    let passed = thandi.client.post(&path, &json!({ "teamId": sales })).await.ok();

    assert_eq!((&passed["teamName"], &passed["lastAssignedAgent"]["id"]), (&json!("Sales"), &json!(thandi.id)));
    assert_eq!(thandi.list("unassigned").await, [desk.chat.as_str()]);
    let path = format!("{CHATS}/{}/assign", desk.chat);
    let given = desk.client.post(&path, &json!({ "agentId": sipho.id })).await.ok();
    assert_eq!((&given["assignedTo"]["id"], &given["teamName"]), (&json!(sipho.id), &json!("Sales")));
    assert_eq!(sipho.list("team").await, [desk.chat.as_str()]);
    assert!(thandi.list("team").await.is_empty(), "an agent without a team sees the chats of no team");
    let taken = thandi.client.post(&path, &json!({ "agentId": thandi.id })).await;
    assert_eq!(taken.status, 409, "agents do not take others' chats");
    let led = desk.client.post(&path, &json!({ "agentId": thandi.id })).await.ok();
    assert_eq!(led["lastAssignedAgent"]["id"], sipho.id, "their leader does");
    for (body, field) in [
        (json!({ "agentId": "nobody" }), "agentId"),
        (json!({ "agentId": desk.chat }), "agentId"),
        (json!({ "teamId": desk.chat }), "teamId"),
        (json!({ "agentId": sipho.id, "teamId": sales }), "teamId"),
        (json!({ "agent": sipho.id }), "agent"),
    ] {
        assert_eq!(desk.client.post(&path, &body).await.faulty_fields(), [field], "{body}");
    }
}

#[tokio::test]
async fn chats_are_found_by_number_name_and_exact_id() {
    let desk = Desk::set().await;
    let user_id = desk.phone.user_id().await;
    let found = |search: String| {
        let client = desk.client.clone();
        async move { ids(&client.get(&format!("{CHATS}?scope=all&search={search}")).await.ok()) }
    };
    assert_eq!(found(desk.phone.msisdn[3..9].to_owned()).await, [desk.chat.as_str()]);
    assert_eq!(found(format!("%2B{}", desk.phone.msisdn)).await, [desk.chat.as_str()]);
    assert_eq!(found(format!("00{}", desk.phone.msisdn)).await, [desk.chat.as_str()]);
    assert_eq!(
        found(format!("(0{})%20{}", &desk.phone.msisdn[2..4], &desk.phone.msisdn[4..])).await,
        [desk.chat.as_str()]
    );
    assert_eq!(found(user_id.clone()).await, [desk.chat.as_str()]);
    assert!(found(user_id[..user_id.len() - 1].to_owned()).await.is_empty(), "a part of an id is no id");
    assert!(found("0000000000".to_owned()).await.is_empty());
}

#[tokio::test]
async fn a_chat_is_found_by_the_name_in_the_address_book_as_it_is_now() {
    let desk = Desk::set().await;
    let found = |search: &'static str| {
        let client = desk.client.clone();
        async move { ids(&client.get(&format!("{CHATS}?scope=all&search={search}")).await.ok()) }
    };
    let contact = json!({ "fullName": "Жанна  Œuvre-Straße", "phoneNumber": desk.phone.msisdn });
    let made = desk.client.post(CONTACTS, &contact).await.json();
    assert_eq!(found("жаННА").await, [desk.chat.as_str()]);
    assert_eq!(found("œuv").await, [desk.chat.as_str()]);
    assert_eq!(found("oeuvre").await, [desk.chat.as_str()]);
    assert_eq!(found("ŒUVRE-STRASSE").await, [desk.chat.as_str()], "in any case of any script");
    assert_eq!(found("жанна œuvre").await, [desk.chat.as_str()], "however many spaces are between");
    // A later message does not change the name.
    desk.phone.write(&desk.client.number, "still there?").await;
    eventually("the message", || async { (desk.history().await.len() == 2).then_some(()) }).await;
    assert_eq!(desk.chat().await["name"], "Жанна  Œuvre-Straße");
    assert_eq!(found("жанна").await, [desk.chat.as_str()]);
    let path = format!("{CONTACTS}/{}", made["id"].as_str().unwrap());
    desk.client.request(Method::PUT, &path, Some(&json!({ "fullName": "王小明" })), &[]).await.ok();
    assert_eq!(found("小明").await, [desk.chat.as_str()]);
    assert!(found("жанна").await.is_empty(), "no customer has the old name any more");
    assert_eq!(desk.client.request(Method::DELETE, &path, None, &[]).await.status, 204);
    assert!(found("小明").await.is_empty());
}

#[tokio::test]
async fn an_unknown_list_and_a_page_out_of_range_are_refused_in_words() {
    let desk = Desk::set().await;
    for (query, field) in
        [("", "scope"), ("scope=mine", "scope"), ("scope=all&page=-1", "page"), ("scope=all&size=501", "size")]
    {
        let reply = desk.client.get(&format!("{CHATS}?{query}")).await;
        assert_eq!(reply.faulty_fields(), [field], "{query}");
    }
    let said = desk.client.get(&format!("{CHATS}?scope=mine")).await.json()["message"].to_string();
    for scope in
        ["my", "team", "unassigned", "closed", "missed-agent", "missed-after-hours", "my-missed", "open", "all"]
    {
        assert!(said.contains(scope), "{said}");
    }
    let beyond: Value = desk.client.get(&format!("{CHATS}?scope=all&page=7")).await.ok();
    assert_eq!((&beyond["content"], &beyond["totalElements"], &beyond["last"]), (&json!([]), &json!(1), &json!(true)));
}

#[tokio::test]
async fn a_search_of_more_than_200_characters_is_refused() {
    let desk = Desk::set().await;
    let most = "%C3%9F".repeat(200);
    let found = desk.client.get(&format!("{CHATS}?scope=all&search={most}")).await.ok();
    assert_eq!(found["totalElements"], 0);
    let refused = desk.client.get(&format!("{CHATS}?scope=all&search={most}x")).await;
    assert_eq!((refused.status, refused.faulty_fields()), (400, vec!["search".to_owned()]));
}

#[tokio::test]
async fn a_chat_with_another_owner_than_the_caller_names_stays_with_it() {
    let desk = Desk::set().await;
    let (thandi, sipho) = (desk.agent("thandi"), desk.agent("sipho"));
    let sales = desk.team("Sales", &[]).await;
    let path = format!("{CHATS}/{}/transfer", desk.chat);
    let give =
        async |owner: &str, to: &Agent| desk.client.post(&path, &json!({ "agentId": to.id, "ifOwner": owner })).await;
    let waits = desk.client.post(&path, &json!({ "teamId": sales, "ifOwner": "QUEUED" })).await.ok();
    assert_eq!(waits["teamName"], "Sales");
    let taking = format!("{CHATS}/{}/assign", desk.chat);
    for call in ["the first call", "a repeated call"] {
        let taken = thandi.client.post(&taking, &json!({ "ifOwner": "QUEUED" })).await.ok();
        assert_eq!(taken["assignedTo"]["id"], thandi.id, "{call}");
    }

    for owner in ["QUEUED", "BOT", "CLOSED", sipho.id.as_str()] {
        assert_eq!(give(owner, &sipho).await.status, 409, "{owner}");
    }
    assert_eq!(desk.chat().await["assignedTo"]["id"], thandi.id);

    assert_eq!(give(thandi.id.as_str(), &sipho).await.ok()["assignedTo"]["id"], sipho.id);
    assert_eq!(give(thandi.id.as_str(), &sipho).await.status, 200, "a repeated call finds the chat where it should be");
    assert_eq!(give("ACTIVE", &thandi).await.faulty_fields(), ["ifOwner"]);

    let pass =
        async |team: &str| desk.client.post(&path, &json!({ "teamId": team, "ifOwner": sipho.id.as_str() })).await;
    for call in ["the first call", "a repeated call"] {
        assert_eq!(pass(&sales).await.ok()["teamName"], "Sales", "{call}");
    }
    let support = desk.team("Support", &[]).await;
    assert_eq!(pass(&support).await.status, 409, "the chat waits for another team");
    sipho.does(&desk.chat, "terminate").await.ok();
    assert_eq!(give("CLOSED", &thandi).await.status, 409, "a closed chat cannot be given");
}
#[tokio::test]
async fn a_program_cannot_have_a_chat() {
    let desk = Desk::set().await;
    let email = format!("api@{}.example", desk.client.client_ref);
    let api = desk.patchbay.new_user(&desk.client.client_ref, &email, "API");
    let client = Agent::of(&desk.client, &api).client;
    let path = format!("{CHATS}/{}/assign", desk.chat);
    assert_eq!(client.request(Method::POST, &path, None, &[]).await.status, 403);
    let thandi = desk.agent("thandi");
    assert_eq!(client.post(&path, &json!({ "agentId": thandi.id })).await.status, 200);
}
