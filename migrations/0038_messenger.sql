-- Messenger (ADR 0028): which client a page belongs to, and which messages its customers have not read yet. Delivery and read
-- reports of Messenger name a moment, not messages.

CREATE TABLE page_directory (
    page_id text NOT NULL,
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    CONSTRAINT page_directory_pk PRIMARY KEY (page_id),
    CONSTRAINT page_directory_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES messenger_inbox (client_id, id) ON DELETE CASCADE
);

CREATE TABLE messenger_unread (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    psid text NOT NULL,
    message_id uuid NOT NULL,
    ordinal smallint NOT NULL,
    -- When the leg was marked, just before its call: never later than Meta's time of the message. Whole milliseconds, as Meta's.
    marked_at timestamptz NOT NULL,
    -- A call before that may have come through.
    in_doubt boolean NOT NULL,
    CONSTRAINT messenger_unread_pk PRIMARY KEY (client_id, inbox_id, psid, message_id, ordinal)
);
CREATE INDEX messenger_unread_by_message ON messenger_unread (message_id);

-- Choices are remembered for Messenger, too: a tap on a quick reply does not say which message it belongs to.
ALTER TABLE lite_offer
    DROP CONSTRAINT lite_offer_inbox_fk,
    ADD CONSTRAINT lite_offer_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id) ON DELETE CASCADE;

-- An agent gives a chat back to its chatbot.
ALTER TABLE participant_event
    DROP CONSTRAINT participant_event_kind_known,
    ADD CONSTRAINT participant_event_kind_known
        CHECK (kind IN ('ROUTE', 'STARTED', 'MESSAGE', 'RATING', 'TIMER', 'CUSTOM', 'RELEASED'));
