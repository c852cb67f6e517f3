import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";

export const PASSWORD = "mail-password";

function find(name: string): string | undefined {
  return [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"]
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch (error) {
        if (error instanceof Error && "code" in error && ["ENOENT", "EACCES", "ENOTDIR"].includes(String(error.code))) return false;
        throw error;
      }
    });
}

const dovecot = find("dovecot");
const exim = find("exim4");

/** Why the servers cannot run here; `undefined` if they can. Both change their user. */
export const absence: string | undefined =
  dovecot === undefined || exim === undefined
    ? "Dovecot and Exim are not installed: apt-get install dovecot-imapd dovecot-lmtpd exim4-daemon-light"
    : process.getuid?.() === 0
      ? undefined
      : "Dovecot and Exim change their user, which only root may";

/** Exim, which takes mail for every address of two domains and gives it to Dovecot. */
export interface MailServers extends AsyncDisposable {
  readonly imapPort: number;
  readonly smtpPort: number;
  /** The folder of an address on the disk. */
  mailFolder(address: string): string;
  /** While this file exists, Exim defers mails for as many seconds as stand in it. */
  readonly deferFile: string;
  /** While this file exists, Exim refuses mails. */
  readonly denyFile: string;
}

/** A free port can be taken by another program before a server listens there. */
const STARTS = 5;

/** Starts both servers with configurations of their own, in a folder of their own. */
export async function startMailServers(): Promise<MailServers> {
  for (let start = 1; ; start += 1) {
    try {
      return await tryMailServers();
    } catch (error) {
      if (start === STARTS) throw error;
    }
  }
}

async function tryMailServers(): Promise<MailServers> {
  if (dovecot === undefined || exim === undefined) throw new Error(absence);
  // Not in the folder of TMPDIR, which may be closed to the users that the servers change to.
  const folder = mkdtempSync("/tmp/factotum-mail-");
  const [imapPort, lmtpPort, smtpPort] = await Promise.all([freePort(), freePort(), freePort()]);
  // The servers' own users write into it.
  chmodSync(folder, 0o755);
  for (const name of ["run", "mail", "spool"]) mkdirSync(join(folder, name));
  for (const name of ["mail", "spool"]) chmodSync(join(folder, name), 0o777);
  writeFileSync(join(folder, "dovecot.conf"), dovecotConfig({ folder, imapPort, lmtpPort }));
  writeFileSync(join(folder, "exim.conf"), eximConfig({ folder, smtpPort, lmtpPort }));
  const owner = spawnSync(exim, ["-bP", "exim_user"], { encoding: "utf8" }).stdout.split("=")[1]?.trim() ?? "Debian-exim";
  spawnSync("chown", [owner, join(folder, "spool")]);
  const processes = [
    spawn(dovecot, ["-F", "-c", join(folder, "dovecot.conf")], { stdio: ["ignore", "pipe", "pipe"] }),
    spawn(exim, ["-C", join(folder, "exim.conf"), "-bdf"], { stdio: ["ignore", "pipe", "pipe"] }),
  ];
  const end = async (): Promise<void> => {
    for (const child of processes) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await Promise.all([imapPort, lmtpPort, smtpPort].map(async (port) => listening(port, processes)));
  } catch (error) {
    await end();
    throw error;
  }
  return {
    imapPort,
    smtpPort,
    mailFolder: (address) => join(folder, "mail", address),
    deferFile: join(folder, "defer"),
    denyFile: join(folder, "deny"),
    [Symbol.asyncDispose]: end,
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Resolves once a server takes connections at the port; there is no event for it. */
async function listening(port: number, processes: readonly ChildProcess[]): Promise<void> {
  for (;;) {
    if (processes.some(({ exitCode }) => exitCode !== null)) throw new Error("a server has ended");
    const socket = connect(port, "127.0.0.1");
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
  }
}

function dovecotConfig({
  folder,
  imapPort,
  lmtpPort,
}: {
  readonly folder: string;
  readonly imapPort: number;
  readonly lmtpPort: number;
}): string {
  return `protocols = imap lmtp
listen = 127.0.0.1
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${folder}/run/log
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
mail_location = maildir:${folder}/mail/%u
first_valid_uid = 1
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=nobody gid=nogroup home=${folder}/mail/%u allow_all_users=yes
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Sent {
    auto = create
    special_use = \\Sent
  }
}
service imap-login {
  inet_listener imap {
    port = ${imapPort}
  }
  inet_listener imaps {
    port = 0
  }
}
service lmtp {
  inet_listener lmtp {
    port = ${lmtpPort}
  }
}
`;
}

function eximConfig({
  folder,
  smtpPort,
  lmtpPort,
}: {
  readonly folder: string;
  readonly smtpPort: number;
  readonly lmtpPort: number;
}): string {
  return `primary_hostname = mx.example.org
spool_directory = ${folder}/spool
log_file_path = ${folder}/spool/%slog
pid_file_path =
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${smtpPort}
domainlist local_domains = example.org : people.example
acl_smtp_rcpt = check_rcpt
acl_smtp_data = check_data
host_lookup =
smtp_accept_max = 0
smtp_accept_max_per_connection = 0
tls_advertise_hosts =
keep_environment =
begin acl
check_rcpt:
  accept domains = +local_domains
  deny message = 5.1.2 there is no such domain here
check_data:
  defer condition = \${if exists{${folder}/defer}}
        message = 4.7.1 Too many messages, try again in \${readfile{${folder}/defer}{}} seconds
  deny condition = \${if exists{${folder}/deny}}
       message = 5.7.1 refused by policy
  warn remove_header = Authentication-Results
       add_header = :at_start:Authentication-Results: mx.example.org; spf=pass smtp.mailfrom=$sender_address
  accept
begin routers
all:
  driver = accept
  domains = +local_domains
  transport = dovecot
begin transports
dovecot:
  driver = smtp
  protocol = lmtp
  hosts = 127.0.0.1
  port = ${lmtpPort}
  allow_localhost
  hosts_override
  message_linelength_limit = 100000
begin retry
* * F,1h,1s
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if eq{$auth3}{${PASSWORD}}}
  server_set_id = $auth2
  server_advertise_condition = yes
`;
}
