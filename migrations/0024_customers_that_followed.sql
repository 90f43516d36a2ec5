-- Whoever was merged into a customer follows it into the next one: found without reading all customers of the client.
CREATE INDEX customer_merged ON customer (client_id, merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX participant_merged ON participant (client_id, merged_into) WHERE merged_into IS NOT NULL;
