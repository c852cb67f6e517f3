import { withoutUndefined } from "@factotum/agent-contract";
import type { AccountConfig } from "@factotum/config";
import type { ChannelLoginStep } from "@factotum/protocol";
import { findGateway, requestError } from "../rpc/connect-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";

/** Logs an account in through the running gateway, which keeps the login, and shows its steps. With `json` each step is one line. */
export async function loginAccount(
  context: CliContext,
  { channel, accountId }: Pick<AccountConfig, "channel" | "accountId">,
  { json }: { readonly json: boolean },
): Promise<number> {
  using gateway = await findGateway(context);
  if (gateway === undefined) {
    throw new CliError("notRunning", "The running gateway keeps a login, and none is running.", {
      fix: 'Start it with "factotum gateway start".',
    });
  }
  let loginId: string | undefined;
  let answer: string | undefined;
  for (;;) {
    const params = { channel, accountId, ...withoutUndefined({ loginId, answer }) };
    const next = await gateway.client.request("channels.login", params, { signal: context.signal }).catch((error: unknown) => {
      throw requestError(error);
    });
    loginId = next.loginId;
    if (json && next.step.type !== "waiting") printJson(context, next.step);
    if (!json) await showStep(context, next.step);
    if (next.step.type === "done") return EXIT.ok;
    answer = next.step.type === "ask" ? await askLine(context, next.step) : undefined;
  }
}

async function showStep(context: CliContext, step: ChannelLoginStep): Promise<void> {
  switch (step.type) {
    case "text":
    case "done":
      return context.print(`${visible(step.text)}\n`);
    case "link":
      return context.print(`${visible(step.text)}\n${visible(step.url)}\n`);
    case "qr": {
      const { renderUnicodeCompact } = await import("uqr");
      return context.print(`${visible(step.text)}\n${renderUnicodeCompact(step.content)}\n`);
    }
    case "ask":
    case "waiting":
      return;
  }
}

async function askLine(context: CliContext, { text, isSecret }: Extract<ChannelLoginStep, { type: "ask" }>): Promise<string> {
  const prompts = await context.prompts?.();
  if (prompts === undefined) {
    throw new CliError("usage", `The login asks: ${visible(text)}`, { fix: "Run the command at a terminal, where you can answer." });
  }
  const line = await (isSecret ? prompts.password(visible(text)) : prompts.text(visible(text), ""));
  if (line === undefined) throw new CliError("failure", "The login was left.");
  return line.trim();
}

/** Without characters that could move the cursor or reorder a line. */
function visible(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, "");
}
