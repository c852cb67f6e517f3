import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FakeDiscord } from "@factotum/testing-channels";
import type { DiscordInteractionInput, DiscordMessage, DiscordMessageInput } from "@factotum/testing-channels";
import { installExtension, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import type { StrictServer } from "@factotum/testing-providers";
import { ANTHROPIC, startSceneModel } from "./scene-model.ts";
import { untilShown } from "./until-shown.ts";

export const OWNER = "100000000000000001";
export const DIRECT = "500000000000000001";
export const CHANNEL = "600000000000000001";
export const THREAD = "700000000000000001";

/** A bot on the platform, the product with the installed channel and one agent, and a scripted model. */
export interface DiscordScene extends AsyncDisposable {
  readonly discord: FakeDiscord;
  readonly model: StrictServer;
  readonly workspace: string;
  readonly product: Product;
  /** A message of the owner, in the direct chat by default; the platform keeps it while the product is down. */
  say(content: string, more?: Partial<DiscordMessageInput>): DiscordMessage;
  /** The owner uses a command or a button; resolves with the id of the interaction. */
  interact(input: Omit<DiscordInteractionInput, "userId">): string;
  /** Kills the product. */
  kill(): Promise<void>;
  /** Starts it again on the same state; resolves once it has its session. */
  start(): Promise<void>;
  /** Resolves once `condition` is true for the messages of the bot. */
  shown(condition: (sent: readonly DiscordMessage[]) => boolean): Promise<readonly DiscordMessage[]>;
}

/** Starts the scene. */
export async function startDiscordScene(account: object = {}): Promise<DiscordScene> {
  const discord = await FakeDiscord.start();
  const model = await startSceneModel(ANTHROPIC, []);
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-discord-"));
  const workspace = path.join(folder, "agent");
  const home = path.join(folder, "home");
  await mkdir(workspace);
  await installExtension(home, "discord");
  const config = sceneConfig(discord, { workspace, account, modelUrl: model.baseUrl });
  const start = async (): Promise<Product> => {
    const { opened } = discord.gateway;
    const started = await startProduct({ config, home });
    await discord.gateway.connected(opened + 1);
    return started;
  };
  let product = await start();
  return {
    discord,
    model,
    workspace,
    get product() {
      return product;
    },
    say(content, more = {}) {
      const message = discord.addMessage({ channelId: DIRECT, authorId: OWNER, content, ...more });
      discord.gateway.dispatch("MESSAGE_CREATE", discord.messageData(message));
      return message;
    },
    interact(input) {
      const interaction = discord.interactions.create({ userId: OWNER, ...input });
      discord.gateway.dispatch("INTERACTION_CREATE", interaction);
      return interaction.id;
    },
    async kill() {
      await product.end("SIGKILL");
    },
    async start() {
      product = await start();
    },
    shown: (condition) => untilShown(discord, condition),
    async [Symbol.asyncDispose]() {
      await product[Symbol.asyncDispose]();
      await model.close();
      await discord[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function sceneConfig(
  { app, baseUrl }: FakeDiscord,
  { workspace, account, modelUrl }: { readonly workspace: string; readonly account: object; readonly modelUrl: string },
): object {
  const { reference, providers } = ANTHROPIC.config(modelUrl);
  return {
    agents: { defaults: { model: reference }, list: [{ id: "main", workspaceDir: workspace }] },
    models: { providers },
    commands: { ownerAllowFrom: [`discord:${OWNER}`] },
    channels: { discord: { token: app.token, baseUrl, allowFrom: [OWNER], groupPolicy: "open", ...account } },
  };
}
