import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FakeMatrix } from "@factotum/testing-channels";
import type { MatrixContent, MatrixStoredEvent } from "@factotum/testing-channels";
import { installExtension, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import type { StrictServer } from "@factotum/testing-providers";
import { ANTHROPIC, startSceneModel } from "./scene-model.ts";
import { untilShown } from "./until-shown.ts";

export const OWNER = "@alice:fake.example";
export const BOB = "@bob:fake.example";
export const DIRECT = "!direct:fake.example";
export const GROUP = "!group:fake.example";

/** A bot on a homeserver, the product with the installed channel and one agent, and a scripted model. */
export interface MatrixScene extends AsyncDisposable {
  readonly matrix: FakeMatrix;
  readonly model: StrictServer;
  readonly workspace: string;
  readonly home: string;
  readonly product: Product;
  /** An event of a person, of the owner in the direct chat by default; the homeserver keeps it while the product is down. */
  say(
    content: string | MatrixContent,
    more?: { readonly roomId?: string; readonly sender?: string; readonly type?: string },
  ): MatrixStoredEvent;
  /** Kills the product. */
  kill(): Promise<void>;
  /** Starts it again on the same state; resolves once it syncs. */
  start(): Promise<void>;
  /** Resolves once `condition` is true for the messages of the bot. */
  shown(condition: (sent: readonly MatrixStoredEvent[]) => boolean): Promise<readonly MatrixStoredEvent[]>;
}

/** Starts the scene; `account` replaces settings of the account. */
export async function startMatrixScene(account: object = {}): Promise<MatrixScene> {
  const matrix = await FakeMatrix.start();
  const { bot } = matrix.app;
  matrix.store.createRoom({ creator: OWNER, members: [bot.id], isDirect: true }, DIRECT);
  matrix.store.createRoom({ creator: OWNER, members: [bot.id, BOB], name: "Family" }, GROUP);
  matrix.setDirect(bot.id, { [OWNER]: [DIRECT] });
  const model = await startSceneModel(ANTHROPIC, []);
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-matrix-"));
  const workspace = path.join(folder, "agent");
  const home = path.join(folder, "home");
  await mkdir(workspace);
  await installExtension(home, "matrix");
  const config = sceneConfig(matrix, { workspace, account, modelUrl: model.baseUrl });
  const start = async (): Promise<Product> => {
    const { opened } = matrix.syncs;
    const started = await startProduct({ config, home });
    // An account that is refused never syncs.
    if (!("accessToken" in account)) await matrix.syncs.connected(opened + 1);
    return started;
  };
  let product = await start();
  return {
    matrix,
    model,
    workspace,
    home,
    get product() {
      return product;
    },
    say(content, { roomId = DIRECT, sender = OWNER, type = "m.room.message" } = {}) {
      const body = typeof content === "string" ? { msgtype: "m.text", body: content, "m.mentions": {} } : content;
      return matrix.store.append({ roomId, sender, type, content: body });
    },
    async kill() {
      await product.end("SIGKILL");
    },
    async start() {
      product = await start();
    },
    shown: (condition) => untilShown(matrix, condition),
    async [Symbol.asyncDispose]() {
      await product[Symbol.asyncDispose]();
      await model.close();
      await matrix[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function sceneConfig(
  { app, baseUrl }: FakeMatrix,
  { workspace, account, modelUrl }: { readonly workspace: string; readonly account: object; readonly modelUrl: string },
): object {
  const { reference, providers } = ANTHROPIC.config(modelUrl);
  const { id: userId, token: accessToken } = app.bot;
  return {
    agents: { defaults: { model: reference }, list: [{ id: "main", workspaceDir: workspace }] },
    models: { providers },
    commands: { ownerAllowFrom: [`matrix:${OWNER}`] },
    channels: { matrix: { homeserver: baseUrl, userId, accessToken, allowFrom: [OWNER], groupPolicy: "open", ...account } },
  };
}
