-- The faults of inboxes at their providers, for lists and `patchbay status`. The process that holds the lane of an inbox
-- writes them with the outcomes of its calls. A message that the provider takes deletes the row, and so does a new token.
CREATE TABLE inbox_fault (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    -- The provider's code of the last refusal of the token or account. Null: none.
    refused_code text,
    refused_at timestamptz,
    -- The process that was refused.
    refused_node_id uuid,
    -- The last call that failed for a reason that delays all messages: for the client, without addresses. Null: none.
    failed_reason text,
    failed_at timestamptz,
    -- Null: no attempt is planned.
    next_attempt_at timestamptz,
    CONSTRAINT inbox_fault_pk PRIMARY KEY (client_id, inbox_id),
    CONSTRAINT inbox_fault_refusal CHECK ((refused_code IS NULL) = (refused_at IS NULL)
        AND (refused_code IS NULL) = (refused_node_id IS NULL)),
    CONSTRAINT inbox_fault_call CHECK ((failed_reason IS NULL) = (failed_at IS NULL)),
    CONSTRAINT inbox_fault_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id) ON DELETE CASCADE
);
