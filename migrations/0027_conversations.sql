-- Long-lived conversations (SPEC 2.11, 3.1; ADR 0022): one that is open for each business number and customer. Whether one is
-- active is told by the clock: it is open, and `expires_at` lies ahead. Upkeep writes `closed_at` of those that have expired.

CREATE TABLE conversation (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    -- Of the conversation engine (SPEC 2.6, 6.1): the same in all conversations of a customer with a number, and no chat's.
    participant_id uuid NOT NULL,
    -- Phone number and BSUID as the request that opened it named them.
    recipient text,
    customer_user_id text,
    -- Of the first free text into it that had one (`conversationCtId`).
    ct_id text,
    -- `gstId` of the template whose quick reply was tapped last in it.
    tqrmt_id text,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    closed_at timestamptz,
    close_reason text CONSTRAINT conversation_close_reason_known
        CHECK (close_reason IN ('ASKED', 'BUTTON', 'EXPIRED', 'MERGED')),
    -- Set when its customer turned out to be another one who already had a conversation; the id keeps resolving.
    merged_into uuid,
    CONSTRAINT conversation_pk PRIMARY KEY (client_id, id),
    CONSTRAINT conversation_somebody CHECK (recipient IS NOT NULL OR customer_user_id IS NOT NULL),
    CONSTRAINT conversation_closed_whole CHECK ((closed_at IS NULL) = (close_reason IS NULL)),
    CONSTRAINT conversation_merged_whole CHECK (merged_into IS NULL OR close_reason = 'MERGED'),
    CONSTRAINT conversation_customer_fk FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id),
    CONSTRAINT conversation_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id)
);
CREATE UNIQUE INDEX conversation_open_unique ON conversation (client_id, customer_id, inbox_id) WHERE closed_at IS NULL;
CREATE INDEX conversation_by_customer ON conversation (client_id, customer_id, inbox_id, id);
CREATE INDEX conversation_merged ON conversation (client_id, merged_into) WHERE merged_into IS NOT NULL;
-- Of upkeep alone, which says both: a statement about one conversation must not be led through all that are open.
CREATE INDEX conversation_due ON conversation (expires_at) WHERE closed_at IS NULL AND close_reason IS NULL;
CREATE INDEX conversation_by_age ON conversation (closed_at) WHERE closed_at IS NOT NULL;

-- The conversation that a message belongs to.
ALTER TABLE outbound_message ADD COLUMN conversation_id uuid;
-- CONVERSATION: free text into a conversation.
ALTER TABLE outbound_part DROP CONSTRAINT outbound_part_type_known;
ALTER TABLE outbound_part ADD CONSTRAINT outbound_part_type_known
    CHECK (message_type IN ('NOTIFICATION', 'CHAT', 'CONVERSATION', 'REPLY', 'SMS'));
