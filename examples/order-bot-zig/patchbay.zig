//! A layer for chatbots over the C bindings of the interface (`build/bindings/plugin.h`, which the build translates).
//! Each call runs in a fresh instance, which is discarded afterwards. So nothing here is freed.
const std = @import("std");
pub const c = @import("build/plugin.zig");

const memory = std.heap.c_allocator;

pub const Event = c.exports_patchbay_plugin_bot_event_t;
pub const Session = c.exports_patchbay_plugin_bot_session_t;

/// A reason why the bot cannot answer. The call has no effect.
pub const Failure = struct {
    /// A short word for programs.
    code: []const u8,
    message: []const u8,
    /// Whether the same call may succeed a little later.
    retry: bool = false,
};

pub fn text(value: c.plugin_string_t) []const u8 {
    return if (value.len == 0) "" else value.ptr[0..value.len];
}

fn optional(value: c.plugin_option_string_t) ?[]const u8 {
    return if (value.is_some) text(value.val) else null;
}

/// A copy that the host may read after the call.
fn string(value: []const u8) c.plugin_string_t {
    // The pointer of an empty slice of an allocator lies outside of the memory, which the host refuses.
    if (value.len == 0) return .{};
    const copy = memory.dupe(u8, value) catch @panic("no memory is left");
    return .{ .ptr = copy.ptr, .len = copy.len };
}

fn some(value: ?[]const u8) c.plugin_option_string_t {
    return if (value) |present| .{ .is_some = true, .val = string(present) } else .{};
}

pub fn format(comptime template: []const u8, values: anytype) []const u8 {
    return std.fmt.allocPrint(memory, template, values) catch @panic("no memory is left");
}

pub fn same(a: []const u8, b: []const u8) bool {
    return std.ascii.eqlIgnoreCase(a, b);
}

pub fn customerName(session: *const Session) ?[]const u8 {
    return optional(session.customer.name);
}

/// The choice in a message. Null if the customer did not choose from buttons or a list.
fn chosen(event: *const Event) ?c.patchbay_plugin_types_choice_t {
    if (event.kind.tag != c.EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_MESSAGE) return null;
    const content = &event.kind.val.message.content;
    return if (content.tag == c.PATCHBAY_PLUGIN_TYPES_CONTENT_CHOICE) content.val.choice else null;
}

/// The customer's words: the text, or the title of the chosen button. Null if there are none.
pub fn words(event: *const Event) ?[]const u8 {
    if (chosen(event)) |choice| return text(choice.text);
    if (event.kind.tag != c.EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_MESSAGE) return null;
    const content = &event.kind.val.message.content;
    return if (content.tag == c.PATCHBAY_PLUGIN_TYPES_CONTENT_TEXT) text(content.val.text) else null;
}

/// The id or payload of the chosen button or list entry. "" if none was chosen.
pub fn choiceId(event: *const Event) []const u8 {
    return if (chosen(event)) |choice| text(choice.payload) else "";
}

/// The actions of an answer.
pub const Actions = struct {
    list: std.ArrayList(c.exports_patchbay_plugin_bot_action_t) = .empty,

    fn add(self: *Actions, tag: anytype) *c.exports_patchbay_plugin_bot_action_t {
        const action = self.list.addOne(memory) catch @panic("no memory is left");
        action.* = std.mem.zeroes(c.exports_patchbay_plugin_bot_action_t);
        action.tag = @intCast(tag);
        return action;
    }

    pub fn reply(self: *Actions, message: []const u8) void {
        self.add(c.EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_REPLY_TEXT).val.reply_text.text = string(message);
    }

    /// Sends a text with up to three buttons: pairs of an id and a title of at most 20 characters.
    pub fn replyButtons(self: *Actions, message: []const u8, choices: []const [2][]const u8) void {
        const buttons = memory.alloc(c.exports_patchbay_plugin_bot_button_t, choices.len) catch
            @panic("no memory is left");
        for (buttons, choices) |*button, choice| button.* = .{ .id = string(choice[0]), .title = string(choice[1]) };
        const action = self.add(c.EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_REPLY_BUTTONS);
        action.val.reply_buttons.text = string(message);
        action.val.reply_buttons.buttons = .{ .ptr = buttons.ptr, .len = buttons.len };
    }

    /// Stores the state of the conversation. The next call gets it as `session.state`.
    pub fn setState(self: *Actions, state: []const u8) void {
        self.add(c.EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_SET_STATE).val.set_state = string(state);
    }

    /// Starts a timer that calls the bot again. If a timer with this name runs, it is moved.
    pub fn startTimer(self: *Actions, name: []const u8, after_seconds: u32) void {
        const action = self.add(c.EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_START_TIMER);
        action.val.start_timer = .{ .name = string(name), .after_seconds = after_seconds };
    }

    /// Hands the conversation over to a team; null: to the unassigned queue. The note is for the agent.
    pub fn handOver(self: *Actions, team: ?[]const u8, note: ?[]const u8) void {
        const action = self.add(c.EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_HAND_OVER);
        action.val.hand_over.team = some(team);
        action.val.hand_over.note = some(note);
    }

    pub fn requestRating(self: *Actions) void {
        _ = self.add(c.EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_REQUEST_RATING);
    }

    pub fn close(self: *Actions) void {
        _ = self.add(c.EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_CLOSE);
    }
};

/// Writes a line to the trace of the call. It must not contain personal data.
pub fn warn(comptime template: []const u8, values: anytype) void {
    var line = string(format(template, values));
    c.patchbay_plugin_log_write(c.PATCHBAY_PLUGIN_LOG_LEVEL_WARN, &line);
}

/// The text of a field of a JSON object. Null if the document is no object, or has no such text.
pub fn jsonText(document: []const u8, field: []const u8) ?[]const u8 {
    const parsed = std.json.parseFromSliceLeaky(std.json.Value, memory, document, .{}) catch return null;
    if (parsed != .object) return null;
    const found = parsed.object.get(field) orelse return null;
    return if (found == .string) found.string else null;
}

/// The configuration of the activation, as JSON.
pub fn config() []const u8 {
    var value: c.plugin_string_t = undefined;
    c.patchbay_plugin_config_get(&value);
    return text(value);
}

/// The value of a key of this participant. Null if it has none or cannot be read.
pub fn get(key: []const u8) ?[]const u8 {
    var name = string(key);
    var value: c.plugin_option_list_u8_t = undefined;
    var fault: c.patchbay_plugin_kv_error_t = undefined;
    const scope = c.PATCHBAY_PLUGIN_KV_SCOPE_PARTICIPANT;
    if (!c.patchbay_plugin_kv_get(scope, &name, &value, &fault) or !value.is_some) return null;
    return value.val.ptr[0..value.val.len];
}

/// Sets the value of a key of this participant. False if the host refuses it.
pub fn set(key: []const u8, value: []const u8) bool {
    var name = string(key);
    const copy = string(value);
    var bytes: c.plugin_list_u8_t = .{ .ptr = copy.ptr, .len = copy.len };
    var fault: c.patchbay_plugin_kv_error_t = undefined;
    return c.patchbay_plugin_kv_set(c.PATCHBAY_PLUGIN_KV_SCOPE_PARTICIPANT, &name, &bytes, &fault);
}

pub const Response = struct {
    /// HTTP status. 0 if there is no response.
    status: u16,
    body: []const u8,
};

/// Sends a GET request to a host that the activation allows, and waits for the response.
pub fn fetch(url: []const u8) Response {
    var request = std.mem.zeroes(c.patchbay_plugin_http_request_t);
    request.method = string("GET");
    request.url = string(url);
    var response: c.patchbay_plugin_http_response_t = undefined;
    var fault: c.patchbay_plugin_http_error_t = undefined;
    if (!c.patchbay_plugin_http_send(&request, &response, &fault)) return .{ .status = 0, .body = "" };
    return .{ .status = response.status, .body = response.body.ptr[0..response.body.len] };
}

/// Exports a function `fn (*const Event, *const Session, *Actions) ?Failure` as the bot.
pub fn exportBot(comptime handle: fn (*const Event, *const Session, *Actions) ?Failure) void {
    const Exported = struct {
        fn call(
            event: *const Event,
            session: *const Session,
            out: *c.exports_patchbay_plugin_bot_list_action_t,
            refusal: *c.exports_patchbay_plugin_bot_error_t,
        ) callconv(.c) bool {
            var actions: Actions = .{};
            if (handle(event, session, &actions)) |failure| {
                refusal.* = .{
                    .code = string(failure.code),
                    .message = string(failure.message),
                    .retry = failure.retry,
                };
                return false;
            }
            out.* = if (actions.list.items.len == 0) .{} else .{ .ptr = actions.list.items.ptr, .len = actions.list.items.len };
            return true;
        }
    };
    @export(&Exported.call, .{ .name = "exports_patchbay_plugin_bot_handle" });
}
