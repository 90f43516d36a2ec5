-- Webhooks: configurations, their endpoints (one per URL), deliveries (one per event and endpoint) and attempts.

CREATE TABLE webhook_config (
    client_id uuid NOT NULL CONSTRAINT webhook_config_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    -- Null = the client's default; set = override of one number.
    number_id uuid,
    chatbot_include_outgoing boolean NOT NULL DEFAULT false,
    chatbot_stop_on_agent_assignment boolean NOT NULL DEFAULT false,
    chatbot_payload_version text NOT NULL DEFAULT 'v1' CONSTRAINT webhook_config_version_known CHECK (chatbot_payload_version IN ('v1', 'v2')),
    secret_sealed bytea NOT NULL,
    -- Signs too until it expires.
    previous_secret_sealed bytea,
    previous_secret_expires_at timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT webhook_config_pk PRIMARY KEY (client_id, id),
    CONSTRAINT webhook_config_number_fk FOREIGN KEY (client_id, number_id) REFERENCES whatsapp_number (client_id, id)
);
CREATE UNIQUE INDEX webhook_config_default_unique ON webhook_config (client_id) WHERE number_id IS NULL;
CREATE UNIQUE INDEX webhook_config_number_unique ON webhook_config (client_id, number_id) WHERE number_id IS NOT NULL;

CREATE TABLE webhook_endpoint (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    config_id uuid NOT NULL,
    webhook_type text NOT NULL CONSTRAINT webhook_endpoint_type_known CHECK (webhook_type IN ('INCOMING_MESSAGE', 'STATUS_UPDATE', 'SESSION_STATUS', 'PARTNER_EVENT', 'CHATBOT')),
    -- Empty = this type is off.
    url text NOT NULL,
    -- First failure since the last success; null while healthy.
    failing_since timestamptz,
    -- Answered 410, or failed for days: nothing more is sent until the URL is saved again.
    disabled_at timestamptz,
    CONSTRAINT webhook_endpoint_pk PRIMARY KEY (client_id, id),
    CONSTRAINT webhook_endpoint_type_unique UNIQUE (client_id, config_id, webhook_type),
    CONSTRAINT webhook_endpoint_config_fk FOREIGN KEY (client_id, config_id) REFERENCES webhook_config (client_id, id) ON DELETE CASCADE
);

CREATE TABLE webhook_delivery (
    client_id uuid NOT NULL,
    -- Also the webhook-id header: the same on every attempt.
    id uuid NOT NULL,
    -- The endpoint.
    lane_id uuid NOT NULL,
    -- The business number that the event is about: its shaper is the one that counts.
    number_id uuid NOT NULL,
    -- First attempts of the same key go out in order, one at a time.
    order_key bigint NOT NULL,
    -- What happened; null once there is a body. Text, so that the characters of a customer pass as they are.
    event json,
    -- What the shaper made of the event: stored before the first attempt, signed and sent as it is.
    body bytea,
    -- DROPPED: the shaper or the configuration said no. EXHAUSTED: every attempt failed, or the endpoint is disabled.
    state text NOT NULL DEFAULT 'PENDING' CONSTRAINT webhook_delivery_state_known CHECK (state IN ('PENDING', 'DELIVERED', 'DROPPED', 'EXHAUSTED')),
    attempts smallint NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL,
    CONSTRAINT webhook_delivery_pk PRIMARY KEY (client_id, id),
    CONSTRAINT webhook_delivery_content_present CHECK (event IS NOT NULL OR body IS NOT NULL OR state <> 'PENDING')
) PARTITION BY RANGE (id);
CREATE TABLE webhook_delivery_default PARTITION OF webhook_delivery DEFAULT;
-- By due time: however many deliveries wait for a retry, what is due now is found at once.
CREATE INDEX webhook_delivery_by_lane ON webhook_delivery (client_id, lane_id, due_at, id) WHERE state = 'PENDING';

CREATE TABLE webhook_attempt (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    attempt smallint NOT NULL,
    -- Null when no answer came.
    status_code smallint,
    error text,
    response_start text,
    duration_millis integer NOT NULL,
    attempted_at timestamptz NOT NULL,
    CONSTRAINT webhook_attempt_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE webhook_attempt_default PARTITION OF webhook_attempt DEFAULT;
CREATE INDEX webhook_attempt_by_delivery ON webhook_attempt (client_id, delivery_id);
