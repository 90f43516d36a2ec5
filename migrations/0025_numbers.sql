-- Numbers of WhatsApp Lite that clients register themselves: who runs their device, and what is charged for.
ALTER TABLE whatsapp_lite_inbox
    ADD COLUMN hosting_type text NOT NULL DEFAULT 'WHATSAPP_GO'
        CONSTRAINT whatsapp_lite_inbox_hosting_known CHECK (hosting_type IN ('WHATSAPP_GO')),
    ADD COLUMN billing_model text NOT NULL DEFAULT 'message'
        CONSTRAINT whatsapp_lite_inbox_billing_known CHECK (billing_model IN ('message'));

-- What the provider thinks of each Cloud number, as its node was last read, and when that is read again.
CREATE TABLE number_quality (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    -- In the provider's words; null = not said.
    quality_rating text,
    messaging_limit text,
    channel_status text,
    look_due_at timestamptz NOT NULL,
    -- How often the provider said that something is different, and up to which of those the client has been told. While it
    -- has not, the next look is told of whatever it shows; otherwise only what differs.
    asked integer NOT NULL DEFAULT 0,
    told integer NOT NULL DEFAULT 0,
    -- Looks that failed since the provider said so.
    failures smallint NOT NULL DEFAULT 0,
    -- It has been looked at: what is there can be compared with.
    known boolean NOT NULL DEFAULT false,
    CONSTRAINT number_quality_pk PRIMARY KEY (client_id, inbox_id),
    CONSTRAINT number_quality_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES whatsapp_cloud_inbox (client_id, id) ON DELETE CASCADE
);
CREATE INDEX number_quality_due ON number_quality (look_due_at);
INSERT INTO number_quality (client_id, inbox_id, look_due_at) SELECT client_id, id, now() FROM whatsapp_cloud_inbox;
