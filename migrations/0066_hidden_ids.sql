-- Customers of Lite numbers whom WhatsApp names by an id of its own, without their number. What is in the tables passed a narrower
-- check, so nothing is read again.
ALTER TABLE customer_address
    DROP CONSTRAINT customer_address_kind_known,
    ADD CONSTRAINT customer_address_kind_known
        CHECK (kind IN ('PHONE', 'BSUID', 'PSID', 'VISITOR', 'EMAIL', 'LID')) NOT VALID;
ALTER TABLE outbound_message
    DROP CONSTRAINT outbound_message_address_kind_known,
    ADD CONSTRAINT outbound_message_address_kind_known
        CHECK (address_kind IN ('PHONE', 'BSUID', 'PSID', 'VISITOR', 'EMAIL', 'LID')) NOT VALID,
    DROP CONSTRAINT outbound_message_other_kind_known,
    ADD CONSTRAINT outbound_message_other_kind_known
        CHECK (other_kind IN ('PHONE', 'BSUID', 'PSID', 'VISITOR', 'EMAIL', 'LID')) NOT VALID;
ALTER TABLE outbound_leg
    DROP CONSTRAINT outbound_leg_address_kind_known,
    ADD CONSTRAINT outbound_leg_address_kind_known
        CHECK (address_kind IN ('PHONE', 'BSUID', 'PSID', 'VISITOR', 'EMAIL', 'LID')) NOT VALID;
