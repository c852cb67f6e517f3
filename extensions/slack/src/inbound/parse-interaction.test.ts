import { describe, expect, test } from "vitest";
import { parseCommand, parsePress } from "./parse-interaction.ts";

const context = { accountId: "default", nowMs: 1_000 };
const responseUrl = "https://hooks.slack.com/commands/T1/1/secret";
const command = (more: object = {}) =>
  parseCommand(
    {
      command: "/factotum",
      text: "",
      user_id: "U1",
      user_name: "alice",
      team_id: "T1",
      channel_id: "C1",
      channel_name: "general",
      trigger_id: "1.2.3",
      response_url: responseUrl,
      ...more,
    },
    context,
  );

describe("slash commands", () => {
  test.each([
    ["/factotum", "think high", { name: "think", argumentsText: "high", mayBeText: true }],
    ["/factotum", "/new", { name: "new", argumentsText: "" }],
    ["/factotum", "", { name: "help", argumentsText: "" }],
    ["/think", "high", { name: "think", argumentsText: "high" }],
    ["/factotum", "what is new?", { name: "what", argumentsText: "is new?", mayBeText: true }],
    ["/factotum", "trust", { name: "trust", argumentsText: "", mayBeText: true }],
    ["/factotum", "what's up?", undefined],
    ["/factotum", "/trust", { name: "trust", argumentsText: "" }],
    ["/factotum", "/etc/hosts is a file", undefined],
    ["/send", "off", { name: "send", argumentsText: "off" }],
    ["/trust", "", { name: "trust", argumentsText: "" }],
  ])("%s %s", (name, text, expected) => {
    expect(command({ command: name, text })?.command).toEqual(expected);
  });

  test("other text is a message, with names for references", () => {
    expect(command({ text: "ask <@U2|bob> about <#C2|random> &amp; more" })?.text).toBe("ask @bob about #random & more");
  });

  test("the response address is kept for half an hour", () => {
    expect(command()?.replyContext).toEqual({ data: JSON.stringify({ user: "U1", team: "T1", responseUrl }), expiresAtMs: 1_801_000 });
  });

  test.each([
    ["D1", "directmessage", "direct"],
    ["G1", "mpdm-alice--bob-1", "group"],
    ["C1", "privategroup", "channel"],
  ])("in %s named %s it is in a %s conversation", (id, name, kind) => {
    expect(command({ channel_id: id, channel_name: name })?.origin.conversation).toEqual({ kind, id });
  });

  test("anything else is ignored", () => {
    expect(command({ user_id: "" })).toBeUndefined();
    expect(parseCommand(null, context)).toBeUndefined();
  });
});

describe("presses", () => {
  const press = (more: object = {}) =>
    parsePress(
      {
        type: "block_actions",
        trigger_id: "9.9",
        user: { id: "U1", username: "alice" },
        team: { id: "T1" },
        channel: { id: "C1", name: "general" },
        container: { type: "message", message_ts: "5.000001" },
        message: { ts: "5.000001", thread_ts: "4.000001" },
        state: {
          values: {
            "i0:name": { value: { type: "plain_text_input", value: "Ann" } },
            "i1:size": { value: { type: "static_select", selected_option: { value: "l" } } },
            "i2:days": { value: { type: "multi_static_select", selected_options: [{ value: "mo" }, { value: "tu" }] } },
            "i3:empty": { value: { type: "plain_text_input", value: null } },
            other: { x: { value: "y" } },
          },
        },
        response_url: responseUrl,
        actions: [
          { type: "button", action_id: "b1:send:it", value: "v", text: { type: "plain_text", text: "Send" }, action_ts: "6.500000" },
        ],
        ...more,
      },
      context,
    );

  test("a button has the ids and the values of the card, in the thread of its message", () => {
    expect(press()).toMatchObject({
      origin: { conversation: { kind: "channel", id: "C1", threadId: "4.000001" } },
      eventId: "press/9.9",
      timestampMs: 6_500,
      text: "Send",
      event: {
        type: "action",
        actionId: "send:it",
        value: "v",
        targetId: "5.000001",
        inputs: { name: "Ann", size: "l", days: ["mo", "tu"] },
      },
    });
  });

  test("a choice alone, a dialog and a shortcut are ignored", () => {
    expect(press({ actions: [{ type: "static_select", action_id: "value" }] })).toBeUndefined();
    expect(press({ type: "view_submission" })).toBeUndefined();
  });
});
