/// Makes names for quick-reply payloads that affect a conversation. Each call returns a new opaque text, unique within
/// the client and at most 128 characters long.
pub type TokenMaker<'a> = dyn FnMut() -> String + 'a;
