-- Limits of outgoing HTTP that an activation sets for its plugin (ADR 0062). Null: the limit of the operator.
ALTER TABLE plugin_activation ADD COLUMN http_timeout_ms integer;
ALTER TABLE plugin_activation ADD COLUMN http_response_bytes bigint;
ALTER TABLE plugin_activation ADD COLUMN http_requests integer;
ALTER TABLE plugin_activation_history ADD COLUMN http_timeout_ms integer;
ALTER TABLE plugin_activation_history ADD COLUMN http_response_bytes bigint;
ALTER TABLE plugin_activation_history ADD COLUMN http_requests integer;

-- Templates that chatbots send later (ADR 0062). A queue; the lane is the row itself. A row is removed when its template has
-- been accepted or refused.
CREATE TABLE scheduled_template (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    lane_id uuid NOT NULL, -- the same as `id`
    participant_id uuid NOT NULL,
    plugin text NOT NULL,
    -- Given by the plugin. A later template of the same plugin, chat and name replaces this one.
    name text NOT NULL,
    -- As in a send request: `name`, `id` and `components`.
    template jsonb NOT NULL,
    due_at timestamptz NOT NULL,
    ready boolean NOT NULL DEFAULT false,
    CONSTRAINT scheduled_template_pk PRIMARY KEY (client_id, id)
);
CREATE INDEX scheduled_template_ready ON scheduled_template (client_id, lane_id) WHERE ready;
CREATE INDEX scheduled_template_waiting ON scheduled_template (due_at) WHERE NOT ready;
-- The templates of a chat.
CREATE INDEX scheduled_template_by_chat ON scheduled_template (client_id, participant_id);
