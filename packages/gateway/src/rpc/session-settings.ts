import { ModelError, withoutUndefined } from "@factotum/agent-contract";
import { thinkingLevelsOf } from "@factotum/models";
import type { RpcMethods, SessionSettings } from "@factotum/protocol";
import type { CommandSession } from "../commands/command-target.ts";
import { listCommands } from "../commands/list-commands.ts";
import { MODE_EFFECTS } from "../commands/mode.ts";
import { findModel, knownModels } from "../commands/model.ts";
import { infoOf } from "../commands/think.ts";
import { modeOf, SESSION_MODES } from "../conversation/session-mode.ts";
import type { Engine } from "../engine/engine.ts";
import { parseAgentSessionKey } from "../routing/session-key.ts";
import { RpcError } from "../kernel/rpc-error.ts";

/** What can be chosen for a session of the owner's, and the commands that it takes. */
export async function readSettings(sessionKey: string, { parts }: Engine): Promise<SessionSettings> {
  const { running, store } = parts;
  const record = await store.readSession(sessionKey);
  const session: CommandSession = {
    record,
    agent: running.agent(parseAgentSessionKey(sessionKey)?.agentId ?? running.config.defaultAgentId),
  };
  const [info, models, commands] = await Promise.all([infoOf(session), knownModels(session, running), listCommands(session.agent, parts)]);
  const thinking = record?.overrides.thinking ?? session.agent.config.thinking;
  return {
    mode: modeOf(record),
    modes: SESSION_MODES.map((id) => ({ id, effect: MODE_EFFECTS[id] })),
    models: models.map(({ isActive: _active, ...model }) => model),
    thinkingLevels: info === undefined ? [] : thinkingLevelsOf(info),
    commands: commands.flatMap(({ name, aliases, summary }) => [name, ...aliases].map((each) => ({ name: each, summary }))),
    ...withoutUndefined({ model: await referenceOf(session), contextWindow: info?.contextWindow, thinking }),
  };
}

/** Stores choices of the owner's. Rejects with an `RpcError` for a model that cannot be used. */
export async function chooseSettings(
  sessionKey: string,
  { mode, model, thinking }: Omit<RpcMethods["sessions.choose"]["params"], "key">,
  engine: Engine,
): Promise<SessionSettings> {
  const { store, running, events, clock } = engine.parts;
  const found = typeof model === "string" ? await findModel(model, running.models) : undefined;
  if (ModelError.isInstance(found)) throw new RpcError("invalid-request", found.message);
  const overrides = withoutUndefined({
    mode: mode === "ask" ? null : mode,
    model: found?.reference ?? (model === null ? null : undefined),
    thinking,
  });
  await store.patchSession(sessionKey, { overrides }, { nowMs: clock.now() });
  events.sessionChanged(sessionKey);
  return readSettings(sessionKey, engine);
}

async function referenceOf({ record, agent }: CommandSession): Promise<string | undefined> {
  try {
    return (await agent.model(record?.overrides.model)).reference;
  } catch (error) {
    if (ModelError.isInstance(error)) return undefined;
    throw error;
  }
}
