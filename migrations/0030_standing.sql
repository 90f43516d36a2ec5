-- Whom a client may not write to, and how many it may: its own blocklist, customers who want no more marketing, and the
-- messaging tiers of its Cloud numbers (SPEC 6.4, part 8).

CREATE TABLE blocked_recipient (
    client_id uuid NOT NULL CONSTRAINT blocked_recipient_client_fk REFERENCES client (id),
    kind text NOT NULL CONSTRAINT blocked_recipient_kind_known CHECK (kind IN ('PHONE', 'BSUID')),
    value text NOT NULL,
    reason text,
    created_at timestamptz NOT NULL,
    CONSTRAINT blocked_recipient_pk PRIMARY KEY (client_id, kind, value)
);

-- Customers who said stop, by whatever address; `resume` removes the row.
CREATE TABLE marketing_stop (
    client_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    stopped_at timestamptz NOT NULL,
    CONSTRAINT marketing_stop_pk PRIMARY KEY (client_id, customer_id),
    CONSTRAINT marketing_stop_customer_fk FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id)
);

-- How many customers a number may begin to write to within 24 hours, in the provider's word for it. Numbers of which the
-- provider has said nothing have no row, and no limit of ours.
CREATE TABLE messaging_tier (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    tier text NOT NULL,
    told_at timestamptz NOT NULL,
    CONSTRAINT messaging_tier_pk PRIMARY KEY (client_id, inbox_id),
    CONSTRAINT messaging_tier_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id) ON DELETE CASCADE
);

-- Of limited numbers: the quarter of an hour in which a recipient was counted last, and how many were counted in each.
-- Counts are spread over a few rows, so that two groups of sends do not wait for each other.
CREATE TABLE tier_recipient (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    recipient text NOT NULL,
    counted_at timestamptz NOT NULL,
    CONSTRAINT tier_recipient_pk PRIMARY KEY (client_id, inbox_id, recipient)
);
CREATE INDEX tier_recipient_by_age ON tier_recipient (counted_at);
CREATE TABLE tier_count (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    counted_at timestamptz NOT NULL,
    shard smallint NOT NULL,
    recipients integer NOT NULL,
    CONSTRAINT tier_count_pk PRIMARY KEY (client_id, inbox_id, counted_at, shard)
);
CREATE INDEX tier_count_by_age ON tier_count (counted_at);
