-- Whose source of SMS an address is, over all clients: what is sent from it takes its replies.
CREATE INDEX inbox_sms_source ON inbox (address) WHERE channel = 'SMS';
