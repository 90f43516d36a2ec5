-- Tickets: an episode of a chat that an agent worked on.

-- The last number of each client. Whoever opens a ticket holds the row until its transaction ends.
CREATE TABLE ticket_counter (
    client_id uuid NOT NULL CONSTRAINT ticket_counter_client_fk REFERENCES client (id),
    last_number bigint NOT NULL,
    CONSTRAINT ticket_counter_pk PRIMARY KEY (client_id)
);

CREATE TABLE ticket (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    -- Counts up per client.
    number bigint NOT NULL,
    participant_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    status text NOT NULL CONSTRAINT ticket_status_known
        CHECK (status IN ('OPEN', 'AWAITING_AGENT', 'AWAITING_CUSTOMER', 'RESOLVED', 'CLOSED')),
    -- Who works on it.
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
-- The order of the search, with what else it asks for most: few tickets are rated or of one agent.
CREATE INDEX ticket_by_age ON ticket (client_id, created_at DESC, id DESC);
CREATE INDEX ticket_of_agent ON ticket (client_id, agent_id, created_at DESC, id DESC);
CREATE INDEX ticket_of_status ON ticket (client_id, status, created_at DESC, id DESC);
CREATE INDEX ticket_of_rating ON ticket (client_id, rating, created_at DESC, id DESC) WHERE rating IS NOT NULL;
CREATE INDEX ticket_of_participant ON ticket (client_id, participant_id, number);

ALTER TABLE participant
    -- The ticket of the episode; stays when the chat closes, until it opens again.
    ADD COLUMN ticket_id uuid,
    ADD CONSTRAINT participant_ticket_fk FOREIGN KEY (client_id, ticket_id) REFERENCES ticket (client_id, id);
