//! World `chatbot`: sessions, and the actions of an answer.

use super::forms::{lists, record, variant, words};
use crate::chatbot::{
    Action, Button, HandOver, ListRow, ListSection, LocalTime, ReplyButtons, ReplyList, ReplyLocation, ReplyMedia,
    ReplyTemplate, ReplyText, Session, TemplateHeader, Timer, Weekday,
};

words!(Weekday {
    "monday" => Monday, "tuesday" => Tuesday, "wednesday" => Wednesday, "thursday" => Thursday, "friday" => Friday,
    "saturday" => Saturday, "sunday" => Sunday,
});
record!(LocalTime { utc_offset_minutes, weekday, hour, minute });
record!(Session {
    participant_id,
    client_ref,
    business_number,
    customer,
    channel,
    state,
    now_ms,
    local_time,
    reopened,
    previous_template,
    metadata,
});

record!(ReplyText { text, quote });
record!(ReplyMedia { url, kind, caption, filename, quote });
record!(Button { id, title });
record!(ReplyButtons { text, buttons, header, footer, quote });
record!(ListRow { id, title, description });
record!(ListSection { title, rows });
record!(ReplyList { text, button_label, sections, header, footer, quote });
record!(ReplyLocation { location, quote });
record!(TemplateHeader { url, kind, filename });
record!(ReplyTemplate { id, name, parameters, header, button_parameters });
record!(Timer { name, after_seconds });
record!(HandOver { team, note });
lists!(Button, ListRow, ListSection, Action);
variant!(Action {
    alone { "close" => Close, "request-rating" => RequestRating }
    value { "set-state" => SetState as "state", "cancel-timer" => CancelTimer as "name", "add-tag" => AddTag as "tag" }
    record {
        "reply-text" => ReplyText, "reply-media" => ReplyMedia, "reply-buttons" => ReplyButtons,
        "reply-list" => ReplyList, "reply-location" => ReplyLocation, "reply-template" => ReplyTemplate,
        "start-timer" => StartTimer, "hand-over" => HandOver,
    }
    json { "custom" => Custom as "payload" }
});
