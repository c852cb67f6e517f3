import * as z from "zod";
import { EditorAnswerSchema, EditorServerSchema, MAX_EDITOR_SERVERS, type EditorAnswer, type EditorOffer } from "../shapes/editor.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";

/** Methods of editors that do something for the runs of their sessions. */
export interface EditorMethods {
  /**
   * Offers the editor's files, terminals and MCP servers to the owner's runs in a session, until this connection ends. Only a connection from this machine may;
   * `attached` is false if another one has done so before. `problems`: what is left out, for people.
   */
  "editor.attach": {
    params: { readonly sessionKey: string } & EditorOffer;
    result: { readonly attached: boolean; readonly problems: readonly string[] };
  };
  /** Withdraws the offer; false if this connection has made no offer. */
  "editor.detach": { params: { readonly sessionKey: string }; result: { readonly detached: boolean } };
  /** Answers an `editor-request` of this connection; false if it does not wait any longer. */
  "editor.answer": { params: { readonly id: string; readonly answer: EditorAnswer }; result: { readonly taken: boolean } };
}

const sessionKey = z.string().min(1).max(512);

/** Rows of the editors' methods. */
export const EDITOR_METHODS: MethodTable<EditorMethods> = defineMethods<EditorMethods>()({
  "editor.attach": {
    access: "owner",
    stores: false,
    params: () =>
      z.strictObject({
        sessionKey,
        readsFiles: z.boolean(),
        writesFiles: z.boolean(),
        hasTerminals: z.boolean(),
        servers: z.array(EditorServerSchema).max(MAX_EDITOR_SERVERS),
      }),
    result: () => z.strictObject({ attached: z.boolean(), problems: z.array(z.string()) }),
  },
  "editor.detach": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ sessionKey }),
    result: () => z.strictObject({ detached: z.boolean() }),
  },
  "editor.answer": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ id: z.string().min(1).max(40), answer: EditorAnswerSchema }),
    result: () => z.strictObject({ taken: z.boolean() }),
  },
});
