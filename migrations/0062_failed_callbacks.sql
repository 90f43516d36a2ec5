-- Items of provider callbacks that could not be read, kept for inspection; and the originals of messages that are shown in words
-- of ours.

CREATE TABLE failed_callback (
    client_id uuid NOT NULL,
    -- Of the time when it came: the order of ids is the order of age.
    id uuid NOT NULL,
    -- The same for a repetition of the same bytes.
    dedupe_hash bytea NOT NULL,
    -- The kind of inbox that the provider serves.
    provider text NOT NULL,
    -- Which part of a callback it is.
    kind text NOT NULL,
    reason text NOT NULL,
    -- The item as it came, its first 64 KiB.
    content text NOT NULL,
    size_bytes bigint NOT NULL,
    received_at timestamptz NOT NULL,
    CONSTRAINT failed_callback_pk PRIMARY KEY (client_id, id)
);
CREATE UNIQUE INDEX failed_callback_once ON failed_callback (client_id, dedupe_hash);
CREATE INDEX failed_callback_by_age ON failed_callback (received_at);

CREATE TABLE message_original (
    client_id uuid NOT NULL,
    -- The message of the chat.
    message_id uuid NOT NULL,
    -- The provider's JSON, its first 64 KiB.
    content text NOT NULL,
    CONSTRAINT message_original_pk PRIMARY KEY (client_id, message_id)
);
CREATE INDEX message_original_by_age ON message_original (message_id);
