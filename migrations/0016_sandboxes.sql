-- Test keys (ADR 0058). The first test key of a client makes its sandbox: a client of its own, so that no message, count,
-- charge or setting of the sandbox is one of the client.

ALTER TABLE client
    -- The client whose test keys open this sandbox. Null: a client with real messages.
    ADD COLUMN sandbox_of uuid CONSTRAINT client_sandbox_fk REFERENCES client (id),
    -- A sandbox has no parent, so its messages are in no list of another client.
    ADD CONSTRAINT client_sandbox_alone CHECK (sandbox_of IS NULL OR parent_id IS NULL) NOT VALID;
