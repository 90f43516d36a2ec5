-- Contacts that users merged by hand (ADR 0067). The merged contact keeps its row, its customer and its notes. Lists show
-- the kept one in its place. The end of a merge deletes the row.
CREATE TABLE contact_merge (
    client_id uuid NOT NULL,
    -- The merged contact.
    contact_id uuid NOT NULL,
    -- The contact that is shown in its place. It is merged into no other one.
    kept_id uuid NOT NULL,
    -- Grows with time: the newest merge of a contact is undone first.
    id uuid NOT NULL,
    -- Of the merged contact.
    customer_id uuid NOT NULL,
    -- Tags that the kept contact got with the merge. An undo takes them away.
    tags_added text[] NOT NULL,
    -- Contacts that were merged into the merged one before. An undo gives them back.
    followers uuid[] NOT NULL DEFAULT '{}',
    merged_by uuid NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT contact_merge_pk PRIMARY KEY (client_id, contact_id),
    CONSTRAINT contact_merge_contact_fk
        FOREIGN KEY (client_id, contact_id) REFERENCES contact (client_id, id) ON DELETE CASCADE,
    CONSTRAINT contact_merge_kept_fk
        FOREIGN KEY (client_id, kept_id) REFERENCES contact (client_id, id) ON DELETE CASCADE
);
-- The merges of a contact, newest first.
CREATE INDEX contact_merge_by_kept ON contact_merge (client_id, kept_id, id DESC);
