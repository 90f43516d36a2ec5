/// Makes names for quick-reply payloads that affect a conversation: unique within the client, at most 128 characters.
pub type TokenMaker<'a> = dyn FnMut() -> String + 'a;
