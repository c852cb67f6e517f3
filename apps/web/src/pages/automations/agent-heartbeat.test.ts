import { expect, test } from "vitest";
import { heartbeatDraft, heartbeatPatch } from "./agent-heartbeat.ts";

const ON = { isOn: true, every: "1h", start: "08:00", end: "22:00", target: "owner", prompt: "", model: "" };

test("without settings the heartbeat is off, and the first settings are those of all agents", () => {
  const view = { written: {} };
  expect(heartbeatDraft(view, "main")).toMatchObject({ isOn: false, every: "30m", target: "owner" });
  const heartbeat = { every: "1h", target: null, prompt: null, model: null, activeHours: { start: "08:00", end: "22:00" } };
  expect(heartbeatPatch(view, "main", ON)).toEqual({ agents: { defaults: { heartbeat } } });
  expect(heartbeatPatch(view, "main", { ...ON, isOn: false })).toEqual({ agents: { defaults: { heartbeat: "off" } } });
});

test("an agent's own heartbeat keeps the settings that the form has no field for", () => {
  const list = [
    { id: "main", default: true },
    { id: "clerk", heartbeat: { every: "2h", ackMaxChars: 10, prompt: "Look." } },
  ];
  const view = { written: { agents: { list } } };
  expect(heartbeatDraft(view, "clerk")).toMatchObject({ isOn: true, every: "2h", prompt: "Look." });
  expect(heartbeatPatch(view, "clerk", { ...ON, start: "" })).toEqual({
    agents: { list: [list[0], { id: "clerk", heartbeat: { every: "1h", ackMaxChars: 10 } }] },
  });
});

test("of several agents each gets a block of its own: one in the defaults would be that of all", () => {
  const view = { written: { agents: { list: [{ id: "main" }, { id: "clerk" }] } } };
  expect(heartbeatPatch(view, "clerk", { ...ON, isOn: false })).toEqual({
    agents: { list: [{ id: "main" }, { id: "clerk", heartbeat: "off" }] },
  });
});

test("an agent without settings of its own has those of the defaults", () => {
  const defaults = { heartbeat: { every: "3h", activeHours: { start: "07:00", end: "09:00", timezone: "UTC" } } };
  const view = { written: { agents: { defaults, list: [{ id: "main" }] } } };
  expect(heartbeatDraft(view, "main")).toMatchObject({ isOn: true, every: "3h", start: "07:00" });
  expect(heartbeatPatch(view, "main", ON)).toMatchObject({
    agents: { defaults: { heartbeat: { activeHours: { start: "08:00", end: "22:00", timezone: "UTC" } } } },
  });
});
