-- Copies of webhooks for a developer who listens (`patchbay listen`).

-- Until then the endpoint takes deliveries without an address too, and their bodies are copied. A column of the endpoint,
-- because every event reads the endpoint anyway.
ALTER TABLE webhook_endpoint ADD COLUMN listened_until timestamptz;

CREATE TABLE webhook_listener (
    client_id uuid NOT NULL,
    -- Number of the last copy. A transaction that takes numbers keeps the row until it ends, so numbers are committed in
    -- their order and a reader misses none.
    last_number bigint NOT NULL DEFAULT 0,
    CONSTRAINT webhook_listener_pk PRIMARY KEY (client_id)
);

CREATE TABLE webhook_copy (
    client_id uuid NOT NULL,
    number bigint NOT NULL,
    endpoint_id uuid NOT NULL,
    -- The header webhook-id.
    delivery_id uuid NOT NULL,
    -- The bytes that are signed.
    body bytea NOT NULL,
    copied_at timestamptz NOT NULL,
    CONSTRAINT webhook_copy_pk PRIMARY KEY (client_id, number)
);
CREATE UNIQUE INDEX webhook_copy_once ON webhook_copy (client_id, delivery_id);
CREATE INDEX webhook_copy_by_age ON webhook_copy (copied_at);
