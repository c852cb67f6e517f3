import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FakeMail, mailSource } from "@factotum/testing-channels";
import type { MailSource, SentMail } from "@factotum/testing-channels";
import { installExtension, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import type { StrictServer } from "@factotum/testing-providers";
import { ANTHROPIC, startSceneModel } from "./scene-model.ts";
import { untilShown } from "./until-shown.ts";

export const OWNER = "alice@people.example";
const AUTHSERV_ID = "mx.example.org";

/** A mailbox, the product with the installed channel and one agent, and a scripted model. */
export interface EmailScene extends AsyncDisposable {
  readonly mail: FakeMail;
  readonly model: StrictServer;
  readonly workspace: string;
  readonly home: string;
  readonly product: Product;
  /** A mail of the owner, proved by the receiving server; returns its Message-ID. */
  write(text: string, more?: Partial<MailSource>): string;
  /** Kills the product. */
  kill(): Promise<void>;
  /** Starts it again on the same state. */
  start(): Promise<void>;
  /** Resolves once `condition` is true for the sent mails. */
  shown(condition: (sent: readonly SentMail[]) => boolean): Promise<readonly SentMail[]>;
}

/** Starts the scene; `account` replaces settings of the account. */
export async function startEmailScene(account: (mail: FakeMail) => object = () => ({})): Promise<EmailScene> {
  const mail = await FakeMail.start();
  const model = await startSceneModel(ANTHROPIC, []);
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-email-"));
  const workspace = path.join(folder, "agent");
  const home = path.join(folder, "home");
  await mkdir(workspace);
  await installExtension(home, "email");
  const config = sceneConfig(mail, { workspace, modelUrl: model.baseUrl, account: account(mail) });
  const start = async (): Promise<Product> => {
    const { opened } = mail;
    const started = await startProduct({ config, home });
    await Promise.race([mail.until(() => mail.opened > opened), mail.until(() => mail.refusedLogins > 0)]);
    return started;
  };
  let product = await start();
  let count = 0;
  return {
    mail,
    model,
    workspace,
    home,
    get product() {
      return product;
    },
    write(text, more = {}) {
      count += 1;
      const messageId = `<question-${count}@people.example>`;
      const trace = [`Authentication-Results: ${AUTHSERV_ID}; dmarc=pass header.from=people.example`];
      mail.deliver(mailSource({ from: `Alice <${OWNER}>`, messageId, text, trace, atMs: Date.now(), ...more }));
      return messageId;
    },
    async kill() {
      await product.end("SIGKILL");
      await mail.until(() => mail.openConnections === 0);
    },
    async start() {
      product = await start();
    },
    shown: (condition) => untilShown(mail, condition),
    async [Symbol.asyncDispose]() {
      await product[Symbol.asyncDispose]();
      await model.close();
      await mail[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function sceneConfig(
  { user, password, imapPort, smtpPort }: FakeMail,
  { workspace, modelUrl, account }: { readonly workspace: string; readonly modelUrl: string; readonly account: object },
): object {
  const { reference, providers } = ANTHROPIC.config(modelUrl);
  return {
    agents: { defaults: { model: reference }, list: [{ id: "main", workspaceDir: workspace }] },
    models: { providers },
    commands: { ownerAllowFrom: [`email:${OWNER}`] },
    channels: {
      email: {
        address: user,
        imap: { host: "127.0.0.1", port: imapPort, tls: false, user, password },
        smtp: { host: "127.0.0.1", port: smtpPort, tls: false },
        senderVerification: { authservId: AUTHSERV_ID },
        dmPolicy: "allowlist",
        allowFrom: [OWNER],
        ...account,
      },
    },
  };
}
