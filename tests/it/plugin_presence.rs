//! Read marks and typing indicators of chatbots, as customers see them.

use harness::{SharedPatchbay, TestClient, TestPhone, TestVisitor, eventually, guest};
use serde_json::{Value, json};

/// A client whose chatbot types at `type` and marks as read at `read`.
async fn bot() -> (SharedPatchbay, TestClient) {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    client.install("errands", guest("errand-bot")).await;
    (patchbay, client)
}

/// Whether the business has read the last message of a phone.
async fn is_read(phone: &TestPhone) -> Value {
    phone.outbox().await.last().unwrap()["readByBusiness"].clone()
}

#[tokio::test]
async fn a_phone_shows_that_a_bot_types_until_its_answer_comes() {
    let (patchbay, client) = bot().await;
    let phone = patchbay.new_phone();
    phone.write(&client.number, "channel").await;
    phone.receives("an answer", |message| message["text"] == "Channel::Whatsapp").await;
    assert_eq!(phone.state().await["typing"], false);

    phone.write(&client.number, "type").await;

    eventually("the bot to type", || async { (phone.state().await["typing"] == true).then_some(()) }).await;
    phone.write(&client.number, "channel").await;
    eventually("the end of typing", || async { (phone.state().await["typing"] == false).then_some(()) }).await;
}

#[tokio::test]
async fn a_phone_shows_what_a_bot_marks_as_read_and_nothing_else() {
    let (patchbay, client) = bot().await;
    let phone = patchbay.new_phone();
    phone.write(&client.number, "channel").await;
    phone.receives("an answer", |message| message["text"] == "Channel::Whatsapp").await;
    assert_eq!(is_read(&phone).await, false, "an answer is no mark");

    phone.write(&client.number, "read").await;

    eventually("the mark", || async { (is_read(&phone).await == true).then_some(()) }).await;
    assert_eq!(phone.state().await["typing"], false);
}

#[tokio::test]
async fn a_widget_shows_that_a_bot_types() {
    let (patchbay, client) = bot().await;
    let site = client.new_site("https://shop.example", json!({})).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;

    visitor.writes("type").await;

    visitor.hears("the bot to type", |frame| frame["type"] == "typing").await;
}

#[tokio::test]
async fn a_telegram_chat_shows_that_a_bot_types() {
    let (patchbay, client) = bot().await;
    let number = patchbay.new_phone().msisdn;
    patchbay.bot(&client, &number, "--polling");
    let user = patchbay.telegram_user(&format!("6{number}"), &number);

    user.write("type").await;

    eventually("the bot to type", || async { (user.chat().await["typing"] == true).then_some(()) }).await;
}

#[tokio::test]
async fn a_person_on_messenger_sees_that_a_bot_types_until_its_answer_comes() {
    let (patchbay, client) = bot().await;
    // New ids, because the server and its simulator are shared.
    let digits = patchbay.new_phone().msisdn;
    let page = format!("55{digits}");
    patchbay.page(&client, &page).await;
    let person = patchbay.person(&format!("24{digits}"), &page);

    person.write("type").await;

    eventually("the bot to type", || async { (person.seen().await["typing"] == true).then_some(()) }).await;
    person.write("channel").await;
    person.hears("Channel::Messenger").await;
    assert_eq!(person.seen().await["typing"], false);
}
