import type { SessionConfigOption, SessionModeState, SessionUpdate } from "@agentclientprotocol/sdk";
import { RequestError } from "@agentclientprotocol/sdk";
import type { RpcMethods, SessionSettings } from "@factotum/protocol";

/** The level that leaves it to the model or the configuration. */
const DEFAULT = "default";

/** The modes of a session, for clients that know modes alone. */
export function modesOf({ mode, modes }: SessionSettings): SessionModeState {
  return { currentModeId: mode, availableModes: modes.map(({ id, effect }) => ({ id, name: id, description: effect })) };
}

/** What can be chosen: mode, model and level of thinking. */
export function configOptionsOf({ mode, modes, model, models, thinking, thinkingLevels }: SessionSettings): SessionConfigOption[] {
  const known = models.map(({ reference, alias }) => ({ value: reference, name: alias ?? reference }));
  const all = model === undefined || known.some(({ value }) => value === model) ? known : [{ value: model, name: model }, ...known];
  const levels = [DEFAULT, ...thinkingLevels].map((level) => ({ value: level, name: level }));
  return [
    {
      type: "select",
      id: "mode",
      name: "Mode",
      category: "mode",
      description: "Which tool calls run in this conversation.",
      currentValue: mode,
      options: modes.map(({ id, effect }) => ({ value: id, name: id, description: effect })),
    },
    // A client cannot show a choice without its current value.
    ...(model === undefined
      ? []
      : [{ type: "select" as const, id: "model", name: "Model", category: "model", currentValue: model, options: all }]),
    ...(thinkingLevels.length < 2
      ? []
      : [
          {
            type: "select" as const,
            id: "thinking",
            name: "Thinking",
            category: "thought_level",
            currentValue: thinking ?? DEFAULT,
            options:
              thinking === undefined || thinkingLevels.includes(thinking) ? levels : [...levels, { value: thinking, name: thinking }],
          },
        ]),
  ];
}

/** A choice of the client. */
export type SettingsChoice = Omit<RpcMethods["sessions.choose"]["params"], "key">;

/** The choice of a mode. Throws a `RequestError` for an unknown one. */
export function parseMode(id: string, { modes }: SessionSettings): SettingsChoice {
  const mode = modes.find((one) => one.id === id);
  if (mode === undefined)
    throw unknown(
      "mode",
      id,
      modes.map((one) => one.id),
    );
  return { mode: mode.id };
}

/** The choice of one option. Throws a `RequestError` for an unknown option or value; whether a model can be used, the gateway says. */
export function parseOption(
  { id, value }: { readonly id: string; readonly value: string | boolean },
  settings: SessionSettings,
): SettingsChoice {
  const text = String(value);
  switch (id) {
    case "mode":
      return parseMode(text, settings);
    case "model":
      return { model: text };
    case "thinking": {
      if (text === DEFAULT) return { thinking: null };
      const level = settings.thinkingLevels.find((one) => one === text);
      if (level === undefined) throw unknown("level of thinking", text, [DEFAULT, ...settings.thinkingLevels]);
      return { thinking: level };
    }
    default:
      throw unknown(
        "option",
        id,
        configOptionsOf(settings).map((option) => option.id),
      );
  }
}

/** The update for settings that were changed by a command or by another client. */
export function settingsChanges(before: SessionSettings, now: SessionSettings): SessionUpdate[] {
  const options = configOptionsOf(now);
  return [
    ...(before.mode === now.mode ? [] : [{ sessionUpdate: "current_mode_update" as const, currentModeId: now.mode }]),
    ...(isSame(configOptionsOf(before), options) ? [] : [{ sessionUpdate: "config_option_update" as const, configOptions: options }]),
    ...(isSame(before.commands, now.commands) ? [] : [commandsUpdate(now)]),
  ];
}

/** The slash commands; a client completes them. */
export function commandsUpdate({ commands }: SessionSettings): SessionUpdate {
  const availableCommands = commands.map(({ name, summary }) => ({ name, description: summary, input: { hint: "words, if any" } }));
  return { sessionUpdate: "available_commands_update", availableCommands };
}

function unknown(what: string, id: string, known: readonly string[]): RequestError {
  return RequestError.invalidParams({ reason: "invalid-request", known }, `There is no ${what} "${id}". Known: ${known.join(", ")}.`);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
