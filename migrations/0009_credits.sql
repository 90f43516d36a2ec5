-- SMS credits: a balance per client, and a row for each change of it (ADR 0031). The balance is the sum of the rows.

CREATE TABLE credit_account (
    client_id uuid CONSTRAINT credit_account_pk PRIMARY KEY CONSTRAINT credit_account_client_fk REFERENCES client (id),
    balance bigint NOT NULL CONSTRAINT credit_balance_not_negative CHECK (balance >= 0)
);

CREATE TABLE credit_entry (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    reason text NOT NULL CONSTRAINT credit_entry_reason_known CHECK (reason IN ('TOP_UP', 'SEND', 'FALLBACK', 'REFUND')),
    -- The change of the balance.
    amount bigint NOT NULL,
    -- The full price: larger than the amount if the balance did not cover a metered fallback.
    units bigint NOT NULL,
    -- The request that was charged, or the message that was metered or refunded.
    subject_id uuid,
    at timestamptz NOT NULL,
    CONSTRAINT credit_entry_pk PRIMARY KEY (client_id, id)
);
-- A message is refunded once and metered once, for any number of attempts.
CREATE UNIQUE INDEX credit_entry_once ON credit_entry (client_id, subject_id, reason) WHERE reason IN ('REFUND', 'FALLBACK');

-- Credits per segment by the start of a number. The longest prefix counts; without one the price is 1.
CREATE TABLE sms_price (
    client_id uuid NOT NULL CONSTRAINT sms_price_client_fk REFERENCES client (id),
    prefix text NOT NULL,
    credits integer NOT NULL CONSTRAINT sms_price_positive CHECK (credits > 0),
    CONSTRAINT sms_price_pk PRIMARY KEY (client_id, prefix)
);
