-- A client finds its messages by its own tracking id and by recipient (`storage::outbound::lookups`).
CREATE INDEX outbound_message_by_ct_id ON outbound_message (client_id, ct_id, id) WHERE ct_id IS NOT NULL;
CREATE INDEX outbound_message_by_address ON outbound_message (client_id, address_value, id);
CREATE INDEX outbound_message_by_other_address ON outbound_message (client_id, other_value, id) WHERE other_value IS NOT NULL;
