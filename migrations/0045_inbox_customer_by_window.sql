-- no-transaction
-- Customers of an inbox whose 24-hour window is open, for lists of inboxes. A row without a message of the customer has no window, and
-- its absence keeps the index from statements that look for one customer.
CREATE INDEX CONCURRENTLY inbox_customer_by_window ON inbox_customer (client_id, inbox_id, last_inbound_at)
WHERE last_inbound_at IS NOT NULL;
