-- Webhooks: configurations, their endpoints (one per URL), deliveries (one per event and endpoint), attempts, and
-- copies.

CREATE TABLE webhook_config (
    client_id uuid NOT NULL CONSTRAINT webhook_config_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    -- Null: the default of the client; otherwise the override for this inbox.
    inbox_id uuid,
    chatbot_include_outgoing boolean NOT NULL DEFAULT false,
    chatbot_stop_on_agent_assignment boolean NOT NULL DEFAULT false,
    chatbot_payload_version text NOT NULL DEFAULT 'v1'
        CONSTRAINT webhook_config_version_known CHECK (chatbot_payload_version IN ('v1', 'v2')),
    secret_sealed bytea NOT NULL,
    -- Replaced secrets also sign until they expire: the previous one, and those before it, the newest first.
    previous_secret_sealed bytea,
    previous_secret_expires_at timestamptz,
    older_secrets_sealed bytea[] NOT NULL DEFAULT '{}',
    older_secrets_expire_at timestamptz[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    CONSTRAINT webhook_config_pk PRIMARY KEY (client_id, id),
    CONSTRAINT webhook_config_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id)
);
CREATE UNIQUE INDEX webhook_config_default_unique ON webhook_config (client_id) WHERE inbox_id IS NULL;
CREATE UNIQUE INDEX webhook_config_inbox_unique ON webhook_config (client_id, inbox_id) WHERE inbox_id IS NOT NULL;

CREATE TABLE webhook_endpoint (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    config_id uuid NOT NULL,
    webhook_type text NOT NULL CONSTRAINT webhook_endpoint_type_known CHECK (webhook_type IN
        ('INCOMING_MESSAGE', 'STATUS_UPDATE', 'SESSION_STATUS', 'PARTNER_EVENT', 'CHATBOT')),
    -- Empty: this type is off.
    url text NOT NULL,
    -- First failure since the last success; null: healthy.
    failing_since timestamptz,
    -- Answered 410 (GONE), or failed for days (FAILING): nothing is sent until the URL is saved again.
    disabled_at timestamptz,
    disabled_reason text CONSTRAINT webhook_endpoint_reason_known CHECK (disabled_reason IN ('GONE', 'FAILING')),
    -- Until then a developer listens (`patchbay listen`): the endpoint takes deliveries without a URL too, and their
    -- bodies are copied. A column of the endpoint, because each event reads the endpoint anyway.
    listened_until timestamptz,
    CONSTRAINT webhook_endpoint_pk PRIMARY KEY (client_id, id),
    CONSTRAINT webhook_endpoint_type_unique UNIQUE (client_id, config_id, webhook_type),
    CONSTRAINT webhook_endpoint_config_fk
        FOREIGN KEY (client_id, config_id) REFERENCES webhook_config (client_id, id) ON DELETE CASCADE
);

-- A queue; the lane is the endpoint.
CREATE TABLE webhook_delivery (
    client_id uuid NOT NULL,
    -- Also the webhook-id header, the same on each attempt.
    id uuid NOT NULL,
    lane_id uuid NOT NULL,
    -- The inbox of the event: its shaper makes the body.
    inbox_id uuid NOT NULL,
    -- First attempts with the same key are sent in order, one at a time.
    order_key bigint NOT NULL,
    -- JSON; null if there is a body. As text: PostgreSQL never reads it, and as json it would parse each event once
    -- more. jsonb would refuse some characters of customers.
    event text,
    -- The shaper's output for the event: stored before the first attempt, signed and sent without a change.
    body bytea,
    -- The client's own shaper that made the body or dropped the event; null: a built-in one.
    shaper text,
    shaper_version integer,
    shaper_sha256 text,
    -- DROPPED: the shaper or the configuration refused the event. EXHAUSTED: each attempt failed, or the endpoint is
    -- disabled.
    state text NOT NULL DEFAULT 'PENDING' CONSTRAINT webhook_delivery_state_known
        CHECK (state IN ('PENDING', 'DELIVERED', 'DROPPED', 'EXHAUSTED')),
    attempts smallint NOT NULL DEFAULT 0,
    -- Attempts before the delivery was sent again by request: the schedule of retries begins after them.
    schedule_from smallint NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL,
    ready boolean NOT NULL DEFAULT true,
    CONSTRAINT webhook_delivery_pk PRIMARY KEY (client_id, id),
    CONSTRAINT webhook_delivery_content_present CHECK (event IS NOT NULL OR body IS NOT NULL OR state <> 'PENDING'),
    CONSTRAINT webhook_delivery_shaper_named
        CHECK (shaper IS NOT NULL OR (shaper_version IS NULL AND shaper_sha256 IS NULL))
) PARTITION BY RANGE (id);
CREATE TABLE webhook_delivery_default PARTITION OF webhook_delivery DEFAULT;
-- By due time, so that due deliveries are found at once among any number of waiting ones.
CREATE INDEX webhook_delivery_ready ON webhook_delivery (client_id, lane_id, due_at, id) WHERE state = 'PENDING' AND ready;
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (due_at) WHERE state = 'PENDING' AND NOT ready;
-- Failed deliveries, to be listed and sent again.
CREATE INDEX webhook_delivery_failed ON webhook_delivery (client_id, lane_id, id) WHERE state = 'EXHAUSTED';
-- Retention.
CREATE INDEX webhook_delivery_default_by_age ON webhook_delivery_default (id);

-- Attempts are read by delivery and by endpoint.
CREATE TABLE webhook_attempt (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    endpoint_id uuid,
    attempt smallint NOT NULL,
    -- Null: no answer came.
    status_code smallint,
    error text,
    response_start text,
    duration_millis integer NOT NULL,
    attempted_at timestamptz NOT NULL,
    CONSTRAINT webhook_attempt_pk PRIMARY KEY (client_id, delivery_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE webhook_attempt_default PARTITION OF webhook_attempt DEFAULT;
-- The attempts of an endpoint. Partial, so that PostgreSQL does not use it for the attempts of a delivery, which would
-- read all attempts of the client.
CREATE INDEX webhook_attempt_by_endpoint ON webhook_attempt (client_id, endpoint_id, id) WHERE endpoint_id IS NOT NULL;
-- Retention.
CREATE INDEX webhook_attempt_default_by_age ON webhook_attempt_default (id);

-- The number of the last copy of each client. A transaction that takes numbers locks the row until it ends, so numbers
-- are committed in their order and a reader misses none.
CREATE TABLE webhook_listener (
    client_id uuid NOT NULL,
    last_number bigint NOT NULL DEFAULT 0,
    CONSTRAINT webhook_listener_pk PRIMARY KEY (client_id)
);

-- Copies of webhooks for a developer who listens.
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
-- Retention.
CREATE INDEX webhook_copy_by_age ON webhook_copy (copied_at);
