-- Requests that chatbots started with `http.start` and that have not ended (ADR 0062). A queue; the lane is the request
-- itself, so that requests do not wait for each other. A row is removed when its answer is an event of the chat.
CREATE TABLE plugin_request (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    lane_id uuid NOT NULL, -- the same as `id`
    participant_id uuid NOT NULL,
    plugin text NOT NULL,
    -- The id that the plugin got, and the idempotency key of the request.
    job text NOT NULL,
    -- Of the chat when the request was started. The answer is dropped if it has changed.
    control_version bigint NOT NULL,
    -- Sealed under the master key, because headers have secrets: JSON of chat::started_requests::StoredRequest.
    request_sealed bytea NOT NULL,
    -- No answer is awaited after that time.
    deadline_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    ready boolean NOT NULL DEFAULT true,
    CONSTRAINT plugin_request_pk PRIMARY KEY (client_id, id)
);
CREATE INDEX plugin_request_ready ON plugin_request (client_id, lane_id) WHERE ready;
CREATE INDEX plugin_request_waiting ON plugin_request (due_at) WHERE NOT ready;
-- Open requests of a chat.
CREATE INDEX plugin_request_by_chat ON plugin_request (client_id, participant_id);
