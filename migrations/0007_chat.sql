-- Live chat: chats with their messages and events, tickets, conversations, and the values of chatbots.

-- A chat: one per inbox and customer, for ever.
CREATE TABLE participant (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    channel text NOT NULL
        CONSTRAINT participant_channel_known CHECK (channel IN ('WHATSAPP', 'FACEBOOK', 'TELEGRAM', 'WEB', 'SMS')),
    state text NOT NULL CONSTRAINT participant_state_known CHECK (state IN ('BOT', 'QUEUED', 'ACTIVE', 'CLOSED')),
    -- Grows when the chat is handed over, closed or opened. Effects of a chatbot count only for the version that it
    -- saw.
    control_version bigint NOT NULL DEFAULT 1,
    next_sequence bigint NOT NULL DEFAULT 1,
    -- Events that the chatbot has handled: the position of the next one.
    events_handled bigint NOT NULL DEFAULT 0,
    -- The chatbot that a router chose; null: the one that is active on the inbox.
    bot_plugin text,
    -- The chatbot's own note about the state of the chat.
    bot_state text NOT NULL DEFAULT '',
    tags text[] NOT NULL DEFAULT '{}',
    assigned_agent_id uuid,
    last_assigned_agent_id uuid,
    -- The team that the chat waits for or belongs to.
    team_id uuid,
    -- Why the chat last went to the queue.
    queued_reason text,
    -- No agent answered in time, and the agent of the chat at that time.
    missed boolean NOT NULL DEFAULT false,
    missed_agent_id uuid,
    after_hours boolean NOT NULL DEFAULT false,
    send_rating boolean NOT NULL DEFAULT false,
    -- The ticket of the current episode; it stays after the chat is closed, until the chat opens again.
    ticket_id uuid,
    unread integer NOT NULL DEFAULT 0,
    -- The text that the search compares: names and numbers of the customer, folded, one per line
    -- (`storage::chat::search`).
    found_by text NOT NULL DEFAULT '',
    -- The customer turned out to be another one who has a chat already. The id keeps resolving.
    merged_into uuid,
    last_message_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT participant_pk PRIMARY KEY (client_id, id),
    CONSTRAINT participant_customer_unique UNIQUE (client_id, inbox_id, customer_id),
    CONSTRAINT participant_customer_fk FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id),
    CONSTRAINT participant_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id),
    CONSTRAINT participant_team_fk FOREIGN KEY (client_id, team_id) REFERENCES team (client_id, id)
);
-- The chats of a customer on all inboxes.
CREATE INDEX participant_by_customer ON participant (client_id, customer_id);
-- The chats of a team that is to be deleted, in any state.
CREATE INDEX participant_by_team ON participant (client_id, team_id) WHERE team_id IS NOT NULL;
-- The chats that were merged into one that is merged again.
CREATE INDEX participant_merged ON participant (client_id, merged_into) WHERE merged_into IS NOT NULL;
-- The lists of chats, each in the order in which it is shown.
CREATE INDEX participant_by_activity ON participant (client_id, last_message_at DESC, id);
CREATE INDEX participant_by_state ON participant (client_id, state, last_message_at DESC, id);
CREATE INDEX participant_open ON participant (client_id, last_message_at DESC, id)
    WHERE state <> 'CLOSED' AND merged_into IS NULL;
CREATE INDEX participant_of_agent ON participant (client_id, assigned_agent_id, last_message_at DESC, id)
    WHERE state = 'ACTIVE';
CREATE INDEX participant_of_team ON participant (client_id, team_id, last_message_at, id) WHERE state = 'QUEUED';
CREATE INDEX participant_missed ON participant (client_id, last_message_at DESC, id) WHERE missed AND NOT after_hours;
CREATE INDEX participant_missed_by_agent ON participant (client_id, missed_agent_id, last_message_at DESC, id) WHERE missed;
CREATE INDEX participant_after_hours ON participant (client_id, last_message_at DESC, id) WHERE after_hours;

-- The index of the search of chats. The words are repeated here, because many chats have three characters in common
-- with a search and not its words: the row of a chat is read only if it has them.
CREATE TABLE participant_search (
    client_id uuid NOT NULL,
    participant_id uuid NOT NULL,
    -- `chat_grams` of the words.
    grams integer[] NOT NULL,
    -- `participant.found_by`.
    words text NOT NULL,
    CONSTRAINT participant_search_pk PRIMARY KEY (client_id, participant_id),
    CONSTRAINT participant_search_participant_fk
        FOREIGN KEY (client_id, participant_id) REFERENCES participant (client_id, id) ON DELETE CASCADE
);
-- The search of chats.
CREATE INDEX participant_search_grams ON participant_search USING gin (grams);

-- All runs of three characters of the lines, as numbers that differ between clients.
CREATE FUNCTION chat_grams(client uuid, words text) RETURNS integer[] IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql AS $$
    SELECT COALESCE(array_agg(DISTINCT
               ('x' || encode(substring(sha256(convert_to(client::text || gram, 'UTF8')) FROM 1 FOR 4), 'hex'))::bit(32)::integer),
           '{}')
    FROM regexp_split_to_table(words, E'\n') AS line, generate_series(1, char_length(line) - 2) AS place,
         substr(line, place, 3) AS gram
$$;

-- The present text of each message; `message_version` has the earlier ones.
CREATE TABLE chat_message (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    participant_id uuid NOT NULL,
    sequence_number bigint NOT NULL,
    direction text NOT NULL CONSTRAINT chat_message_direction_known CHECK (direction IN ('INCOMING', 'OUTGOING')),
    channel text NOT NULL
        CONSTRAINT chat_message_channel_known CHECK (channel IN ('WHATSAPP', 'FACEBOOK', 'TELEGRAM', 'WEB', 'SMS')),
    content_type text NOT NULL,
    body text,
    -- {"v":1,"value":..} with domain::inbound::InboundContent or domain::content::OutboundContent, by the direction.
    content jsonb NOT NULL,
    media_id uuid,
    -- CUSTOMER, BOT, or the name of the agent.
    owner text NOT NULL,
    agent_id uuid,
    -- The author's own name of the message. A message of a chat with the same name is sent once.
    temp_id text,
    ct_id text,
    gst_id text NOT NULL,
    provider_id text,
    quoted_provider_id text,
    state text,
    -- The customer played our voice message.
    played_at timestamptz,
    -- The last edit by the author.
    edited_at timestamptz,
    -- The author deleted the message: it has no content since then.
    deleted_at timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT chat_message_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE chat_message_default PARTITION OF chat_message DEFAULT;
-- The messages of a chat, in their order.
CREATE INDEX chat_message_by_participant ON chat_message (client_id, participant_id, sequence_number);
-- A message that its author may have sent already.
CREATE INDEX chat_message_by_temp_id ON chat_message (client_id, participant_id, temp_id) WHERE temp_id IS NOT NULL;
-- Messages by the client's own tracking id.
CREATE INDEX chat_message_by_ct_id ON chat_message (client_id, ct_id, id) WHERE ct_id IS NOT NULL;
-- Retention.
CREATE INDEX chat_message_default_by_age ON chat_message_default (id);

-- Earlier texts of messages that their authors edited or deleted, for the audit. Kept as long as the message.
CREATE TABLE message_version (
    client_id uuid NOT NULL,
    -- Of `chat_message`.
    message_id uuid NOT NULL,
    -- From 1, in the order of replacement.
    ordinal smallint NOT NULL,
    content_type text NOT NULL,
    body text,
    -- As in `chat_message`.
    content jsonb NOT NULL,
    media_id uuid,
    written_at timestamptz NOT NULL,
    replaced_at timestamptz NOT NULL,
    CONSTRAINT message_version_pk PRIMARY KEY (client_id, message_id, ordinal)
) PARTITION BY RANGE (message_id);
CREATE TABLE message_version_default PARTITION OF message_version DEFAULT;
-- Retention.
CREATE INDEX message_version_default_by_age ON message_version_default (message_id);

-- The provider's JSON of messages of unknown types, which are shown as a text of ours.
CREATE TABLE message_original (
    client_id uuid NOT NULL,
    -- Of `chat_message`.
    message_id uuid NOT NULL,
    -- Its first 64 KiB.
    content text NOT NULL,
    CONSTRAINT message_original_pk PRIMARY KEY (client_id, message_id)
);
-- Retention.
CREATE INDEX message_original_by_age ON message_original (message_id);

-- The events of chats that router and chatbot have not handled, including timers. A queue; the lane is the chat.
CREATE TABLE participant_event (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    lane_id uuid NOT NULL,
    -- CUSTOM: raised by the client. RELEASED: an agent gave the chat back to its chatbot.
    kind text NOT NULL CONSTRAINT participant_event_kind_known
        CHECK (kind IN ('ROUTE', 'STARTED', 'MESSAGE', 'RATING', 'TIMER', 'CUSTOM', 'RELEASED')),
    payload jsonb NOT NULL,
    due_at timestamptz NOT NULL,
    ready boolean NOT NULL DEFAULT true,
    attempts smallint NOT NULL DEFAULT 0,
    CONSTRAINT participant_event_pk PRIMARY KEY (client_id, id)
);
CREATE INDEX participant_event_ready ON participant_event (client_id, lane_id) WHERE ready;
CREATE INDEX participant_event_waiting ON participant_event (due_at) WHERE NOT ready;
-- All events of a chat, ready or not: a timer may be stopped before it is due.
CREATE INDEX participant_event_by_lane ON participant_event (client_id, lane_id, id);

-- Due work of chats (ADR 0027, ADR 0032). A queue; the lane is the chat, or the team for ROOM.
CREATE TABLE chat_due (
    client_id uuid NOT NULL,
    lane_id uuid NOT NULL,
    -- ANSWER: no agent has answered until then. ARRIVED: the chat came to the queue. LEFT: its agent left. ROOM: a
    -- member of the team has room for a chat, or may have.
    kind text NOT NULL CONSTRAINT chat_due_kind_known CHECK (kind IN ('ANSWER', 'ARRIVED', 'LEFT', 'ROOM')),
    due_at timestamptz NOT NULL,
    ready boolean NOT NULL DEFAULT true,
    CONSTRAINT chat_due_pk PRIMARY KEY (client_id, lane_id, kind)
);
CREATE INDEX chat_due_ready ON chat_due (client_id, lane_id) WHERE ready;
CREATE INDEX chat_due_waiting ON chat_due (due_at) WHERE NOT ready;

-- Decisions of routers: the answerer of a chat, and the reason.
CREATE TABLE routing_decision (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    participant_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    plugin text NOT NULL,
    version integer,
    -- `bot`, `team`, `agent` or `queue`, and the name or id of it.
    target text NOT NULL,
    target_name text,
    reason text NOT NULL,
    -- The router failed, and the host decided.
    fallback boolean NOT NULL,
    CONSTRAINT routing_decision_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE routing_decision_default PARTITION OF routing_decision DEFAULT;
-- The decisions about a chat, newest first.
CREATE INDEX routing_decision_by_participant ON routing_decision (client_id, participant_id, id DESC);
-- Retention.
CREATE INDEX routing_decision_default_by_age ON routing_decision_default (id);

-- The last ticket number of each client. A transaction that opens a ticket locks the row until it ends.
CREATE TABLE ticket_counter (
    client_id uuid NOT NULL CONSTRAINT ticket_counter_client_fk REFERENCES client (id),
    last_number bigint NOT NULL,
    CONSTRAINT ticket_counter_pk PRIMARY KEY (client_id)
);

-- Tickets: the episodes of chats that agents worked on.
CREATE TABLE ticket (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    -- Counts up per client.
    number bigint NOT NULL,
    participant_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    status text NOT NULL CONSTRAINT ticket_status_known
        CHECK (status IN ('OPEN', 'AWAITING_AGENT', 'AWAITING_CUSTOMER', 'RESOLVED', 'CLOSED')),
    -- The agent that works on it.
    agent_id uuid,
    rating text CONSTRAINT ticket_rating_known CHECK (rating IN ('POOR', 'AVERAGE', 'EXCELLENT')),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- Since when it is RESOLVED or CLOSED.
    closed_at timestamptz,
    CONSTRAINT ticket_pk PRIMARY KEY (client_id, id),
    CONSTRAINT ticket_counted_once UNIQUE (client_id, number),
    CONSTRAINT ticket_participant_fk FOREIGN KEY (client_id, participant_id) REFERENCES participant (client_id, id),
    CONSTRAINT ticket_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id)
);
-- The tickets of a chat.
CREATE INDEX ticket_of_participant ON ticket (client_id, participant_id, number);
-- The search of tickets, newest first, and an index for each of its filters.
CREATE INDEX ticket_by_age ON ticket (client_id, created_at DESC, id DESC);
CREATE INDEX ticket_of_agent ON ticket (client_id, agent_id, created_at DESC, id DESC);
CREATE INDEX ticket_of_status ON ticket (client_id, status, created_at DESC, id DESC);
CREATE INDEX ticket_of_inbox ON ticket (client_id, inbox_id, created_at DESC, id DESC);
CREATE INDEX ticket_of_rating ON ticket (client_id, rating, created_at DESC, id DESC) WHERE rating IS NOT NULL;

-- Here, because chats and tickets name each other.
ALTER TABLE participant
    ADD CONSTRAINT participant_ticket_fk FOREIGN KEY (client_id, ticket_id) REFERENCES ticket (client_id, id);

-- Long-lived conversations (SPEC 2.11, 3.1; ADR 0022): at most one open conversation per inbox and customer. An open
-- conversation is active until `expires_at`; upkeep sets `closed_at` after that.
CREATE TABLE conversation (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    -- The participant id of the conversation engine (SPEC 2.6, 6.1): the same for all conversations of a customer with
    -- an inbox, and not the id of a chat.
    participant_id uuid NOT NULL,
    -- Phone number and BSUID in the request that opened it.
    recipient text,
    customer_user_id text,
    -- Of the first free text that had one (`conversationCtId`).
    ct_id text,
    -- `gstId` of the template of the last tapped quick reply.
    tqrmt_id text,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    closed_at timestamptz,
    close_reason text CONSTRAINT conversation_close_reason_known
        CHECK (close_reason IN ('ASKED', 'BUTTON', 'EXPIRED', 'MERGED')),
    -- The customer turned out to be another one who has a conversation already. The id keeps resolving.
    merged_into uuid,
    CONSTRAINT conversation_pk PRIMARY KEY (client_id, id),
    CONSTRAINT conversation_somebody CHECK (recipient IS NOT NULL OR customer_user_id IS NOT NULL),
    CONSTRAINT conversation_closed_whole CHECK ((closed_at IS NULL) = (close_reason IS NULL)),
    CONSTRAINT conversation_merged_whole CHECK (merged_into IS NULL OR close_reason = 'MERGED'),
    CONSTRAINT conversation_customer_fk FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id),
    CONSTRAINT conversation_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id)
);
CREATE UNIQUE INDEX conversation_open_unique ON conversation (client_id, customer_id, inbox_id) WHERE closed_at IS NULL;
-- The conversations of a customer.
CREATE INDEX conversation_by_customer ON conversation (client_id, customer_id, inbox_id, id);
-- The conversations that were merged into one that is merged again.
CREATE INDEX conversation_merged ON conversation (client_id, merged_into) WHERE merged_into IS NOT NULL;
-- Expired conversations, for upkeep. Only upkeep states both conditions, so no statement about one conversation scans
-- this index.
CREATE INDEX conversation_due ON conversation (expires_at) WHERE closed_at IS NULL AND close_reason IS NULL;
-- Retention.
CREATE INDEX conversation_by_age ON conversation (closed_at) WHERE closed_at IS NOT NULL;

-- The key-value stores of chatbots: one per client and plugin (`participant_id` is nil), and one per chat.
CREATE TABLE chatbot_value (
    client_id uuid NOT NULL,
    plugin text NOT NULL,
    participant_id uuid NOT NULL,
    key text NOT NULL,
    value bytea NOT NULL,
    version bigint NOT NULL,
    -- Null: it does not expire.
    expires_at timestamptz,
    CONSTRAINT chatbot_value_pk PRIMARY KEY (client_id, plugin, participant_id, key)
);
-- The list of keys in the order of their bytes, for any collation of the database.
CREATE INDEX chatbot_value_by_name ON chatbot_value (client_id, plugin, participant_id, key COLLATE "C");
-- Expired values, for upkeep.
CREATE INDEX chatbot_value_expiring ON chatbot_value (expires_at) WHERE expires_at IS NOT NULL;

-- The size of the key-value stores of a client, so that a quota needs no scan. Spread over a few rows per client, so
-- that turns that write do not wait for each other.
CREATE TABLE chatbot_value_usage (
    client_id uuid NOT NULL CONSTRAINT chatbot_value_usage_client_fk REFERENCES client (id),
    shard smallint NOT NULL,
    -- Bytes of keys and values plus a fixed cost per key. The sum of all rows counts; one row may be negative.
    bytes bigint NOT NULL,
    CONSTRAINT chatbot_value_usage_pk PRIMARY KEY (client_id, shard)
);
