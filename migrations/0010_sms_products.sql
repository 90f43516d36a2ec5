-- The SMS gateways (ADR 0031, ADR 0034): their requests, messages, replies, callbacks and mails.

-- A request to a gateway. Its id is the `gstid` of the JSON gateway.
CREATE TABLE sms_request (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    product text NOT NULL CONSTRAINT sms_request_product_known CHECK (product IN ('JSON', 'BATCH', 'EMAIL')),
    receipt_url text,
    reply_url text,
    -- Replies are sent with POST, not with GET.
    posts_replies boolean NOT NULL DEFAULT false,
    -- `dsm`: the texts are deleted when all messages are final.
    forgets boolean NOT NULL DEFAULT false,
    -- Latest time of that, because some messages get no final receipt. Null: the texts are deleted, or stay.
    forget_at timestamptz,
    -- Of the batch gateway.
    batch_ref text,
    batch_id text,
    wants_receipts boolean NOT NULL DEFAULT false,
    wants_replies boolean NOT NULL DEFAULT false,
    -- Send time of a scheduled request: receipts are expected after it.
    due_at timestamptz,
    -- The answer to the request, for repetitions of it.
    response text,
    CONSTRAINT sms_request_pk PRIMARY KEY (client_id, id)
);
CREATE UNIQUE INDEX sms_request_batch_unique ON sms_request (client_id, batch_ref, batch_id) WHERE product = 'BATCH';
-- The texts to delete, for upkeep.
CREATE INDEX sms_request_to_forget ON sms_request (forget_at) WHERE forget_at IS NOT NULL;
-- Retention.
CREATE INDEX sms_request_by_age ON sms_request (id);

-- A message of a request. Its state follows the leg.
CREATE TABLE sms_message (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    request_id uuid NOT NULL,
    part_id uuid NOT NULL,
    recipient text NOT NULL,
    source text NOT NULL,
    ct_id text,
    identifier text,
    -- Of `sms_sent_once`: if no part left and the credits were refunded, the message may be sent again.
    digest bytea,
    -- Credits that were charged.
    units bigint NOT NULL,
    state text NOT NULL DEFAULT 'QUEUED',
    -- The final state by the SMSC.
    receipt text CONSTRAINT sms_message_receipt_known
        CHECK (receipt IN ('DELIVRD', 'UNDELIV', 'EXPIRED', 'REJECTD', 'UNKNOWN')),
    moved_at timestamptz NOT NULL,
    CONSTRAINT sms_message_pk PRIMARY KEY (client_id, id)
) WITH (fillfactor = 80);
-- Tracking queries: by request, by the client's own id, by recipient.
CREATE INDEX sms_message_by_request ON sms_message (client_id, request_id, id);
CREATE INDEX sms_message_by_ct_id ON sms_message (client_id, ct_id, id) WHERE ct_id IS NOT NULL;
CREATE INDEX sms_message_by_recipient ON sms_message (client_id, recipient, id);
-- Retention.
CREATE INDEX sms_message_by_age ON sms_message (id);

-- Messages that were sent under a tracking id, so that the same message is not sent again. The digest is a keyed hash
-- of id, recipient and text.
CREATE TABLE sms_sent_once (
    client_id uuid NOT NULL,
    digest bytea NOT NULL,
    request_id uuid NOT NULL,
    CONSTRAINT sms_sent_once_pk PRIMARY KEY (client_id, digest)
);
-- Retention.
CREATE INDEX sms_sent_once_by_age ON sms_sent_once (request_id);

-- The number of tracking queries about one thing, for their limit (SPEC 8).
CREATE TABLE sms_tracking_use (
    client_id uuid NOT NULL,
    tracked text NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    times integer NOT NULL,
    CONSTRAINT sms_tracking_use_pk PRIMARY KEY (client_id, tracked)
);
-- Retention.
CREATE INDEX sms_tracking_use_by_age ON sms_tracking_use (last_at);

-- Directory: finds the message that a subscriber answers. The latest message from a source to a subscriber counts.
CREATE TABLE sms_correspondent (
    source text NOT NULL,
    subscriber text NOT NULL,
    client_id uuid NOT NULL,
    message_id uuid NOT NULL,
    -- Time of the send, which may be long after the id of a scheduled message was made.
    at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT sms_correspondent_pk PRIMARY KEY (source, subscriber)
);
-- Retention.
CREATE INDEX sms_correspondent_by_age ON sms_correspondent (at);

-- Subscribers who stopped the messages of a client from a source.
CREATE TABLE sms_opt_out (
    client_id uuid NOT NULL CONSTRAINT sms_opt_out_client_fk REFERENCES client (id),
    source text NOT NULL,
    subscriber text NOT NULL,
    keyword text NOT NULL,
    at timestamptz NOT NULL,
    CONSTRAINT sms_opt_out_pk PRIMARY KEY (client_id, source, subscriber)
);
-- The opt-outs of a subscriber from all sources.
CREATE INDEX sms_opt_out_by_subscriber ON sms_opt_out (client_id, subscriber);

CREATE TABLE sms_reply (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    -- The request and the message that it answers.
    request_id uuid NOT NULL,
    message_id uuid NOT NULL,
    subscriber text NOT NULL,
    source text NOT NULL,
    body text NOT NULL,
    received_at timestamptz NOT NULL,
    CONSTRAINT sms_reply_pk PRIMARY KEY (client_id, id)
);
-- The replies to a request.
CREATE INDEX sms_reply_by_request ON sms_reply (client_id, request_id, id);
-- Retention.
CREATE INDEX sms_reply_by_age ON sms_reply (id);

-- Callbacks of the JSON gateway to its clients. A queue; the lane is a receiver, so that a slow receiver delays no
-- other.
CREATE TABLE sms_callback (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    lane_id uuid NOT NULL,
    url text NOT NULL,
    -- With POST, not with GET.
    posts boolean NOT NULL,
    -- The values, in the encoding of a form.
    form text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    ready boolean NOT NULL DEFAULT true,
    CONSTRAINT sms_callback_pk PRIMARY KEY (client_id, id)
);
CREATE INDEX sms_callback_ready ON sms_callback (client_id, lane_id, due_at, id) WHERE ready;
CREATE INDEX sms_callback_waiting ON sms_callback (due_at) WHERE NOT ready;

-- Directory: finds the client of a mail by its sender. An address belongs to one client only.
CREATE TABLE email_sender (
    -- In the form that is compared: composed, lower case.
    address text CONSTRAINT email_sender_pk PRIMARY KEY,
    client_id uuid NOT NULL,
    -- Its mails must contain the password of this user.
    user_id uuid NOT NULL,
    -- Error mails of the current hour. Their limit ends a loop of two machines that answer each other.
    errors_since timestamptz,
    errors integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    CONSTRAINT email_sender_user_fk FOREIGN KEY (client_id, user_id) REFERENCES client_user (client_id, id)
);
-- The addresses of a client.
CREATE INDEX email_sender_by_user ON email_sender (client_id, user_id);

-- The mail of a request: the sender who gets its receipts and replies, and the id of the mail that they answer.
CREATE TABLE email_request (
    client_id uuid NOT NULL,
    request_id uuid NOT NULL,
    sender text NOT NULL,
    message_id text,
    CONSTRAINT email_request_pk PRIMARY KEY (client_id, request_id)
);
-- Retention.
CREATE INDEX email_request_by_age ON email_request (request_id);

-- Mails to the relay. A queue; the lane is the client, so that its mails wait for no other client.
CREATE TABLE email_out (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    lane_id uuid NOT NULL,
    -- The part before the @ of the sender's address.
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
