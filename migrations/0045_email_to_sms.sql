-- E-mail to SMS (ADR 0034): who may send, the mail that a request came in, and mails on their way out.

-- Directory: finds the client of a mail by its sender. An address belongs to one client only.
CREATE TABLE email_sender (
    -- As it is compared: composed, in lower case.
    address text CONSTRAINT email_sender_pk PRIMARY KEY,
    client_id uuid NOT NULL,
    -- Whose password the mails must bear.
    user_id uuid NOT NULL,
    -- Error mails of one hour, so that two machines cannot write to each other for ever.
    errors_since timestamptz,
    errors integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    CONSTRAINT email_sender_user_fk FOREIGN KEY (client_id, user_id) REFERENCES client_user (client_id, id)
);
CREATE INDEX email_sender_by_user ON email_sender (client_id, user_id);

ALTER TABLE sms_request DROP CONSTRAINT sms_request_product_known;
ALTER TABLE sms_request ADD CONSTRAINT sms_request_product_known CHECK (product IN ('JSON', 'BATCH', 'EMAIL'));

-- Of a request that came by mail: who is to hear of it, and the mail that is answered.
CREATE TABLE email_request (
    client_id uuid NOT NULL,
    request_id uuid NOT NULL,
    sender text NOT NULL,
    message_id text,
    CONSTRAINT email_request_pk PRIMARY KEY (client_id, request_id)
);
CREATE INDEX email_request_by_age ON email_request (request_id);

-- Mails on their way to the relay. A lane is a client: mails of one wait for nobody else's.
CREATE TABLE email_out (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    lane_id uuid NOT NULL,
    -- What stands before the @ of the address that it comes from.
    mailbox text NOT NULL,
    recipient text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    in_reply_to text,
    attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    ready boolean NOT NULL DEFAULT true,
    CONSTRAINT email_out_pk PRIMARY KEY (client_id, id)
);
CREATE INDEX email_out_ready ON email_out (client_id, lane_id, due_at, id) WHERE ready;
CREATE INDEX email_out_waiting ON email_out (due_at) WHERE NOT ready;
