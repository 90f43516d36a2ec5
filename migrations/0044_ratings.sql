-- Whether customers are asked how it was when an agent ends their chat.

ALTER TABLE client ADD COLUMN asks_rating boolean NOT NULL DEFAULT false;
