/** How serious a finding is: a `severe` one is never accepted without a person who reads it. */
export type FindingSeverity = "severe" | "notice";

/** One thing that the static scan looks for, in one line of text. */
export interface ScanRule {
  readonly id: string;
  readonly severity: FindingSeverity;
  /** What it means, for people. */
  readonly meaning: string;
  readonly patterns: readonly RegExp[];
}

/** Characters that hide text from people: of no width, changing the direction, or tags. Joiners of scripts and emoji are not among them. */
export const HIDDEN_CHARACTERS: RegExp = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

const SHELL = String.raw`(?:sudo\s+(?:-\S+\s+)*)?(?:/(?:usr/)?bin/)?(?:env\s+)?(?:ba|z|da|k|fi)?sh\b`;
const INTERPRETER = String.raw`(?:${SHELL}|(?:sudo\s+)?(?:python[0-9.]*|node|deno|bun|perl|ruby|php|pwsh|powershell)\b)`;
const DOWNLOAD = String.raw`(?:curl|wget|fetch|aria2c|iwr|irm|invoke-webrequest|invoke-restmethod)\b`;

/** The rules, applied to every line of every text file. */
export const SCAN_RULES: readonly ScanRule[] = [
  {
    id: "hidden-characters",
    severity: "severe",
    meaning: "has invisible or reordering characters, which show people another text than the model reads",
    patterns: [HIDDEN_CHARACTERS],
  },
  {
    id: "download-to-shell",
    severity: "severe",
    meaning: "runs what it downloads",
    patterns: [
      new RegExp(String.raw`\b${DOWNLOAD}[^\n]*\|\s*${INTERPRETER}`, "i"),
      new RegExp(String.raw`(?:\b${SHELL}\s+(?:-\w+\s+)?|\beval\s+|\bsource\s+|(?:^|\s)\.\s+)["']?(?:<\(|\$\(|\x60)\s*${DOWNLOAD}`, "i"),
      /\b(?:iex|invoke-expression)\b[^\n]*\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring|webclient)\b/i,
      /\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b[^\n]*\|\s*(?:iex|invoke-expression)\b/i,
      /\b(?:exec|eval)\s*\(\s*(?:await\s+)?(?:requests\.get|urllib|urlopen|fetch)\b/i,
    ],
  },
  {
    id: "encoded-command",
    severity: "severe",
    meaning: "runs a command that is hidden by an encoding",
    patterns: [
      new RegExp(String.raw`\b(?:base64|openssl\s+(?:enc|base64)|xxd)\b[^\n|]*\s(?:-d|-D|--decode|-r)\b[^\n]*\|\s*${INTERPRETER}`, "i"),
      new RegExp(String.raw`(?:\b${SHELL}\s+-c\s+|\beval\s+)["']?\$\([^)\n]*\b(?:base64|xxd)\b`, "i"),
      /\b(?:exec|eval|compile|Function)\s*\([^\n]*\b(?:b64decode|atob|fromhex|unhexlify|decodebytes)\b/,
      /\b(?:exec|eval|Function)\s*\([^\n]*Buffer\.from\([^\n]*["'](?:base64|hex)["']/,
      /\b(?:powershell|pwsh)\b[^\n]*\s-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{16,}/i,
    ],
  },
  {
    id: "credential-files",
    severity: "severe",
    meaning: "names files that hold keys and passwords",
    patterns: [
      /(?:^|[\s"'`/~=(])\.ssh\/(?:id_|authorized_keys|identity|\*)/,
      /\.aws\/credentials|\.config\/gcloud\/|\.azure\/|\.kube\/config|\.docker\/config\.json/,
      /(?:^|[\s"'`/~=(])\.(?:netrc|git-credentials|pgpass|gnupg\/|npmrc|pypirc)\b/,
      /\/etc\/shadow\b|\/proc\/(?:self|\d+|\*)\/environ\b/,
      /\.factotum\/(?:credentials|state)\b|\.openclaw\/(?:credentials|openclaw\.json|agents)\b|\.config\/op\/|\bwallet\.dat\b/,
      /\bsecurity\s+(?:find-(?:generic|internet)-password|dump-keychain)\b|\bLogin Data\b|\bcookies\.sqlite\b|\blogins\.json\b/,
    ],
  },
  {
    id: "instruction-override",
    severity: "severe",
    meaning: "tells the model to drop its instructions, or to hide something from you",
    patterns: [
      /\b(?:ignore|disregard|forget|override)\b(?:\s+\w+){0,4}\s+(?:previous|prior|above|earlier|all|any|your|system|other)(?:\s+\w+){0,3}\s+(?:instructions?|rules|prompts?|guidelines|directives)\b/i,
      /\b(?:ignore|disregard|forget|override)\s+(?:previous|prior|above|earlier|all|any|your|the)(?:\s+\w+){0,3}\s+(?:instructions?|rules|prompts?|guidelines|directives)\b/i,
      /\b(?:do not|don't|never)\b[^.\n]{0,20}\b(?:tell|inform|mention (?:this|it|that)|reveal (?:this|it|that)|show|notify|let)\b[^.\n]{0,20}\b(?:the )?(?:user|owner|human|person)\b/i,
      /\bwithout\s+(?:telling|asking|informing|notifying|the knowledge of)\b[^.\n]{0,20}\b(?:user|owner|human)\b/i,
      /\b(?:secretly|silently|covertly)\b[^.\n]{0,40}\b(?:send|upload|post|copy|forward|run|execute)\b/i,
      /\b(?:bypass|disable|turn off|skip)\b[^.\n]{0,20}\b(?:approvals?|sandbox|safety|guardrails?|confirmations?)\b/i,
      /<\/?(?:system|system-reminder|developer)>|\[\/?(?:INST|SYSTEM)\]|<\|(?:im_start|im_end|system)\|>/,
    ],
  },
  {
    id: "destroys-files",
    severity: "severe",
    meaning: "deletes or overwrites a whole disk or home folder",
    patterns: [
      /\brm\s+(?:-\w+\s+)*-\w*[rR]\w*\s+(?:-\w+\s+)*["']?(?:\/|~|\$HOME|\$\{HOME\})\/?\*?["']?(?:\s|$|[;&|])/,
      /\bmkfs(?:\.\w+)?\s|\bdd\b[^\n]*\bof=\/dev\//,
    ],
  },
  {
    id: "network",
    severity: "notice",
    meaning: "talks to the network",
    patterns: [
      /(?:^|[\s`$(|;&])(?:curl|wget|ncat|netcat|telnet|sftp|scp|rsync|ssh)\s+\S/,
      /\b(?:requests|httpx)\.(?:get|post|put|request)\b|\burllib\.request\b|\bhttp\.client\b|\bsocket\.(?:socket|create_connection)\b/,
      /\bfetch\(\s*["'`]https?:|\baxios\b|\bXMLHttpRequest\b|\bnet\.connect\(|\bhttps?\.(?:get|request)\(/,
    ],
  },
  {
    id: "installs-software",
    severity: "notice",
    meaning: "installs or runs software from elsewhere",
    patterns: [
      /(?:^|[\s`$(|;&])(?:npm\s+(?:i|install|exec)|npx|pnpm\s+(?:add|dlx)|yarn\s+(?:add|dlx)|bunx|pip3?\s+install|pipx|uvx|uv\s+(?:pip|tool)|gem\s+install|cargo\s+install|go\s+install|brew\s+install|apt(?:-get)?\s+install)\b/,
    ],
  },
  {
    id: "lasting-changes",
    severity: "notice",
    meaning: "changes the system for later, or asks for more rights",
    patterns: [
      /(?:^|[\s`$(|;&])(?:sudo|doas|crontab|launchctl|systemctl\s+(?:enable|link)|schtasks)\b/,
      />>?\s*["']?(?:~|\$HOME)\/\.(?:bashrc|zshrc|profile|bash_profile|zprofile|config\/(?:autostart|systemd|fish))/,
      /\bchmod\s+[ug]*\+?[0-7]*s\b|\bchmod\s+[2467]7\d\d\b/,
    ],
  },
  {
    id: "long-encoded-text",
    severity: "notice",
    meaning: "has a long encoded text that nobody can read",
    patterns: [/[A-Za-z0-9+/]{240,}={0,2}|(?:\\x[0-9a-f]{2}){60,}/i],
  },
];
