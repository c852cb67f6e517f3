import { A2A_PROTOCOL_VERSION, AgentCard } from "@a2a-js/sdk";
import { RPC_PATH } from "../capabilities.ts";
import type { A2aConfig } from "../config.ts";
import { HOPS_EXTENSION } from "../tasks/hops.ts";

/** The card that everyone can read: what the configuration says of the agent, and where its requests go. It names no peer. */
export function createAgentCard({ name, description, maxHops }: Omit<A2aConfig, "peers">, url: string): AgentCard {
  return AgentCard.fromJSON({
    name,
    description,
    version: "1.0.0",
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: A2A_PROTOCOL_VERSION }],
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [
        {
          uri: HOPS_EXTENSION,
          description:
            "Messages say in their metadata, under this URI, how many agents the request has passed; tasks, with which number it is passed on.",
          required: false,
          params: { maxHops },
        },
      ],
    },
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer", description: "The token of the peer." } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: ["text/plain", "text/markdown", "image/*", "audio/*", "video/*", "application/*"],
    defaultOutputModes: ["text/markdown", "application/octet-stream"],
    skills: [{ id: "chat", name: "Conversation", description: "Answers messages in natural language.", tags: ["chat"] }],
  });
}

/**
 * Where the account's requests go. With `gateway.publicUrl` the address of the webhook is known; without it, it is what the client used, which only that client
 * gets back.
 */
export function endpointUrl(request: Request, webhookUrl: string | undefined): string {
  const asked = new URL(request.url);
  const isOwnPath = asked.pathname.startsWith("/channels/");
  if (webhookUrl !== undefined) return isOwnPath ? webhookUrl : webhookUrl.replace(/\/channels\/[^/]+\/[^/]+$/, RPC_PATH);
  return new URL(isOwnPath ? asked.pathname : RPC_PATH, asked).href;
}
