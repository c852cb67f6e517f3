import { data, list, type Said, type Wire } from "./wire.ts";

function parts(said: Said): Record<string, unknown>[] {
  switch (said.type) {
    case "text":
      return said.pieces.map((text) => ({ text }));
    case "thinking":
      return said.pieces.map((text, index) => ({
        text,
        thought: true,
        ...(index === said.pieces.length - 1 ? { thoughtSignature: said.proof } : {}),
      }));
    case "call":
      return [{ functionCall: { name: said.name, args: JSON.parse(said.pieces.join("")) as unknown }, thoughtSignature: `sig-${said.id}` }];
  }
}

function chunk(part: Record<string, unknown>): string {
  return data({ candidates: [{ content: { role: "model", parts: [part] }, index: 0 }], responseId: "r1" });
}

const FINISH = { stop: "STOP", tools: "STOP", length: "MAX_TOKENS", filter: "SAFETY" } as const;

export const google: Wire = {
  name: "google-generative-ai",
  api: "google-generative-ai",
  info: { provider: "google", id: "gemini-2.5-flash", reasoning: true, input: ["text", "image"] },
  path: "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
  finishes: ["stop", "tools", "length", "filter"],
  signsThinking: true,
  begin: () => [],
  say: (said) => said.flatMap(parts).map(chunk),
  end: (finish, { input, cacheRead, output }) => [
    data({
      candidates: [{ content: { role: "model", parts: [{ text: "" }] }, finishReason: FINISH[finish], index: 0 }],
      usageMetadata: {
        promptTokenCount: input + cacheRead,
        cachedContentTokenCount: cacheRead,
        candidatesTokenCount: output,
        totalTokenCount: input + cacheRead + output,
      },
      responseId: "r1",
    }),
  ],
  // Calls come whole; half an answer is one without its finish.
  halfCall: [chunk({ functionCall: { name: "write", args: { path: "a.txt" } } })],
  failure: { frame: data({ error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } }), code: "overloaded" },
  unknown: data({ hologram: { depth: 3 }, candidates: undefined, responseId: 7 }),
  keepAlive: ": keep-alive\n\n",
  overflow: {
    status: 400,
    body: {
      error: {
        code: 400,
        message: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
    },
  },
  flatten: (body) => [
    ...list(body.tools),
    body.systemInstruction,
    ...list(body.contents).flatMap(({ role, parts: all }) => list(all).map((part) => [role, part])),
  ],
};
