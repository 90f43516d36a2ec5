-- The advertisement or link by which a customer of a page came, until the customer writes: Messenger tells of it by itself.

CREATE TABLE waiting_referral (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    address text NOT NULL, -- of the customer: a PSID
    referral jsonb NOT NULL, -- {"v":1,"value":domain::referral::Referral}
    came_at timestamptz NOT NULL,
    CONSTRAINT waiting_referral_pk PRIMARY KEY (client_id, inbox_id, address),
    CONSTRAINT waiting_referral_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id) ON DELETE CASCADE
);
CREATE INDEX waiting_referral_by_age ON waiting_referral (came_at);

-- Numbered choices of messages whose call has begun and whose answer is not known yet: a customer may answer before the provider
-- does, and the provider's answer may never come. What is settled is in `lite_offer`.

CREATE TABLE offer_in_flight (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    message_id uuid NOT NULL, -- of outbound_message: it shows the choices
    choices jsonb NOT NULL, -- as in lite_offer
    is_last boolean NOT NULL, -- no other call to the customer began since
    offered_at timestamptz NOT NULL,
    CONSTRAINT offer_in_flight_pk PRIMARY KEY (client_id, inbox_id, customer_id),
    CONSTRAINT offer_in_flight_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id) ON DELETE CASCADE,
    CONSTRAINT offer_in_flight_customer_fk FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id) ON DELETE CASCADE
);
CREATE INDEX offer_in_flight_by_message ON offer_in_flight (client_id, message_id);
