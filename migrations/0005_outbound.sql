-- Outbound messages. `outbound_part` is what the recipients of one `messages` element share; a message has one leg per
-- channel it was tried on; `outbound_work` is the queue. Tables that grow with traffic are partitioned by the time in
-- their UUIDv7 ids, and nothing refers to them by foreign key; uniqueness lives in narrow unpartitioned tables.

CREATE TABLE idempotency (
    client_id uuid NOT NULL,
    key text NOT NULL,
    response bytea NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT idempotency_pk PRIMARY KEY (client_id, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE outbound_part (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    batch_id uuid NOT NULL,
    number_id uuid NOT NULL,
    -- NOTIFICATION, CHAT: sent through the API. REPLY: a chatbot's or agent's message of a live chat.
    message_type text NOT NULL CONSTRAINT outbound_part_type_known CHECK (message_type IN ('NOTIFICATION', 'CHAT', 'REPLY')),
    content jsonb NOT NULL,
    -- The fallback object of the request (SPEC 2.4).
    fallback jsonb,
    -- Provider id of the quoted message.
    quoted_provider_id text,
    CONSTRAINT outbound_part_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE outbound_part_default PARTITION OF outbound_part DEFAULT;

CREATE TABLE outbound_message (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    part_id uuid NOT NULL,
    number_id uuid NOT NULL,
    to_phone text,
    to_bsuid text,
    ct_id text,
    gst_id text NOT NULL,
    state text NOT NULL DEFAULT 'QUEUED',
    -- Same for all events of one conversation; webhooks keep order within it.
    order_key bigint NOT NULL,
    -- Set when the message belongs to a live chat.
    participant_id uuid,
    chat_message_id uuid,
    customer_id uuid,
    sent_at timestamptz,
    delivered_at timestamptz,
    read_at timestamptz,
    played_at timestamptz,
    error_code text,
    error_text text,
    CONSTRAINT outbound_message_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE outbound_message_default PARTITION OF outbound_message DEFAULT;

-- Keyed and partitioned by the message, so that a message and its legs lie side by side.
CREATE TABLE outbound_leg (
    client_id uuid NOT NULL,
    message_id uuid NOT NULL,
    ordinal smallint NOT NULL,
    channel text NOT NULL CONSTRAINT outbound_leg_channel_known CHECK (channel IN ('WHATSAPP', 'SMS')),
    state text NOT NULL DEFAULT 'QUEUED',
    provider_id text,
    -- What an SMS leg says; a WhatsApp leg says what its part says.
    sms jsonb,
    -- The provider may have got it twice: it was sent again after an answer that never came.
    ambiguous boolean NOT NULL DEFAULT false,
    error_code text,
    error_text text,
    updated_at timestamptz NOT NULL,
    CONSTRAINT outbound_leg_pk PRIMARY KEY (client_id, message_id, ordinal)
) PARTITION BY RANGE (message_id);
CREATE TABLE outbound_leg_default PARTITION OF outbound_leg DEFAULT;

CREATE TABLE outbound_work (
    client_id uuid NOT NULL,
    message_id uuid NOT NULL,
    ordinal smallint NOT NULL,
    -- The business number for WhatsApp, the client itself for SMS.
    lane_id uuid NOT NULL,
    -- 0 = live chat, 1 = API sends: a reply never waits behind a batch.
    priority smallint NOT NULL,
    due_at timestamptz NOT NULL,
    phase text NOT NULL DEFAULT 'READY' CONSTRAINT outbound_work_phase_known CHECK (phase IN ('READY', 'SENDING', 'UNKNOWN')),
    attempts smallint NOT NULL DEFAULT 0,
    CONSTRAINT outbound_work_pk PRIMARY KEY (client_id, message_id, ordinal)
);
CREATE INDEX outbound_work_by_lane ON outbound_work (client_id, lane_id, priority, message_id);

-- Provider ids are unique for ever; the partitioned tables cannot say so.
CREATE TABLE provider_message (
    client_id uuid NOT NULL,
    provider_id text NOT NULL,
    outbound_message_id uuid,
    chat_message_id uuid,
    CONSTRAINT provider_message_pk PRIMARY KEY (client_id, provider_id)
);

-- Every step that a leg made, once.
CREATE TABLE delivery_receipt (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    message_id uuid NOT NULL,
    channel text NOT NULL,
    state text NOT NULL,
    happened_at timestamptz NOT NULL,
    error_code text,
    error_text text,
    CONSTRAINT delivery_receipt_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE delivery_receipt_default PARTITION OF delivery_receipt DEFAULT;
CREATE INDEX delivery_receipt_by_message ON delivery_receipt (client_id, message_id);
