import { withoutUndefined } from "@factotum/agent-contract";
import { resolveSecret } from "@factotum/config";
import {
  HEARTBEAT_OFFER,
  hasUsableKey,
  isModelRefused,
  offeredHeartbeats,
  offeredModels,
  type SetupHeartbeat,
  type SetupProvider,
  type SetupState,
} from "@factotum/protocol";
import { checkSetup } from "../first-run/check-setup.ts";
import { chooseModel } from "../first-run/choose-model.ts";
import { nameAssistant } from "../first-run/name-assistant.ts";
import { setHeartbeat } from "../first-run/set-heartbeat.ts";
import { storeKey } from "../first-run/store-key.ts";
import { reloadGateway } from "../rpc/reload-gateway.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import type { Choice, Prompts } from "../runtime/prompts.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { channelsAdd } from "./channels-add.ts";
import { listChannels } from "../admin/channel-service.ts";
import { firstRunParts, setupState } from "./first-run-steps.ts";
import { offerStart } from "./offer-start.ts";

const KEEP = ":keep";
const OTHER = ":other";
const LATER = ":later";

/** The person left; finished steps are kept. */
const LEFT = Symbol("left");

/**
 * Leads a person from the demo to a model, a name, a first channel and a heartbeat, and offers to start the gateway. Every step can be left and repeated; current settings are the default
 * answers.
 */
export async function setupGuide(context: CliContext, prompts: Prompts): Promise<number> {
  const guide = new Guide(context, prompts);
  const isDone =
    (await guide.chooseProvider()) !== LEFT &&
    (await guide.name()) !== LEFT &&
    (await guide.offerChannel()) !== LEFT &&
    (await guide.offerHeartbeat()) !== LEFT &&
    (await offerStart(context, prompts));
  if (!isDone) prompts.say("info", 'Stopped here; what was done stays. "factotum setup" goes on.');
  return isDone ? EXIT.ok : EXIT.failure;
}

class Guide {
  readonly #context: CliContext;
  readonly #prompts: Prompts;

  constructor(context: CliContext, prompts: Prompts) {
    this.#context = context;
    this.#prompts = prompts;
  }

  /** Asks for a provider until one works or is accepted without a successful test. */
  async chooseProvider(): Promise<typeof LEFT | undefined> {
    for (;;) {
      const state = await setupState(this.#context);
      const answer = await this.#prompts.select("Which provider's models should answer?", providerChoices(state), firstProvider(state));
      if (answer === undefined) return LEFT;
      const provider = state.providers.find(({ id }) => id === answer);
      if (provider === undefined) {
        const kept = await this.#testKept(state);
        if (kept === "another") continue;
        return kept === "done" ? undefined : LEFT;
      }
      const result = await this.#setUp(provider);
      if (result !== "another") return result === "done" ? undefined : LEFT;
    }
  }

  /** Asks for the assistant's name; an empty answer leaves it to the first conversation. */
  async name(): Promise<typeof LEFT | undefined> {
    const { agent } = await setupState(this.#context);
    const answer = await this.#prompts.text("What is the assistant's name? (Empty: it asks you)", agent.name ?? "");
    if (answer === undefined) return LEFT;
    if (answer.trim() === "" || answer.trim() === agent.name) return undefined;
    const outcome = await nameAssistant(answer, firstRunParts(this.#context));
    if (outcome.type === "done") this.#prompts.say("success", `The assistant is ${outcome.name}.`);
    else this.#prompts.say("warning", outcome.message);
    return outcome.type === "done" ? undefined : this.name();
  }

  /** Offers a first channel, with the questions of `channels add`; one that is set up is not asked about. */
  async offerChannel(): Promise<typeof LEFT | undefined> {
    const { channels } = await setupState(this.#context);
    if (channels.length > 0) return undefined;
    const known = (await listChannels(this.#context)).filter(({ state, isImplicit }) => state !== "unavailable" && !isImplicit);
    const choices: readonly Choice[] = [
      { value: LATER, label: "Nowhere yet", hint: "factotum channels add, or the page" },
      ...known.map(({ id, state }) => ({ value: id, label: id, ...(state === "installable" ? { hint: "is installed first" } : {}) })),
    ];
    const answer = await this.#prompts.select("Where do you want to write to it, apart from the page?", choices, LATER);
    if (answer === undefined) return LEFT;
    if (answer === LATER) return undefined;
    try {
      await channelsAdd(this.#context, answer, { set: [], yes: false, json: false });
      return undefined;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      this.#prompts.say("warning", [error.message, ...(error.fix === undefined ? [] : [error.fix])].join(" "));
      return this.offerChannel();
    }
  }

  /** Offers that the assistant wakes itself up; what is configured is the first answer, and off without it. */
  async offerHeartbeat(): Promise<typeof LEFT | undefined> {
    const { agent } = await setupState(this.#context);
    this.#prompts.say("info", HEARTBEAT_OFFER);
    const choices = offeredHeartbeats(agent);
    const answer = await this.#prompts.select("Shall it wake itself up (heartbeat)?", choices, agent.heartbeat);
    if (answer === undefined) return LEFT;
    const choice = choices.find(({ value }) => value === answer)?.value;
    if (choice === undefined || choice === "other" || choice === agent.heartbeat) return undefined;
    const outcome = await setHeartbeat(choice, firstRunParts(this.#context));
    if (outcome.type === "refused") this.#prompts.say("warning", outcome.message);
    else {
      await reloadGateway(this.#context);
      this.#prompts.say("success", HEARTBEAT_SET[choice]);
    }
    return undefined;
  }

  /** The current model stays, but its key may not be valid any more. */
  async #testKept({ model }: SetupState): Promise<"done" | "another" | "left"> {
    const slash = model.reference.indexOf("/");
    if (model.source === "demo" || slash === -1) return "done";
    const target = { provider: model.reference.slice(0, slash), model: model.reference.slice(slash + 1) };
    for (;;) {
      const check = await checkSetup(target, firstRunParts(this.#context), this.#context);
      this.#prompts.say(check.type === "works" ? "success" : "warning", check.message);
      if (check.type === "works") return "done";
      const next = await this.#prompts.select("What now?", WHAT_NOW);
      if (next === undefined) return "left";
      if (next !== "again") return next === "another" ? "another" : "done";
    }
  }

  async #setUp(provider: SetupProvider): Promise<"done" | "another" | "left"> {
    for (;;) {
      const key = await this.#askForKey(provider);
      if (key === LEFT) return "left";
      const parts = firstRunParts(this.#context);
      const check = await checkSetup({ provider: provider.id, ...withoutUndefined({ key }) }, parts, this.#context);
      this.#prompts.say(check.type === "works" ? "success" : "warning", check.message);
      if (check.type !== "works") {
        const next = await this.#prompts.select("What now?", WHAT_NOW);
        if (next === undefined) return "left";
        if (next === "again") continue;
        if (next === "another") return "another";
      }
      if (key !== undefined && !(await this.#keep(provider, key))) return "another";
      return this.#chooseModel(provider, check.models);
    }
  }

  /** `undefined`: keep the current key, or none is needed. */
  async #askForKey(provider: SetupProvider): Promise<string | undefined | typeof LEFT> {
    const { needsKey, keyPlace, label, url } = provider;
    if (!needsKey) return undefined;
    if (keyPlace !== undefined && hasUsableKey(provider)) {
      const isVariable = /^[A-Z][A-Z0-9_]*$/.test(keyPlace);
      const choices: readonly Choice[] = [
        { value: "use", label: `Use the key in ${keyPlace}` },
        ...(isVariable
          ? [{ value: "store", label: `Use it, and keep it in a file`, hint: "a service does not see variables of this shell" }]
          : []),
        { value: "new", label: "Paste another key" },
      ];
      const answer = await this.#prompts.select(`${label} has a key already.`, choices, "use");
      if (answer === undefined) return LEFT;
      if (answer === "use") return undefined;
      if (answer === "store") return this.#valueOf(keyPlace);
    }
    if (url !== undefined) this.#prompts.say("info", `A key of ${label} is made at ${url}`);
    const key = await this.#prompts.password("Paste the key (it is not shown)");
    return key === undefined || key.trim() === "" ? LEFT : key.trim();
  }

  async #valueOf(variable: string): Promise<string | undefined> {
    const resolved = await resolveSecret({ type: "env", name: variable }, this.#context);
    return resolved.type === "resolved" ? resolved.value.trim() : undefined;
  }

  async #keep(provider: SetupProvider, key: string): Promise<boolean> {
    const outcome = await storeKey(provider.id, key, firstRunParts(this.#context));
    if (outcome.type === "refused") this.#prompts.say("warning", outcome.message);
    else this.#prompts.say("success", `The key is kept in ${outcome.keyPlace}, readable only by you.`);
    return outcome.type === "done";
  }

  async #chooseModel(provider: SetupProvider, models: readonly string[]): Promise<"done" | "another" | "left"> {
    const { id, defaultModel } = provider;
    const names = offeredModels(provider, models);
    const choices = [
      ...names.map((name) => ({ value: name, label: name, ...(name === defaultModel ? { hint: "recommended" } : {}) })),
      { value: OTHER, label: "Another one: type its name" },
    ];
    const answer = await this.#prompts.select("Which model?", choices, names[0] ?? OTHER);
    const name = answer === OTHER ? await this.#prompts.text(`The model's name at ${provider.label}`, "") : answer;
    if (name === undefined || name.trim() === "") return "left";
    const parts = firstRunParts(this.#context);
    const check = await checkSetup({ provider: id, model: name.trim() }, parts, this.#context);
    if (isModelRefused(check)) {
      this.#prompts.say("warning", check.message);
      return this.#chooseModel(provider, models);
    }
    const outcome = await chooseModel(`${id}/${name.trim()}`, parts);
    if (outcome.type === "refused") {
      this.#prompts.say("warning", outcome.message);
      return "another";
    }
    const reloaded = await reloadGateway(this.#context, { force: true });
    this.#prompts.say(
      "success",
      `The model is ${outcome.model}${reloaded?.type === "applied" ? ", and the running gateway uses it" : ""}.`,
    );
    return "done";
  }
}

const HEARTBEAT_SET: Readonly<Record<SetupHeartbeat, string>> = {
  off: "The heartbeat is off.",
  day: "It wakes itself up every 30 minutes, except from 22:00 to 08:00.",
  always: "It wakes itself up every 30 minutes.",
};

const WHAT_NOW: readonly Choice[] = [
  { value: "again", label: "Try again" },
  { value: "another", label: "Choose another provider" },
  { value: "anyway", label: "Go on with it all the same" },
];

function providerChoices({ model, providers }: SetupState): readonly Choice[] {
  const keep = model.source === "demo" ? "Stay with the demo model" : `Keep ${model.reference}`;
  return [
    ...providers.map((provider) => ({ value: provider.id, label: provider.label, ...hintOf(provider) })),
    { value: KEEP, label: keep, hint: model.reason },
  ];
}

function hintOf({ keyPlace, keyProblem, running }: SetupProvider): { readonly hint?: string } {
  if (keyPlace !== undefined) return { hint: keyProblem === undefined ? `key in ${keyPlace}` : `the key in ${keyPlace} cannot be read` };
  return running === undefined ? {} : { hint: running ? "runs here" : "does not run here" };
}

/** The current provider, otherwise one that could be used at once. */
function firstProvider({ model, providers }: SetupState): string {
  if (model.source === "configured") return KEEP;
  const found = model.source === "found" ? model.reference.slice(0, model.reference.indexOf("/")) : undefined;
  return found ?? providers.find(({ keyPlace, running }) => keyPlace !== undefined || running === true)?.id ?? providers[0]?.id ?? KEEP;
}
