-- How fast and when a Lite number sends (SPEC 8 "Lite throughput"), and the choices that its customers were shown last: what is
-- a button elsewhere is a numbered line on Lite, and the answer to it is understood (ADR 0024).

ALTER TABLE whatsapp_lite_inbox
    ADD COLUMN batch_size int NOT NULL DEFAULT 10 CONSTRAINT whatsapp_lite_inbox_batch_size CHECK (batch_size BETWEEN 1 AND 1000),
    ADD COLUMN delay_ms int NOT NULL DEFAULT 1000 CONSTRAINT whatsapp_lite_inbox_delay CHECK (delay_ms BETWEEN 0 AND 3600000),
    ADD COLUMN daily_start time, -- by the clock on the client's wall; null with daily_end: all day
    ADD COLUMN daily_end time,
    ADD CONSTRAINT whatsapp_lite_inbox_day CHECK ((daily_start IS NULL) = (daily_end IS NULL));

CREATE TABLE lite_offer (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    provider_id text NOT NULL, -- of the message that shows the choices
    choices jsonb NOT NULL, -- {"v":1,"value":[{"label","payload","kind"}]}
    is_last boolean NOT NULL, -- nothing went out since: a number alone is an answer
    offered_at timestamptz NOT NULL,
    CONSTRAINT lite_offer_pk PRIMARY KEY (client_id, inbox_id, customer_id),
    CONSTRAINT lite_offer_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES whatsapp_lite_inbox (client_id, id) ON DELETE CASCADE,
    CONSTRAINT lite_offer_customer_fk FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id) ON DELETE CASCADE
);
