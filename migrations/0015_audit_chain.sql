-- The audit trail of a client is a chain: each entry has the next number and a SHA-256 over the hash before it and its own
-- content. A removed or changed entry breaks the chain.

-- The end of each client's chain. A transaction that adds an entry locks this row, so the chain has no branches.
CREATE TABLE audit_chain (
    client_id uuid NOT NULL,
    last_number bigint NOT NULL,
    last_hash bytea NOT NULL,
    CONSTRAINT audit_chain_pk PRIMARY KEY (client_id)
);

-- NULL until the transaction of the entry commits.
ALTER TABLE audit
    ADD COLUMN number bigint,
    -- SHA-256 of the salt and the object_id. The chain contains it in place of the object_id, which may name a person.
    ADD COLUMN object_digest bytea,
    -- Deleted when the object_id is erased, so that the digest does not reveal it.
    ADD COLUMN object_salt uuid,
    ADD COLUMN hash bytea;
CREATE UNIQUE INDEX audit_by_number ON audit (client_id, number);

-- Adds an entry to the end of its chain. The lines of the hashed text have no line ends of their own: only the object_id
-- is free text.
CREATE FUNCTION chain_audit_entry(of_client uuid, of_id uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    entry audit%ROWTYPE;
    chain audit_chain%ROWTYPE;
BEGIN
    INSERT INTO audit_chain (client_id, last_number, last_hash) VALUES (of_client, 0, '') ON CONFLICT DO NOTHING;
    SELECT * INTO chain FROM audit_chain WHERE client_id = of_client FOR UPDATE;
    SELECT * INTO entry FROM audit WHERE client_id = of_client AND id = of_id;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    entry.number := chain.last_number + 1;
    entry.object_salt := gen_random_uuid();
    entry.object_digest := sha256(uuid_send(entry.object_salt) || convert_to(entry.object_id, 'UTF8'));
    entry.hash := sha256(chain.last_hash || convert_to(concat_ws(E'\n',
        entry.client_id, entry.number, entry.id, (extract(epoch FROM entry.happened_at) * 1000000)::bigint,
        entry.actor, entry.action, entry.object_kind, encode(entry.object_digest, 'hex')), 'UTF8'));
    UPDATE audit SET number = entry.number, object_salt = entry.object_salt, object_digest = entry.object_digest,
                     hash = entry.hash
    WHERE client_id = of_client AND id = of_id;
    UPDATE audit_chain SET last_number = entry.number, last_hash = entry.hash WHERE client_id = of_client;
END
$$;

DO $$
DECLARE
    entry record;
BEGIN
    FOR entry IN SELECT client_id, id FROM audit ORDER BY client_id, id LOOP
        PERFORM chain_audit_entry(entry.client_id, entry.id);
    END LOOP;
END
$$;

CREATE FUNCTION chain_new_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM chain_audit_entry(NEW.client_id, NEW.id);
    RETURN NULL;
END
$$;
-- At the commit, so that the lock of the chain is the last one of a transaction and is held for a short time. Entries of a
-- process of the previous release are chained, too.
CREATE CONSTRAINT TRIGGER audit_chained AFTER INSERT ON audit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    EXECUTE FUNCTION chain_new_audit_entry();

CREATE FUNCTION forget_audit_salt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.object_salt := NULL;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_erased BEFORE UPDATE OF object_id ON audit FOR EACH ROW EXECUTE FUNCTION forget_audit_salt();
