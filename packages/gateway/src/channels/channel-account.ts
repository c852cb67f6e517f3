import type { Channel, ChannelHost } from "@factotum/channel-contract";
import type { AccountConfig } from "@factotum/config";

/** One account that the configuration names, and how to make its channel. */
export interface ChannelAccount {
  readonly channel: string;
  readonly accountId: string;
  readonly config: AccountConfig;
  /** Loads the extension and creates the instance; rejects if a secret does not resolve or the package is not installed, saying what to do. */
  readonly create: (host: ChannelHost) => Promise<Channel>;
  /** A digest of the files with secrets that `create` would read now; never a secret. Never rejects. Absent: there are no such files. */
  readonly secretsDigest?: () => Promise<string>;
}
