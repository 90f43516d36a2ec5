-- A message is written once: where it stands, and since when, is where its last leg stands. So a step writes one row and
-- not two, and nobody waits for the row of a message. Stop the nodes of the previous release first, as for 0015.

ALTER TABLE outbound_leg
    ADD COLUMN sent_at timestamptz,
    ADD COLUMN delivered_at timestamptz,
    ADD COLUMN read_at timestamptz,
    ADD COLUMN played_at timestamptz;
UPDATE outbound_leg leg
SET sent_at = message.sent_at, delivered_at = message.delivered_at, read_at = message.read_at, played_at = message.played_at
FROM outbound_message message
WHERE message.client_id = leg.client_id AND message.id = leg.message_id AND message.sent_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM outbound_leg later WHERE later.client_id = leg.client_id
                  AND later.message_id = leg.message_id AND later.ordinal > leg.ordinal);
ALTER TABLE outbound_message
    DROP COLUMN state,
    DROP COLUMN sent_at,
    DROP COLUMN delivered_at,
    DROP COLUMN read_at,
    DROP COLUMN played_at,
    DROP COLUMN error_code,
    DROP COLUMN error_text,
    -- A customer is found by the address.
    DROP COLUMN customer_id;

-- One index where there were two: steps and attempts are only ever read of one message and of one delivery.
ALTER TABLE delivery_receipt DROP CONSTRAINT delivery_receipt_pk;
DROP INDEX delivery_receipt_by_message;
ALTER TABLE delivery_receipt ADD CONSTRAINT delivery_receipt_pk PRIMARY KEY (client_id, message_id, id);
ALTER TABLE webhook_attempt DROP CONSTRAINT webhook_attempt_pk;
DROP INDEX webhook_attempt_by_delivery;
ALTER TABLE webhook_attempt ADD CONSTRAINT webhook_attempt_pk PRIMARY KEY (client_id, delivery_id, id);

-- Rows that are changed soon after they are made have room beside them for the change: no index is written for it then.
ALTER TABLE outbound_work SET (fillfactor = 50);
ALTER TABLE outbound_leg_default SET (fillfactor = 60);
