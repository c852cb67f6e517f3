import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type CallToolResult,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type InputRequests,
  type InputRequiredResult,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";

/** The state of a call with several rounds, which the client carries: signed, so that a changed one is refused. */
export const stateCodec: RequestStateCodec<{ readonly round: number }> = createRequestStateCodec({ key: "k".repeat(32) });

type Answer = CallToolResult | InputRequiredResult;

const say = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });

const ask = (message: string, name: string, type: "string" | "boolean" = "string"): InputRequests[string] =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object",
      properties: { [name]: type === "string" ? { type: "string" } : { type: "boolean" } },
      required: [name],
    },
  });

const sample = (words: string, maxTokens = 100): InputRequests[string] =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text: words } }], maxTokens });

const NAME: InputRequests = { user_name: ask("What is your name?", "name") };

/** The tools and the prompt that ask the client for something. Names, keys and texts are those that the scenarios of the conformance suite ask for. */
export function addRequests(server: McpServer): void {
  addFormTools(server);
  const tool = (name: string, call: (context: ServerContext["mcpReq"]) => Answer | Promise<Answer>): void => {
    server.registerTool(name, { description: `Asks for input: ${name}` }, async ({ mcpReq }) => call(mcpReq));
  };
  tool("test_input_required_result_elicitation", ({ inputResponses }) => {
    const name = acceptedContent(inputResponses, "user_name")?.["name"];
    return typeof name === "string" ? say(`Hello, ${name}!`) : inputRequired({ inputRequests: NAME });
  });
  tool("test_input_required_result_sampling", ({ inputResponses }) =>
    inputResponses?.["capital_question"] === undefined
      ? inputRequired({ inputRequests: { capital_question: sample("What is the capital of France?") } })
      : say(JSON.stringify(inputResponses["capital_question"])),
  );
  tool("test_input_required_result_list_roots", ({ inputResponses }) =>
    inputResponses?.["client_roots"] === undefined
      ? inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
      : say(JSON.stringify(inputResponses["client_roots"])),
  );
  for (const name of ["test_input_required_result_request_state", "test_input_required_result_tampered_state"])
    tool(name, async (request) =>
      request.requestState<{ round: number }>()?.round === 1
        ? say("state-ok")
        : inputRequired({
            inputRequests: { confirm: ask("Please confirm", "ok", "boolean") },
            requestState: await stateCodec.mint({ round: 1 }),
          }),
    );
  tool("test_input_required_result_multiple_inputs", async ({ inputResponses = {} }) =>
    ["user_name", "greeting", "client_roots"].every((key) => inputResponses[key] !== undefined)
      ? say(JSON.stringify(inputResponses))
      : inputRequired({
          inputRequests: { ...NAME, greeting: sample("Generate a greeting", 50), client_roots: inputRequired.listRoots() },
          requestState: await stateCodec.mint({ round: 1 }),
        }),
  );
  tool("test_input_required_result_multi_round", async (request) => {
    const round = request.requestState<{ round: number }>()?.round ?? 0;
    if (round === 2) return say("Thank you.");
    const step =
      round === 0 ? { step1: ask("Step 1: What is your name?", "name") } : { step2: ask("Step 2: What is your favorite color?", "color") };
    return inputRequired({ inputRequests: step, requestState: await stateCodec.mint({ round: round + 1 }) });
  });
  tool("test_input_required_result_capabilities", ({ inputResponses, envelope }) => {
    const { [CLIENT_CAPABILITIES_META_KEY]: capabilities } = (envelope ?? {}) as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities };
    const { elicitation, sampling } = capabilities ?? {};
    if (inputResponses !== undefined) return say(JSON.stringify(inputResponses));
    const asked = {
      ...(elicitation === undefined ? {} : NAME),
      ...(sampling === undefined ? {} : { capital_question: sample("What is the capital of France?") }),
    };
    return inputRequired({ inputRequests: asked });
  });
  tool("test_missing_capability", () => inputRequired({ inputRequests: { greeting: sample("Generate a greeting") } }));
  tool("test_streaming_elicitation", () => inputRequired({ inputRequests: NAME }));
  server.registerPrompt("test_input_required_result_prompt", { description: "A prompt that asks for its context" }, ({ mcpReq }) => {
    const context = acceptedContent(mcpReq.inputResponses, "user_context")?.["context"];
    return typeof context === "string"
      ? { messages: [{ role: "user" as const, content: { type: "text" as const, text: context } }] }
      : inputRequired({ inputRequests: { user_context: ask("What context should the prompt use?", "context") } });
  });
}

/** Tools whose client answers in the middle of a call. */
function addFormTools(server: McpServer): void {
  const elicit = async (
    { mcpReq }: ServerContext,
    message: string,
    requestedSchema: ElicitRequestFormParams["requestedSchema"],
  ): Promise<string> => {
    const { action, content } = await mcpReq.elicitInput({ mode: "form", message, requestedSchema });
    return `action=${action}, content=${JSON.stringify(content ?? {})}`;
  };
  server.registerTool(
    "test_sampling",
    { description: "Asks the client's model", inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const { content } = await mcpReq.requestSampling({
        messages: [{ role: "user", content: { type: "text", text: prompt } }],
        maxTokens: 100,
      });
      return say(`LLM response: ${"text" in content ? content.text : JSON.stringify(content)}`);
    },
  );
  server.registerTool(
    "test_elicitation",
    { description: "Asks the user", inputSchema: z.object({ message: z.string() }) },
    async ({ message }, context) => {
      const properties = {
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" },
      } as const;
      return say(`User response: ${await elicit(context, message, { type: "object", properties, required: ["username", "email"] })}`);
    },
  );
  server.registerTool("test_elicitation_sep1034_defaults", { description: "Asks the user, with defaults" }, async (context) =>
    say(
      `Elicitation completed: ${await elicit(context, "Please check the values", { type: "object", properties: DEFAULTS, required: [] })}`,
    ),
  );
  server.registerTool("test_elicitation_sep1330_enums", { description: "Asks the user to choose" }, async (context) =>
    say(`Elicitation completed: ${await elicit(context, "Please choose", { type: "object", properties: CHOICES, required: [] })}`),
  );
}

const DEFAULTS: ElicitRequestFormParams["requestedSchema"]["properties"] = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};

const titled = (word: string): { const: string; title: string }[] =>
  ["First", "Second", "Third"].map((place, index) => ({ const: `value${index + 1}`, title: `${place} ${word}` }));

const CHOICES: ElicitRequestFormParams["requestedSchema"]["properties"] = {
  untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
  titledSingle: { type: "string", oneOf: titled("Option") },
  legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
  untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
  titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
};
