-- Outbound messages. `outbound_part` is the content that the recipients of one `messages` element share.
-- `outbound_message` is one recipient, `outbound_leg` one attempt over one channel, `outbound_work` the queue. Tables
-- that grow with traffic are partitioned by the time in their UUIDv7 ids, and no foreign key points at them. Uniqueness
-- needs narrow tables without partitions.

-- Answers to repeated requests with the same key.
CREATE TABLE idempotency (
    client_id uuid NOT NULL,
    key text NOT NULL,
    response bytea NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT idempotency_pk PRIMARY KEY (client_id, key)
);
-- Retention.
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE outbound_part (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    batch_id uuid NOT NULL,
    -- The HTTP request; null for replies of live chats.
    request_id uuid,
    inbox_id uuid NOT NULL,
    -- NOTIFICATION, CHAT, CONVERSATION, SMS: sent through the API, CONVERSATION as free text into a conversation.
    -- REPLY: a message of a chatbot or agent. PRODUCT: from an SMS gateway.
    message_type text NOT NULL CONSTRAINT outbound_part_type_known
        CHECK (message_type IN ('NOTIFICATION', 'CHAT', 'CONVERSATION', 'REPLY', 'SMS', 'PRODUCT')),
    -- Billing category: MARKETING, UTILITY, AUTHENTICATION, SERVICE, SMS.
    category text,
    content jsonb NOT NULL, -- {"v":1,"value":domain::content::OutboundContent}
    -- The fallback object of the request (SPEC 2.4).
    fallback jsonb,
    -- Provider id of the quoted message.
    quoted_provider_id text,
    -- A template with quick replies: its messages have a tqrmtId (SPEC 2.1).
    quick_replies boolean NOT NULL DEFAULT false,
    -- Only in the first part of a request, which has the id of the batch: recipients, last part, first and last
    -- message. The ids of one request ascend, so its messages are those between two ids.
    accepted integer,
    rejected integer,
    last_part_id uuid,
    first_message_id uuid,
    last_message_id uuid,
    CONSTRAINT outbound_part_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE outbound_part_default PARTITION OF outbound_part DEFAULT;
-- The list of batches.
CREATE INDEX outbound_part_batch ON outbound_part (client_id, id) WHERE accepted IS NOT NULL;
-- Retention.
CREATE INDEX outbound_part_default_by_age ON outbound_part_default (id);

-- A row never changes: the state of a message is that of its last leg.
CREATE TABLE outbound_message (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    part_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    -- The address of the recipient, and another one for the case that the first fails.
    address_kind text NOT NULL CONSTRAINT outbound_message_address_kind_known
        CHECK (address_kind IN ('PHONE', 'BSUID', 'PSID', 'TELEGRAM', 'VISITOR', 'EMAIL', 'LID')),
    address_value text NOT NULL,
    other_kind text CONSTRAINT outbound_message_other_kind_known
        CHECK (other_kind IN ('PHONE', 'BSUID', 'PSID', 'TELEGRAM', 'VISITOR', 'EMAIL', 'LID')),
    other_value text,
    ct_id text,
    gst_id text NOT NULL,
    -- The same for all events of one conversation; webhooks keep their order.
    order_key bigint NOT NULL,
    -- If the message belongs to a live chat.
    participant_id uuid,
    chat_message_id uuid,
    -- The conversation that the message belongs to.
    conversation_id uuid,
    CONSTRAINT outbound_message_pk PRIMARY KEY (client_id, id),
    CONSTRAINT outbound_message_other_whole CHECK ((other_kind IS NULL) = (other_value IS NULL))
) PARTITION BY RANGE (id);
CREATE TABLE outbound_message_default PARTITION OF outbound_message DEFAULT;
-- Messages by tracking id. Most tracking ids are the ids of their messages and need no entry.
CREATE INDEX outbound_message_own_gst ON outbound_message (client_id, gst_id) WHERE gst_id <> id::text;
-- Messages by the client's own tracking id and by recipient (`storage::outbound::lookups`).
CREATE INDEX outbound_message_by_ct_id ON outbound_message (client_id, ct_id, id) WHERE ct_id IS NOT NULL;
CREATE INDEX outbound_message_by_address ON outbound_message (client_id, address_value, id);
CREATE INDEX outbound_message_by_other_address ON outbound_message (client_id, other_value, id) WHERE other_value IS NOT NULL;
-- Retention.
CREATE INDEX outbound_message_default_by_age ON outbound_message_default (id);

-- Keyed and partitioned by the message, so that a message and its legs are stored close together. A row changes soon
-- after it is written; its partitions keep free space for that, so that a change writes no index
-- (`storage::work::partitions`).
CREATE TABLE outbound_leg (
    client_id uuid NOT NULL,
    message_id uuid NOT NULL,
    -- 0 first, then the SMS of a fallback.
    ordinal smallint NOT NULL,
    channel text NOT NULL CONSTRAINT outbound_leg_channel_known CHECK (channel IN ('WHATSAPP', 'FACEBOOK', 'TELEGRAM', 'WEB', 'SMS')),
    inbox_id uuid NOT NULL,
    address_kind text NOT NULL CONSTRAINT outbound_leg_address_kind_known
        CHECK (address_kind IN ('PHONE', 'BSUID', 'PSID', 'TELEGRAM', 'VISITOR', 'EMAIL', 'LID')),
    address_value text NOT NULL,
    -- Null: the content of the part.
    content jsonb, -- {"v":1,"value":domain::content::LegContent}
    -- The decision of the SMS router, for SMS only. Stored with the mark, so that a repeated submit takes the same
    -- route.
    sms_route jsonb,
    state text NOT NULL DEFAULT 'QUEUED',
    provider_id text,
    -- The provider may have received it twice: it was sent again after a call without an answer.
    ambiguous boolean NOT NULL DEFAULT false,
    error_code text,
    error_text text,
    sent_at timestamptz,
    delivered_at timestamptz,
    read_at timestamptz,
    played_at timestamptz,
    updated_at timestamptz NOT NULL,
    CONSTRAINT outbound_leg_pk PRIMARY KEY (client_id, message_id, ordinal)
) PARTITION BY RANGE (message_id);
CREATE TABLE outbound_leg_default PARTITION OF outbound_leg DEFAULT WITH (fillfactor = 60);
-- Retention.
CREATE INDEX outbound_leg_default_by_age ON outbound_leg_default (message_id);

-- The legs to send. A lane is an inbox.
--
-- A mark must not write an index. PostgreSQL adds an entry to each index of a row as soon as one indexed column
-- changes, even if that index does not contain the row. So no index names `phase` or `due_at`, which a mark changes:
-- `wakes_at` and `paced` hold the indexed part of them, and half of each page is free for the new version of a row.
CREATE TABLE outbound_work (
    client_id uuid NOT NULL,
    message_id uuid NOT NULL,
    ordinal smallint NOT NULL,
    lane_id uuid NOT NULL,
    -- The address of the leg.
    recipient text NOT NULL,
    -- 0: live chat, 1: API sends. A reply never waits behind a batch.
    priority smallint NOT NULL,
    due_at timestamptz NOT NULL,
    ready boolean NOT NULL DEFAULT true,
    -- PACED: waits for its turn, because the recipient may not be written to faster. Later legs to the same recipient
    -- wait behind it, others do not. SENDING: marked. UNKNOWN: the call has no known outcome.
    phase text NOT NULL DEFAULT 'READY'
        CONSTRAINT outbound_work_phase_known CHECK (phase IN ('READY', 'PACED', 'SENDING', 'UNKNOWN')),
    attempts smallint NOT NULL DEFAULT 0,
    -- Calls that the provider refused for a temporary reason: a message fails after a few of them. Calls that were too
    -- fast or did not reach the provider are not counted.
    refusals smallint NOT NULL DEFAULT 0,
    -- Later messages of the same chat wait until then for this one, which could not be handed over yet. Null: none
    -- waits.
    holds_until timestamptz,
    -- Null: it is ready.
    wakes_at timestamptz GENERATED ALWAYS AS (CASE WHEN NOT ready THEN due_at END) STORED,
    paced boolean GENERATED ALWAYS AS (phase = 'PACED') STORED,
    CONSTRAINT outbound_work_pk PRIMARY KEY (client_id, message_id, ordinal)
) WITH (fillfactor = 50);
CREATE INDEX outbound_work_ready ON outbound_work (client_id, lane_id, priority, message_id) WHERE ready;
CREATE INDEX outbound_work_waiting ON outbound_work (wakes_at) WHERE wakes_at IS NOT NULL;
-- The recipients of a lane for which later legs must wait.
CREATE INDEX outbound_work_paced ON outbound_work (client_id, lane_id, recipient) WHERE paced;
CREATE INDEX outbound_work_holding ON outbound_work (client_id, lane_id, recipient) WHERE holds_until IS NOT NULL;

-- Provider ids are unique; the partitioned tables cannot enforce that.
CREATE TABLE provider_message (
    client_id uuid NOT NULL,
    provider_id text NOT NULL,
    outbound_message_id uuid,
    chat_message_id uuid,
    CONSTRAINT provider_message_pk PRIMARY KEY (client_id, provider_id)
);
-- Retention.
CREATE INDEX provider_message_by_age ON provider_message ((COALESCE(outbound_message_id, chat_message_id)));

-- Each step of a leg, once. Steps are only read by message.
CREATE TABLE delivery_receipt (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    message_id uuid NOT NULL,
    channel text NOT NULL,
    state text NOT NULL,
    happened_at timestamptz NOT NULL,
    error_code text,
    error_text text,
    CONSTRAINT delivery_receipt_pk PRIMARY KEY (client_id, message_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE delivery_receipt_default PARTITION OF delivery_receipt DEFAULT;
-- Retention.
CREATE INDEX delivery_receipt_default_by_age ON delivery_receipt_default (id);

-- Calls of providers that did not take a message: refused, to be repeated, without an answer. Other calls lead to a
-- step.
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
-- Retention.
CREATE INDEX provider_call_by_age ON provider_call (message_id);

-- Batches that the client paused or cancelled; other batches have no row.
CREATE TABLE batch_hold (
    client_id uuid NOT NULL CONSTRAINT batch_hold_client_fk REFERENCES client (id),
    batch_id uuid NOT NULL,
    state text NOT NULL CONSTRAINT batch_hold_state_known CHECK (state IN ('PAUSED', 'CANCELLED')),
    changed_at timestamptz NOT NULL,
    CONSTRAINT batch_hold_pk PRIMARY KEY (client_id, batch_id)
);
-- Retention.
CREATE INDEX batch_hold_by_age ON batch_hold (batch_id);

-- The decision to fall back to SMS, at most one per message. A queue; the lane is the inbox of the message.
CREATE TABLE fallback (
    client_id uuid NOT NULL,
    message_id uuid NOT NULL,
    lane_id uuid NOT NULL,
    state text NOT NULL DEFAULT 'PENDING' CONSTRAINT fallback_state_known CHECK (state IN ('PENDING', 'SENT', 'SKIPPED')),
    -- The failure of the message.
    error_code text NOT NULL,
    error_text text NOT NULL,
    failed_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    ready boolean NOT NULL DEFAULT true,
    attempts smallint NOT NULL DEFAULT 0,
    -- The plugin that decided, its reason and the time.
    plugin text,
    version integer,
    sha256 text,
    reason text,
    decided_at timestamptz,
    CONSTRAINT fallback_pk PRIMARY KEY (client_id, message_id)
);
CREATE INDEX fallback_ready ON fallback (client_id, lane_id, due_at) WHERE state = 'PENDING' AND ready;
CREATE INDEX fallback_waiting ON fallback (due_at) WHERE state = 'PENDING' AND NOT ready;
-- Retention.
CREATE INDEX fallback_by_age ON fallback (message_id);

-- The price of a message by billing category and destination.
CREATE TABLE rate (
    client_id uuid NOT NULL CONSTRAINT rate_client_fk REFERENCES client (id),
    category text NOT NULL,
    -- The calling code of a country; its two letters for recipients with a user id only; empty for all other countries.
    country text NOT NULL,
    -- In the form that is shown.
    amount text NOT NULL,
    currency text NOT NULL,
    CONSTRAINT rate_pk PRIMARY KEY (client_id, category, country)
);

-- How many new customers a Cloud number may write to within 24 hours, in the provider's word (SPEC 6.4, part 8). A
-- number without a row has no limit.
CREATE TABLE messaging_tier (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    tier text NOT NULL,
    told_at timestamptz NOT NULL,
    -- Close to the limit, groups of sends count one after the other: each raises the version that it has read. A group
    -- that was overtaken violates the constraint, stores nothing and reads again (ADR 0047).
    version bigint NOT NULL DEFAULT 0 CONSTRAINT messaging_tier_not_overtaken CHECK (version >= 0),
    CONSTRAINT messaging_tier_pk PRIMARY KEY (client_id, inbox_id),
    CONSTRAINT messaging_tier_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id) ON DELETE CASCADE
);

-- For numbers with a tier: the quarter of an hour in which a recipient was counted last, and the number of recipients
-- of each.
CREATE TABLE tier_recipient (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    recipient text NOT NULL,
    counted_at timestamptz NOT NULL,
    CONSTRAINT tier_recipient_pk PRIMARY KEY (client_id, inbox_id, recipient)
);
-- Retention.
CREATE INDEX tier_recipient_by_age ON tier_recipient (counted_at);
CREATE TABLE tier_count (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    counted_at timestamptz NOT NULL,
    -- A count is spread over a few rows, so that two groups of sends do not wait for each other.
    shard smallint NOT NULL,
    recipients integer NOT NULL,
    CONSTRAINT tier_count_pk PRIMARY KEY (client_id, inbox_id, counted_at, shard)
);
-- Retention.
CREATE INDEX tier_count_by_age ON tier_count (counted_at);

-- Messages of Messenger that their customers have not read yet. Its delivery and read reports name a time, not
-- messages.
CREATE TABLE messenger_unread (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    psid text NOT NULL,
    message_id uuid NOT NULL,
    ordinal smallint NOT NULL,
    -- The mark before the call, so never later than Meta's time of the message. Whole milliseconds, as Meta's.
    marked_at timestamptz NOT NULL,
    -- An earlier call may have reached Meta.
    in_doubt boolean NOT NULL,
    CONSTRAINT messenger_unread_pk PRIMARY KEY (client_id, inbox_id, psid, message_id, ordinal)
);
-- Retention.
CREATE INDEX messenger_unread_by_message ON messenger_unread (message_id);
