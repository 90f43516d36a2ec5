-- What sends need beyond a message: batches that can be listed, paused and cancelled, the whole story of a message, and what it
-- costs. Nothing is written for it per message: a batch is the first part of its request, its messages are those between two
-- ids, and a call of a provider leaves a row only where it did not lead to a step.

ALTER TABLE outbound_part
    -- The HTTP request that it came with; null for replies of live chats.
    ADD COLUMN request_id uuid,
    -- What it is billed as: MARKETING, UTILITY, AUTHENTICATION, SERVICE, SMS.
    ADD COLUMN category text,
    -- A template whose quick replies can be tapped: its messages have a tqrmtId (SPEC 2.1).
    ADD COLUMN quick_replies boolean NOT NULL DEFAULT false,
    -- Of the first part of a request, whose id is that of the batch: its recipients, its last part, and its first and last
    -- message. Ids of one request are minted one after the other.
    ADD COLUMN accepted integer,
    ADD COLUMN rejected integer,
    ADD COLUMN last_part_id uuid,
    ADD COLUMN first_message_id uuid,
    ADD COLUMN last_message_id uuid,
    DROP CONSTRAINT outbound_part_type_known,
    ADD CONSTRAINT outbound_part_type_known
        CHECK (message_type IN ('NOTIFICATION', 'CHAT', 'CONVERSATION', 'REPLY', 'SMS'));
CREATE INDEX outbound_part_batch ON outbound_part (client_id, id) WHERE accepted IS NOT NULL;

-- Most tracking ids are the ids of their messages: those are found by them.
CREATE INDEX outbound_message_own_gst ON outbound_message (client_id, gst_id) WHERE gst_id <> id::text;

-- Batches that somebody stopped; others have no row.
CREATE TABLE batch_hold (
    client_id uuid NOT NULL CONSTRAINT batch_hold_client_fk REFERENCES client (id),
    batch_id uuid NOT NULL,
    state text NOT NULL CONSTRAINT batch_hold_state_known CHECK (state IN ('PAUSED', 'CANCELLED')),
    changed_at timestamptz NOT NULL,
    CONSTRAINT batch_hold_pk PRIMARY KEY (client_id, batch_id)
);
CREATE INDEX batch_hold_by_age ON batch_hold (batch_id);

-- Calls of providers that did not take a message: refused, to be tried again, without an answer.
CREATE TABLE provider_call (
    client_id uuid NOT NULL,
    message_id uuid NOT NULL,
    id uuid NOT NULL,
    ordinal smallint NOT NULL,
    outcome text NOT NULL CONSTRAINT provider_call_outcome_known CHECK (outcome IN ('REFUSED', 'RETRY', 'UNANSWERED')),
    error_code text,
    error_text text NOT NULL,
    called_at timestamptz NOT NULL,
    CONSTRAINT provider_call_pk PRIMARY KEY (client_id, message_id, id)
);
CREATE INDEX provider_call_by_age ON provider_call (message_id);

-- Which program decided about a fallback, and when.
ALTER TABLE fallback
    ADD COLUMN version integer,
    ADD COLUMN sha256 text,
    ADD COLUMN decided_at timestamptz;

-- What a message costs, by what it is billed as and where it goes.
CREATE TABLE rate (
    client_id uuid NOT NULL CONSTRAINT rate_client_fk REFERENCES client (id),
    category text NOT NULL,
    -- A country's calling code, the two letters of a country for recipients who are known by a user id alone, or nothing:
    -- everywhere else.
    country text NOT NULL,
    -- As it is shown.
    amount text NOT NULL,
    currency text NOT NULL,
    CONSTRAINT rate_pk PRIMARY KEY (client_id, category, country)
);
