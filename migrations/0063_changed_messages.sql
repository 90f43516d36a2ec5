-- Authors edit and delete messages after they sent them. `chat_message` holds what a message says now; what it said before is
-- kept here for the audit, for as long as the message itself.

ALTER TABLE chat_message
    ADD COLUMN edited_at timestamptz, -- when its author edited it last
    ADD COLUMN deleted_at timestamptz; -- when its author deleted it: it says nothing any more

CREATE TABLE message_version (
    client_id uuid NOT NULL,
    message_id uuid NOT NULL, -- of chat_message
    ordinal smallint NOT NULL, -- from 1, in the order in which they were replaced
    content_type text NOT NULL,
    body text,
    -- As in chat_message, whose direction says which of the two contents it is.
    content jsonb NOT NULL,
    media_id uuid,
    written_at timestamptz NOT NULL,
    replaced_at timestamptz NOT NULL,
    CONSTRAINT message_version_pk PRIMARY KEY (client_id, message_id, ordinal)
) PARTITION BY RANGE (message_id);
CREATE TABLE message_version_default PARTITION OF message_version DEFAULT;
CREATE INDEX message_version_default_by_age ON message_version_default (message_id);
