-- When a request is sent that was to wait: from then on receipts are expected.
ALTER TABLE sms_request ADD COLUMN due_at timestamptz;

-- When the texts of a request (`dsm`) are forgotten at the latest: not every message has a final receipt. `NULL` = they are
-- forgotten, or were never to be.
ALTER TABLE sms_request ADD COLUMN forget_at timestamptz;
CREATE INDEX sms_request_to_forget ON sms_request (forget_at) WHERE forget_at IS NOT NULL;
UPDATE sms_request SET forget_at = now() + interval '4 days' WHERE forgets;
