-- Customers, their addresses, and the facts that sends need about them.

-- A customer keeps its row for ever; its phone number, BSUID and other ids are addresses.
CREATE TABLE customer (
    client_id uuid NOT NULL CONSTRAINT customer_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    full_name text,
    username text,
    -- The user id that the BSUID of the customer belongs to (SPEC 2.6 `parentUserId`). Only shown: it is no address.
    -- Null: the provider named none.
    parent_user_id text,
    -- An event showed that two customers are one person. Old ids keep resolving.
    merged_into uuid,
    created_at timestamptz NOT NULL,
    CONSTRAINT customer_pk PRIMARY KEY (client_id, id)
);
-- The customers that were merged into one that is merged again.
CREATE INDEX customer_merged ON customer (client_id, merged_into) WHERE merged_into IS NOT NULL;

-- Mobile numbers of Brazil, Argentina and Mexico have two spellings (`domain::numbering`). Both are addresses of one
-- customer, and the unused one has the oldest `seen_at`.
CREATE TABLE customer_address (
    client_id uuid NOT NULL,
    -- LID: WhatsApp's own id of a customer of a Lite number.
    kind text NOT NULL CONSTRAINT customer_address_kind_known
        CHECK (kind IN ('PHONE', 'BSUID', 'PSID', 'TELEGRAM', 'VISITOR', 'EMAIL', 'LID')),
    value text NOT NULL,
    customer_id uuid NOT NULL,
    -- The newest address of a kind is shown and written to.
    seen_at timestamptz NOT NULL,
    CONSTRAINT customer_address_pk PRIMARY KEY (client_id, kind, value),
    CONSTRAINT customer_address_customer_fk FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id)
);
-- The addresses of a customer, the newest of each kind first.
CREATE INDEX customer_address_by_customer ON customer_address (client_id, customer_id, kind, seen_at DESC);

-- Facts about a customer and an inbox that must be known before a chat exists.
CREATE TABLE inbox_customer (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    -- Opens the 24-hour window (SPEC 4.1).
    last_inbound_at timestamptz,
    last_outbound_at timestamptz,
    -- A delivery, a read receipt or a message showed that the customer uses the channel of the inbox (PROVIDERS A.12).
    reached boolean NOT NULL DEFAULT false,
    -- Set while the last outbound message was a template (SPEC 6.5 templateId, templateName).
    last_template_id text,
    last_template_name text,
    CONSTRAINT inbox_customer_pk PRIMARY KEY (client_id, inbox_id, customer_id),
    CONSTRAINT inbox_customer_customer_fk FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id)
);

-- The address book: at most one entry per customer, for any number of addresses.
CREATE TABLE contact (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    customer_id uuid NOT NULL,
    full_name text NOT NULL,
    -- The name in the form that is compared (`domain::search::fold`).
    folded_name text NOT NULL,
    -- Hashes of the parts of name and number (`domain::search::parts`), made with the id of the client. A search names
    -- the hashes of its own parts. The program makes them, so results do not depend on an extension or the locale of
    -- the database.
    parts bigint[] NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT contact_pk PRIMARY KEY (client_id, id),
    CONSTRAINT contact_customer_unique UNIQUE (client_id, customer_id),
    CONSTRAINT contact_customer_fk FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id)
);
-- The address book in its order.
CREATE INDEX contact_by_name ON contact (client_id, folded_name, id);
-- The same for masked roles, which see the first letter of a name only.
CREATE INDEX contact_by_initial ON contact (client_id, translate(left(folded_name, 1), '0123456789', ''), id);
-- The search of the address book.
CREATE INDEX contact_by_parts ON contact USING gin (parts);

-- The blocklist of a client (SPEC part 8).
CREATE TABLE blocked_recipient (
    client_id uuid NOT NULL CONSTRAINT blocked_recipient_client_fk REFERENCES client (id),
    kind text NOT NULL CONSTRAINT blocked_recipient_kind_known CHECK (kind IN ('PHONE', 'BSUID')),
    value text NOT NULL,
    reason text,
    created_at timestamptz NOT NULL,
    CONSTRAINT blocked_recipient_pk PRIMARY KEY (client_id, kind, value)
);

-- Customers who stopped marketing messages, on all their addresses. `resume` removes the row.
CREATE TABLE marketing_stop (
    client_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    stopped_at timestamptz NOT NULL,
    CONSTRAINT marketing_stop_pk PRIMARY KEY (client_id, customer_id),
    CONSTRAINT marketing_stop_customer_fk FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id)
);

-- The choices that a customer was shown last (ADR 0024). Lite shows a button as a numbered line, and the answer is a
-- number or a label. In Messenger a tap on a quick reply does not name its message.
CREATE TABLE lite_offer (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    -- Of the message that shows the choices.
    provider_id text NOT NULL,
    choices jsonb NOT NULL, -- {"v":1,"value":[{"label","payload","kind"}]}
    -- No message went out since, so a number alone is an answer.
    is_last boolean NOT NULL,
    offered_at timestamptz NOT NULL,
    CONSTRAINT lite_offer_pk PRIMARY KEY (client_id, inbox_id, customer_id),
    CONSTRAINT lite_offer_inbox_fk
        FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id) ON DELETE CASCADE,
    CONSTRAINT lite_offer_customer_fk
        FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id) ON DELETE CASCADE
);

-- The same for a message in flight: its call has begun and has no known outcome. A customer may answer before the
-- provider does, and the provider's answer may never come. `lite_offer` has the settled ones.
CREATE TABLE offer_in_flight (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    -- Of `outbound_message`.
    message_id uuid NOT NULL,
    choices jsonb NOT NULL, -- as in lite_offer
    -- No other call to the customer began since.
    is_last boolean NOT NULL,
    offered_at timestamptz NOT NULL,
    CONSTRAINT offer_in_flight_pk PRIMARY KEY (client_id, inbox_id, customer_id),
    CONSTRAINT offer_in_flight_inbox_fk
        FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id) ON DELETE CASCADE,
    CONSTRAINT offer_in_flight_customer_fk
        FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id) ON DELETE CASCADE
);
-- The offer of a message that is settled.
CREATE INDEX offer_in_flight_by_message ON offer_in_flight (client_id, message_id);
