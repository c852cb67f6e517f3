import { createContext, useContext } from "react";
import { useAppState } from "../../app/app-context.ts";
import { type Attachments, useAttachments } from "./use-attachments.ts";

const AttachmentsContext: React.Context<Attachments | undefined> = createContext<Attachments | undefined>(undefined);

/** Keeps the unsent attachments of every session while other pages are shown. */
export function AttachmentsProvider({ children }: { readonly children: React.ReactNode }): React.JSX.Element {
  const sessionKey = useAppState((state) => state.sessionKey);
  return <AttachmentsContext value={useAttachments(sessionKey)}>{children}</AttachmentsContext>;
}

/** The unsent attachments of the open session; throws outside of the provider. */
export function useOpenAttachments(): Attachments {
  const attachments = useContext(AttachmentsContext);
  if (attachments === undefined) throw new Error("The chat was drawn outside of the shell.");
  return attachments;
}
