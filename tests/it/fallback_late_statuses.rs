//! Statuses of WhatsApp that come after the SMS of a message is out.

use harness::status;
use serde_json::json;

use crate::fallback::{DELIVERED_BY_SMS, decision, reports, send, shared, sms_count, states, text};

#[tokio::test]
async fn a_late_delivery_on_whatsapp_changes_nothing_after_the_sms() {
    for late in [
        ["sent", "delivered", "read"],
        ["sent", "read", "delivered"],
        ["delivered", "sent", "read"],
        ["delivered", "read", "sent"],
        ["read", "sent", "delivered"],
        ["read", "delivered", "sent"],
    ] {
        let (patchbay, client, sink, phone) = shared().await;
        send(&client, &phone, text("only one")).await;
        reports(&client, &sink, &phone, "DELIVERED").await;
        let call = patchbay.provider_sends(&client).await.remove(0);
        let (wamid, opaque) = (call["wamid"].as_str().unwrap(), call["body"]["biz_opaque_callback_data"].as_str());

        for state in late {
            assert_eq!(patchbay.callback(&client.callback(status(wamid, state, opaque))).await.status, 200);
        }

        let before = decision(&patchbay, &client).await;
        assert_eq!(before.0, "SENT", "{late:?}");
        let other = patchbay.new_phone();
        other.set(json!({ "onWhatsApp": true })).await;
        client.send(&client.order_ready(&[&other.msisdn])).await.accepted();
        reports(&client, &sink, &other, "DELIVERED").await;
        assert_eq!(sms_count(&phone).await, 1, "{late:?}");
        assert_eq!(states(&reports(&client, &sink, &phone, "DELIVERED").await), DELIVERED_BY_SMS, "{late:?}");
        assert_eq!(decision(&patchbay, &client).await, before, "{late:?}");
    }
}
