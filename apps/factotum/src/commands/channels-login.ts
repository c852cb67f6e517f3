import type { RpcMethods } from "@factotum/protocol";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";

type LoginResult = RpcMethods["channels.login"]["result"];

/** Shows the steps of a login and asks what they ask for, until it is done; resolves with its last text. */
export async function followLogin(
  request: (params: { readonly loginId?: string; readonly answer?: string }) => Promise<LoginResult>,
  context: Pick<CliContext, "print" | "note" | "prompts">,
): Promise<string> {
  const print = (text: string): void => context.note(`${visible(text)}\n`);
  let { loginId, step } = await request({});
  for (;;) {
    let answer: string | undefined;
    switch (step.type) {
      case "done":
        print(step.text);
        return step.text;
      case "waiting":
        break;
      case "ask": {
        const prompts = await context.prompts?.();
        if (prompts === undefined)
          throw new CliError("usage", `The login asks: ${visible(step.text)}`, { fix: "Run this in a terminal, to answer it." });
        const typed = step.isSecret ? await prompts.password(visible(step.text)) : await prompts.text(visible(step.text), "");
        if (typed === undefined) throw new CliError("failure", "The login was not completed.");
        answer = typed;
        break;
      }
      case "link":
        print(`${step.text}\n${step.url}`);
        break;
      case "qr":
        print(`${step.text}\nShow this as a QR code: ${step.content}`);
        break;
      case "text":
        print(step.text);
    }
    ({ step } = await request({ loginId, ...(answer === undefined ? {} : { answer }) }));
  }
}

/** Without characters that could move the cursor or reorder a line. */
function visible(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, "");
}
