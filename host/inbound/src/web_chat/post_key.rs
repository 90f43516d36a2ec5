use domain::web_chat::PostKey;

pub(super) fn provider_id(visitor: &str, key: &PostKey) -> String {
    format!("web:{visitor}:{key}")
}

pub(super) fn key_of(provider_id: &str) -> Option<&str> {
    provider_id.strip_prefix("web:")?.split_once(':').map(|(_, key)| key)
}
