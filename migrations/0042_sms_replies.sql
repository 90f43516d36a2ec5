-- Replies of subscribers to the SMS products, who stopped, and callbacks to the clients of the JSON gateway.

-- Directory: which message a subscriber answers who writes to one of our addresses. The latest send counts.
CREATE TABLE sms_correspondent (
    source text NOT NULL,
    subscriber text NOT NULL,
    client_id uuid NOT NULL,
    message_id uuid NOT NULL,
    CONSTRAINT sms_correspondent_pk PRIMARY KEY (source, subscriber)
);
CREATE INDEX sms_correspondent_by_age ON sms_correspondent (message_id);

-- Subscribers who stopped the messages of a client from a source.
CREATE TABLE sms_opt_out (
    client_id uuid NOT NULL CONSTRAINT sms_opt_out_client_fk REFERENCES client (id),
    source text NOT NULL,
    subscriber text NOT NULL,
    keyword text NOT NULL,
    at timestamptz NOT NULL,
    CONSTRAINT sms_opt_out_pk PRIMARY KEY (client_id, source, subscriber)
);
CREATE INDEX sms_opt_out_by_subscriber ON sms_opt_out (client_id, subscriber);

CREATE TABLE sms_reply (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    request_id uuid NOT NULL,
    -- The message that it answers.
    message_id uuid NOT NULL,
    subscriber text NOT NULL,
    source text NOT NULL,
    body text NOT NULL,
    received_at timestamptz NOT NULL,
    CONSTRAINT sms_reply_pk PRIMARY KEY (client_id, id)
);
CREATE INDEX sms_reply_by_request ON sms_reply (client_id, request_id, id);
CREATE INDEX sms_reply_by_age ON sms_reply (id);

-- Callbacks of the JSON gateway on their way. A lane is a receiver: one that does not answer holds nobody else up.
CREATE TABLE sms_callback (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    lane_id uuid NOT NULL,
    url text NOT NULL,
    posts boolean NOT NULL,
    -- What is told, as a form.
    form text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    ready boolean NOT NULL DEFAULT true,
    CONSTRAINT sms_callback_pk PRIMARY KEY (client_id, id)
);
CREATE INDEX sms_callback_ready ON sms_callback (client_id, lane_id, due_at, id) WHERE ready;
CREATE INDEX sms_callback_waiting ON sms_callback (due_at) WHERE NOT ready;
