export { createConversationServer } from "./create-conversation-server.ts";
export type { ConversationServerOptions } from "./create-conversation-server.ts";
export type { Conversation, ConversationAnswer, ConversationMessage, Conversations } from "./conversations.ts";
export { McpEndpoint } from "./mcp-endpoint.ts";
export type { ListeningEndpoint, McpEndpointOptions } from "./mcp-endpoint.ts";
export { serveOnStdio } from "./serve-on-stdio.ts";
