import { afterEach, expect, test } from "vitest";
import { sampleTrace, TRACE_START_MS } from "../../../test/trace-sample.ts";
import { setGatewayTexts } from "../../i18n/gateway-text.ts";
import { stepDetails } from "./trace-texts.ts";

afterEach(() => setGatewayTexts((text) => text));

test("what became of a message is in words, and the gateway's reason for it is translated once", () => {
  setGatewayTexts((text) => `<${text}>`);
  const trace = sampleTrace();
  const [input] = trace.inputs;
  if (input === undefined) throw new Error("The sample has no input.");
  const detailsOf = (state: string, reason?: string) =>
    stepDetails(
      {
        key: "input",
        type: "input",
        atMs: TRACE_START_MS,
        input: { ...input, sender: "owner", state, ...(reason !== undefined && { reason }) },
      },
      trace,
    );
  expect(detailsOf("dead", "It came too late.")).toEqual(["from you", "Failed", "<It came too late.>"]);
  expect(detailsOf("answered")).toEqual(["from you"]);
  expect(detailsOf("of a later version")).toEqual(["from you", "of a later version"]);
});
