import type { GatewayConnection } from "@factotum/acp-server";
import * as z from "zod";
import { connectGateway, findGateway, requestError } from "../rpc/connect-gateway.ts";
import { RpcError } from "../rpc/rpc-errors.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { systemRandom } from "../runtime/system-clock.ts";

/** Serves an editor on standard input and output, until it or the person ends it. */
export async function acp(context: CliContext, { agentId }: { readonly agentId?: string | undefined }): Promise<number> {
  const { serveAcp } = await import("@factotum/acp-server");
  const { version, signal } = context;
  const onError = ({ message }: Error): void => context.note(`factotum: ${message}\n`);
  if (process.stdin.isTTY) context.note(`factotum: ${AT_TERMINAL}\n`);
  const options = { connect: async () => connect(context), agentId, version, random: systemRandom, onError };
  await serveAcp(options, { input: process.stdin, output: process.stdout, signal });
  return EXIT.ok;
}

const AT_TERMINAL = "This command waits for an editor on standard input, which starts it by itself. Ctrl-C ends it.";

/** Connects to the gateway, and starts it first if it does not run. */
async function connect(context: CliContext): Promise<GatewayConnection> {
  const told = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      throw withAdvice(error);
    }
  };
  const { client, facts, token } = await told(async () => {
    const running = await findGateway(context);
    if (running !== undefined) return running;
    const { startGateway } = await import("./gateway-control.ts");
    await startGateway(context);
    return connectGateway(context);
  });
  return {
    request: async (method, params) => told(async () => client.request(method, params)),
    upload: async (image) => upload(image, new URL("/uploads", facts.url), { token, signal: context.signal }),
    follow: (listener) =>
      client.follow((name, payload) => {
        // The name says which payload it is.
        if (name === "chat") listener({ name, payload });
        else if (name === "editor-request") listener({ name, payload });
        else if (name === "editor-note") listener({ name, payload });
        else if (name === "sessions-change") listener({ name, payload });
        else if (name === "approvals-change") listener({ name, payload });
      }),
    closed: client.closed,
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}

/** The message with its advice, and the gateway's code: the client of the protocol gets both. */
function withAdvice(error: unknown): Error {
  const { message, fix, code } = requestError(error);
  const text = fix === undefined ? message : `${message} ${fix}`;
  return Object.assign(new Error(text, { cause: error }), { code: error instanceof RpcError ? error.code : code });
}

async function upload(
  image: Uint8Array,
  address: URL,
  { token, signal }: { readonly token: string | undefined; readonly signal: AbortSignal },
): Promise<string> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(address, { method: "POST", headers, body: Buffer.from(image), signal, redirect: "error" });
  const answer = AnswerSchema.safeParse(await response.json());
  const { ref, kind, error } = answer.data ?? {};
  // The gateway takes files of every kind, but the block of a prompt says that it is an image.
  if (ref !== undefined && kind !== "image") throw Object.assign(new Error("This is no image."), { code: "invalid-request" });
  if (ref !== undefined) return ref;
  const message = error?.message ?? `The gateway did not take the image (${response.status}).`;
  throw Object.assign(new Error(message), { code: response.status < 500 ? "invalid-request" : "unavailable" });
}

const AnswerSchema = z.object({
  ref: z.string().optional(),
  kind: z.string().optional(),
  error: z.object({ message: z.string() }).optional(),
});
