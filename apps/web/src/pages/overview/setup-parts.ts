import type { ChannelStatus, JobSummary, SetupState } from "@factotum/protocol";
import type { FirstStep } from "../../first-run/first-step.ts";
import { t } from "../../i18n/t.ts";
import { nextRuns } from "./next-runs.ts";

/** A part of the first run: what stands, and what can be done. */
export interface SetupPart {
  readonly step: FirstStep;
  readonly isDone: boolean;
  readonly text: string;
  readonly action: string;
  /** True if what is set up has failed: its page says why, and mends it. */
  readonly hasFailed?: true;
}

/** The parts of the first run. */
export function setupParts(
  { model, agent, channels }: SetupState,
  accounts: readonly Pick<ChannelStatus, "channel" | "accountId" | "state">[],
  jobs: readonly JobSummary[],
): readonly SetupPart[] {
  const states = accounts
    .filter(({ channel, accountId }) => channels.includes(accountId === "default" ? channel : `${channel}:${accountId}`))
    .map(({ state }) => state);
  return [
    {
      step: "provider",
      isDone: model.source !== "demo",
      text:
        model.source === "demo"
          ? t("The demo answers until you choose a provider of models and give it a key.")
          : t("The model is {model}.", { model: model.reference }),
      action: t("Choose a model"),
    },
    {
      step: "name",
      isDone: agent.name !== undefined,
      text: agent.name === undefined ? t("The assistant has no name yet.") : t("Its name is {name}.", { name: agent.name }),
      action: t("Name it"),
    },
    channelPart(channels, states),
    { step: "heartbeat", isDone: agent.heartbeat !== "off", text: heartbeatText(agent.heartbeat, jobs), action: t("Let it wake up") },
  ];
}

/** An account that is not connected at the moment connects again by itself. */
function channelPart(channels: readonly string[], states: readonly ChannelStatus["state"][]): SetupPart {
  if (channels.length === 0)
    return { step: "channel", isDone: false, text: t("It can be reached from this page alone."), action: t("Add a channel") };
  const action = t("Check the channel");
  if (states.length > 0 && states.every((state) => state === "failed"))
    return {
      step: "channel",
      isDone: false,
      hasFailed: true,
      text: t("You cannot write to it from your phone: the channel has failed."),
      action,
    };
  const isUsable = states.some((state) => state === "connected" || state === "degraded");
  return { step: "channel", isDone: true, text: isUsable ? t("You can write to it from your phone.") : t("A channel is set up."), action };
}

function heartbeatText(heartbeat: SetupState["agent"]["heartbeat"], jobs: readonly JobSummary[]): string {
  if (heartbeat !== "off") return t("It wakes itself up.");
  return nextRuns(jobs, []).length === 0 ? t("It acts only when you write.") : t("It acts when you write, and when a job is due.");
}
