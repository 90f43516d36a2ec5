-- Live events (ADR 0027): the events of chats, numbered per client, for the sockets of agents. Rows are written only
-- while a reader is connected or may come back. They name chats and messages, and contain no texts of them.

CREATE TABLE live_stream (
    client_id uuid NOT NULL CONSTRAINT live_stream_client_fk REFERENCES client (id),
    -- The last number. A transaction that gives out numbers locks this row.
    last_sequence bigint NOT NULL DEFAULT 0,
    -- No reader wanted events just before this number. A reader that has seen less has missed some.
    continuous_from bigint NOT NULL DEFAULT 0,
    -- Events are kept until then for readers that may come back; real time.
    wanted_until timestamptz NOT NULL,
    -- Each transaction that did not know that events are wanted has ended.
    settled boolean NOT NULL DEFAULT false,
    CONSTRAINT live_stream_pk PRIMARY KEY (client_id)
);

-- Events without a number, in the order of their writing.
CREATE TABLE live_event_new (
    client_id uuid NOT NULL,
    arrival bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    event json NOT NULL, -- {"v":1,"value":domain::live::LiveEvent}
    CONSTRAINT live_event_new_pk PRIMARY KEY (client_id, arrival)
);

CREATE TABLE live_event (
    client_id uuid NOT NULL,
    sequence bigint NOT NULL,
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    event json NOT NULL, -- as in live_event_new
    CONSTRAINT live_event_pk PRIMARY KEY (client_id, sequence, id)
) PARTITION BY RANGE (id);
CREATE TABLE live_event_default PARTITION OF live_event DEFAULT;
-- Retention.
CREATE INDEX live_event_default_by_age ON live_event_default (id);

-- Tickets for clients that cannot set a header, for example browsers: valid for one connection and half a minute.
CREATE TABLE live_ticket (
    client_id uuid NOT NULL,
    ticket_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    -- The key of the request for the ticket: the ticket is valid while the key is.
    key_hash bytea,
    expires_at timestamptz NOT NULL,
    CONSTRAINT live_ticket_pk PRIMARY KEY (client_id, ticket_hash),
    CONSTRAINT live_ticket_user_fk FOREIGN KEY (client_id, user_id) REFERENCES client_user (client_id, id) ON DELETE CASCADE
);
-- Expired tickets of a client.
CREATE INDEX live_ticket_by_end ON live_ticket (client_id, expires_at);
