-- no-transaction
-- Finds the other names under which a receipt waits, when one of them is joined.
CREATE INDEX CONCURRENTLY parked_receipt_by_id ON parked_receipt (id);
