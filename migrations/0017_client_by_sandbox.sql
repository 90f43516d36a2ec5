-- no-transaction
-- The sandbox of a client. A client has one, because the row of the client is locked while its sandbox is made.
CREATE INDEX CONCURRENTLY client_by_sandbox ON client (sandbox_of) WHERE sandbox_of IS NOT NULL;
