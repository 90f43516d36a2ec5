-- Live events (ADR 0027): what happens in chats, numbered per client, for the sockets of agents. Rows are written only while somebody
-- reads or may come back. They say what happened to which chat and message, and quote neither.

CREATE TABLE live_stream (
    client_id uuid NOT NULL CONSTRAINT live_stream_client_fk REFERENCES client (id),
    -- The last number that was given out. Whoever gives out numbers holds this row.
    last_sequence bigint NOT NULL DEFAULT 0,
    -- Nobody wanted events just before this number: who has seen less has missed some.
    continuous_from bigint NOT NULL DEFAULT 0,
    -- Until then events are kept for who may come back; real time.
    wanted_until timestamptz NOT NULL,
    -- Every transaction that did not yet know that events are wanted has ended.
    settled boolean NOT NULL DEFAULT false,
    CONSTRAINT live_stream_pk PRIMARY KEY (client_id)
);

-- Events without a number, in the order in which they were written.
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
    event json NOT NULL,
    CONSTRAINT live_event_pk PRIMARY KEY (client_id, sequence, id)
) PARTITION BY RANGE (id);
CREATE TABLE live_event_default PARTITION OF live_event DEFAULT;
CREATE INDEX live_event_default_by_age ON live_event_default (id);

-- Tickets for who cannot set a header: good for one connection, and for half a minute.
CREATE TABLE live_ticket (
    client_id uuid NOT NULL,
    ticket_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT live_ticket_pk PRIMARY KEY (client_id, ticket_hash),
    CONSTRAINT live_ticket_user_fk FOREIGN KEY (client_id, user_id) REFERENCES client_user (client_id, id) ON DELETE CASCADE
);
CREATE INDEX live_ticket_by_end ON live_ticket (client_id, expires_at);
