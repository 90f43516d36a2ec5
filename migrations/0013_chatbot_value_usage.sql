-- How much the key-value stores of a client hold, so that a quota costs no scan. Spread over a few rows per client, or
-- every turn that writes would wait for every other one.
CREATE TABLE chatbot_value_usage (
    client_id uuid NOT NULL CONSTRAINT chatbot_value_usage_client_fk REFERENCES client (id),
    shard smallint NOT NULL,
    -- Bytes of keys and values, and what each key costs beside them. One row alone may be below zero.
    bytes bigint NOT NULL,
    CONSTRAINT chatbot_value_usage_pk PRIMARY KEY (client_id, shard)
);
INSERT INTO chatbot_value_usage (client_id, shard, bytes)
SELECT client_id, 0, sum(octet_length(key) + octet_length(value) + 64) FROM chatbot_value GROUP BY client_id;
