-- Live chat: one participant for ever per business number and customer, its messages, and what its chatbot must see.

CREATE TABLE participant (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    number_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    channel text NOT NULL CONSTRAINT participant_channel_known CHECK (channel IN ('WHATSAPP', 'WEB', 'FACEBOOK')),
    state text NOT NULL CONSTRAINT participant_state_known CHECK (state IN ('BOT', 'QUEUED', 'ACTIVE', 'CLOSED')),
    -- Grows when the chat changes hands, closes or opens; a chatbot's effects count only for the version it saw.
    control_version bigint NOT NULL DEFAULT 1,
    next_sequence bigint NOT NULL DEFAULT 1,
    -- Events that its chatbot has dealt with: the place of the next one.
    events_handled bigint NOT NULL DEFAULT 0,
    -- The chatbot's own note of where the conversation stands.
    bot_state text NOT NULL DEFAULT '',
    tags text[] NOT NULL DEFAULT '{}',
    missed boolean NOT NULL DEFAULT false,
    after_hours boolean NOT NULL DEFAULT false,
    send_rating boolean NOT NULL DEFAULT false,
    assigned_agent_id uuid,
    last_assigned_agent_id uuid,
    team text,
    unread integer NOT NULL DEFAULT 0,
    -- Why the chat last went to people.
    queued_reason text,
    -- Set when its customer turned out to be another one who already had a chat; the id keeps resolving.
    merged_into uuid,
    last_message_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT participant_pk PRIMARY KEY (client_id, id),
    CONSTRAINT participant_customer_unique UNIQUE (client_id, number_id, customer_id),
    CONSTRAINT participant_customer_fk FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id),
    CONSTRAINT participant_number_fk FOREIGN KEY (client_id, number_id) REFERENCES whatsapp_number (client_id, id)
);
CREATE INDEX participant_by_state ON participant (client_id, state, last_message_at DESC, id);
CREATE INDEX participant_by_activity ON participant (client_id, last_message_at DESC, id);
CREATE INDEX participant_by_customer ON participant (client_id, customer_id);

CREATE TABLE chat_message (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    participant_id uuid NOT NULL,
    sequence_number bigint NOT NULL,
    direction text NOT NULL CONSTRAINT chat_message_direction_known CHECK (direction IN ('INCOMING', 'OUTGOING')),
    content_type text NOT NULL,
    channel text NOT NULL,
    body text,
    -- The full content: domain::inbound::InboundContent or domain::content::OutboundContent.
    content jsonb NOT NULL,
    media_id uuid,
    -- CUSTOMER, BOT, or the agent's name.
    owner text NOT NULL,
    ct_id text,
    gst_id text NOT NULL,
    provider_id text,
    quoted_provider_id text,
    state text,
    created_at timestamptz NOT NULL,
    CONSTRAINT chat_message_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE chat_message_default PARTITION OF chat_message DEFAULT;
CREATE INDEX chat_message_by_participant ON chat_message (client_id, participant_id, sequence_number);

CREATE TABLE participant_event (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    -- The participant.
    lane_id uuid NOT NULL,
    -- MESSAGE (event names the chat message), TIMER, STARTED, ...
    kind text NOT NULL,
    payload jsonb NOT NULL,
    due_at timestamptz NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    CONSTRAINT participant_event_pk PRIMARY KEY (client_id, id)
);
CREATE INDEX participant_event_by_lane ON participant_event (client_id, lane_id, id);

-- Key-value store of chatbots: per client and plugin (participant_id = nil), and per participant.
CREATE TABLE chatbot_value (
    client_id uuid NOT NULL,
    plugin text NOT NULL,
    participant_id uuid NOT NULL,
    key text NOT NULL,
    value bytea NOT NULL,
    version bigint NOT NULL,
    CONSTRAINT chatbot_value_pk PRIMARY KEY (client_id, plugin, participant_id, key)
);
