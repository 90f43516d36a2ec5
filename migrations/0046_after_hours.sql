-- What happens to chats by the clock and by themselves, the rest (ADR 0032): what a team says outside its hours; chats are given out
-- when there is room, as due work of the team; who missed a chat has a list of its own.

ALTER TABLE team
    -- Said once to a customer who comes to wait outside the hours; null = nothing.
    ADD COLUMN after_hours_text text;

-- ROOM: a member of the team that is the lane has room, or may have.
ALTER TABLE chat_due DROP CONSTRAINT chat_due_kind_known;
ALTER TABLE chat_due ADD CONSTRAINT chat_due_kind_known CHECK (kind IN ('ANSWER', 'ARRIVED', 'LEFT', 'ROOM'));
-- What waits already, and was looked for by the release before this one.
INSERT INTO chat_due (client_id, lane_id, kind, due_at)
SELECT team.client_id, team.id, 'ROOM', '2000-01-01Z' FROM team WHERE team.assignment <> 'OFF' ON CONFLICT DO NOTHING;
INSERT INTO chat_due (client_id, lane_id, kind, due_at)
SELECT chat.client_id, chat.id, 'LEFT', '2000-01-01Z' FROM participant chat
JOIN client_user gone ON gone.client_id = chat.client_id AND gone.id = chat.assigned_agent_id AND gone.deleted_at IS NOT NULL
WHERE chat.state = 'ACTIVE' ON CONFLICT DO NOTHING;
-- They served what was looked for every second.
DROP INDEX team_gives;
DROP INDEX client_user_gone;

-- The list `my-missed`, in the order in which it is shown.
CREATE INDEX participant_missed_by_agent ON participant (client_id, missed_agent_id, last_message_at DESC, id) WHERE missed;
DROP INDEX participant_missed_by;
DROP INDEX participant_missed_before_by;
