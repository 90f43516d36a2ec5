-- Rows for every table, as many as `filled.rows` says: of twenty clients, with keys that grow. They say nothing, so nothing may
-- be asked of them; what counts is that PostgreSQL knows of them.
SET session_replication_role = replica;
SET synchronous_commit = off;
DO $$
DECLARE
    constrained record;
    filled record;
    part record;
    names text;
    made text;
    filler text;
BEGIN
    FOR constrained IN
        SELECT conrelid::regclass AS name, conname FROM pg_constraint
        WHERE contype IN ('c', 'f') AND connamespace = 'public'::regnamespace AND conparentid = 0 AND coninhcount = 0
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I CASCADE', constrained.name, constrained.conname);
    END LOOP;
    FOR filled IN
        SELECT oid, oid::regclass AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
          AND relname NOT IN ('_sqlx_migrations', 'master_key_check', 'testing_clock')
    LOOP
        names := '';
        made := '';
        FOR part IN
            SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
            WHERE attrelid = filled.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = ''
              AND (NOT atthasdef OR attname = 'ready')
        LOOP
            filler := CASE
                WHEN part.name = 'client_id' THEN 'client'
                WHEN part.type = 'uuid' AND part.name IN ('inbox_id', 'lane_id', 'config_id') THEN 'lane'
                WHEN part.type = 'uuid' THEN 'key'
                WHEN part.type = 'smallint' THEN '(i % 2)::smallint'
                WHEN part.type IN ('integer', 'bigint', 'numeric', 'double precision') THEN 'i'
                WHEN part.type = 'boolean' THEN 'i % 10 = 0'
                WHEN part.type LIKE 'timestamp%' THEN 'moment'
                WHEN part.type = 'date' THEN 'date ''2026-11-17'' + i % 50'
                WHEN part.type LIKE 'json%' THEN '''{"v": 1}'''
                WHEN part.type = 'bytea' THEN 'decode(md5(i::text), ''hex'')'
                WHEN part.type = 'text[]' THEN 'ARRAY[''one'']'
                WHEN part.type = 'integer[]' THEN 'ARRAY[i]'
                WHEN part.type = 'bigint[]' THEN 'ARRAY[i::bigint]'
                WHEN part.name = 'state' THEN 'CASE WHEN i % 10 = 0 THEN ''PENDING'' ELSE ''DELIVERED'' END'
                WHEN part.name = 'kind' THEN 'CASE WHEN i % 2 = 0 THEN ''PHONE'' ELSE ''BSUID'' END'
                WHEN part.name = 'phase' THEN '''READY'''
                WHEN part.type IN ('text', 'character varying') THEN '''v'' || i'
                ELSE 'NULL'
            END;
            names := names || ', ' || quote_ident(part.name);
            made := made || ', ' || filler;
        END LOOP;
        EXECUTE format(
            'INSERT INTO %s (%s) SELECT %s FROM (
                 SELECT i, (''00000000-0000-7000-8000-0000000000'' || lpad((i %% 20)::text, 2, ''0''))::uuid AS client,
                        (''00000000-0000-7000-8000-0000000001'' || lpad((i %% 40)::text, 2, ''0''))::uuid AS lane,
                        (lpad(to_hex(1794873600000 + i * 10), 12, ''0'') || ''7'' || lpad(to_hex(i %% 4096), 3, ''0'')
                            || ''8'' || lpad(to_hex(i * 7919), 15, ''0''))::uuid AS key,
                        timestamptz ''2026-11-17'' + i * interval ''10 ms'' AS moment
                 FROM generate_series(1, %s) AS i) AS source ON CONFLICT DO NOTHING',
            filled.name, substr(names, 3), substr(made, 3), current_setting('filled.rows')
        );
    END LOOP;
END $$;
ANALYZE;
