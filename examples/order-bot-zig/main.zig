//! Reports the status of orders: asks for the number, looks it up over HTTP, and hands over to agents.
const std = @import("std");
const patchbay = @import("patchbay.zig");
const c = patchbay.c;
const Actions = patchbay.Actions;
const Event = patchbay.Event;
const Failure = patchbay.Failure;
const Session = patchbay.Session;
const same = patchbay.same;

/// The timer of a silent customer, and its time.
const reminder = "reminder";
const silence_seconds = 30 * 60;

comptime {
    patchbay.exportBot(handle);
}

fn handle(event: *const Event, session: *const Session, out: *Actions) ?Failure {
    switch (event.kind.tag) {
        c.EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_MESSAGE => return answer(event, session, out),
        c.EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_TIMER => remind(event, session, out),
        c.EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_AGENT_RELEASED => menu(out, "I am back. How can I help?"),
        c.EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_RATING => {
            out.reply("Thank you for your rating!");
            leave(out);
        },
        else => {},
    }
    return null;
}

/// Ends an answer after which the bot waits for the customer.
fn stay(out: *Actions, state: []const u8) void {
    out.setState(state);
    out.startTimer(reminder, silence_seconds);
}

/// Ends the conversation.
fn leave(out: *Actions) void {
    out.setState("");
    out.close();
}

fn menu(out: *Actions, message: []const u8) void {
    out.replyButtons(message, &.{ .{ "status", "Order status" }, .{ "person", "Talk to a person" } });
    stay(out, "menu");
}

fn greet(session: *const Session, out: *Actions) void {
    const visits = std.fmt.parseInt(u32, patchbay.get("visits") orelse "0", 10) catch 0;
    _ = patchbay.set("visits", patchbay.format("{d}", .{visits + 1}));
    const welcome = if (visits == 0) "Welcome" else "Welcome back";
    const name = if (patchbay.customerName(session)) |name| patchbay.format(", {s}", .{name}) else "";
    menu(out, patchbay.format("{s}{s}! How can I help?", .{ welcome, name }));
}

fn answer(event: *const Event, session: *const Session, out: *Actions) ?Failure {
    const message = std.mem.trim(u8, patchbay.words(event) orelse return null, " \t\r\n");
    const choice = patchbay.choiceId(event);
    const state = patchbay.text(session.state);
    if (same(choice, "status") or same(message, "order status")) {
        out.reply("What is your order number?");
        stay(out, "order");
    } else if (same(choice, "person") or same(message, "person")) {
        out.reply("A colleague will answer you here.");
        out.setState("");
        out.handOver(patchbay.jsonText(patchbay.config(), "team"), "The customer asked for a person.");
    } else if (same(choice, "bye") or same(message, "bye")) {
        out.reply("Thank you, goodbye!");
        out.requestRating();
        stay(out, "rating");
    } else if (same(state, "order")) {
        return lookUp(message, out);
    } else if (same(state, "menu")) {
        menu(out, "Please choose.");
    } else {
        greet(session, out);
    }
    return null;
}

fn isOrderNumber(number: []const u8) bool {
    for (number) |digit| if (!std.ascii.isDigit(digit)) return false;
    return number.len >= 4 and number.len <= 10;
}

fn lookUp(number: []const u8, out: *Actions) ?Failure {
    if (!isOrderNumber(number)) {
        out.reply("An order number has 4 to 10 digits, such as 1001. Please send it again.");
        stay(out, "order");
        return null;
    }
    const api = patchbay.jsonText(patchbay.config(), "orderApi") orelse
        return .{ .code = "bad-config", .message = "the configuration has no orderApi" };
    const response = patchbay.fetch(patchbay.format("{s}/orders/{s}", .{ api, number }));
    if (response.status == 404) {
        out.reply(patchbay.format("There is no order {s}. Please check the number and send it again.", .{number}));
        stay(out, "order");
        return null;
    }
    const status = if (response.status == 200) patchbay.jsonText(response.body, "status") else null;
    if (status) |found| {
        const day = patchbay.jsonText(response.body, "arrives");
        const arrival = if (day) |known| patchbay.format(" It arrives on {s}.", .{known}) else "";
        out.reply(patchbay.format("Order {s}: {s}.{s}", .{ number, found, arrival }));
        out.replyButtons("Anything else?", &.{
            .{ "status", "Another order" },
            .{ "person", "Talk to a person" },
            .{ "bye", "No, thanks" },
        });
    } else {
        patchbay.warn("orders/{s} answered {d}", .{ number, response.status });
        out.replyButtons("Our order system does not answer right now.", &.{
            .{ "status", "Try again" },
            .{ "person", "Talk to a person" },
        });
    }
    stay(out, "menu");
    return null;
}

fn remind(event: *const Event, session: *const Session, out: *Actions) void {
    if (!same(patchbay.text(event.kind.val.timer), reminder)) return;
    const state = patchbay.text(session.state);
    if (same(state, "order")) out.reply("Are you still there? I am waiting for your order number.");
    if (same(state, "menu"))
        out.reply("Are you still there? Choose one of the buttons, or write to me any time.");
    if (same(state, "rating")) leave(out);
}
