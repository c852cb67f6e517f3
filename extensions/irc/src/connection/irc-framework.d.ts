/** The part of the package that is used here; it has no types of its own. */
declare module "irc-framework" {
  export interface FrameworkMessage {
    readonly command: string;
    readonly params: readonly string[];
    readonly tags: Readonly<Record<string, string>>;
    readonly nick: string;
    readonly ident: string;
    readonly hostname: string;
    readonly prefix: string;
  }
  export interface FrameworkMiddleware {
    use(handle: (command: string, message: FrameworkMessage, line: string, client: Client, next: () => void) => void): void;
  }
  export class Client {
    readonly network: { readonly cap: { readonly enabled: readonly string[] } };
    readonly command_handler: { dispatch(message: FrameworkMessage): void };
    readonly parsed_middleware: { handle(args: readonly unknown[], done: (error?: unknown) => void): void };
    requestCap(names: readonly string[]): void;
    use(set: (client: Client, raw: FrameworkMiddleware) => void): this;
    on(event: "sasl failed", listener: (event: { readonly reason: string; readonly message?: string }) => void): this;
    on(event: "socket close", listener: (error?: Error) => void): this;
    connect(options: Readonly<Record<string, unknown>>): void;
    raw(line: string): void;
    quit(message: string): void;
    readonly connection: { end(line: null, isBroken: boolean): void };
  }
  const framework: { readonly Client: typeof Client };
  export default framework;
}
