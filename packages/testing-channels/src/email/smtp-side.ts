import type { Socket } from "node:net";
import { simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";
import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from "smtp-server";

/** A fault of the next mail. */
export type MailFault =
  /** The server answers the mail with this refusal. */
  | { readonly type: "refused"; readonly status: number; readonly text: string }
  /** The mail is taken, and the connection breaks before the answer. */
  | { readonly type: "answer-lost" }
  /** The mail is taken, and the answer is no line of the protocol. */
  | { readonly type: "answer-unreadable" }
  /** The mail is taken, and the answer waits for `release`. */
  | { readonly type: "held" };

/** A mail that was sent, as its recipient sees it. */
export interface SentMail {
  readonly to: string;
  readonly source: Buffer;
  readonly messageId: string;
  readonly inReplyTo: string | undefined;
  readonly references: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly files: readonly { readonly name: string; readonly mimeType: string; readonly bytes: Buffer }[];
  /** A header's value. */
  readonly header: (name: string) => string | undefined;
}

/** How mail is taken. */
export interface SmtpSideOptions {
  checkLogin(user: string, password: string): boolean;
  /** Checks a login by SASL XOAUTH2; `undefined` for a server without it. */
  readonly checkToken: ((user: string, token: string) => boolean) | undefined;
  /** The recipients that there are; others are refused. */
  knows(address: string): boolean;
  /** Called for every mail that was transmitted, and every recipient that is refused. */
  onRequest(): void;
  onMail(mail: SentMail): void;
  nextFault(): MailFault | undefined;
  /** Resolves when held answers are released. */
  released(): Promise<void>;
  readonly tls: { readonly key: string; readonly cert: string } | undefined;
}

/** Creates the server for sending. It wants a login, and refuses unknown recipients. */
export function createSmtpSide(options: SmtpSideOptions): SMTPServer {
  const sockets = new Set<Socket>();
  const socketOf = ({ remotePort }: SMTPServerSession): Socket | undefined =>
    [...sockets].find((socket) => socket.remotePort === Number(remotePort));
  const settings: SMTPServerOptions = {
    banner: "fake",
    disabledCommands: ["STARTTLS"],
    authMethods: options.checkToken === undefined ? ["PLAIN", "LOGIN"] : ["XOAUTH2"],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 10,
    ...(options.tls === undefined ? {} : { secure: true, ...options.tls }),
    onAuth({ method, username = "", password = "", accessToken = "" }, _session, callback) {
      if (method === "XOAUTH2") {
        const isRight = options.checkToken?.(username, accessToken ?? "") === true;
        return callback(null, isRight ? { user: username } : { data: { status: "401", schemes: "bearer" } });
      }
      if (options.checkLogin(username, password ?? "")) callback(null, { user: username });
      else callback(refusal(535, "5.7.8 Authentication credentials invalid"));
    },
    onRcptTo({ address }, _session, callback) {
      if (options.knows(address)) return callback();
      options.onRequest();
      callback(refusal(550, `5.1.1 <${address}>: there is no such recipient`));
    },
    onData(stream, session, callback) {
      void take(stream, session, options).then((answer) => {
        if (answer === "lost") socketOf(session)?.destroy();
        else if (answer === "unreadable") socketOf(session)?.write("<html></html>\r\n");
        // The library takes the answer by this callback alone.
        // oxlint-disable-next-line promise/no-callback-in-promise
        else callback(answer);
      });
    },
  };
  const server = new SMTPServer(settings);
  server.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  // A client that breaks its connection is no fault of the test.
  server.on("error", () => undefined);
  return server;
}

async function take(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  options: SmtpSideOptions,
): Promise<Error | "lost" | "unreadable" | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  } catch {
    // The client has gone in the middle of a mail, which is discarded.
    return "lost";
  }
  const source = Buffer.concat(chunks);
  const [recipient] = session.envelope.rcptTo;
  const mail = await parseSentMail(source, recipient?.address ?? "");
  options.onRequest();
  const fault = options.nextFault();
  if (fault?.type === "refused") return refusal(fault.status, fault.text);
  options.onMail(mail);
  if (fault?.type === "held") await options.released();
  if (fault?.type === "answer-lost") return "lost";
  if (fault?.type === "answer-unreadable") return "unreadable";
  return null;
}

/** Reads a mail as its recipient does. */
export async function parseSentMail(source: Buffer, to: string): Promise<SentMail> {
  const mail = await simpleParser(source, { skipHtmlToText: true, skipTextToHtml: true });
  return {
    to: to.toLowerCase(),
    source,
    messageId: mail.messageId ?? "",
    inReplyTo: mail.inReplyTo,
    references: [mail.references ?? []].flat(),
    subject: mail.subject ?? "",
    text: (mail.text ?? "").replace(/\n$/, ""),
    html: mail.html === false ? "" : mail.html,
    files: mail.attachments.map(({ filename, contentType, content }) => ({ name: filename ?? "", mimeType: contentType, bytes: content })),
    header: (name) => mail.headerLines.find(({ key }) => key === name.toLowerCase())?.line.replace(/^[^:]*:\s*/, ""),
  };
}

function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
