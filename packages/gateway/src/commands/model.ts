import { ModelError, withoutUndefined } from "@factotum/agent-contract";
import { clampThinking, findProvider, noThoughtsNote } from "@factotum/models";
import { missingKeyText } from "../agents/configured-models.ts";
import type { ModelSource, ResolvedModel } from "../agents/model-source.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { CommandAnswer } from "../notices/notice-text.ts";
import type { CommandSession, TargetSession } from "./command-target.ts";
import { defineCommand, parseWish } from "./define-command.ts";
import type { Command, Wish } from "./define-command.ts";

/** Shows or sets the model of the conversation. */
export const modelCommand: Command = defineCommand<Wish>({
  name: "/model",
  summary: "show the model; /model list names those that are configured, /model <name> chooses one, /model default undoes that",
  hint: "[list | NAME | default]",
  words: ["list", "default"],
  access: "anyone",
  parse: parseWish,
  changes: ({ wish }) => wish !== undefined && wish.toLowerCase() !== "list",
  run: ({ wish }, { session, running }) => showOrChoose(session, wish, running),
});

/** The answer of `/model`, after it has applied the setting. */
async function showOrChoose(session: TargetSession, wish: string | undefined, running: RunningConfig): Promise<CommandAnswer> {
  const before = await session.read();
  switch (wish?.toLowerCase()) {
    case undefined:
      return [await modelLine(before, running.models), ...fallbackLine(before), "/model list names the models that are configured."].join(
        "\n",
      );
    case "list":
      return listModels(before, running);
    case "default": {
      await session.choose({ model: null });
      return `From the next message on: ${await modelLine(await session.read(), running.models)}`;
    }
    default:
      return chooseModel(session, wish ?? "", before, running.models);
  }
}

/** The model of a conversation and the reason for it; what to do if it is unusable. */
export async function modelLine({ record, agent, bound }: CommandSession, models: ModelSource): Promise<string> {
  const chosen = record?.overrides.model;
  try {
    const { reference } = await agent.model(chosen ?? bound);
    if (chosen === undefined && bound !== undefined) return `model ${reference}, because a binding gives this chat to it.`;
    if (chosen !== undefined) return `model ${reference}, because it was chosen for this conversation.`;
    const reason =
      agent.config.model === undefined ? (await models.defaultModel()).reason : `it is configured for the agent ${agent.config.id}`;
    return `model ${reference}, because ${reason}.`;
  } catch (error) {
    if (!ModelError.isInstance(error)) throw error;
    const undo = chosen === undefined ? "" : " /model default goes back to the configured one.";
    return `model ${chosen ?? bound ?? agent.config.model?.primary ?? ""} cannot be used: ${error.message}${undo}`;
  }
}

function fallbackLine({ record, agent }: CommandSession): readonly string[] {
  const fallbacks = agent.config.model?.fallbacks ?? [];
  if (fallbacks.length === 0) return [];
  // A chosen model has no fallbacks (R28).
  return [record?.overrides.model === undefined ? `When it fails: ${fallbacks.join(", ")}.` : "When it fails, no other one is asked."];
}

async function chooseModel(session: TargetSession, wish: string, { record, agent }: CommandSession, models: ModelSource): Promise<string> {
  const model = await findModel(wish, models);
  if (ModelError.isInstance(model)) return `${model.message} The model stays as it is; /model list names those that are configured.`;
  await session.choose({ model: model.reference });
  const thinking = record?.overrides.thinking ?? agent.config.thinking;
  const note = thinking === undefined ? undefined : clampThinking(model.client.info, thinking).note;
  const areThoughtsShown = (record?.overrides.reasoning ?? agent.config.reasoning) !== "off";
  const noThoughts = areThoughtsShown ? noThoughtsNote(model.client.info, thinking) : undefined;
  return [
    `This conversation uses ${model.reference} from the next message on.`,
    ...missingKey(model),
    ...(model.client.info.known ? [] : ["Nothing is known of this model, so careful limits hold for it."]),
    ...[note, noThoughts].flatMap((text) => text ?? []),
  ].join("\n");
}

/** The named model, or why it is unavailable. */
export async function findModel(wish: string, models: ModelSource): Promise<ResolvedModel | ModelError> {
  try {
    return await models.resolve(wish);
  } catch (error) {
    if (ModelError.isInstance(error)) return error;
    throw error;
  }
}

function missingKey({ client, credential }: ResolvedModel): readonly string[] {
  const { provider } = client.info;
  const variable = findProvider(provider)?.keyVariables?.[0];
  if (variable === undefined || credential !== undefined) return [];
  return [missingKeyText(provider, variable)];
}

/** A model that can be chosen by name. */
export interface KnownModel {
  readonly reference: string;
  readonly alias?: string;
  /** It answers the next message. */
  readonly isActive: boolean;
}

/** The models that the configuration names, and the one in use, each once. */
export async function knownModels({ record, agent }: CommandSession, { config, models }: RunningConfig): Promise<readonly KnownModel[]> {
  const active = record?.overrides.model ?? agent.config.model?.primary ?? (await models.defaultModel()).reference;
  const aliases = new Map(Object.entries(agent.config.models).map(([reference, { alias }]) => [reference, alias]));
  const configured = Object.entries(config.models.providers).flatMap(([id, provider]) =>
    provider.models.map((model) => `${id}/${model.id}`),
  );
  const all = new Set([active, agent.config.model?.primary, ...(agent.config.model?.fallbacks ?? []), ...aliases.keys(), ...configured]);
  return [...all].flatMap((reference) => {
    // An alias is listed with its model.
    if (reference === undefined || [...aliases.values()].includes(reference)) return [];
    const alias = aliases.get(reference);
    const isActive = reference === active || (alias !== undefined && alias === active);
    return [{ reference, isActive, ...withoutUndefined({ alias }) }];
  });
}

async function listModels(session: CommandSession, running: RunningConfig): Promise<CommandAnswer> {
  const known = await knownModels(session, running);
  const items = known.map(
    ({ reference, alias, isActive }) => `${alias === undefined ? "" : `${alias}: `}${reference}${isActive ? " (in use)" : ""}`,
  );
  const hint = "/model <name> chooses one of these, or any other of a provider that has a key, as provider/model.";
  return [
    { type: "list", items },
    { type: "text", text: hint },
  ];
}
