import { withoutUndefined } from "@factotum/agent-contract";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  FakeSlack,
  slackCommand,
  slackEventBody,
  slackEventRequest,
  slackFormRequest,
  slackMessageEvent,
  slackPress,
  slackRichText,
} from "@factotum/testing-channels";
import type { SlackMessage } from "@factotum/testing-channels";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import type { StrictServer } from "@factotum/testing-providers";
import { ANTHROPIC, startSceneModel } from "./scene-model.ts";
import { untilShown } from "./until-shown.ts";

/** How the platform reaches the product. */
export type SlackSceneTransport = "socket" | "http";

const OWNER = "U0ALICE";

/** A Slack workspace, the product with one agent, and a scripted model. */
export interface SlackScene extends AsyncDisposable {
  readonly slack: FakeSlack;
  readonly model: StrictServer;
  readonly workspace: string;
  readonly product: Product;
  /** A message of the owner, in the direct chat by default; it is acknowledged. */
  say(text: string, more?: Partial<SlackMessage> & { readonly mentionsBot?: boolean }): Promise<SlackMessage>;
  /** Passes another event; it is acknowledged. */
  event(event: Readonly<Record<string, unknown>>): Promise<void>;
  /** Passes the event of a message again. */
  redeliver(message: SlackMessage): Promise<void>;
  /** The owner's slash command; it is acknowledged. */
  command(command: string, text: string, channel?: string): Promise<void>;
  /** The owner presses a button of a message; it is acknowledged. */
  press(message: SlackMessage, button: { readonly label: string; readonly value: string }): Promise<void>;
  /** Kills the product and starts it again on the same state. */
  killAndStart(): Promise<void>;
  /** Resolves once `condition` is true for the messages of the app. */
  shown(condition: (sent: readonly SlackMessage[]) => boolean): Promise<readonly SlackMessage[]>;
}

/** Starts the scene. `account` is added to the keys of the account. */
export async function startSlackScene(transport: SlackSceneTransport, account: object = {}): Promise<SlackScene> {
  const slack = await FakeSlack.start();
  const model = await startSceneModel(ANTHROPIC, []);
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-slack-"));
  const workspace = path.join(folder, "agent");
  await mkdir(workspace);
  const config = sceneConfig(slack, transport, { workspace, account, modelUrl: model.baseUrl });
  let product = await startProduct({ config });
  if (transport === "socket") await slack.socketMode.connected();
  const deliver = deliverer(slack, transport, () => `${product.url}/channels/slack/default`);
  const eventIds = new Map<string, string>();
  const pass = async (message: SlackMessage): Promise<void> => {
    const eventId = eventIds.get(message.ts);
    const body = slackEventBody(slack.app, slackMessageEvent(slack.app, message), withoutUndefined({ eventId }));
    eventIds.set(message.ts, body.event_id);
    await deliver({ type: "events_api", payload: body });
  };
  return {
    slack,
    model,
    workspace,
    get product() {
      return product;
    },
    async say(text, { mentionsBot = false, ...more } = {}) {
      const mention = mentionsBot ? [{ type: "user", user_id: slack.app.bot.userId }] : [];
      const message = slack.addMessage({ channel: "D0ALICE", user: OWNER, ...slackRichText(text, mention), ...more });
      await pass(message);
      return message;
    },
    event: async (event) => deliver({ type: "events_api", payload: slackEventBody(slack.app, event) }),
    redeliver: pass,
    async command(command, text, channel = "D0ALICE") {
      const payload = slackCommand(slack.app, { command, text, channel, user: OWNER, responseUrl: slack.responseUrl });
      await deliver({ type: "slash_commands", payload });
    },
    async press(message, button) {
      const payload = slackPress(slack.app, {
        message,
        user: OWNER,
        responseUrl: slack.responseUrl,
        button: { actionId: "b0:a", ...button },
      });
      await deliver({ type: "interactive", payload });
    },
    async killAndStart() {
      await product.end("SIGKILL");
      const { opened } = slack.socketMode;
      product = await startProduct({ config, home: product.home });
      if (transport === "socket") await slack.socketMode.connected(opened + 1);
    },
    shown: (condition) => untilShown(slack, condition),
    async [Symbol.asyncDispose]() {
      await product[Symbol.asyncDispose]();
      await model.close();
      await slack[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A delivery by either transport; rejects if it is not acknowledged. */
function deliverer(
  slack: FakeSlack,
  transport: SlackSceneTransport,
  url: () => string,
): (delivery: { readonly type: "events_api" | "slash_commands" | "interactive"; readonly payload: object }) => Promise<void> {
  return async ({ type, payload }) => {
    if (transport === "socket") {
      const delivery = await slack.socketMode.deliver(type, payload);
      if (delivery !== "acknowledged") throw new Error("not acknowledged");
      return;
    }
    const request =
      type === "events_api"
        ? slackEventRequest(slack.app, url(), payload)
        : slackFormRequest(
            slack.app,
            url(),
            type === "interactive" ? { payload: JSON.stringify(payload) } : (payload as Readonly<Record<string, string>>),
          );
    const { status } = await fetch(request);
    if (status !== 200) throw new Error(`answered with ${status}`);
  };
}

function sceneConfig(
  { app, baseUrl }: FakeSlack,
  transport: SlackSceneTransport,
  { workspace, account, modelUrl }: { readonly workspace: string; readonly account: object; readonly modelUrl: string },
): object {
  const { reference, providers } = ANTHROPIC.config(modelUrl);
  return {
    agents: { defaults: { model: reference }, list: [{ id: "main", workspaceDir: workspace }] },
    models: { providers },
    commands: { ownerAllowFrom: [`slack:${OWNER}`] },
    channels: {
      slack: {
        botToken: app.botToken,
        baseUrl,
        transport: transport === "socket" ? { type: "socket", appToken: app.appToken } : { type: "http", signingSecret: app.signingSecret },
        allowFrom: [OWNER],
        groupPolicy: "open",
        ...account,
      },
    },
  };
}
