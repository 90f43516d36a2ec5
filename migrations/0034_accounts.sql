-- Accounts: users name their team by id alone; what a client decides about its fallbacks and about privacy; its address book.

-- Users that were created since the teams were made.
INSERT INTO team (client_id, id, name, created_at)
SELECT client_id, gen_random_uuid(), min(btrim(team)), min(created_at) FROM client_user
WHERE btrim(team) <> '' AND team_id IS NULL
GROUP BY client_id, lower(btrim(team))
ON CONFLICT (client_id, lower(name)) DO NOTHING;
UPDATE client_user member SET team_id = team.id FROM team
WHERE member.team_id IS NULL AND team.client_id = member.client_id AND lower(team.name) = lower(btrim(member.team));
ALTER TABLE client_user DROP COLUMN team;

-- Lists of users, by name.
CREATE INDEX client_user_by_name ON client_user (client_id, lower(name), id) WHERE deleted_at IS NULL;

ALTER TABLE client
    -- Phone numbers and names of customers are masked for roles that need not see them.
    ADD COLUMN popia_compliant boolean NOT NULL DEFAULT false,
    -- False: what a send asks for in `fallback` is not done.
    ADD COLUMN sms_fallback_enabled boolean NOT NULL DEFAULT true,
    ADD COLUMN sms_username text,
    -- Sealed; never shown.
    ADD COLUMN sms_password_sealed bytea;
CREATE INDEX client_by_parent ON client (parent_id, client_ref);

-- The address book: at most one entry for each customer, however many addresses it has.
CREATE TABLE contact (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    customer_id uuid NOT NULL,
    full_name text NOT NULL,
    -- The name as it is compared: small letters in every script, composed forms, single spaces.
    folded_name text NOT NULL,
    -- Hashes of the parts of name and number, each made with the client's id: a search names those of what it looks for.
    -- They are made in the program, so that neither an extension nor the locale of the database decides what is found.
    parts bigint[] NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT contact_pk PRIMARY KEY (client_id, id),
    CONSTRAINT contact_customer_unique UNIQUE (client_id, customer_id),
    CONSTRAINT contact_customer_fk FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id)
);
CREATE INDEX contact_by_name ON contact (client_id, folded_name, id);
CREATE INDEX contact_by_parts ON contact USING gin (parts);
