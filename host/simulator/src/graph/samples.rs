use serde_json::{Value, json};

use super::stored_template::SimulatedTemplate;

pub(crate) fn templates(waba_id: &str) -> Vec<SimulatedTemplate> {
    let sample = |name: &str, category: &str, components: Value| {
        SimulatedTemplate::new(waba_id, name, "en", category, components)
    };
    let mut named = sample("named_greeting", "UTILITY", named_greeting());
    named.parameter_format = "NAMED".to_owned();
    let mut paused = sample("paused_offer", "MARKETING", offer());
    paused.status = "PAUSED".to_owned();
    let mut rejected = sample("rejected_offer", "MARKETING", offer());
    rejected.status = "REJECTED".to_owned();
    rejected.rejected_reason = "INVALID_FORMAT".to_owned();
    vec![
        sample("order_ready", "UTILITY", order_ready()),
        sample("welcome", "MARKETING", welcome()),
        sample("invoice", "UTILITY", invoice()),
        sample("promo_image", "MARKETING", promo("IMAGE")),
        sample("promo_video", "MARKETING", promo_video()),
        sample("coupon", "MARKETING", coupon()),
        sample("survey", "UTILITY", survey()),
        sample("summer_carousel", "MARKETING", summer_carousel()),
        named,
        paused,
        rejected,
    ]
}

fn media_header(format: &str) -> Value {
    json!({
        "type": "HEADER",
        "format": format,
        "example": {"header_handle": ["https://lookaside.example/sample"]},
    })
}

fn order_ready() -> Value {
    json!([
        {"type": "BODY", "text": "Hi {{1}}, order {{2}} is ready.",
         "example": {"body_text": [["Thandi", "#42"]]}},
        {"type": "FOOTER", "text": "Sample Shop"},
        {"type": "BUTTONS", "buttons": [
            {"type": "QUICK_REPLY", "text": "Track"},
            {"type": "URL", "text": "Open", "url": "https://shop.example/o/{{1}}",
             "example": ["https://shop.example/o/42"]},
        ]},
    ])
}

fn welcome() -> Value {
    json!([{"type": "BODY", "text": "Welcome! Reply to this message to talk to us."}])
}

fn invoice() -> Value {
    json!([
        media_header("DOCUMENT"),
        {"type": "BODY", "text": "Your invoice {{1}} is attached.",
         "example": {"body_text": [["INV-1"]]}},
    ])
}

fn promo(format: &str) -> Value {
    json!([
        media_header(format),
        {"type": "BODY", "text": "New this week: {{1}}.", "example": {"body_text": [["shoes"]]}},
    ])
}

fn promo_video() -> Value {
    json!([media_header("VIDEO"), {"type": "BODY", "text": "See what is new this week."}])
}

fn coupon() -> Value {
    json!([
        {"type": "BODY", "text": "A gift for you: use this code before Sunday."},
        {"type": "BUTTONS", "buttons": [{"type": "COPY_CODE", "text": "Copy offer code",
                                          "example": ["SUN20"]}]},
    ])
}

fn survey() -> Value {
    json!([
        {"type": "BODY", "text": "How was our service?"},
        {"type": "BUTTONS", "buttons": [
            {"type": "QUICK_REPLY", "text": "Good"},
            {"type": "QUICK_REPLY", "text": "Bad"},
        ]},
    ])
}

fn summer_carousel() -> Value {
    let card = |example: &str| {
        json!({"components": [
            media_header("IMAGE"),
            {"type": "BODY", "text": "Our {{1}} range", "example": {"body_text": [[example]]}},
            {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "More"}]},
        ]})
    };
    json!([
        {"type": "BODY", "text": "Summer is here. Look what came in:"},
        {"type": "CAROUSEL", "cards": [card("blue"), card("red")]},
    ])
}

fn named_greeting() -> Value {
    json!([{
        "type": "BODY",
        "text": "Hello {{first_name}}, good to see you.",
        "example": {"body_text_named_params": [{"param_name": "first_name", "example": "Thandi"}]},
    }])
}

fn offer() -> Value {
    json!([{"type": "BODY", "text": "An offer you cannot refuse."}])
}
