-- Numbers of WhatsApp Lite that clients register themselves: who runs their device, and what is charged for.
ALTER TABLE whatsapp_lite_inbox
    ADD COLUMN hosting_type text NOT NULL DEFAULT 'WHATSAPP_GO'
        CONSTRAINT whatsapp_lite_inbox_hosting_known CHECK (hosting_type IN ('WHATSAPP_GO')),
    ADD COLUMN billing_model text NOT NULL DEFAULT 'message'
        CONSTRAINT whatsapp_lite_inbox_billing_known CHECK (billing_model IN ('message'));
